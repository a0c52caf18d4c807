/** Services of core check the role of their caller by themselves, whatever front end calls them. */
import { assert, it } from "@effect/vitest"
import { type Context, Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as HttpSink from "../../../adapters/http/HttpSink.ts"
import * as MailClient from "../../../adapters/mail/MailClient.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as HttpSources from "../../../adapters/secrets/HttpSources.ts"
import * as SecretAsking from "../../../adapters/secrets/SecretStoreRequest.ts"
import { Builder } from "../../../core/builder/Builder.ts"
import { AlertReceivers } from "../../../core/event/alert/AlertReceivers.ts"
import { RunSubscriptions } from "../../../core/event/notification/RunSubscriptions.ts"
import * as Replay from "../../../core/event/webhook/Replay.ts"
import { Webhooks } from "../../../core/event/webhook/Webhooks.ts"
import { LiveViews } from "../../../core/execution/live/LiveViews.ts"
import { Gates } from "../../../core/gate/Gates.ts"
import { FileDestinations } from "../../../core/run/delivery/FileDestinations.ts"
import { Interactions } from "../../../core/run/interaction/Interactions.ts"
import { NamedLimits } from "../../../core/run/limit/NamedLimits.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { RunVerbs } from "../../../core/run/verb/RunVerbs.ts"
import { KeyRotation } from "../../../core/vault/keys/KeyRotation.ts"
import { PhoneNumbers } from "../../../core/vault/otp/PhoneNumbers.ts"
import { TfaCodes } from "../../../core/vault/otp/TfaCodes.ts"
import { SecretConnections } from "../../../core/vault/providers/SecretConnections.ts"
import { Vault } from "../../../core/vault/Vault.ts"
import { Components } from "../../../core/workflow/component/Components.ts"
import { Patches } from "../../../core/workflow/patch/Patches.ts"
import { Transfers } from "../../../core/workflow/transfer/Transfers.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { ApiKeys } from "../../../core/workspace/ApiKeys.ts"
import { AuditTrail } from "../../../core/workspace/audit/AuditTrail.ts"
import { ErrorCodes } from "../../../core/workspace/ErrorCodes.ts"
import { RunId } from "../../../core/workspace/Ids.ts"
import { OpenSessions } from "../../../core/workspace/signin/OpenSessions.ts"
import { type Ability, allows, type Caller, Role, RoleForbids } from "../../../core/workspace/Workspace.ts"
import { Workspaces } from "../../../core/workspace/Workspaces.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const layer = Layer.mergeAll(
  ApiKeys.layer,
  AuditTrail.layer,
  Builder.layer,
  Components.layer,
  ErrorCodes.layer,
  Gates.layer,
  Interactions.layer,
  KeyRotation.layer,
  LiveViews.layer,
  PhoneNumbers.layer,
  Runs.layer,
  RunVerbs.layer,
  RunSubscriptions.layer,
  SecretConnections.layer,
  OpenSessions.layer,
  TfaCodes.layer,
  Vault.layer,
  Layer.merge(Transfers.layer, Patches.layer).pipe(Layer.provideMerge(Workflows.layer)),
  FileDestinations.layer,
  AlertReceivers.layer,
  NamedLimits.layer,
  Webhooks.layer,
  Workspaces.layer
).pipe(
  Layer.provide(Workflows.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      HttpSender.layer(HttpSender.defaults),
      HttpSink.layer(HttpSink.defaults),
      MailClient.layer({ allowPrivateNetworks: false }),
      HttpSources.layer({ ...SecretAsking.defaults, allowPrivateNetworks: false, retryMillis: 0 })
    )
  ),
  Layer.provideMerge(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer))
)

type Services = Layer.Success<typeof layer>

/** An act of a caller on a service. The check comes first, so that the other arguments do not matter. */
interface Act {
  readonly name: string
  readonly ability: Ability
  readonly by: (caller: Caller) => Effect.Effect<unknown, unknown, Services>
}

/** Acts on a service, by the names of its methods. */
const acts = <I extends Services, S extends object>(
  service: Context.Key<I, S> & { readonly key: string },
  ability: Ability,
  ...methods: ReadonlyArray<keyof S & string>
): ReadonlyArray<Act> =>
  methods.map((method) => ({
    name: `${service.key.split("/").at(-1)}.${method}`,
    ability,
    by: (caller) =>
      Effect.flatMap(Effect.service(service), (found) =>
        (found[method] as (caller: Caller, ...rest: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>)(
          caller,
          "00000000-0000-4000-8000-000000000001",
          {}
        )
      )
  }))

const runId = RunId.make("00000000-0000-4000-8000-000000000001")

const all: ReadonlyArray<Act> = [
  ...acts(ApiKeys, "manage", "list", "make", "rotate", "revoke"),
  ...acts(AuditTrail, "manage", "page", "all"),
  ...acts(Builder, "edit", "open", "say", "respond", "save", "interrupt", "end"),
  ...acts(Components, "edit", "create", "save", "rename", "remove"),
  ...acts(ErrorCodes, "edit", "findOrCreate", "change", "remove"),
  ...acts(Gates, "edit", "setWindow", "removeWindow", "pause", "unpause"),
  ...acts(Interactions, "run", "answer", "correct"),
  ...acts(KeyRotation, "manage", "begin", "state", "finish"),
  ...acts(Patches, "edit", "apply", "dismiss"),
  ...acts(PhoneNumbers, "manage", "set"),
  ...acts(RunVerbs, "run", "interrupt", "release", "retry", "tag"),
  ...acts(RunVerbs, "read", "select"),
  ...acts(Runs, "run", "submit", "interrupt"),
  ...acts(RunSubscriptions, "manage", "list", "subscribe", "unsubscribe"),
  ...acts(SecretConnections, "manage", "create", "change", "remove", "check"),
  ...acts(OpenSessions, "read", "list", "end"),
  ...acts(TfaCodes, "edit", "current"),
  ...acts(Transfers, "edit", "unpack", "fork"),
  ...acts(Vault, "edit", "create", "update", "remove", "clearBrowserState"),
  ...acts(AlertReceivers, "manage", "list", "get", "create", "change", "remove", "test", "alerts"),
  ...acts(FileDestinations, "read", "list", "get", "deliveries"),
  ...acts(FileDestinations, "manage", "create", "change", "remove"),
  ...acts(FileDestinations, "edit", "retry"),
  ...acts(NamedLimits, "read", "list", "get"),
  ...acts(NamedLimits, "edit", "create", "change", "remove", "pause", "resume", "override"),
  ...acts(Webhooks, "manage", "create", "change", "remove", "test"),
  ...acts(Webhooks, "edit", "retry"),
  ...acts(Workflows, "edit", "create", "createFrom", "save", "upsert", "remove"),
  ...acts(Workspaces, "manage", "create", "set"),
  {
    name: "LiveViews.connect with control",
    ability: "edit",
    by: (caller) => Effect.flatMap(LiveViews, (views) => views.connect(caller, runId, true))
  },
  {
    name: "Replay.replay",
    ability: "edit",
    by: (caller) =>
      Replay.replay(caller, { ...caller, runId, workflowId: "", webhook: null, events: [] }, {
        artifact: () => ({ url: "" })
      } as never)
  }
]

it.layer(layer)("a service", (it) => {
  it.effect.each([...all])("refuses $name to a caller whose role lacks the ability", ({ ability, by }) =>
    Effect.gen(function* () {
      for (const role of Role.literals.filter((one) => !allows(one, ability))) {
        const refused = yield* Effect.flip(by(yield* makeWorkspace(role)))
        assert.instanceOf(refused, RoleForbids)
        assert.deepStrictEqual([refused.role, refused.ability], [role, ability])
      }
    })
  )
})
