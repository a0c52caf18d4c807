/**
 * The whole service as processes of their own, with the demo site and everybody whom it talks to, where whatever any of them
 * writes is kept to be searched.
 */
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import type { Message } from "../../apps/demo/Doorkeeper.ts"
import * as Post from "../../apps/demo/Post.ts"
import * as Site from "../../apps/demo/Site.ts"
import type { Visitor } from "../../apps/demo/Visitors.ts"
import type { Evidence } from "../support/canaries.ts"
import { openRaw } from "../support/clients.ts"
import { commandLines, filesIn, tablesOf } from "../support/evidence.ts"
import { freePort, ownServer } from "../support/ownServer.ts"
import { dataDir, encryptionKey, key, masterKey, ready, sluice } from "../support/processes.ts"
import { receiver } from "../support/receiver.ts"

export const phoneNumber = "+15550104477"
export const inboundSecret = "cy-inbound-3f1c9a7e5d2b8046"

/**
 * What is documented to be shown, and so is no leak there: to whoever may edit the vault what browsers remember, and to whoever
 * registers a webhook its secret, this once.
 */
const documented = ["cookies", "local_storage", "session_storage", "headers", "secret"]

export interface Options {
  readonly visitors: ReadonlyArray<Visitor>
  /** Is told of everything that the site sends, before it is sent. */
  readonly sent: (message: Message) => void
}

export const make = Effect.fnUntraced(function* ({ sent, visitors }: Options) {
  const seen: Array<Evidence> = []
  const addresses = new Map<string, string>()
  const told = new Map<string, string>()
  const smtpPort = yield* Effect.promise(freePort)
  let url = ""

  const mail = Post.make({ smtpPort, addresses, say: () => {} })
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
    told.set(message.visitor.user, message.secret)
  }
  const site = yield* Site.serve(0, { visitors, post })

  const server = yield* ownServer
  const folder = yield* dataDir
  const settings = {
    DATABASE_URL: server.url,
    SLUICE_MASTER_KEY: masterKey,
    SLUICE_DATA_DIR: folder,
    SLUICE_ALLOW_PRIVATE_NETWORKS: "1",
    SLUICE_INBOX_DOMAIN: "inbox.test",
    SLUICE_SMTP_PORT: String(smtpPort),
    SLUICE_SMTP_HOST: "127.0.0.1",
    SLUICE_PHONE_NUMBER: phoneNumber,
    SLUICE_INBOUND_SECRET: inboundSecret
  }
  const everything = ["--log-level", "all"]
  const migrated = yield* sluice(["migrate", ...everything], settings)
  assert.strictEqual(yield* migrated.ended, 0, migrated.output())
  const api = yield* sluice(["api", ...everything], settings)
  url = yield* ready(api)
  const worker = yield* sluice(["worker", ...everything], settings)
  const scheduler = yield* sluice(["scheduler", ...everything], settings)
  yield* worker.said(/worker started/)

  const hook = yield* receiver((received, answer) => {
    seen.push({ channel: `webhook ${received.path}`, bytes: JSON.stringify(received) })
    answer.writeHead(200).end("{}")
  })
  const client = "00000000-0000-4000-8000-00000000c11e"
  const stream = openRaw(url, `/run/clients/${client}/events`, key)
  yield* Effect.addFinalizer(() => Effect.sync(stream.close))
  yield* Effect.sync(() => seen.push({ channel: "command lines", bytes: commandLines() })).pipe(
    Effect.repeat(Schedule.spaced("200 millis")),
    Effect.forkScoped
  )

  /** Sends a request, and keeps what is answered. */
  const ask = (method: string, path: string, json?: unknown) =>
    Effect.promise(async () => {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { "cc-key": key, "idempotency-key": crypto.randomUUID(), "content-type": "application/json" },
        ...(json === undefined ? {} : { body: JSON.stringify(json) })
      })
      const bytes = await answer.text()
      const isRegistration = method === "POST" && path === "/webhook-endpoints"
      const body: unknown = bytes.startsWith("{") || bytes.startsWith("[") ? JSON.parse(bytes) : {}
      const shown = path.startsWith("/vault") || isRegistration ? withoutShown(body) : bytes
      seen.push({ channel: `${method} ${path}: ${answer.status}`, bytes: shown })
      return { status: answer.status, body: body as Readonly<Record<string, unknown>> }
    })

  /** Starts a run and waits for its end, answering for the person where one is asked. Then asks for all that is told of it. */
  const carryOut = Effect.fnUntraced(function* (
    workflow: object,
    input: object,
    answerOf: () => object | undefined = () => undefined
  ) {
    const saved = yield* ask("POST", "/workflows", workflow)
    assert.strictEqual(saved.status, 201, JSON.stringify(saved.body))
    const started = yield* ask("POST", "/run", {
      workflow_id: saved.body.id,
      run_input_variables: input,
      client_id: client,
      debug: true,
      webhook: { url: `${hook.url}/own`, secret: "not planted" }
    })
    const run = `/run/${started.body.session_id}`
    const answerWhenAsked = Effect.gen(function* () {
      const answer = answerOf()
      if (answer === undefined) return
      const asked = yield* ask("GET", `${run}/user_interaction`)
      if (asked.status !== 200) return
      yield* ask("POST", `${run}/user_interaction`, { wrong: "answer" })
      yield* ask("POST", `${run}/user_interaction`, answer)
    })
    const record = yield* answerWhenAsked.pipe(
      Effect.andThen(ask("GET", run)),
      Effect.repeat({
        until: ({ body }) => /success|failed|stopped/.test(String(body.status)),
        schedule: Schedule.spaced("150 millis")
      }),
      Effect.timeout("90 seconds")
    )
    for (const path of [
      `${run}/network?include_noise=true`,
      `/runs/workflow/${saved.body.id}/errors`,
      `/webhooks/${started.body.session_id}`
    ]) {
      yield* ask("GET", path)
    }
    for (const { id } of (workflow as { readonly nodes: ReadonlyArray<{ readonly id: string }> }).nodes) {
      yield* ask("GET", `${run}/debug-snapshots/${id}`)
    }
    return record.body
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
      { channel: "log of the API", bytes: api.output() },
      { channel: "log of the worker", bytes: worker.output() },
      { channel: "log of the scheduler", bytes: scheduler.output() },
      { channel: "log of the database", bytes: server.log.join("\n") },
      { channel: "stream of events", bytes: stream.head() + stream.body() },
      ...tables,
      ...filesIn("database on disk:", server.folder),
      ...filesIn("data folder:", folder)
    ] satisfies ReadonlyArray<Evidence>
  })

  return { addresses, ask, carryOut, encryptionKey, hook, produced, site, told }
})

const withoutShown = (body: unknown): string =>
  JSON.stringify(body, (name, value: unknown) => (documented.includes(name) ? undefined : value))
