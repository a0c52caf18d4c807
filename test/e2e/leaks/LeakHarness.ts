/**
 * The whole service as separate processes, with the demo site and all receivers of its messages. Everything that they
 * write is kept, to be searched for secrets.
 */
import { assert } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import type { DemoUser } from "../../../apps/demo/DemoUsers.ts"
import * as MessageDelivery from "../../../apps/demo/MessageDelivery.ts"
import type { Message } from "../../../apps/demo/SignIn.ts"
import * as Site from "../../../apps/demo/Site.ts"
import type { Evidence } from "../../support/canaries.ts"
import { openRaw } from "../../support/clients.ts"
import { commandLines, filesIn, tablesOf } from "../../support/evidence.ts"
import { type Asked, answering, type Reply, serve as serveModel } from "../../support/modelServer.ts"
import { collector, variablesFor } from "../../support/otlp.ts"
import { freePort, ownServer } from "../../support/ownServer.ts"
import { dataDir, encryptionKey, key, masterKey, ready, sluice } from "../../support/processes.ts"
import { receiver } from "../../support/receiver.ts"
import { until } from "../../support/waiting.ts"

export const phoneNumber = "+15550104477"
export const inboundSecret = "cy-inbound-3f1c9a7e5d2b8046"

/**
 * Values whose disclosure is documented, and so is no leak: the remembered browser state for a caller who may edit the
 * vault, and the secret of a webhook for the caller who registers it, once.
 */
const documented = ["cookies", "local_storage", "session_storage", "headers", "secret"]

export interface Options {
  readonly users: ReadonlyArray<DemoUser>
  /** Called with everything that the site sends, before it is sent. */
  readonly sent: (message: Message) => void
  /** The answer of the model. */
  readonly reply: (asked: Asked) => Reply
  readonly modelKey: string
}

/** A workflow that was saved. */
export interface Saved {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly id: string }>
}

/** The events of a run in progress. */
export interface Meanwhile {
  /** The answer of a person, once they are asked and know it. */
  readonly answer?: () => object | undefined
  readonly during?: (session: string) => Effect.Effect<unknown>
}

export const make = Effect.fnUntraced(function* ({ modelKey, reply, sent, users }: Options) {
  const seen: Array<Evidence> = []
  const addresses = new Map<string, string>()
  const told = new Map<string, string>()
  const smtpPort = yield* Effect.promise(freePort)
  let url = ""

  const mail = MessageDelivery.make({ smtpPort, addresses, say: () => {} })
  const text = (secret: string) =>
    fetch(`${url}/inbound/sms`, {
      method: "POST",
      headers: { authorization: `Bearer ${inboundSecret}`, "content-type": "application/json" },
      body: JSON.stringify({
        from: "+15550100000",
        to: phoneNumber,
        text: `${secret} is your Marlow code. Order 20411.`
      })
    }).then((answer) => assert.strictEqual(answer.status, 200))
  const post = async (message: Message): Promise<void> => {
    sent(message)
    if (message.by === "mail") return mail(message)
    if (message.by === "text") return void (await text(message.secret))
    told.set(message.demoUser.user, message.secret)
  }
  const site = yield* Site.serve(0, { users, post })

  const server = yield* ownServer
  const model = yield* serveModel(answering(reply))
  const folder = yield* dataDir
  const telemetry = yield* collector
  const settings = {
    ...variablesFor(telemetry.url),
    DATABASE_URL: server.url,
    SLUICE_MASTER_KEY: masterKey,
    SLUICE_DATA_DIR: folder,
    SLUICE_ALLOW_PRIVATE_NETWORKS: "1",
    SLUICE_INBOX_DOMAIN: "inbox.test",
    SLUICE_SMTP_PORT: String(smtpPort),
    SLUICE_SMTP_HOST: "127.0.0.1",
    SLUICE_PHONE_NUMBER: phoneNumber,
    SLUICE_INBOUND_SECRET: inboundSecret,
    SLUICE_MODEL_URL: model.url,
    SLUICE_MODEL: "small",
    SLUICE_MODEL_KEY: modelKey,
    SLUICE_CONCURRENCY: "4"
  }
  const everything = ["--log-level", "all"]
  const migrated = yield* sluice(["migrate", ...everything], settings)
  assert.strictEqual(yield* migrated.ended, 0, migrated.output())
  const api = yield* sluice(["api", ...everything], settings)
  const worker = yield* sluice(["worker", ...everything], settings)
  const scheduler = yield* sluice(["scheduler", ...everything], settings)
  url = yield* ready(api)
  yield* worker.said(/worker started/)

  const hook = yield* receiver((received, answer) => {
    seen.push({ channel: `webhook ${received.path}`, bytes: JSON.stringify(received) })
    answer.writeHead(200).end("{}")
  })
  const client = "00000000-0000-4000-8000-00000000c11e"
  const stream = openRaw(url, `/run/clients/${client}/events`, key)
  yield* Effect.addFinalizer(() => Effect.sync(stream.close))
  const commands = new Set<string>()
  yield* Effect.sync(() => {
    for (const line of commandLines()) commands.add(line)
  }).pipe(Effect.repeat(Schedule.spaced("200 millis")), Effect.forkScoped)

  /** Sends a request, and keeps what is answered. */
  const ask = (method: string, path: string, json?: unknown, more: Readonly<Record<string, string>> = {}) =>
    Effect.promise(async () => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { "cc-key": key, "idempotency-key": crypto.randomUUID(), "content-type": "application/json", ...more },
        ...(json === undefined ? {} : { body: JSON.stringify(json) })
      })
      const bytes = await answer.text()
      const isRegistration = method === "POST" && path === "/webhook-endpoints"
      const body: unknown = bytes.startsWith("{") || bytes.startsWith("[") ? JSON.parse(bytes) : {}
      const shown = path.startsWith("/vault") || isRegistration ? withoutShown(body) : bytes
      seen.push({ channel: `${method} ${path}: ${answer.status}`, bytes: shown })
      return { status: answer.status, body: body as Readonly<Record<string, unknown>> }
    })

  const save = Effect.fnUntraced(function* (workflow: object) {
    const { body, status } = yield* ask("POST", "/workflows", workflow)
    assert.strictEqual(status, 201, JSON.stringify(body))
    return { ...(workflow as Saved), id: String(body.id) }
  })

  /** Starts a run and waits for its end. Then reads every report of it. */
  const carryOut = Effect.fnUntraced(function* (workflow: object, input: object, { answer, during }: Meanwhile = {}) {
    const saved = "id" in workflow ? (workflow as Saved) : yield* save(workflow)
    const started = yield* ask("POST", "/run", {
      workflow_id: saved.id,
      run_input_variables: input,
      client_id: client,
      debug: true,
      webhook: { url: `${hook.url}/own`, secret: "not planted" }
    })
    const run = `/run/${started.body.session_id}`
    const beside = yield* Effect.forkChild(during?.(String(started.body.session_id)) ?? Effect.void)
    const answerWhenAsked = Effect.gen(function* () {
      const known = answer?.()
      if (known === undefined) return
      const asked = yield* ask("GET", `${run}/user_interaction`)
      if (asked.status !== 200) return
      yield* ask("POST", `${run}/user_interaction`, { wrong: "answer" })
      yield* ask("POST", `${run}/user_interaction`, known)
    })
    const last = new RegExp(`"event":"execution\\.(success|failed|stopped)".*"session_id":"${started.body.session_id}"`)
    yield* until("the end of a run", Effect.map(Effect.delay(answerWhenAsked, "250 millis"), stream.body), (events) =>
      last.test(events)
    )
    yield* Fiber.join(beside)
    const record = yield* ask("GET", run)
    for (const path of [
      `${run}/network?include_noise=true`,
      `${run}/decisions`,
      `/runs/workflow/${saved.id}/errors`,
      `/workflows/${saved.id}/patches`,
      `/webhooks/${started.body.session_id}`
    ]) {
      yield* ask("GET", path)
    }
    for (const { id } of saved.nodes) {
      yield* ask("GET", `${run}/debug-snapshots/${id}`)
    }
    return record.body
  })

  /**
   * The page that shows a run: it watches, takes control, makes gestures, and gives control back once they were heard.
   */
  const control = Effect.fnUntraced(function* (session: string, gestures: ReadonlyArray<object>, heard: () => boolean) {
    // Before the first step the page is not there yet.
    const begun = new RegExp(`"session_id":"${session}".*"current_step":"DELAY 1"`)
    yield* until("the first step", Effect.sync(stream.body), (events) => begun.test(events))
    const connecting = ask("GET", `/live/sessions/${session}/connection?control=true`)
    const connected = yield* until("a view of the run", connecting, ({ status }) => status === 200)
    const entered = yield* ask("POST", `/live/${session}/view`, { token: connected.body.authToken })
    const ticket = { authorization: `Bearer ${entered.body.ticket}` }
    const post = (what: string, json: object) => ask("POST", `/live/${session}/${what}`, json, ticket)
    const holder = "leaks-page-0123456789"
    yield* Effect.promise(async (signal) => {
      const answer = await fetch(`${url}/live/${session}/view`, { headers: ticket, signal })
      for await (const bytes of answer.body ?? []) seen.push({ channel: "live view", bytes })
    }).pipe(Effect.ignoreCause, Effect.forkChild)
    // Made again where they were lost: what is done just as a page changes is.
    const made = Effect.gen(function* () {
      assert.strictEqual((yield* post("control", { action: "take", holder })).status, 200)
      assert.strictEqual((yield* post("gestures", { holder, gestures })).status, 200)
      for (let times = 0; times < 40 && !heard(); times++) yield* Effect.sleep("100 millis")
      return heard()
    })
    yield* until("the gestures to be heard", made, (isHeard) => isHeard)
    assert.strictEqual((yield* post("control", { action: "release", holder })).status, 200)
  })

  /** Everything that was produced so far. */
  const produced = Effect.gen(function* () {
    for (const path of [
      "/runs",
      "/reporting/errors",
      "/vault",
      "/webhook-endpoints",
      "/webhook-deliveries",
      "/workflows",
      "/openapi.json"
    ]) {
      yield* ask("GET", path)
    }
    const tables = yield* tablesOf(server.url)
    return [
      ...seen,
      { channel: "command lines", bytes: [...commands].join("\n") },
      ...model.asked.map(({ headers: { authorization: _, ...headers }, text }) => ({
        channel: "request to the model",
        bytes: `${JSON.stringify(headers)} ${text}`
      })),
      { channel: "log of the API", bytes: api.output() },
      { channel: "log of the worker", bytes: worker.output() },
      { channel: "log of the scheduler", bytes: scheduler.output() },
      { channel: "log of the database", bytes: server.log.join("\n") },
      ...telemetry.bodies.map((bytes) => ({ channel: "OTLP", bytes })),
      { channel: "stream of events", bytes: stream.head() + stream.body() },
      ...tables,
      ...filesIn("database on disk:", server.folder),
      ...filesIn("data folder:", folder)
    ] satisfies ReadonlyArray<Evidence>
  })

  return { addresses, ask, carryOut, control, encryptionKey, hook, produced, save, site, spans: telemetry.spans, told }
})

const withoutShown = (body: unknown): string =>
  JSON.stringify(body, (name, value: unknown) => (documented.includes(name) ? undefined : value))
