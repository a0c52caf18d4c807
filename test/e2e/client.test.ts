import { createServer } from "node:http"
import { assert, it } from "@effect/vitest"
import { CloudCruise, type RunHandle, VerificationError } from "cloudcruise"
import { Effect, type Scope } from "effect"
import { demoUsers } from "../../apps/demo/DemoUsers.ts"
import * as Site from "../../apps/demo/Site.ts"
import { demoWorkflow } from "../../apps/demo/Workflow.ts"
import { migratedDatabase } from "../support/databases.ts"
import { dataDir, key, masterKey, ready, send, sluice } from "../support/processes.ts"
import { until } from "../support/waiting.ts"

const encryptionKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

/** The address of the service in the published client. It uses no other, so its requests are redirected. */
const published = "https://api.cloudcruise.com"

const redirected = (url: () => string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const own = globalThis.fetch
      globalThis.fetch = (input, init) => own(String(input).replace(published, url()), init)
      return own
    }),
    (own) =>
      Effect.sync(() => {
        globalThis.fetch = own
      })
  )

const step = (number: number) => `00000000-0000-4000-8000-0000000000${String(number).padStart(2, "0")}`

const chain = (url: string, ...between: ReadonlyArray<{ readonly action: string; readonly parameters: unknown }>) => {
  const all = [{ action: "START", parameters: { url } }, ...between, { action: "END", parameters: {} }]
  return {
    nodes: all.map((node, index) => ({ id: step(index + 1), name: `${node.action} ${index}`, ...node })),
    edges: Object.fromEntries(all.slice(1).map((_, index) => [step(index + 1), { to: step(index + 2) }]))
  }
}

interface World {
  readonly client: CloudCruise
  readonly url: string
  readonly site: string
  readonly replaceApi: Effect.Effect<string, never, Scope.Scope>
}

/** The service as processes on a real database with a real browser, and the published client. */
const world = Effect.gen(function* () {
  const [folder, databaseUrl, site] = [yield* dataDir, yield* migratedDatabase, yield* Site.serve(0)]
  const settings = {
    DATABASE_URL: databaseUrl,
    SLUICE_MASTER_KEY: masterKey,
    SLUICE_DATA_DIR: folder,
    SLUICE_ALLOW_PRIVATE_NETWORKS: "1",
    SLUICE_BOOTSTRAP_ENCRYPTION_KEY: encryptionKey
  }
  const migrated = yield* sluice(["migrate"], settings)
  assert.strictEqual(yield* migrated.ended, 0, migrated.output())
  const first = yield* sluice(["api"], settings)
  const worker = yield* sluice(["worker"], settings)
  yield* sluice(["scheduler"], settings)
  const url = yield* ready(first)
  let serving = url
  yield* worker.said(/worker started/)
  yield* redirected(() => serving)
  /** Lets another process serve, as behind a balancer, and then ends the one that served before. */
  const replaceApi = Effect.gen(function* () {
    const second = yield* sluice(["api"], settings)
    serving = yield* ready(second)
    first.child.kill("SIGTERM")
    yield* first.ended
    return serving
  })
  const client = new CloudCruise({ apiKey: key, encryptionKey })
  return { client, url, site, replaceApi } satisfies World
})

const promise = <A>(make: () => Promise<A>) => Effect.promise(make)

const save = (url: string, body: unknown) => Effect.map(send(url, "POST", "/workflows", body), ({ id }) => String(id))

interface Told {
  readonly event: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** All events of a run as the client iterates over them, to its end or to the first of a kind. */
const eventsOf = async (handle: RunHandle, kind?: string): Promise<ReadonlyArray<Told>> => {
  const all: Array<Told> = []
  for await (const message of handle) {
    const told = message.data as Told
    all.push(told)
    if (told.event === kind) break
  }
  return all
}

const kinds = (events: ReadonlyArray<Told>): ReadonlyArray<string> => events.map(({ event }) => event)

it.live("the published client works against this service", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { client, replaceApi, site, ...before } = yield* world
      let url = before.url
      const workflowId = yield* save(url, demoWorkflow(site))
      const { password, user: user_name } = demoUsers.clerk
      yield* promise(() => client.vault.create(site, "clerk", { user_name, password, allow_multiple_sessions: true }))
      const input = { MARLOW: "clerk", status: "open" }

      // Workflows.
      assert.include(
        (yield* promise(() => client.workflows.getAllWorkflows())).map(({ id }) => id),
        workflowId
      )
      const metadata = yield* promise(() => client.workflows.getWorkflowMetadata(workflowId))
      assert.deepInclude(metadata.input_schema as object, { required: ["status", "MARLOW"] })
      yield* promise(() => client.workflows.validateWorkflowInput(workflowId, input))
      const invalid = yield* promise(() =>
        client.runs.start({ workflow_id: workflowId, run_input_variables: {} }).catch((error) => error)
      )
      assert.instanceOf(invalid, Error)

      // A run, from its start to its results.
      const handle = yield* promise(() => client.runs.start({ workflow_id: workflowId, run_input_variables: input }))
      const [events, result] = yield* promise(() => Promise.all([eventsOf(handle), handle.wait()]))
      assert.deepStrictEqual(kinds(events).slice(0, 2), ["execution.queued", "execution.start"])
      assert.include(kinds(events), "execution.step")
      assert.include(kinds(events), "screenshot.uploaded")
      assert.strictEqual(kinds(events).at(-1), "execution.success")
      assert.strictEqual(result.status, "execution.success")
      assert.isNotEmpty((result.data as { readonly orders: ReadonlyArray<unknown> }).orders)
      const [picture] = result.screenshot_urls ?? []
      assert.strictEqual((yield* promise(() => fetch(String(picture?.signed_screenshot_url)))).status, 200)

      // Several runs over one stream, each with its own events.
      const several = Effect.gen(function* () {
        const many = yield* promise(() =>
          Promise.all(
            Array.from({ length: 3 }, async () => {
              const one = await client.runs.start({ workflow_id: workflowId, run_input_variables: input })
              return Promise.all([eventsOf(one), one.wait()])
            })
          )
        )
        for (const [told, { status }] of many) {
          assert.strictEqual(status, "execution.success")
          assert.strictEqual(kinds(told).at(-1), "execution.success")
        }
      })

      // Interruption.
      const interrupted = Effect.gen(function* () {
        const slow = yield* save(url, {
          name: "Slow",
          ...chain(`${site}/login`, { action: "DELAY", parameters: { delay_time: 60 } })
        })
        const stopped = yield* promise(() => client.runs.start({ workflow_id: slow, run_input_variables: {} }))
        const stopping = promise(() => stopped.wait())
        yield* promise(() => eventsOf(stopped, "execution.step"))
        yield* promise(() => client.runs.interrupt(stopped.sessionId))
        assert.strictEqual((yield* stopping).status, "execution.stopped")
      })
      yield* Effect.all([several, interrupted], { concurrency: 2, discard: true })

      // The process that serves ends in the middle of a run: the stream ends in order, and continues with another.
      const away = yield* save(url, {
        name: "Away",
        ...chain(`${site}/login`, { action: "DELAY", parameters: { delay_time: 4 } })
      })
      const going = yield* promise(() => client.runs.start({ workflow_id: away, run_input_variables: {} }))
      const waiting = going.wait()
      yield* promise(() => eventsOf(going, "execution.step"))
      url = yield* replaceApi
      assert.strictEqual((yield* promise(() => waiting)).status, "execution.success")

      // A person's answer.
      const asking = yield* save(url, {
        name: "Asks",
        output_schema: { type: "object", properties: { colour: { type: "string" } } },
        ...chain(`${site}/login`, {
          action: "USER_INTERACTION",
          parameters: {
            server_message: "Which colour?",
            expected_datamodel: {
              type: "object",
              properties: { colour: { type: "string", enum: ["red", "green"] } },
              required: ["colour"]
            }
          }
        })
      })
      const asked = yield* promise(() => client.runs.start({ workflow_id: asking, run_input_variables: {} }))
      const answered = asked.wait()
      const question = (yield* promise(() => eventsOf(asked, "interaction.waiting"))).at(-1)
      assert.deepInclude(question?.payload, {
        session_id: asked.sessionId,
        message: "Which colour?",
        missing_properties: ["colour"]
      })
      const wrong = yield* promise(() =>
        client.runs.submitUserInteraction(asked.sessionId, { colour: "blue" }).catch((error: Error) => error)
      )
      assert.instanceOf(wrong, Error)
      yield* promise(() => client.runs.submitUserInteraction(asked.sessionId, { colour: "green" }))
      const outcome = yield* promise(() => answered)
      assert.deepStrictEqual([outcome.status, outcome.data], ["execution.success", { colour: "green" }])

      // The vault.
      const [domain, user] = ["https://marlow.example", "clerk-1"]
      const created = yield* promise(() =>
        client.vault.create(domain, user, {
          user_name: "clerk",
          password: "pässwörd✓",
          tfa_secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
          tfa_method: "AUTHENTICATOR"
        })
      )
      assert.deepInclude(created, { domain, permissioned_user_id: user, user_name: "clerk", password: "pässwörd✓" })
      const raw = yield* send(url, "GET", `/vault?permissioned_user_id=${user}&domain=${encodeURIComponent(domain)}`)
      assert.match(String(raw.password), /^[0-9a-f]{56,}$/)
      const code = yield* promise(() => client.vault.getTfaCode(user, domain))
      assert.strictEqual(code.type, "authenticator")
      assert.match(code.code, /^\d{6}$/)
      yield* promise(() =>
        client.vault.update({ domain, permissioned_user_id: user, user_name: "clerk", password: "new" })
      )
      const [entry] = yield* promise(() => client.vault.get({ permissioned_user_id: user, domain }))
      assert.deepInclude(entry, { password: "new", tfa_secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" })
      yield* promise(() => client.vault.delete({ domain, permissioned_user_id: user }))
      const left = yield* promise(() => client.vault.get())
      assert.deepStrictEqual(
        left.map(({ permissioned_user_id }) => permissioned_user_id),
        ["clerk"]
      )

      // Webhooks, which the client verifies with its own function.
      const received: Array<{ readonly body: string; readonly signature: string }> = []
      const receiver = createServer((request, response) => {
        let body = ""
        request.on("data", (piece) => {
          body += String(piece)
        })
        request.on("end", () => {
          received.push({ body, signature: String(request.headers["x-hmac-signature"]) })
          response.setHeader("content-type", "application/json").end("{}")
        })
      })
      yield* Effect.callback<void>((resume) => void receiver.listen(0, "127.0.0.1", () => resume(Effect.void)))
      yield* Effect.addFinalizer(() => Effect.sync(() => receiver.close()))
      const address = receiver.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const secret = "sekrit-of-the-run"
      const hooked = yield* promise(() =>
        client.runs.start({
          workflow_id: workflowId,
          run_input_variables: input,
          webhook: {
            url: `http://127.0.0.1:${port}/hook`,
            event_types_subscribed: ["execution.start", "execution.success"] as never,
            secret,
            validity: 600
          }
        })
      )
      yield* promise(() => hooked.wait())
      yield* until(
        "two deliveries",
        Effect.sync(() => received),
        ({ length }) => length >= 2
      )
      const verified = received.map(({ body, signature }) => client.webhook.verifySignature(body, signature, secret))
      assert.sameMembers(
        verified.map(({ event }) => String(event)),
        ["execution.start", "execution.success"]
      )
      const [first] = received
      const { body = "", signature = "" } = first ?? {}
      assert.throws(
        () => client.webhook.verifySignature(body.replace("execution", "Execution"), signature, secret),
        VerificationError
      )
      assert.throws(() => client.webhook.verifySignature(body, signature, "another"), VerificationError)
      const later = Date.now
      Date.now = () => later() + 3_600_000
      try {
        assert.throws(() => client.webhook.verifySignature(body, signature, secret), /expired/i)
      } finally {
        Date.now = later
      }
      const replayed = yield* promise(() => client.runs.replayWebhooks(hooked.sessionId))
      assert.deepInclude(replayed, { nr_success: 2, nr_failed: 0 })
      assert.lengthOf(received, 4)
    })
  )
)
