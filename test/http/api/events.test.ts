import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { framesOf, kindsOf, openRaw } from "../../support/clients.ts"
import { graph } from "../../support/fixtures.ts"
import * as TestService from "../../support/service.ts"
import { openGate, type Script, layer as worker } from "../../support/worker.ts"

const { Service } = TestService

const services = worker.pipe(Layer.provideMerge(TestService.layerInMemory))

const whole = ["execution.queued", "execution.start", "execution.step", "execution.success"]

const setUp = Effect.gen(function* () {
  const { member, send } = yield* Service
  const owner = yield* member("Owner")
  const { key } = owner
  const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "Told", ...graph() } })
  const start = (input: Script, clientId: string | null) =>
    Effect.map(
      send({
        method: "POST",
        path: "/run",
        key,
        json: { workflow_id: made.body.id, run_input_variables: input, client_id: clientId }
      }),
      ({ body }) => String(body.session_id)
    )
  return { key, owner, start, workflowId: String(made.body.id) }
})

const openStream = (key: string, clientId: string, headers: Record<string, string> = {}) =>
  Effect.acquireRelease(
    Effect.map(Service, ({ url }) => openRaw(url, `/run/clients/${clientId}/events`, key, headers)),
    (stream) => Effect.sync(stream.close)
  )

const ended = (session: string) => (body: string) =>
  kindsOf(body, session).some((kind) => /success|failed|stopped/.test(kind))

it.layer(services, { excludeTestServices: true })("the stream of a client's events", (it) => {
  it.effect(
    "is chunked, uncompressed, split by bare line feeds, in ASCII, and begins at once with a sign of life",
    () =>
      Effect.gen(function* () {
        const { key, start } = yield* setUp
        const client = randomUUID()
        const stream = yield* openStream(key, client, { "accept-encoding": "gzip, deflate, br" })
        yield* Effect.promise(() => stream.until((body) => body.includes("event: ping\n")))
        assert.match(stream.head(), /^HTTP\/1\.1 200 /)
        assert.match(stream.head(), /^content-type: text\/event-stream$/im)
        assert.match(stream.head(), /^transfer-encoding: chunked$/im)
        assert.notMatch(stream.head(), /^content-(encoding|length):/im)
        const session = yield* start({ steps: ["Grüße ✓ 漢字 🎉"] }, client)
        const body = yield* Effect.promise(() => stream.until(ended(session)))
        assert.notInclude(body, "\r")
        assert.match(body, /^[\x20-\x7e\n]*$/)
        for (const chunk of stream.chunks()) assert.isTrue(chunk.endsWith("\n\n"), "a chunk holds whole frames")
        for (const line of body.split("\n")) assert.match(line, /^($|event: |data: |id: )/)
        const step = framesOf(body).find(({ data }) => data.data?.event === "execution.step")
        assert.strictEqual(step?.data.data?.payload.current_step, "Grüße ✓ 漢字 🎉")
      })
  )

  it.effect("wraps each message with its instants, and every payload names its session", () =>
    Effect.gen(function* () {
      const { key, start, workflowId } = yield* setUp
      const client = randomUUID()
      const stream = yield* openStream(key, client)
      const session = yield* start({ steps: ["One"] }, client)
      const body = yield* Effect.promise(() => stream.until(ended(session)))
      const messages = framesOf(body).filter(({ event }) => event === "run.event")
      assert.deepStrictEqual(kindsOf(body), whole)
      for (const { data } of messages) {
        const outer = data as unknown as Record<string, string> & { data: Record<string, number> }
        const { expires_at, timestamp } = outer.data
        assert.strictEqual(Date.parse(outer.timestamp ?? ""), (timestamp ?? 0) * 1_000)
        assert.strictEqual(Date.parse(outer.expires_at ?? ""), (expires_at ?? 0) * 1_000)
        assert.strictEqual((expires_at ?? 0) - (timestamp ?? 0), 300)
        assert.deepInclude(data.data?.payload, { session_id: session, workflow_id: workflowId })
      }
    })
  )

  it.effect("gives a client that connects after its run began, or after it ended, everything from the start", () =>
    Effect.gen(function* () {
      const { key, start } = yield* setUp
      const [early, late] = [randomUUID(), randomUUID()]
      const running = yield* start({ steps: ["One"], gate: early }, early)
      const over = yield* start({ steps: ["One"] }, late)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const stream = yield* openStream(key, late)
          const body = yield* Effect.promise(() => stream.until(ended(over)))
          assert.deepStrictEqual(kindsOf(body), whole)
        })
      )
      const stream = yield* openStream(key, early)
      yield* Effect.promise(() => stream.until((body) => kindsOf(body).includes("execution.step")))
      assert.isFalse(ended(running)(stream.body()))
      yield* openGate(early)
      assert.deepStrictEqual(kindsOf(yield* Effect.promise(() => stream.until(ended(running)))), whole)
    })
  )

  it.effect("tells nothing of a run before the answer to its submission has arrived", () =>
    Effect.gen(function* () {
      const { key, start } = yield* setUp
      const client = randomUUID()
      const stream = yield* openStream(key, client)
      yield* Effect.promise(() => stream.until((body) => body.includes("ping")))
      for (let round = 0; round < 20; round++) {
        const before = stream.body().length
        const session = yield* start({ steps: ["One"] }, client)
        // The events that the client has read when it learns the id of its session: none of that session.
        assert.notInclude(stream.body().slice(before), session)
        yield* Effect.promise(() => stream.until(ended(session)))
        assert.deepStrictEqual(kindsOf(stream.body(), session), whole)
      }
    })
  )

  it.effect("gives what was missed to the next connection", () =>
    Effect.gen(function* () {
      const { key, start } = yield* setUp
      for (let round = 0; round < 10; round++) {
        const client = randomUUID()
        const session = yield* start({ steps: ["One"], gate: client }, client)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const stream = yield* openStream(key, client)
            yield* Effect.promise(() => stream.until((body) => kindsOf(body).includes("execution.step")))
          })
        )
        // The connection is gone, and the server may not know yet.
        yield* openGate(client)
        const stream = yield* openStream(key, client)
        const body = yield* Effect.promise(() => stream.until(ended(session)))
        assert.strictEqual(kindsOf(body, session).at(-1), "execution.success")
      }
    })
  )

  it.effect("sends the last event only when the record is final", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { key, start } = yield* setUp
      const client = randomUUID()
      const stream = yield* openStream(key, client)
      for (let round = 0; round < 10; round++) {
        const session = yield* start({}, client)
        yield* Effect.promise(() => stream.until(ended(session)))
        const { body } = yield* send({ method: "GET", path: `/run/${session}`, key })
        assert.deepInclude(body, { status: "execution.success", data: { done: true } })
      }
    })
  )

  it.effect("carries the runs of many clients to each its own, and none to another workspace", () =>
    Effect.gen(function* () {
      const one = yield* setUp
      const other = yield* setUp
      const client = randomUUID()
      const [mine, theirs] = [yield* openStream(one.key, client), yield* openStream(other.key, client)]
      const sessions = yield* Effect.forEach(Array.from({ length: 20 }), () => one.start({ steps: ["One"] }, client), {
        concurrency: 10
      })
      const foreign = yield* other.start({ steps: ["One"] }, client)
      for (const session of sessions) {
        yield* Effect.promise(() => mine.until(ended(session)))
        assert.deepStrictEqual(kindsOf(mine.body(), session), whole)
      }
      yield* Effect.promise(() => theirs.until(ended(foreign)))
      assert.deepStrictEqual(kindsOf(theirs.body()), whole)
      assert.notInclude(mine.body(), foreign)
    })
  )

  it.effect("ends in order once its key is revoked, before any further event, as that of a run does", () =>
    Effect.gen(function* () {
      const { member, revoke, url } = yield* Service
      const { key, owner, start } = yield* setUp
      const guest = yield* member("Viewer", owner)
      const [client, gate] = [randomUUID(), randomUUID()]
      const session = yield* start({ steps: ["One"], gate }, client)
      const streams = [
        yield* openStream(guest.key, client, { connection: "close" }),
        openRaw(url, `/run/${session}/events`, guest.key, { connection: "close" })
      ]
      for (const stream of streams) {
        yield* Effect.promise(() => stream.until((body) => kindsOf(body).includes("execution.step")))
      }
      yield* revoke(guest)
      yield* openGate(gate)
      for (const stream of streams) {
        yield* Effect.promise(() => stream.ended)
        assert.deepStrictEqual(kindsOf(stream.body()), whole.slice(0, 3))
      }
      const next = yield* openStream(key, client)
      yield* Effect.promise(() => next.until(ended(session)))
    })
  )

  it.effect("accepts a client's id in any case, and refuses what is no id", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { key, start } = yield* setUp
      const client = randomUUID()
      const session = yield* start({}, client.toUpperCase())
      const stream = yield* openStream(key, client)
      yield* Effect.promise(() => stream.until(ended(session)))
      const refused = yield* send({ method: "GET", path: "/run/clients/me/events", key })
      assert.deepStrictEqual([refused.status, refused.body.error], [400, "Bad Request"])
    })
  )

  it.effect("takes an empty body with a JSON type, and nulls for what is left out", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { key, start, workflowId } = yield* setUp
      const gate = randomUUID()
      const session = yield* start({ gate }, null)
      const headers = { "content-type": "application/json" }
      const stopped = yield* send({ method: "POST", path: `/run/${session}/interrupt`, key, headers })
      assert.deepStrictEqual([stopped.status, stopped.body.success], [200, true])
      assert.strictEqual((yield* send({ method: "GET", path: "/workflows", key, headers })).status, 200)
      const nulls = { dry_run: { enabled: false, add_to_output: null }, webhook: null, additional_context: null }
      const started = yield* send({
        method: "POST",
        path: "/run",
        key,
        json: { workflow_id: workflowId, run_input_variables: {}, client_id: null, ...nulls }
      })
      assert.strictEqual(started.status, 201)
    })
  )
})

it.layer(services, { excludeTestServices: true })("the stream of a workspace's events", (it) => {
  const open = (key: string, query: string, headers: Record<string, string> = {}) =>
    Effect.acquireRelease(
      Effect.map(Service, ({ url }) => openRaw(url, `/events${query}`, key, headers)),
      (stream) => Effect.sync(stream.close)
    )

  it.effect("has the events that its filter takes, of no other workspace, and continues where a client left it", () =>
    Effect.gen(function* () {
      const [mine, other] = [yield* setUp, yield* setUp]
      const ends = `?workflow_id=${mine.workflowId}&event=execution.queued,execution.success`
      const stream = yield* open(mine.key, ends)
      const strange = yield* open(other.key, ends)
      for (const one of [stream, strange]) yield* Effect.promise(() => one.until((body) => body.includes("ping")))
      const sessions = [yield* mine.start({ steps: ["One"] }, null), yield* mine.start({ steps: ["One"] }, null)]
      const wanted = ["execution.queued", "execution.success"]
      for (const session of sessions) {
        yield* Effect.promise(() => stream.until(ended(session)))
        assert.deepStrictEqual(kindsOf(stream.body(), session), wanted)
      }
      assert.deepStrictEqual(kindsOf(strange.body()), [])
      const ids = [...stream.body().matchAll(/^id: (\S+)\nevent: run\.event$/gm)].map(([, id]) => id ?? "")
      assert.lengthOf(ids, 4)
      const resumed = yield* open(mine.key, ends, { "last-event-id": ids[1] ?? "" })
      yield* Effect.promise(() => resumed.until((body) => kindsOf(body).length === 2))
      assert.deepStrictEqual(
        framesOf(resumed.body()).filter(({ event }) => event === "run.event"),
        framesOf(stream.body())
          .filter(({ event }) => event === "run.event")
          .slice(2)
      )
    })
  )
})

it.layer(services, { excludeTestServices: true })("the stream of one run's events", (it) => {
  const open = (key: string, session: string, headers: Record<string, string> = {}) =>
    Effect.acquireRelease(
      Effect.map(Service, ({ url }) => openRaw(url, `/run/${session}/events`, key, headers)),
      (stream) => Effect.sync(stream.close)
    )

  it.effect("tells everything from the start, continues with what happens, and ends with the run", () =>
    Effect.gen(function* () {
      const { key, start } = yield* setUp
      const gate = randomUUID()
      const session = yield* start({ steps: ["One"], gate }, null)
      const stream = yield* open(key, session, { connection: "close" })
      yield* Effect.promise(() => stream.until((body) => kindsOf(body).includes("execution.step")))
      yield* openGate(gate)
      yield* Effect.promise(() => stream.ended)
      assert.deepStrictEqual(kindsOf(stream.body()), whole)
    })
  )

  it.effect("continues after the event that a client names as its last, and ends at once when that was the end", () =>
    Effect.gen(function* () {
      const { key, start } = yield* setUp
      const session = yield* start({ steps: ["One"] }, null)
      const first = yield* open(key, session, { connection: "close" })
      yield* Effect.promise(() => first.ended)
      const ids = [...first.body().matchAll(/^id: (\d+)$/gm)].map(([, id]) => id ?? "")
      assert.lengthOf(ids, whole.length)
      const resumed = yield* open(key, session, { connection: "close", "last-event-id": ids[1] ?? "" })
      yield* Effect.promise(() => resumed.ended)
      assert.deepStrictEqual(kindsOf(resumed.body()), whole.slice(2))
      const nothing = yield* open(key, session, { connection: "close", "last-event-id": ids.at(-1) ?? "" })
      yield* Effect.promise(() => nothing.ended)
      assert.deepStrictEqual(kindsOf(nothing.body()), [])
    })
  )
})
