import { randomUUID } from "node:crypto"
import { request as openRequest } from "node:http"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../apps/api/Api.ts"
import type { EventLog } from "../../../core/event/EventLog.ts"
import type { Deliveries } from "../../../core/event/webhook/Deliveries.ts"
import type { WebhookStore } from "../../../core/event/webhook/Webhook.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import type { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import type { SecretProviders } from "../../../core/vault/providers/SecretProviders.ts"
import type { PatchStore } from "../../../core/workflow/patch/PatchStore.ts"
import * as FileDeliveryContract from "../../kit/contracts/run/FileDeliveryContract.ts"
import { conversationsOf, failedRun } from "../../support/conversations.ts"
import { makeSecretProvider } from "../../support/credentials.ts"
import { bodySchema, type Described, type Document, judge, operationsOf } from "../../support/description.ts"
import { componentData, daily, graph } from "../../support/fixtures.ts"
import { home, hosted } from "../../support/hosted.ts"
import { type Draw, draws, generate, mutate, pick } from "../../support/JsonSchema.ts"
import { makePatch } from "../../support/patches.ts"
import { scale } from "../../support/scale.ts"
import { type Answer, Service } from "../../support/service.ts"
import { makeDead, makeWebhook } from "../../support/webhooks.ts"
import { namedFields, wrongBody } from "../../support/wrongBodies.ts"

const document = OpenApi.fromApi(Api) as unknown as Document
const operations = operationsOf(document)
const trials = 3 * scale
const workflow = { name: "Nightly", ...graph() }
const schedule = { workflow_id: "made", cron: "0 7 * * *", time_zone: "Europe/Berlin" }
const component = { name: "Login", componentData: componentData() }
let reused = 0

const domain = "https://shop.example"

/** Bodies that are in order by rules that no schema says, for operations that generated bodies seldom please. */
const bodies: Readonly<Record<string, () => unknown>> = {
  "workflows.create": () => ({ ...workflow, run_window: daily(9, 17) }),
  "workflows.save": () => workflow,
  "workflows.upsert": () => ({ ...workflow, name: reused++ % 2 === 0 ? randomUUID() : "Reused" }),
  "workflows.import": () => ({ ...workflow, format: "sluice.workflow", format_version: 1 }),
  "workflowComponents.createComponent": () => component,
  "workflowComponents.renameComponent": () => ({ name: "Sign in" }),
  "workflowComponents.saveComponent": () => component,
  "vault.createEntry": () => ({ permissioned_user_id: randomUUID(), domain }),
  "vault.updateEntry": () => ({ permissioned_user_id: "", domain }),
  "authentication.createAuthentication": () => ({ permissioned_user_id: randomUUID(), domain }),
  "authentication.updateAuthentication": () => ({ permissioned_user_id: "", domain }),
  setRunWindow: () => daily(9, 17),
  "runVerbs.release": () => ({ session_ids: [randomUUID()] }),
  "runVerbs.interruptAll": () => ({ session_ids: [randomUUID()] }),
  "runVerbs.retry": () => ({ session_ids: [randomUUID()] }),
  "runVerbs.tag": () => ({ session_ids: [randomUUID()], add: ["a"] }),
  "runWindows.previewRunWindow": () => daily(0, 17),
  "workflowBuilder.openSession": () => ({ name: "New", startUrl: home }),
  "workflowBuilder.openSessionFromWorkflow": () => ({ workflowId: "made" }),
  "workflowBuilder.openSessionFromFailedRun": () => ({ sessionId: "made" }),
  "workflowBuilder.say": () => ({ text: "help" }),
  "workflowBuilder.respond": () => ({ messageId: "made", value: "me" }),
  "schedules.createSchedule": () => schedule,
  "schedules.previewSchedule": () => schedule,
  "schedules.replaceSchedule": () => schedule,
  "webhooks.createEndpoint": () => ({ url: `https://example.com/${randomUUID()}` })
}

/** The values of query parameters whose type is only text. */
const queryValues: Readonly<Record<string, ReadonlyArray<string>>> = {
  limit: ["1", "100"],
  offset: ["0", "3"],
  tail: ["true", "2"],
  openings: ["1", "3"],
  count: ["1", "3"],
  status: ["execution.queued", "execution.paused"],
  statuses: ["execution.success"],
  "statuses[]": ["execution.failed"],
  start_time: ["1970-01-01T00:00:00Z"],
  end_time: ["1970-01-02T00:00:00Z"],
  cursor: ["1970-01-01T12:00:00.000Z"],
  start_timestamp: ["1970-01-01T00:00:00Z"],
  end_timestamp: ["1970-01-02T00:00:00Z"],
  include_noise: ["true"],
  // The description of a stream has one type: test/http/api/audit.test.ts asks for CSV.
  format: ["jsonl"]
}

/** Answers that need a run at work, a sealed secret, or a provider of secrets: the tests of their rooms reach them. */
const reachedElsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
  // Everything must have been re-encrypted before: test/http/api/encryptionKey.test.ts.
  "encryptionKey.finishRotation": ["200"],
  "evidence.debugSnapshot": ["200"],
  "interactions.openQuestion": ["200"],
  "interactions.answer": ["200"],
  "interactions.correct": ["200"],
  "interactions.decide": ["200"],
  "live.connection": ["200"],
  "vault.checkEntry": ["202", "409"],
  "vault.tfaCode": ["200", "422"],
  "secretProviders.createSecretProvider": ["201", "422"],
  "secretProviders.changeSecretProvider": ["422"],
  "secretProviders.listSecretItems": ["200", "503"],
  // Each token is accepted once: test/http/api/keys.test.ts.
  "invitations.acceptInvitation": ["201"],
  // A session of the console makes no links: test/http/api/consoleSession.test.ts.
  "console.makeLink": ["403"],
  // A session must be open: test/http/api/consoleSession.test.ts.
  "console.endOpenSession": ["200"],
  // A version must have been saved as a canary: test/http/api/canaries.test.ts.
  "canaries.getCanary": ["200"],
  "canaries.promoteCanary": ["200"],
  "canaries.stopCanary": ["200"],
  // The run must have ended: test/http/api/api.test.ts.
  "runs.removeRun": ["200"],
  // The installation must be for tests: test/http/conformance/conformance.test.ts.
  "installation.readTestClock": ["200"],
  "installation.moveTestClock": ["200"],
  // Only the workspace of the installation makes others: test/http/api/keys.test.ts.
  "workspaces.createWorkspace": ["201"]
}

/** The variants of operations for Viewers that Viewers are refused. */
const refusedToViewers: Readonly<Record<string, string>> = { "live.connection": "?control=true" }

/** The statuses of the middlewares, each of which has separate tests. */
const answeredAround = new Set(["409", "429", "500", "503"])

/** Makes the resources that parameters and bodies of requests name, for every request. */
const fixtures = Effect.gen(function* () {
  const { member, send } = yield* Service
  const owner = yield* member("Owner")
  const make = (path: string, json: unknown) => send({ method: "POST", path, key: owner.key, json })
  let lastWorkflow = ""
  const workflowId = Effect.map(make("/workflows", workflow), ({ body }) => {
    lastWorkflow = String(body.id)
    return lastWorkflow
  })
  const sessionId = Effect.flatMap(workflowId, (id) =>
    Effect.map(make("/run", { workflow_id: id }), ({ body }) => String(body.session_id))
  )
  const conversations = yield* conversationsOf(owner)
  const stores = yield* Effect.context<
    Deliveries | EventLog | FileDeliveryContract.Stores | PatchStore | SecretProviders | WebhookStore
  >()
  const makers: Readonly<Record<string, Effect.Effect<string, StoreUnavailable>>> = {
    workflow_id: workflowId,
    workflowId,
    sessionId: Effect.provideService(Effect.flatMap(sessionId, failedRun), RunStore, yield* RunStore),
    conversation_id: conversations.id,
    messageId: conversations.question,
    session_id: sessionId,
    permissioned_user_id: Effect.suspend(() =>
      Effect.map(make("/vault", { permissioned_user_id: randomUUID(), domain }), ({ body }) =>
        String(body.permissioned_user_id)
      )
    ),
    domain: Effect.succeed(domain),
    secret_provider_id: Effect.provide(makeSecretProvider(owner.caller.workspaceId, "1password"), stores),
    component_id: Effect.suspend(() =>
      Effect.map(make("/workflow-components", component), ({ body }) => String(body.id))
    ),
    node_id: Effect.succeed(String(workflow.nodes[0]?.id)),
    opened_at: Effect.succeed("2026-01-01T00:00:00.000Z"),
    client_id: Effect.sync(() => randomUUID()),
    "last-event-id": Effect.succeed("0"),
    "If-Match": Effect.succeed("*"),
    "x-session-id": sessionId,
    // Of the workflow that stands before it in the path.
    patch_id: Effect.suspend(() => Effect.provide(makePatch(owner.caller.workspaceId, lastWorkflow), stores)),
    // Of the workflow that the body names, where it names one.
    schedule_id: Effect.gen(function* () {
      const of = (workflow_id: string) => make("/schedules", { ...schedule, workflow_id })
      const first = yield* of(lastWorkflow)
      const { body } = first.status === 201 ? first : yield* of(yield* workflowId)
      return String(body.id)
    }),
    version_number: Effect.succeed("1"),
    workspace_id: Effect.succeed(owner.caller.workspaceId),
    organization_id: Effect.succeed(owner.caller.workspaceId),
    error_code_id: Effect.suspend(() =>
      Effect.map(make("/error-codes", { error_code: randomUUID() }), ({ body }) => String(body.id))
    ),
    api_key_id: Effect.map(make("/api-keys", { role: "Viewer" }), ({ body }) => String(body.id)),
    invitation_id: Effect.map(make("/invitations", { role: "Viewer" }), ({ body }) => String(body.id)),
    webhook_id: Effect.map(makeWebhook(owner.caller), ({ id }) => id).pipe(Effect.orDie, Effect.provide(stores)),
    delivery_id: Effect.flatMap(sessionId, (id) => makeDead(owner.caller, id)).pipe(
      Effect.map(({ id }) => id),
      Effect.orDie,
      Effect.provide(stores)
    ),
    destination_id: Effect.suspend(() =>
      Effect.map(
        make("/file-destinations", { name: randomUUID(), type: "http", url: "https://files.example.com/in/" }),
        ({ body }) => String(body.id)
      )
    ),
    receiver_id: Effect.suspend(() =>
      Effect.map(
        make("/alert-receivers", {
          name: randomUUID(),
          type: "slack",
          url: "https://hooks.example.com/services/one"
        }),
        ({ body }) => String(body.id)
      )
    ),
    limit_id: Effect.suspend(() =>
      Effect.map(make("/limits", { name: randomUUID(), max_running: 3 }), ({ body }) => String(body.id))
    ),
    file_delivery_id: FileDeliveryContract.makeFailed(owner.caller).pipe(
      Effect.map(({ id }) => id),
      Effect.orDie,
      Effect.provide(stores)
    )
  }
  const one = (name: string): Effect.Effect<string, StoreUnavailable> => {
    const maker = makers[name.replace(/s?(\[\])?$/, "").replace("resource_id", "workflow_id")] ?? makers[name]
    return maker ?? Effect.die(`Say in this test how "${name}" is made`)
  }
  return {
    owner,
    one,
    isMade: (name: string) =>
      /^((workflow|workspace|resource)_ids?(\[\])?|workflowId|sessionId|messageId|permissioned_user_id|domain)$/.test(
        name
      )
  }
})
type Fixtures = Effect.Success<typeof fixtures>

interface Trial {
  readonly body?: unknown
  readonly raw?: string
  readonly headers?: Record<string, string>
  readonly key?: string | null
  /** Takes the place of every id in the path. */
  readonly id?: string
  readonly query?: string
}

/** Sends a request to an operation, with what its path and headers name in place. */
const ask = Effect.fnUntraced(function* (operation: Described, { isMade: _, one, owner }: Fixtures, trial: Trial) {
  const { send } = yield* Service
  let path = operation.path
  const headers: Record<string, string> = {}
  for (const { in: place, name } of operation.parameters) {
    if (place === "path") path = path.replace(`{${name}}`, trial.id ?? (yield* one(name)))
    // A key that came with another request before would be refused: test/e2e/api/idempotency.test.ts.
    if (place === "header" && name !== "Idempotency-Key") headers[name] = trial.id ?? (yield* one(name))
  }
  return yield* send({
    method: operation.method,
    path: `${path}${trial.query ?? ""}`,
    key: trial.key === undefined ? owner.key : trial.key,
    headers: { ...headers, ...trial.headers },
    ...(trial.body === undefined ? {} : { json: trial.body }),
    ...(trial.raw === undefined ? {} : { raw: trial.raw })
  })
})

/** Puts ids of things that exist in the place of generated ones. */
const withIds = Effect.fnUntraced(function* (body: unknown, { isMade, one }: Fixtures, { operationId }: Described) {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body
  const filled: Record<string, unknown> = { ...body }
  const isNew = operationId.includes(".create")
  for (const [name, value] of Object.entries(body)) {
    if (!isMade(name) || value === null || (isNew && name === "permissioned_user_id")) continue
    filled[name] = Array.isArray(value) ? [yield* one(name)] : yield* one(name)
  }
  return filled
})

const drawQuery = Effect.fnUntraced(function* (operation: Described, { isMade, one }: Fixtures, draw: Draw) {
  const query = new URLSearchParams()
  for (const { in: place, name, required, schema } of operation.parameters) {
    if (place !== "query" || (!required && draw() < 0.6)) continue
    if (isMade(name) || name === "organization_id") query.append(name, yield* one(name))
    else query.append(name, pick(queryValues[name] ?? (schema.enum as ReadonlyArray<string>) ?? ["x"], draw))
  }
  return query.size === 0 ? "" : `?${query}`
})

/** Fields that are `null` are as if they were left out. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, withoutNulls(inner)]]))
  )
}

const { allows, complaint, resolve } = judge(document)

/** The answer to a body that is said to be too large, of which nothing is sent. */
const tooLarge = (url: string, { method, path }: Described, key: string) =>
  Effect.callback<{ readonly status: number; readonly headers: Headers; readonly text: string }>((resume) => {
    const sent = openRequest(`${url}${path.replace(/\{\w+\}/g, randomUUID())}`, {
      method,
      headers: { "cc-key": key, "content-type": "application/json", "content-length": "100000000" }
    })
    sent.on("response", (answer) => {
      let text = ""
      answer.setEncoding("utf8")
      answer.on("data", (chunk: string) => {
        text += chunk
      })
      answer.on("end", () => {
        sent.destroy()
        const headers = new Headers({ "content-type": answer.headers["content-type"] ?? "" })
        resume(Effect.succeed({ status: answer.statusCode ?? 0, headers, text }))
      })
    })
    sent.on("error", () => {})
    sent.flushHeaders()
  })

it.layer(hosted)("the description", (it) => {
  it.effect.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    "says what %s answers, and all that it answers",
    ([, operation]) =>
      Effect.gen(function* () {
        const { member, url } = yield* Service
        const made = yield* fixtures
        const viewer = yield* member("Viewer", made.owner)
        const draw = draws(operation.operationId.length * 7_919 + operation.path.length)
        const schema = bodySchema(operation)
        const complaints: Array<string> = []
        const reached = new Set<string>()
        const note = (answer: Pick<Answer, "status" | "headers" | "text">, trial: Trial) => {
          reached.add(String(answer.status))
          const found = complaint(operation, answer)
          if (found !== null) complaints.push(`${JSON.stringify(trial).slice(0, 500)} was ${found}`)
          return answer.status
        }
        const attempt = (trial: Trial) => Effect.map(ask(operation, made, trial), (answer) => note(answer, trial))

        const example = operation.requestBody?.content["application/json"]?.example
        if (example !== undefined) {
          const status = yield* attempt({ body: yield* withIds(example, made, operation) })
          const isReached = !Object.hasOwn(reachedElsewhere, operation.operationId)
          if (isReached && status >= 300) complaints.push(`The example was answered ${status}`)
        }

        const streams = Object.values(operation.responses).some(({ content }) => content?.["text/event-stream"])
        for (let round = 0; round < trials && !streams; round++) {
          const generated = schema === undefined ? undefined : generate(schema, draw, resolve)
          const known = bodies[operation.operationId]
          const body = yield* withIds(known === undefined || draw() < 0.5 ? generated : known(), made, operation)
          const query = yield* drawQuery(operation, made, draw)
          yield* attempt({ body, query })
          if (schema === undefined) continue
          const changed = mutate(body, draw)
          const status = yield* attempt({ body: changed, query })
          if (!allows(schema, withoutNulls(changed)) && status < 400) {
            complaints.push(`${JSON.stringify(changed)} is not allowed, and was answered ${status}`)
          }
        }

        // What is no exported workflow is not read as one.
        const isImport = operation.operationId === "workflows.import"
        const wrong = schema === undefined || isImport ? null : wrongBody(schema, resolve)
        if (wrong !== null) {
          const { body, status } = yield* ask(operation, made, { body: wrong })
          const named = namedFields(body)
          const unnamed = Object.keys(wrong).filter((name) => !named.has(name))
          if (status !== 400 || unnamed.length > 0)
            complaints.push(`${JSON.stringify(wrong)} was answered ${status}, without ${unnamed.join()}`)
        }
        yield* attempt({ key: null })
        yield* attempt({ key: "sk_nobody" })
        const valid = bodies[operation.operationId]?.() ?? (schema && generate(schema, draw, resolve))
        for (let round = 0; round < trials; round++) {
          const body =
            schema === undefined
              ? undefined
              : yield* withIds(bodies[operation.operationId]?.() ?? generate(schema, draw, resolve), made, operation)
          if (!streams) yield* attempt({ key: viewer.key, body, query: refusedToViewers[operation.operationId] ?? "" })
          yield* attempt({ headers: { "x-workspace-id": randomUUID() }, body })
        }
        for (const id of [randomUUID(), "nonsense", "%00", "%ff", "a".repeat(2_000)]) {
          if (operation.parameters.some(({ in: place }) => place !== "query")) yield* attempt({ id, body: valid })
        }
        yield* attempt({ query: "?no_such_parameter=1", body: valid })
        for (const { in: place, name } of operation.parameters) {
          if (place === "header") yield* attempt({ headers: { [name]: "garbage" }, body: valid })
          if (place !== "query" || streams) continue
          for (const query of [`${name}=garbage`, `${name}=a&${name}=b`, `${name}=`, `${name}=%ff`]) {
            yield* attempt({ query: `?${query}`, body: valid })
          }
        }
        if (operation.method !== "GET") {
          yield* attempt({ raw: '{"name":', headers: { "content-type": "application/json" } })
          yield* attempt({ raw: "name=x", headers: { "content-type": "text/plain" } })
          yield* attempt({ headers: { "if-match": '"of another"' }, body: valid })
          note(yield* tooLarge(url, operation, made.owner.key), { raw: "too large" })
        }
        for (const special of specials[operation.operationId] ?? []) {
          assert.strictEqual(note(yield* special(made, operation), {}), 409)
        }

        assert.deepStrictEqual(complaints, [])
        const unreached = Object.keys(operation.responses).filter(
          (status) =>
            // A conversation of the builder needs a browser: its own tests open them.
            !(operation.path.startsWith("/workflow-builder") && status < "400") &&
            !reached.has(status) &&
            !answeredAround.has(status) &&
            !reachedElsewhere[operation.operationId]?.includes(status) &&
            !(streams && status === "200")
        )
        assert.deepStrictEqual(unreached, [], "described, and never answered")
      })
  )

  it.effect("is no judge that lets everything pass", () =>
    Effect.gen(function* () {
      const made = yield* fixtures
      const create = operations.find(({ operationId }) => operationId === "workflows.create")
      assert.isDefined(create)
      const answer = yield* ask(create, made, { body: workflow })
      assert.isNull(complaint(create, answer))
      const { 201: created, ...others } = create.responses
      assert.isDefined(created)
      assert.include(complaint({ ...create, responses: others }, answer), "201, which is not described")
      const narrowed = {
        ...document,
        components: { schemas: { ...document.components.schemas, Workflow: { type: "object", required: ["nobody"] } } }
      }
      assert.include(judge(narrowed).complaint(create, answer), "not as described")
      assert.include(complaint(create, { ...answer, status: 500 }), "answered 500")
      assert.include(complaint(create, { ...answer, headers: new Headers() }), "answered 201 as ")
    })
  )
})

/** Requests that are refused because of what there is already. */
const specials: Readonly<
  Record<
    string,
    ReadonlyArray<(made: Fixtures, operation: Described) => Effect.Effect<Answer, StoreUnavailable, Service>>
  >
> = {
  "workflows.save": [
    (made, operation) => ask(operation, made, { body: { ...workflow, base_version_id: randomUUID() } })
  ],
  "runs.interrupt": [
    (made, operation) =>
      Effect.gen(function* () {
        const id = yield* made.one("session_id")
        yield* ask(operation, made, { id })
        return yield* ask(operation, made, { id })
      })
  ],
  "runs.failedItem": [
    (made, operation) =>
      Effect.gen(function* () {
        const id = yield* made.one("session_id")
        yield* ask(operation, made, { id, body: {} })
        return yield* ask(operation, made, { id, body: {} })
      })
  ],
  "errorCodes.changeErrorCode": [
    (made, operation) =>
      Effect.gen(function* () {
        const body = { error_code: randomUUID() }
        yield* ask(operation, made, { body })
        return yield* ask(operation, made, { body })
      })
  ],
  "workspaces.revokeApiKey": [(made, operation) => ask(operation, made, { id: made.owner.keyId })]
}

it("the description says in words what every operation and every group is for", () => {
  assert.deepStrictEqual(
    operations.filter(({ summary = "" }) => summary === "").map(({ operationId }) => operationId),
    []
  )
  assert.deepStrictEqual(
    document.tags.filter(({ description = "" }) => description === ""),
    []
  )
})

it("the description says what each parameter of a path is, and that ids which the service makes are UUIDs", () => {
  const inPaths = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters.filter((one) => one.in === "path").map((one) => ({ ...one, operationId }))
  )
  for (const { description = "", name, operationId, schema } of inPaths) {
    assert.notStrictEqual(description, "", `${operationId} ${name}`)
    const isMade = name.endsWith("_id") && !["permissioned_user_id", "node_id", "client_id"].includes(name)
    assert.strictEqual(schema?.format, isMade ? "uuid" : undefined, `${operationId} ${name}`)
  }
})

it("the description names the ways to authenticate, and every schema of an error", () => {
  for (const { operationId, responses, security } of operations) {
    // The token of an invitation takes the place of a key.
    const ways = operationId === "invitations.acceptInvitation" ? [] : [{ "cc-key": [] }, { bearer: [] }]
    assert.deepStrictEqual(security, ways, operationId)
    for (const [status, { content }] of Object.entries(responses)) {
      const schema = content?.["application/json"]?.schema ?? {}
      const parts = (schema.anyOf ?? [schema]) as ReadonlyArray<object>
      if (status >= "400") for (const part of parts) assert.property(part, "$ref", `${operationId} ${status}`)
    }
  }
})
