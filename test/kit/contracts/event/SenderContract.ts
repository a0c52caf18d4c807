/**
 * The promises of every implementation of `Sender`, which posts to addresses that users chose.
 *
 * The receivers are yours: servers that answer as they are asked to, and note what they were sent.
 */
import { Clock, Context, Effect, Fiber, Queue, type Scope } from "effect"
import { Sender, type WebhookRequest } from "../../../../core/event/webhook/Sender.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

/** What a receiver does with each request, once it has read it. */
export type Answering =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** It sends a status and the beginning of an answer that has no end. */
  | "part"
  /** It ends the connection without an answer. */
  | "end"
  /** It never answers. */
  | "nothing"

/** A request, as a receiver has read it. */
export interface Received {
  readonly method: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Read as UTF-8. */
  readonly body: string
}

/** A receiver, which is there until its scope closes. */
export interface Receiver {
  readonly url: string
  readonly requests: Queue.Dequeue<Received>
}

/** Receivers at private addresses, such as those of loopback. */
export class Receivers extends Context.Service<
  Receivers,
  {
    /** A receiver that the sender may reach. */
    readonly allowed: (answering: Answering) => Effect.Effect<Receiver, never, Scope.Scope>
    /**
     * A receiver that the sender must not reach, with an address that can be judged as it stands, and one by a host name
     * that leads to the same place.
     */
    readonly forbidden: Effect.Effect<Receiver & { readonly byName: string }, never, Scope.Scope>
  }
>()("sluice/test/kit/contracts/event/SenderContract") {}

/** What the promises are about. */
export type Stores = Receivers | Sender

const promise = <A, E>(
  title: string,
  test: (given: {
    readonly sender: Sender["Service"]
    readonly receivers: Receivers["Service"]
    readonly time: SteppingClock.SteppingClock
  }) => Effect.Effect<A, E, Scope.Scope>
) =>
  Contract.promise(
    `the sender ${title}`,
    Effect.gen(function* () {
      const time = SteppingClock.make(0)
      const given = { sender: yield* Sender, receivers: yield* Receivers, time }
      return yield* Effect.provideService(Effect.scoped(test(given)), Clock.Clock, time.clock)
    })
  )

const postTo = (url: string, more: Partial<WebhookRequest> = {}): WebhookRequest => ({
  url,
  headers: { "Content-Type": "application/json" },
  body: "{}",
  ...more
})

/** The longest time from the connection to the last byte, in milliseconds. */
const longest = 15_000

/** Addresses of this machine and of its networks, as they can be written. */
const local = [
  "http://127.0.0.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://0.0.0.0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://localhost/",
  "http://LOCALHOST./",
  "http://anything.localhost/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/",
  "http://[fe80::1]/",
  "http://172.16.0.1/",
  "http://192.168.1.1:8080/",
  "https://10.0.0.8:8443/"
]

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("posts headers and body as they are, and answers with the status", ({ receivers, sender }) =>
    Effect.gen(function* () {
      for (const status of [200, 204, 400, 410, 500]) {
        const { requests, url } = yield* receivers.allowed({ status })
        const body = '{"text":"päss ✓ \\u0000"}'
        const headers = { "content-type": "application/json", "x-signature": "t=1,v=ab" }
        const outcome = yield* sender.post(postTo(url, { headers, body }))
        assert.deepInclude(outcome, { _tag: "Answered", status, retryAfterMillis: null })
        const received = yield* Queue.take(requests)
        assert.deepStrictEqual([received.method, received.body], ["POST", body])
        assert.deepInclude(received.headers, headers)
        assert.strictEqual(yield* Queue.size(requests), 0)
      }
    })
  ),
  promise("follows no redirect", ({ receivers, sender }) =>
    Effect.gen(function* () {
      const target = yield* receivers.allowed({ status: 200 })
      for (const status of [301, 302, 303, 307, 308]) {
        const { url } = yield* receivers.allowed({ status, headers: { location: target.url } })
        assert.deepInclude(yield* sender.post(postTo(url)), { _tag: "Answered", status })
      }
      assert.strictEqual(yield* Queue.size(target.requests), 0)
    })
  ),
  promise("answers for how many milliseconds a receiver asks to be left alone", ({ receivers, sender }) =>
    Effect.gen(function* () {
      for (const [status, asked, expected] of [
        [429, "7", 7_000],
        [503, "0", 0],
        [503, "soon", null],
        [503, "Sun, 06 Nov 1994 08:49:37 GMT", 7_000],
        [429, "Sunday, 06-Nov-94 08:49:37 GMT", 7_000],
        [429, "Sun Nov  6 08:49:37 1994", 7_000],
        [429, "Sat, 05 Nov 1994 08:49:37 GMT", 0],
        [503, "Sun, 31 Feb 1994 08:49:37 GMT", null],
        [503, "1994-11-06T08:49:37Z", null],
        [429, "-1", null],
        [200, "7", null]
      ] as const) {
        const date = "Sun, 06 Nov 1994 08:49:30 GMT"
        const { url } = yield* receivers.allowed({ status, headers: { date, "retry-after": asked } })
        assert.deepInclude(yield* sender.post(postTo(url)), { _tag: "Answered", status, retryAfterMillis: expected })
      }
    })
  ),
  promise("answers where a receiver takes no connection, or ends it", ({ receivers, sender }) =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(receivers.allowed({ status: 200 }))
      const ending = yield* receivers.allowed("end")
      for (const { url } of [gone, ending]) {
        const outcome = yield* sender.post(postTo(url))
        assert.strictEqual(outcome._tag, "Unreachable")
        if (outcome._tag !== "Unreachable") return
        assert.isTrue(outcome.reason.length > 0)
        assert.strictEqual(outcome.isConnectionRefused === true, url === gone.url, outcome.reason)
      }
    })
  ),
  promise("reads a status however long the answer is", ({ receivers, sender }) =>
    Effect.gen(function* () {
      const { url } = yield* receivers.allowed({ status: 202, body: "x".repeat(2_000_000) })
      assert.deepInclude(yield* sender.post(postTo(url)), { _tag: "Answered", status: 202 })
    })
  ),
  promise("waits 15 seconds at most for the end of an answer", ({ receivers, sender, time }) =>
    Effect.gen(function* () {
      for (const answering of ["nothing", "part"] as const) {
        const { requests, url } = yield* receivers.allowed(answering)
        const sending = yield* Effect.forkScoped(sender.post(postTo(url)))
        yield* Queue.take(requests)
        yield* time.advance(longest)
        for (let turn = 0; turn < 1_000 && sending.pollUnsafe() === undefined; turn++) yield* Effect.yieldNow
        assert.isDefined(sending.pollUnsafe(), "an attempt of 15 seconds")
        const outcome = yield* Fiber.join(sending)
        assert.strictEqual(outcome._tag, "Unreachable")
        if (outcome._tag === "Unreachable") assert.isAtMost(outcome.durationMillis, longest)
      }
    })
  ),
  promise("refuses private, loopback and link-local addresses in each way of writing them", ({ sender }) =>
    Effect.gen(function* () {
      for (const url of local) {
        const refusal = sender.refusal(url)
        assert.isTrue(refusal !== null && refusal.length > 0, url)
        assert.strictEqual((yield* sender.post(postTo(url)))._tag, "Refused", url)
      }
      for (const url of ["https://example.com/", "http://93.184.216.34:8080/", "https://[2606:4700::1111]/"]) {
        assert.isNull(sender.refusal(url), url)
      }
    })
  ),
  promise("judges the address that it connects to, and not only the one that is written", ({ receivers, sender }) =>
    Effect.gen(function* () {
      const allowed = yield* receivers.allowed({ status: 200 })
      assert.isNull(sender.refusal(allowed.url))
      const { byName, requests, url } = yield* receivers.forbidden
      assert.isFalse(sender.refusal(url) === null, url)
      assert.isNull(sender.refusal(byName), byName)
      for (const address of [url, byName]) {
        assert.strictEqual((yield* sender.post(postTo(address)))._tag, "Refused", address)
      }
      assert.strictEqual(yield* Queue.size(requests), 0)
    })
  )
]
