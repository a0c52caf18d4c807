import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Deliveries } from "../../../core/event/webhook/Deliveries.ts"
import * as Dispatcher from "../../../core/event/webhook/Dispatcher.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { VerificationError } from "../../../node_modules/cloudcruise/dist/webhook/types.js"
import { WebhookClient } from "../../../node_modules/cloudcruise/dist/webhook/WebhookClient.js"
import { kindsOf, openRaw, type RawStream } from "../../support/clients.ts"
import { eventually } from "../../support/eventually.ts"
import { daily, graph } from "../../support/fixtures.ts"
import { type Received, type Receiver, receiver } from "../../support/receiver.ts"
import { layerWith, type Member, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

const sending = { ...HttpSender.defaults, allowPrivateNetworks: true }

/** How far the clock of the service is behind that of the receivers, which is the real one. */
const behind = 600_000

/** How often addresses still cannot be made, as when the database is away. */
let away = 0

const dispatching = Layer.effectDiscard(
  Effect.gen(function* () {
    const { under } = yield* ArtifactLinks
    const links = (workspace: WorkspaceId) =>
      Effect.suspend(() =>
        away-- > 0 ? Effect.die(new Error("The database is away")) : under("https://sluice.example.com", workspace)
      )
    yield* Effect.forkScoped(Dispatcher.run({ ...Dispatcher.defaults, links }))
  })
).pipe(Layer.provideMerge(layerWith({ sending, stores: Memory.layer })))

const secret = "a secret of the receiver's own"

const verify = (received: Received, options = {}) =>
  new WebhookClient().verifySignature(received.text, String(received.headers["x-hmac-signature"]), secret, options)

interface Logged {
  readonly url: string
  readonly delivered: boolean
  readonly retries: number
  readonly delivery_errors: ReadonlyArray<string>
  readonly duration: number | null
  readonly message: { readonly event: string; readonly metadata?: unknown }
}

// The clock is set before anything waits for it.
const dispatchingNow = Layer.unwrap(Effect.as(TestClock.setTime(Date.now() - behind), dispatching))

it.layer(dispatchingNow)("a webhook", (it) => {
  const setUp = Effect.gen(function* () {
    const { member, send } = yield* Service
    const owner = yield* member("Owner")
    const made = yield* send({ method: "POST", path: "/workflows", key: owner.key, json: { name: "W", ...graph() } })
    return { owner, workflowId: String(made.body.id) }
  })

  const register = Effect.fn(function* ({ key }: Member, url: string, more: object = {}) {
    const json = { url, secret, validity: 3_600, ...more }
    const made = yield* (yield* Service).send({ method: "POST", path: "/webhook-endpoints", key, json })
    assert.strictEqual(made.status, 201, made.text)
    return String(made.body.id)
  })

  const start = Effect.fn(function* ({ key }: Member, workflowId: string, webhook?: unknown) {
    const json = { workflow_id: workflowId, ...(webhook === undefined ? {} : { webhook }) }
    const started = yield* (yield* Service).send({ method: "POST", path: "/run", key, json })
    assert.strictEqual(started.status, 201, started.text)
    return String(started.body.session_id)
  })

  const interrupt = Effect.fn(function* ({ key }: Member, session: string) {
    yield* (yield* Service).send({ method: "POST", path: `/run/${session}/interrupt`, key })
  })

  /** Reads the log of a run until it is as expected. */
  const untilLogged = Effect.fn(function* (
    { key }: Member,
    session: string,
    expected: (log: ReadonlyArray<Logged>) => boolean
  ) {
    const { send } = yield* Service
    const log = Effect.map(
      send({ method: "GET", path: `/webhooks/${session}`, key }),
      ({ body }) => body.webhook_events as ReadonlyArray<Logged>
    )
    return yield* until("the deliveries of a run", log, expected)
  })

  const events = (from: Receiver, count: number) =>
    Effect.map(Effect.replicateEffect(from.next, count), (all) => all.map(({ body }) => body.event))

  it.effect("that a run names gets its events in order, signed for the published client", () =>
    Effect.gen(function* () {
      const { owner, workflowId } = yield* setUp
      const live = yield* receiver(200)
      const session = yield* start(owner, workflowId, {
        url: live.url,
        event_types_subscribed: [],
        secret,
        validity: 3_600,
        metadata: { order: "Ä-7 \ud83d\ude80" }
      })
      yield* interrupt(owner, session)
      const [first, second] = [yield* live.next, yield* live.next]
      assert.deepStrictEqual([first.body.event, second.body.event], ["execution.queued", "execution.stopped"])
      assert.deepStrictEqual(verify(first) as unknown, first.body)
      assert.deepInclude(first.headers, { "content-type": "application/json", "x-sluice-attempt": "1" })
      assert.match(String(first.headers["x-sluice-delivery"]), /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(Object.keys(first.body), ["event", "timestamp", "expires_at", "payload", "metadata"])
      assert.deepStrictEqual(first.body.metadata, { order: "Ä-7 \ud83d\ude80" })
      assert.strictEqual(first.text, JSON.stringify(first.body))
      const expected = (yield* Clock.currentTimeMillis) / 1_000 + 3_600
      assert.isTrue(Math.abs(first.body.expires_at - expected) < 60)

      assert.throws(() => verify({ ...first, text: first.text.replace(session, "another") }), VerificationError)
      const log = yield* untilLogged(owner, session, (all) => all.every(({ delivered }) => delivered))
      assert.deepStrictEqual(
        log.map(({ delivery_errors, message, retries, url }) => [message.event, url, retries, delivery_errors.length]),
        [
          ["execution.queued", live.url, 0, 0],
          ["execution.stopped", live.url, 0, 0]
        ]
      )
      assert.isNumber(log[0]?.duration)
    })
  )

  it.effect("that expired is refused by the published client", () =>
    Effect.gen(function* () {
      const { owner, workflowId } = yield* setUp
      const live = yield* receiver(200)
      yield* start(owner, workflowId, { url: live.url, secret })
      const late = yield* live.next
      assert.throws(() => verify(late), /expired/)
      assert.deepStrictEqual(verify(late, { allowExpired: true }) as unknown, late.body)
    })
  )

  it.effect("of the workspace and of the workflow get what they subscribed to, with the metadata of the run", () =>
    Effect.gen(function* () {
      const { owner, workflowId } = yield* setUp
      const other = yield* setUp
      const [all, one, stopped] = [yield* receiver(200), yield* receiver(204), yield* receiver(200)]
      yield* register(owner, all.url)
      yield* register(owner, one.url, { workflow_id: workflowId })
      yield* register(owner, stopped.url, { event_types_subscribed: ["execution.stopped"] })
      const elsewhere = yield* receiver(200)
      yield* register(other.owner, elsewhere.url)
      const session = yield* start(owner, workflowId, { metadata: { order: 7 } })
      yield* interrupt(owner, session)
      assert.deepStrictEqual(yield* events(all, 2), ["execution.queued", "execution.stopped"])
      assert.deepStrictEqual(yield* events(one, 2), ["execution.queued", "execution.stopped"])
      const only = yield* stopped.next
      assert.deepStrictEqual([only.body.event, only.body.metadata], ["execution.stopped", { order: 7 }])
      assert.strictEqual(elsewhere.count(), 0)
    })
  )

  it.effect("that hangs or is down delays no other webhook, and is soon tried less often", () =>
    Effect.gen(function* () {
      const { owner, workflowId } = yield* setUp
      const hanging = yield* receiver(() => {})
      const live = yield* receiver(200)
      for (const url of [hanging.url, "http://127.0.0.1:1/down", live.url]) yield* register(owner, url)
      const sessions = yield* Effect.replicateEffect(start(owner, workflowId), 20)
      // Nothing moves the clock: the live one gets everything while the others are waited for.
      const got = yield* Effect.replicateEffect(live.next, 20)
      assert.deepStrictEqual(new Set(got.map(({ body }) => body.payload.session_id)), new Set(sessions))
      assert.isAtMost(hanging.count(), Dispatcher.defaults.perWebhook)

      yield* TestClock.adjust("15 seconds")
      yield* Effect.forEach(sessions.slice(0, 1), (session) =>
        untilLogged(owner, session, (log) =>
          log.some(({ delivery_errors }) =>
            delivery_errors.some((error) => error.includes("No answer within 15000 ms"))
          )
        )
      )
      assert.isAtMost(hanging.count(), 2 * Dispatcher.defaults.perWebhook)
    })
  )

  it.effect("that fails or asks for time keeps nothing from the webhook of another workspace at the same origin", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* setUp, yield* setUp]
      const shared = yield* receiver((received, answer) => {
        if (received.path === "/good") answer.writeHead(204).end()
        else if (received.path === "/dead") answer.writeHead(500).end()
        else answer.writeHead(429, { "retry-after": "Fri, 31 Dec 2094 23:59:59 GMT" }).end()
      })
      const at = (path: string) => new URL(path, shared.url).href
      for (const path of ["/dead", "/busy"]) yield* register(one.owner, at(path))
      yield* Effect.replicateEffect(start(one.owner, one.workflowId), 10)
      // The circuit of the one is open, and the other rests, before the other workspace has anything to send.
      const paths: Array<string> = []
      while (paths.filter((path) => path === "/dead").length < 5) paths.push((yield* shared.next).path)
      yield* register(other.owner, at("/good"))
      const sessions = yield* Effect.replicateEffect(start(other.owner, other.workflowId), 14)
      const good: Array<unknown> = []
      while (good.length < 14) {
        const received = yield* shared.next
        if (received.path === "/good") good.push(received.body.payload.session_id)
      }
      assert.deepStrictEqual(new Set(good), new Set(sessions))
    })
  )

  it.effect("that fails is tried again later, with a fresh expiry and the number of the attempt", () =>
    Effect.gen(function* () {
      const { owner, workflowId } = yield* setUp
      const moody = yield* receiver((_, answer, count) => void answer.writeHead(count <= 2 ? 500 : 200).end())
      const session = yield* start(owner, workflowId, { url: moody.url, secret, validity: 3_600 })
      const first = yield* moody.next
      yield* untilLogged(owner, session, ([one]) => one?.delivery_errors.length === 1)
      yield* TestClock.adjust("6 seconds")
      const second = yield* moody.next
      yield* untilLogged(owner, session, ([one]) => one?.delivery_errors.length === 2)
      yield* TestClock.adjust("30 seconds")
      const third = yield* moody.next
      const [log] = yield* untilLogged(owner, session, ([one]) => one?.delivered === true)
      assert.deepStrictEqual(
        [first, second, third].map(({ headers }) => headers["x-sluice-attempt"]),
        ["1", "2", "3"]
      )
      assert.strictEqual(new Set([first, second, third].map(({ headers }) => headers["x-sluice-delivery"])).size, 1)
      assert.isAtLeast(third.body.expires_at - first.body.expires_at, 20)
      verify(third)
      assert.strictEqual(log?.retries, 2)
      assert.match(log?.delivery_errors[0] ?? "", /Attempt 1: Answered 500/)
    })
  )

  it.effect("that answers 410 is deactivated, and its delivery waits among the dead to be taken up again", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const leaving = yield* receiver((_, answer, count) => void answer.writeHead(count === 1 ? 410 : 200).end())
      const id = yield* register(owner, leaving.url)
      const session = yield* start(owner, workflowId)
      yield* untilLogged(owner, session, ([one]) => one?.delivery_errors.length === 1)
      const { key } = owner
      const { body: endpoint } = yield* send({ method: "GET", path: `/webhook-endpoints/${id}`, key })
      assert.deepInclude(endpoint, { active: false, inactive_reason: "It answered 410 Gone" })
      yield* interrupt(owner, session)

      const listed = yield* send({ method: "GET", path: "/webhook-deliveries?status=dead", key })
      const [dead, ...others] = listed.body.deliveries as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual([dead?.event, dead?.response_status, others], ["execution.queued", 410, []])
      yield* send({ method: "PATCH", path: `/webhook-endpoints/${id}`, key, json: { active: true } })
      const retry = { method: "POST", path: `/webhook-deliveries/${dead?.id}/retry`, key }
      assert.deepInclude((yield* send(retry)).body, { status: "pending", attempts: 0 })
      yield* untilLogged(owner, session, ([one]) => one?.delivered === true)
      assert.strictEqual((yield* send(retry)).status, 409)
    })
  )

  it.effect("is registered without the blanks around its address; its tests stand among its deliveries", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const { key } = owner
      const receiving = yield* receiver((_, answer, count) => void answer.writeHead(count === 1 ? 503 : 204).end())
      const id = yield* register(owner, ` \t${receiving.url}\n`)
      const other = yield* register(owner, (yield* receiver((_, answer) => void answer.writeHead(200).end())).url)
      const path = `/webhook-endpoints/${id}`
      assert.strictEqual((yield* send({ method: "GET", path, key })).body.url, receiving.url)
      const json = { url: `  ${receiving.url} ` }
      assert.strictEqual((yield* send({ method: "PATCH", path, key, json })).body.url, receiving.url)
      yield* send({ method: "POST", path: `${path}/test`, key })
      yield* TestClock.adjust("1 second")
      yield* send({ method: "POST", path: `${path}/test`, key })
      const listed = (query: string) =>
        Effect.map(send({ method: "GET", path: `/webhook-deliveries?${query}`, key }), ({ body }) =>
          (body.deliveries as ReadonlyArray<Record<string, unknown>>).map((one) => [
            one.event,
            one.webhook_id,
            one.session_id,
            one.response_status
          ])
        )
      const test = (status: number) => ["webhook.test", id, null, status]
      assert.deepStrictEqual(yield* listed(""), [test(204), test(503)])
      assert.deepStrictEqual(yield* listed("status=dead"), [test(503)])
      assert.deepStrictEqual(yield* listed(`webhook_id=${other}`), [])
      const session = yield* start(owner, workflowId)
      yield* untilLogged(owner, session, (all) => all.filter(({ delivered }) => delivered).length === 2)
      yield* interrupt(owner, session)
      assert.lengthOf(
        (yield* listed(`webhook_id=${other}`)).filter(([event]) => event === "execution.queued"),
        1
      )
      assert.lengthOf(
        (yield* listed(`webhook_id=${id}&limit=1`)).filter(([event]) => event === "webhook.test"),
        0
      )
      assert.lengthOf(
        (yield* listed(`session_id=${session}`)).filter(([event]) => event === "webhook.test"),
        0
      )
    })
  )

  it.effect("that is removed is sent nothing more", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const failing = yield* receiver(500)
      const id = yield* register(owner, failing.url)
      const session = yield* start(owner, workflowId)
      yield* untilLogged(owner, session, ([one]) => one?.delivery_errors.length === 1)
      yield* send({ method: "DELETE", path: `/webhook-endpoints/${id}`, key: owner.key })
      yield* TestClock.adjust("10 seconds")
      const [log] = yield* untilLogged(owner, session, ([one]) => one?.delivery_errors.length === 2)
      assert.match(log?.delivery_errors[1] ?? "", /Not sent: The webhook was removed or deactivated/)
      assert.strictEqual(failing.count(), 1)
    })
  )

  it.effect("is sent all events of a run again on request, also when it was registered later", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const session = yield* start(owner, workflowId)
      yield* interrupt(owner, session)
      const replay = { method: "POST", path: `/webhooks/${session}/replay`, key: owner.key }
      assert.deepInclude((yield* send(replay)).body, { status: "success", nr_success: 0, webhook_events: [] })

      const [live, failing] = [yield* receiver(200), yield* receiver(503)]
      yield* TestClock.adjust("1 second")
      yield* register(owner, live.url)
      yield* register(owner, failing.url, { event_types_subscribed: ["execution.stopped"] })
      const { body } = yield* send({ ...replay, headers: { "content-type": "application/json" } })
      assert.deepInclude(body, { status: "partial", nr_success: 2, nr_failed: 1 })
      assert.deepStrictEqual(body.webhook_events, [
        { success: true, response: "200", error: "" },
        { success: true, response: "200", error: "" },
        { success: false, response: "503", error: "Answered 503: expected 200 to 299" }
      ])
      verify(yield* live.next)
      assert.lengthOf(yield* (yield* Deliveries).ofRun(owner.caller.workspaceId, session), 0)
    })
  )

  it.effect("whose delivery failed is delivered when a replay arrives, and not sent again", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const moody = yield* receiver((_, answer, count) => void answer.writeHead(count === 1 ? 500 : 200).end())
      const session = yield* start(owner, workflowId, { url: moody.url, secret })
      yield* untilLogged(owner, session, ([one]) => one?.delivery_errors.length === 1)
      yield* send({ method: "POST", path: `/webhooks/${session}/replay`, key: owner.key })
      yield* untilLogged(owner, session, ([one]) => one?.delivered === true)
      yield* TestClock.adjust("10 seconds")
      yield* interrupt(owner, session)
      yield* untilLogged(owner, session, (log) => log.length === 2 && log.every(({ delivered }) => delivered))
      assert.strictEqual(moody.count(), 3)
    })
  )

  it.effect("is tested by a signed message, and its secret is shown once", () =>
    Effect.gen(function* () {
      const { dump, send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const { key } = owner
      const live = yield* receiver(200)
      const json = { url: live.url, workflow_id: workflowId, validity: 3_600 }
      const headers = { "idempotency-key": "told-once-0001" }
      const made = yield* send({ method: "POST", path: "/webhook-endpoints", key, json, headers })
      const own = String(made.body.secret)
      assert.match(own, /^whsec_[\w-]{43}$/)
      assert.strictEqual((yield* send({ method: "POST", path: "/webhook-endpoints", key, json })).status, 409)
      const path = `/webhook-endpoints/${made.body.id}`
      const tested = yield* send({ method: "POST", path: `${path}/test`, key })
      assert.deepStrictEqual(tested.body, { success: true, response: "200", error: "" })
      const received = yield* live.next
      const signature = String(received.headers["x-hmac-signature"])
      assert.strictEqual(
        new WebhookClient().verifySignature(received.text, signature, own).event as string,
        "webhook.test"
      )

      const changed = yield* send({ method: "PATCH", path, key, json: { secret, validity: 7_200, url: null } })
      assert.deepInclude(changed.body, { validity: 7_200, url: live.url, secret_hint: `…${secret.slice(-4)}` })
      const session = yield* start(owner, workflowId, { url: live.url, secret: "of this run only", validity: 3_600 })
      verifyAny(yield* live.next, [secret, "of this run only"])
      const answers = yield* Effect.forEach(
        [path, "/webhook-endpoints", "/webhook-deliveries", `/webhooks/${session}`, `/run/${session}`, "/runs"],
        (address) => Effect.map(send({ method: "GET", path: address, key }), ({ text }) => text)
      )
      for (const text of [...answers, changed.text, yield* dump]) {
        for (const clear of [own, secret, "of this run only"]) assert.notInclude(text, clear)
      }
      assert.strictEqual((yield* send({ method: "DELETE", path, key })).body.id, made.body.id)
      assert.strictEqual((yield* send({ method: "GET", path, key })).status, 404)
    })
  )

  it.effect("that answers without end, or closes, or redirects, has not taken anything", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner } = yield* setUp
      const target = yield* receiver(200)
      const endless = yield* receiver((_, answer) => {
        answer.writeHead(500)
        const more = () => {
          while (!answer.destroyed && answer.write("x".repeat(65_536)));
          if (!answer.destroyed) answer.once("drain", more)
        }
        more()
      })
      const closing = yield* receiver((_, answer) => void answer.destroy())
      const redirecting = yield* receiver((_, answer) => void answer.writeHead(307, { location: target.url }).end())
      const expected = [
        [endless, "500", /Answered 500/],
        [closing, "", /closed before the answer was complete/],
        [redirecting, "307", /redirects are not followed/]
      ] as const
      for (const [{ url }, response, error] of expected) {
        const id = yield* register(owner, url)
        const { body } = yield* send({ method: "POST", path: `/webhook-endpoints/${id}/test`, key: owner.key })
        assert.deepInclude(body, { success: false, response })
        assert.match(String(body.error), error)
      }
      assert.strictEqual(target.count(), 0)
    })
  )

  it.effect("is sent to once the database is there again", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const live = yield* receiver(200)
      away = Dispatcher.defaults.perWebhook
      const session = yield* start(owner, workflowId, { url: live.url, secret })
      for (let second = 0; second < 60 && live.count() === 0; second++) {
        yield* TestClock.adjust("1 second")
        yield* send({ method: "GET", path: `/webhooks/${session}`, key: owner.key })
      }
      assert.strictEqual((yield* live.next).body.event, "execution.queued")
    })
  )

  // It passes time, which others measure: it stays the last.
  it.effect("subscribed by either name of a held run gets `execution.paused`, which streams send as well", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const owner = yield* member("Owner")
      // Closed now, and hours around.
      const window = new Date().getUTCHours() < 12 ? daily(18, 20) : daily(2, 4)
      const ask = (path: string, json: object) => send({ method: "POST", path, key: owner.key, json })
      const { body: made } = yield* ask("/workflows", { name: "Held", ...graph(), run_window: window })
      const named = yield* Effect.forEach(["execution.paused", "execution.pause"], (event) =>
        Effect.tap(receiver(200), ({ url }) => register(owner, url, { event_types_subscribed: [event] }))
      )
      const client = randomUUID()
      const streams = yield* Effect.forEach([`/run/clients/${client}/events`, "/events"], (path) =>
        Effect.acquireRelease(
          Effect.sync(() => openRaw(url, path, owner.key)),
          (stream) => Effect.sync(stream.close)
        )
      )
      const until = (stream: RawStream, done: (body: string) => boolean) =>
        eventually(Effect.promise(() => stream.until(done)))
      for (const stream of streams) yield* until(stream, (body) => body.includes("event: ping\n"))
      const { body: run } = yield* ask("/run", { workflow_id: made.id, client_id: client })
      const session = String(run.session_id)
      for (const one of named) {
        const { event, payload } = (yield* one.next).body
        assert.deepStrictEqual([event, payload.session_id], ["execution.paused", session])
      }
      for (const stream of streams) {
        const body = yield* until(stream, (body) => kindsOf(body, session).length > 1)
        assert.deepStrictEqual(kindsOf(body, session), ["execution.queued", "execution.paused"])
      }
    }).pipe(Effect.scoped)
  )
})

const verifyAny = (received: Received, secrets: ReadonlyArray<string>) =>
  assert.isTrue(
    secrets.some((one) => {
      try {
        new WebhookClient().verifySignature(received.text, String(received.headers["x-hmac-signature"]), one)
        return true
      } catch {
        return false
      }
    })
  )
