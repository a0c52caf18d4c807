/**
 * The service in a separate process, so that what a request does to it is seen from outside. Started by `Target.ts`,
 * which it tells where it listens and, when asked, the names and keys of things that it has made.
 */
import { randomUUID } from "node:crypto"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as FileDeliveryContract from "../kit/contracts/run/FileDeliveryContract.ts"
import { conversationsOf, failedRun } from "../support/conversations.ts"
import { makeSecretProvider, pair } from "../support/credentials.ts"
import * as Embedded from "../support/embedded.ts"
import { componentData, graph } from "../support/fixtures.ts"
import * as HeldLoop from "../support/heldLoop.ts"
import { hosting } from "../support/hosted.ts"
import { makePatch } from "../support/patches.ts"
import { layerWith, Service } from "../support/service.ts"
import { makeDead, makeWebhook } from "../support/webhooks.ts"
import type { Things } from "./Case.ts"

const url = process.env.SLUICE_TEST_FUZZ_DATABASE
const stores =
  url === undefined
    ? Embedded.layer
    : Layer.orDie(Layer.merge(Postgres.layer(Redacted.make(url), 10), MemoryArtifacts.layer))
const service = layerWith({ stores })
const runtime = ManagedRuntime.make(Layer.provideMerge(hosting, service))

/** A new workspace with one of everything that a path may name. */
const makeThings = Effect.gen(function* () {
  const { member, send } = yield* Service
  const owner = yield* member("Owner")
  const viewer = yield* member("Viewer", owner)
  const create = (path: string, json: unknown) =>
    Effect.map(send({ method: "POST", path, key: owner.key, json }), ({ body }) => body)
  const workflow = String((yield* create("/workflows", { name: "Nightly", ...graph() })).id)
  const started = Effect.map(create("/run", { workflow_id: workflow }), ({ session_id }) => String(session_id))
  const failed = yield* Effect.provideService(Effect.flatMap(started, failedRun), RunStore, yield* RunStore)
  const session = yield* started
  const conversations = yield* conversationsOf(owner)
  const question = yield* conversations.question
  yield* create("/vault", pair)
  const workspace = owner.caller.workspaceId
  return {
    key: owner.key,
    viewer_key: viewer.key,
    workflow_id: workflow,
    session_id: session,
    failed_session_id: failed,
    component_id: String((yield* create("/workflow-components", { name: "Login", componentData: componentData() })).id),
    schedule_id: String(
      (yield* create("/schedules", { workflow_id: workflow, cron: "0 6 * * *", time_zone: "UTC" })).id
    ),
    version_number: "1",
    workspace_id: workspace,
    node_id: graph().nodes[0]?.id ?? "",
    error_code_id: String((yield* create("/error-codes", { error_code: randomUUID() })).id),
    api_key_id: String((yield* create("/api-keys", { role: "Viewer" })).id),
    invitation_id: String((yield* create("/invitations", { role: "Viewer" })).id),
    webhook_id: (yield* makeWebhook(owner.caller)).id,
    destination_id: String(
      (yield* create("/file-destinations", { name: randomUUID(), type: "http", url: "https://files.example.com/in/" }))
        .id
    ),
    receiver_id: String(
      (yield* create("/alert-receivers", {
        name: randomUUID(),
        type: "slack",
        url: "https://hooks.example.com/services/one"
      })).id
    ),
    file_delivery_id: (yield* FileDeliveryContract.makeFailed(owner.caller)).id,
    delivery_id: (yield* makeDead(owner.caller, session)).id,
    secret_provider_id: yield* makeSecretProvider(workspace),
    patch_id: yield* makePatch(workspace, workflow),
    conversation_id: yield* conversations.id,
    message_id: question,
    client_id: randomUUID(),
    permissioned_user_id: pair.permissioned_user_id,
    domain: pair.domain
  } satisfies Things
})

const watch = HeldLoop.start()

process.on("message", (question: "things" | { readonly bound: number }) => {
  if (question !== "things") process.send?.({ held: watch.lap(question.bound) })
  else {
    void runtime.runPromise(makeThings).then(
      (things) => process.send?.({ things }),
      (error: unknown) => process.send?.({ failure: String(error) })
    )
  }
})
process.once("disconnect", () => process.exit(0))
process.send?.({ url: await runtime.runPromise(Effect.map(Service, (service) => service.url)) })
