/** Clients that open streams and do not read them, or open more than their share. */
import { randomUUID } from "node:crypto"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Server, ServerResponse } from "node:http"
import { connect as connectTo, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as StreamPlaces from "../../../apps/api/stream/StreamPlaces.ts"
import { LiveChannel } from "../../../core/execution/live/LiveChannel.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import type { RunId } from "../../../core/workspace/Ids.ts"
import { eventually } from "../../support/eventually.ts"
import { graph } from "../../support/fixtures.ts"
import { connect, enter, start } from "../../support/live.ts"
import { layer, type Member, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

const limited = (limits: StreamPlaces.Limits) =>
  Layer.fresh(layer).pipe(Layer.provide(Layer.succeed(StreamPlaces.StreamLimits, limits)))

const eventsOf = (client: string) => `/run/clients/${client}/events`

interface Asked {
  readonly socket: Socket
  /** The status of the answer; 0 when the connection was closed before it. */
  readonly status: Promise<number>
  /** The text that has been read so far, without the letters that fill events up. */
  readonly text: () => string
  /** Starts to read everything. */
  readonly read: () => void
  readonly closed: Promise<void>
}

/** Sends a request over a plain socket, and reads nothing after the head of its answer unless `reads`. */
const ask = (url: string, method: string, path: string, headers: Record<string, string>, reads = false): Asked => {
  const { hostname, port } = new URL(url)
  const socket = connectTo(Number(port), hostname)
  const lines = Object.entries({ host: hostname, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`)
  let text = ""
  let isReading = reads
  socket.on("error", () => {})
  const status = new Promise<number>((resolve) => {
    socket.on("data", (piece) => {
      text += piece.toString("latin1").replaceAll("x", "")
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0))
      if (!isReading) socket.pause()
    })
    socket.once("close", () => resolve(0))
  })
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  const read = () => {
    isReading = true
    socket.resume()
  }
  return { socket, status, text: () => text, read, closed }
}

/** Opens a stream of events; the connection is closed with the scope. */
const open = (key: string, path: string, { method = "GET", reads = false } = {}) =>
  Effect.flatMap(Service, ({ url }) =>
    Effect.acquireRelease(
      Effect.sync(() => ask(url, method, path, { "cc-key": key }, reads)),
      ({ socket }) => Effect.sync(() => socket.destroy())
    )
  )

const statusOf = ({ status }: Asked) => Effect.promise(() => status)

/** Opens a stream as soon as there is a place for it. */
const openOnceFree = (key: string, path: string) =>
  Effect.gen(function* () {
    const opened = Effect.gen(function* () {
      const stream = yield* open(key, path, { reads: true })
      const status = yield* statusOf(stream)
      if (status !== 200) assert.strictEqual(status, 429)
      return { status, stream }
    })
    return (yield* until("a place for a stream", opened, ({ status }) => status === 200)).stream
  })

/** Waits until there is a place for a stream of a key. */
const whenFree = (key: string) => Effect.scoped(openOnceFree(key, eventsOf(randomUUID())))

/** The server's own sides of the connections to a path, as long as the scope is open. */
const servedAt = (path: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const responses: Array<ServerResponse> = []
      const note = (message: unknown) => {
        const { response } = message as { readonly response: ServerResponse; readonly server: Server }
        if (response.req.url === path) responses.push(response)
      }
      subscribe("http.server.request.start", note)
      return { responses, note }
    }),
    ({ note }) => Effect.sync(() => unsubscribe("http.server.request.start", note))
  ).pipe(Effect.map(({ responses }) => responses))

/** A run of a client, and what tells events of it that are of 60,000 letters each. */
const chattyRun = Effect.fnUntraced(function* (me: Member, client: string) {
  const { send } = yield* Service
  const runs = yield* RunStore
  const signals = yield* Signals
  const made = yield* send({ method: "POST", path: "/workflows", key: me.key, json: { name: "Told", ...graph() } })
  const json = { workflow_id: made.body.id, client_id: client }
  const session = String((yield* send({ method: "POST", path: "/run", key: me.key, json })).body.session_id)
  const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 3_600_000 })
  if (claimed === undefined) return yield* Effect.die("The run was not claimed")
  const held = { id: claimed.run.id, fence: claimed.run.lease?.fence ?? 0 }
  const tell = (numbers: ReadonlyArray<number>) =>
    Effect.andThen(
      runs.report(held, {
        events: numbers.map((number) => ({
          event: "execution.step" as const,
          runId: session,
          workflowId: String(made.body.id),
          step: `step ${number} ${"x".repeat(60_000)}`,
          next: null
        }))
      }),
      signals.publish({ _tag: "events" })
    )
  return { session, tell }
})

/** The steps whose frames are there as a whole. */
const stepsIn = (text: string) => [...text.matchAll(/step (\d+) "[^\n]*\n\n/g)].map(([, number]) => Number(number))

/** Looks again after a while on the clock of the test, until something holds. */
const untilHolds = (holds: () => boolean) =>
  eventually(
    Effect.repeat(
      Effect.andThen(
        Effect.sleep("100 millis"),
        Effect.sync(() => holds())
      ),
      { until: (is) => is }
    )
  )

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

it.layer(limited({ perKey: 1, perWorkspace: 10 }))("a client that does not read", (it) => {
  it.effect("is disconnected after 30 seconds with little in memory, and is owed what it did not take", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const me = yield* member("Owner")
      const client = randomUUID()
      const { tell } = yield* chattyRun(me, client)
      const served = yield* servedAt(eventsOf(client))
      const stalled = yield* open(me.key, eventsOf(client))
      assert.strictEqual(yield* statusOf(stalled), 200)
      const count = 400
      for (const from of numbers(count / 50)) yield* tell(numbers(50).map((step) => from * 50 + step))
      const [response] = served
      yield* untilHolds(() => (response?.socket?.writableLength ?? 0) > 0)
      // A piece goes to its frame's end, and the socket holds what HTTP adds to it.
      assert.isAtMost(response?.socket?.writableLength ?? 0, 2 * 65_536)
      yield* eventually(whenFree(me.key))
      assert.isTrue(response?.closed)

      // The bytes that the system buffered for the client are still readable, and the rest comes with the next stream.
      stalled.read()
      yield* Effect.promise(() => stalled.closed)
      const taken = stepsIn(stalled.text())
      assert.isBelow(taken.length, count)
      const next = yield* openOnceFree(me.key, eventsOf(client))
      yield* untilHolds(() => new Set([...taken, ...stepsIn(next.text())]).size === count)
    }).pipe(Effect.scoped)
  )

  it.effect("differs from one that reads, however few events there are", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const me = yield* member("Owner")
      const client = randomUUID()
      const { tell } = yield* chattyRun(me, client)
      const stream = yield* open(me.key, eventsOf(client), { reads: true })
      yield* tell(numbers(50))
      yield* untilHolds(() => stepsIn(stream.text()).length === 50)
      // Four minutes of silence.
      yield* untilHolds(() => stream.text().split("event: ping").length > 16)
      yield* tell([50])
      yield* untilHolds(() => stepsIn(stream.text()).includes(50))
    }).pipe(Effect.scoped)
  )

  it.effect("is disconnected from a live view too", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const channel = yield* LiveChannel
      const me = yield* member("Owner")
      const { session } = yield* chattyRun(me, randomUUID())
      const view = yield* openView(me, session)
      assert.strictEqual(yield* statusOf(view), 200)
      const picture = new Uint8Array(2_000_000)
      let at = 0
      const shown = Effect.suspend(() => channel.show(session as RunId, { at: ++at, bytes: picture })).pipe(
        Effect.andThen(Effect.sleep("1 second")),
        Effect.forever
      )
      yield* eventually(Effect.raceFirst(shown, whenFree(me.key)))
      assert.isAbove(at, 30)
    }).pipe(Effect.scoped)
  )
})

/** Opens the stream of a live view. */
const openView = Effect.fnUntraced(function* (me: Member, session: string) {
  const { url } = yield* Service
  const token = (yield* connect(me, session)).body.authToken
  const { ticket } = (yield* enter(session, token)).body
  return yield* Effect.acquireRelease(
    Effect.sync(() => ask(url, "GET", `/live/${session}/view`, { authorization: `Bearer ${ticket}` })),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )
})

it.layer(Layer.fresh(layer))("2,000 streams of one Viewer", (it) => {
  it.effect("are served up to the limit of its key, and others of the workspace are served still", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const viewer = yield* member("Viewer")
      const other = yield* member("Viewer", viewer)
      const { perKey } = StreamPlaces.defaultLimits
      const round = Effect.gen(function* () {
        const streams = yield* Effect.forEach(numbers(2_000), () => open(viewer.key, eventsOf(randomUUID())), {
          concurrency: 100
        })
        const statuses = yield* Effect.forEach(streams, statusOf)
        assert.lengthOf(
          statuses.filter((status) => status === 200),
          perKey
        )
        assert.lengthOf(
          statuses.filter((status) => status === 429),
          2_000 - perKey
        )
        assert.strictEqual(yield* statusOf(yield* open(other.key, eventsOf(randomUUID()))), 200)
      }).pipe(Effect.scoped)
      yield* round
      yield* whenFree(viewer.key)
    })
  )
})

it.layer(limited({ perKey: 2, perWorkspace: 3 }))("the places of streams", (it) => {
  it.effect("are refused with 429 when the key or the workspace has no more, and count live views", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const me = yield* member("Owner")
      const colleague = yield* member("Viewer", me)
      const session = yield* start(me, graph())
      yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 3_600_000 })
      for (const path of [eventsOf(randomUUID()), `/run/${session}/events`]) {
        assert.strictEqual(yield* statusOf(yield* open(me.key, path)), 200)
      }
      const get = (key: string) => send({ method: "GET", path: eventsOf(randomUUID()), key })
      const refused = yield* get(me.key)
      assert.deepStrictEqual(
        [refused.status, refused.headers.get("retry-after"), refused.body],
        [
          429,
          "5",
          {
            statusCode: 429,
            error: "Too Many Requests",
            message: "This API key has 2 streams open here, and may have 2: close one, then ask again",
            limit: 2,
            remaining: 0,
            retryAfterSeconds: 5,
            setting: "SLUICE_STREAMS_PER_KEY"
          }
        ]
      )
      assert.strictEqual(yield* statusOf(yield* openView(me, session)), 429)
      const theirs = yield* openView(colleague, session)
      assert.strictEqual(yield* statusOf(theirs), 200)
      const full = yield* get(colleague.key)
      assert.deepStrictEqual(
        [full.status, full.body.message],
        [429, "This workspace has 3 streams open here, and may have 3: close one, then ask again"]
      )
      const stranger = yield* member("Viewer")
      assert.strictEqual((yield* get(stranger.key)).status, 200)
      theirs.socket.destroy()
      yield* whenFree(colleague.key)
    }).pipe(Effect.scoped)
  )

  it.effect("are described with the 429 of each stream", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { body } = yield* send({ method: "GET", path: "/openapi.json" })
      const paths = body.paths as Record<string, { get: { description?: string; responses: Record<string, unknown> } }>
      for (const path of [
        "/run/clients/{client_id}/events",
        "/run/{session_id}/events",
        "/workflow-builder/agent/{conversation_id}/stream"
      ]) {
        assert.include(paths[path]?.get.description ?? "", "429", path)
        assert.property(paths[path]?.get.responses, "429", path)
      }
    })
  )
})

it.layer(limited({ perKey: 1, perWorkspace: 1 }))("the place of a stream is free", (it) => {
  const opened = Effect.gen(function* () {
    const { member } = yield* Service
    const me = yield* member("Viewer")
    const stream = yield* open(me.key, eventsOf(randomUUID()))
    assert.strictEqual(yield* statusOf(stream), 200)
    return { me, stream }
  })

  it.effect.each([
    ["is cut off", (socket: Socket) => socket.destroy()],
    ["is reset", (socket: Socket) => socket.resetAndDestroy()],
    ["is ended by the client", (socket: Socket) => socket.end()]
  ] as const)("when its connection %s", ([, leave]) =>
    Effect.gen(function* () {
      const { me, stream } = yield* opened
      leave(stream.socket)
      yield* eventually(whenFree(me.key))
    }).pipe(Effect.scoped)
  )

  it.effect("when its key is revoked", () =>
    Effect.gen(function* () {
      const { member, revoke } = yield* Service
      const { me } = yield* opened
      const other = yield* member("Viewer", me)
      yield* revoke(me)
      yield* eventually(whenFree(other.key))
    }).pipe(Effect.scoped)
  )

  it.effect("when its run ends", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const me = yield* member("Owner")
      const session = yield* start(me, graph())
      assert.strictEqual(yield* statusOf(yield* open(me.key, `/run/${session}/events`, { reads: true })), 200)
      yield* send({ method: "POST", path: `/run/${session}/interrupt`, key: me.key })
      yield* eventually(whenFree(me.key))
    }).pipe(Effect.scoped)
  )

  it.effect("when it is asked for by HEAD, or refused for another reason", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const me = yield* member("Viewer")
      for (const [path, method, status] of [
        [eventsOf(randomUUID()), "HEAD", 200],
        [eventsOf("me"), "GET", 400],
        [`/run/${randomUUID()}/events`, "GET", 404]
      ] as const) {
        assert.strictEqual(yield* statusOf(yield* open(me.key, path, { method })), status)
      }
      yield* eventually(whenFree(me.key))
    }).pipe(Effect.scoped)
  )

  it.effect("when it waited behind another one on a connection that is closed", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const [me, other] = [yield* member("Viewer"), yield* member("Viewer")]
      const waiting = eventsOf(randomUUID())
      const served = yield* servedAt(waiting)
      const { hostname, port } = new URL(url)
      const socket = connectTo(Number(port), hostname)
      for (const [key, path] of [
        [other.key, eventsOf(randomUUID())],
        [me.key, waiting]
      ]) {
        socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\ncc-key: ${key}\r\n\r\n`)
      }
      // The second has its place, and is not sent yet.
      yield* untilHolds(() => served[0]?.headersSent === true)
      assert.strictEqual(yield* statusOf(yield* open(me.key, eventsOf(randomUUID()))), 429)
      socket.destroy()
      yield* eventually(whenFree(me.key))
      yield* eventually(whenFree(other.key))
    }).pipe(Effect.scoped)
  )
})
