import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Layer, References } from "effect"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as SmtpServer from "../../../adapters/mail/SmtpServer.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as Dispatcher from "../../../core/event/webhook/Dispatcher.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { TestTime } from "../../../core/runtime/TestTime.ts"
import { InboxDomain } from "../../../core/vault/inbox/Inbox.ts"
import { Receiving } from "../../../core/vault/inbox/Receiving.ts"
import { PhoneNumbers } from "../../../core/vault/otp/PhoneNumbers.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import * as Conformance from "../../kit/conformance/Conformance.ts"
import * as Mail from "../../kit/conformance/Mail.ts"
import * as Receiver from "../../kit/conformance/Receiver.ts"
import type { Need } from "../../kit/conformance/Scenario.ts"
import type * as Server from "../../kit/conformance/Server.ts"
import { daily, graph } from "../../support/fixtures.ts"
import { inboxDomain, smtpOptions } from "../../support/inbox.ts"
import { layerWith, Service } from "../../support/service.ts"
import { breaking, withoutVaultSchema } from "./faults.ts"

type Options = Conformance.Options

/** The names of the scenarios whose needs are among some. */
const namesWith = (...given: ReadonlyArray<Need>): ReadonlyArray<string> =>
  Conformance.scenarios.flatMap(({ name, needs = [] }) => (needs.every((need) => given.includes(need)) ? [name] : []))

/** A clock that a test installation moves, in one process. Sleepers that a move passes wake at once. */
const movable = Layer.effectContext(
  Effect.map(Clock.Clock, (inner) => {
    let ahead = 0
    const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>()
    const now = () => inner.currentTimeMillisUnsafe() + ahead
    const passed = (until: number) =>
      Effect.callback<void>((resume) => {
        const sleeper = { until, wake: () => resume(Effect.void) }
        sleepers.add(sleeper)
        return Effect.sync(() => void sleepers.delete(sleeper))
      })
    const clock: Clock.Clock = Object.assign(Object.create(inner), {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now),
      sleep: (duration: Duration.Duration) =>
        Effect.suspend(() => Effect.raceFirst(inner.sleep(duration), passed(now() + Duration.toMillis(duration))))
    })
    const moveTo = (at: number) =>
      Effect.sync(() => {
        ahead += Math.max(0, at - now())
        for (const sleeper of sleepers) if (sleeper.until <= now()) sleeper.wake()
      })
    return Context.make(Clock.Clock, clock).pipe(Context.add(TestTime, { ahead: Effect.sync(() => ahead), moveTo }))
  })
)

/** The receiver of the kit, on a free port. */
class Received extends Context.Service<Received, Server.Receiver>()("test/Received") {
  static readonly layer = Layer.effect(
    Received,
    Effect.map(
      Effect.acquireRelease(
        Effect.promise(() => Receiver.listen("http://127.0.0.1:0")),
        ({ close }) => Effect.promise(close)
      ),
      ({ receiver }) => receiver
    )
  )
}

const quiet = Layer.succeed(References.MinimumLogLevel, "Warn")

/** The mail server of the service. */
const receivingMail = SmtpServer.layer(smtpOptions).pipe(
  Layer.provide(Receiving.layer),
  Layer.provide(PhoneNumbers.layer),
  Layer.provide(quiet)
)

const inbox = Layer.succeed(InboxDomain, inboxDomain)
const sending = { ...HttpSender.defaults, allowPrivateNetworks: true }

/** Runs the scenarios, and answers the reasons of those that did not pass. */
const failures = (options: Options) =>
  Effect.map(
    Effect.promise(() => Conformance.run(options)),
    (outcomes) => outcomes.flatMap(({ name, passed, reason }) => (passed ? [] : [`${name}: ${reason}`]))
  )

/** Answers the scenarios that did not fail on a server with a fault, by the position of the fault. */
const missed = (options: Options, names: ReadonlyArray<string>, concurrency: number) =>
  Effect.map(
    Effect.forEach(
      breaking.flatMap((one, index) => (names.includes(one[0]) ? [[index, ...one] as const] : [])),
      ([index, name, change]) =>
        Effect.map(
          Effect.promise(() => Conformance.run({ ...options, only: [name], ...change(options) })),
          (outcomes) =>
            outcomes.flatMap(({ passed, reason, skipped }) =>
              passed || skipped ? [`${name}, fault ${index}: ${reason}`] : []
            )
        ),
      { concurrency }
    ),
    (found) => found.flat()
  )

/** The options for the service, with keys of two new workspaces. */
const options = Effect.gen(function* () {
  const { member, url } = yield* Service
  const { encryptionKey, key } = yield* member("Owner")
  const { port } = yield* SmtpServer.SmtpServer
  return {
    url,
    key,
    encryptionKey,
    secondKey: (yield* member("Owner")).key,
    receiver: yield* Received,
    mailer: { ...Mail.make(`smtp://127.0.0.1:${port}`), withinMillis: 0 }
  }
})

/** More than a hundred scenarios send more than a thousand requests, the longest of 25 MiB. In milliseconds. */
const longest = 120_000

/** The scenarios that any service passes, and those that need a worker or a clock that can be moved. */
const plain = namesWith("encryption key", "second key", "receiver", "mail")
const executed = namesWith("encryption key", "receiver", "mail", "runs").filter((name) => !plain.includes(name))
const moved = namesWith("encryption key", "receiver", "mail", "runs", "clock").filter(
  (name) => !plain.includes(name) && !executed.includes(name)
)

describe("the conformance kit", () => {
  const service = receivingMail.pipe(
    Layer.provideMerge(Layer.merge(layerWith({ stores: Memory.layer, sending }), Received.layer)),
    Layer.provide(inbox)
  )
  it.layer(service, { excludeTestServices: true })("on this service", (it) => {
    it.effect(
      "finds nothing that is not as the interface says, and skips what needs more",
      () =>
        Effect.gen(function* () {
          const given = yield* options
          const outcomes = yield* Effect.promise(() => Conformance.run(given))
          assert.deepStrictEqual(
            outcomes.filter(({ passed, skipped }) => !passed && !skipped),
            []
          )
          assert.sameMembers(
            outcomes.flatMap(({ name, skipped }) => (skipped ? [name] : [])),
            Conformance.scenarios.map(({ name }) => name).filter((name) => !plain.includes(name))
          )
        }),
      longest
    )

    it.effect(
      "finds every planted fault with its scenario",
      () =>
        Effect.gen(function* () {
          assert.sameMembers(
            [...new Set(breaking.map(([name]) => name))],
            Conformance.scenarios.map(({ name }) => name)
          )
          assert.deepStrictEqual(yield* missed(yield* options, plain, 4), [])
        }),
      longest
    )

    it.effect("tells what was expected to fail from what was not", () =>
      Effect.gen(function* () {
        const given = { ...(yield* options), only: ["components", "metadata", "clock-ends-lift"] }
        const outcomes = yield* Effect.promise(() =>
          Conformance.run({ ...given, send: withoutVaultSchema, expectedFailures: given.only })
        )
        assert.deepStrictEqual(
          outcomes.flatMap(({ name, unexpected }) => (unexpected ? [name] : [])),
          ["components"]
        )
      })
    )

    it.effect("skips a scenario whose condition the server or the caller does not fulfil, with the reason", () =>
      Effect.gen(function* () {
        const given = yield* options
        const only = ["isolation-lists", "clock-ends-lift", "rate-limit"]
        const reasons = (more: Partial<Options>) =>
          Effect.map(
            Effect.promise(() => Conformance.run({ ...given, only, ...more })),
            (outcomes) =>
              Object.fromEntries(outcomes.map(({ name, reason, skipped }) => [name, skipped ? reason : "not skipped"]))
          )
        assert.deepStrictEqual(yield* reasons({ secondKey: given.key, moveClock: true }), {
          "isolation-lists": "both keys are of one workspace",
          "clock-ends-lift": "the server has no test clock: PUT /test-clock answers 404",
          "rate-limit": "a rate limit may not be reached on purpose (--flood)"
        })
      })
    )
  })

  const limited = layerWith({ stores: Memory.layer, rateLimits: [{ requests: 60, seconds: 60 }] })
  it.layer(limited, { excludeTestServices: true })("on a service with a rate limit", (it) => {
    it.effect("finds nothing, and every planted fault", () =>
      Effect.gen(function* () {
        const { member, url } = yield* Service
        const given = { url, key: (yield* member("Owner")).key, flood: true, only: ["rate-limit"] }
        assert.deepStrictEqual(yield* failures(given), [])
        assert.deepStrictEqual(yield* missed(given, given.only, 1), [])
      })
    )
  })

  const working = Layer.unwrap(
    Effect.gen(function* () {
      const { url } = yield* Received
      const linked = `${url}${Receiver.linked}`
      const cookie = {
        ...Receiver.cookie,
        domain: new URL(url).hostname,
        path: "/",
        expires: null,
        httpOnly: false,
        secure: false,
        sameSite: null
      }
      const worker = Layer.effectDiscard(
        // A move of the clock must not end a lease.
        Effect.forkScoped(
          Worker.run({ name: "conformance", capacity: 16, leaseMillis: 7 * 86_400_000, graceMillis: 0 })
        )
      ).pipe(
        Layer.provide(AgentExecutor.layer),
        Layer.provide(
          ScriptedBrowser.layer({
            [`${url}/`]: [
              { selector: "//input", takes: { values: "any", leadsTo: `${url}${Receiver.accepted}` } },
              { selector: "//a", leadsTo: linked, leaves: { cookies: [cookie] } }
            ],
            [`${url}${Receiver.accepted}`]: [],
            [linked]: [{ selector: "//p", text: "Accepted" }]
          })
        )
      )
      const dispatcher = Layer.effectDiscard(
        Effect.gen(function* () {
          const { under } = yield* ArtifactLinks
          const links = (workspace: Parameters<typeof under>[1]) => under("https://sluice.example.com", workspace)
          yield* Effect.forkScoped(Dispatcher.run({ ...Dispatcher.defaults, links }))
        })
      )
      return Layer.merge(worker, dispatcher).pipe(Layer.provide(quiet))
    })
  )
  const stores = Layer.merge(Memory.layer, movable)
  const executing = Layer.merge(working, receivingMail).pipe(
    Layer.provideMerge(Layer.merge(layerWith({ stores, sending }), Received.layer)),
    Layer.provide(inbox)
  )
  it.layer(executing, { excludeTestServices: true })(
    "on a service that executes runs and whose clock it moves",
    (it) => {
      it.effect(
        "finds nothing, and every planted fault",
        () =>
          Effect.gen(function* () {
            const given = { ...(yield* options), executes: true, moveClock: true }
            assert.deepStrictEqual(yield* failures({ ...given, only: executed }), [])
            assert.deepStrictEqual(yield* missed(given, executed, 4), [])
            assert.deepStrictEqual(yield* failures({ ...given, only: moved }), [])
            assert.deepStrictEqual(yield* missed(given, moved, 1), [])
          }),
        longest
      )

      it.effect("lets an Owner move its time forward, which opens windows at once, and never back", () =>
        Effect.gen(function* () {
          const { member, send } = yield* Service
          const owner = yield* member("Owner")
          const ask = (method: string, path: string, json?: unknown) => send({ method, path, key: owner.key, json })
          const hour = new Date(String((yield* ask("GET", "/test-clock")).body.now)).getUTCHours()
          const made = yield* ask("POST", "/workflows", { name: "Nightly", ...graph() })
          const window = `/workflows/${made.body.id}/run-window`
          const closed = yield* ask("PUT", window, daily((hour + 4) % 23, ((hour + 4) % 23) + 1))
          const { nextOpenAt } = closed.body.state as { readonly nextOpenAt: string }
          const past = Date.parse(nextOpenAt) + 60_000
          const moved = yield* ask("PUT", "/test-clock", { now: new Date(past).toISOString() })
          assert.strictEqual(moved.status, 200)
          assert.isAtLeast(Date.parse(String(moved.body.now)), past)
          assert.deepInclude((yield* ask("GET", window)).body.state, { open: true })
          const back = yield* ask("PUT", "/test-clock", { now: nextOpenAt })
          assert.strictEqual(back.status, 400)
          assert.include(String(back.body.message), nextOpenAt)
          const late = yield* ask("PUT", "/test-clock", { now: "9999-12-31T23:59:59Z" })
          assert.strictEqual(late.status, 400)
          assert.include(String(late.body.message), 'before the year 9000, got "9999-12-31T23:59:59Z"')
          const trail = yield* ask("GET", "/audit?action=test_clock")
          const entries = trail.body.entries as ReadonlyArray<Readonly<Record<string, unknown>>>
          assert.deepInclude(entries[0], { action: "test_clock.move", after: moved.body })
          assert.isAtLeast(Date.parse(String((yield* ask("GET", "/test-clock")).body.now)), past)
          const { key } = yield* member("Viewer", owner)
          const json = { now: new Date(past + 86_400_000).toISOString() }
          assert.strictEqual((yield* send({ method: "PUT", path: "/test-clock", key, json })).status, 403)
        })
      )
    }
  )

  it("has as many scenarios as its documentation says, in all and for each option", () => {
    const text = readFileSync(join(import.meta.dirname, "../../../docs/embedding.md"), "utf8")
    const needs = Conformance.scenarios.map((scenario) => scenario.needs ?? [])
    const [, free, all] = /(\d+) of the (\d+) scenarios need nothing else/.exec(text) ?? []
    assert.deepStrictEqual([free, all], [`${needs.filter(({ length }) => length === 0).length}`, `${needs.length}`])
    for (const [option, need] of [
      ["encryption-key", "encryption key"],
      ["second-key", "second key"],
      ["receiver", "receiver"],
      ["runs", "runs"],
      ["mail", "mail"],
      ["flood", "flood"],
      ["move-clock", "clock"]
    ] as const) {
      const row = text.split("\n").find((line) => line.startsWith(`| \`--${option}`)) ?? ""
      assert.strictEqual(Number(row.split("|").at(-2)), needs.filter((some) => some.includes(need)).length, option)
    }
  })

  it("knows the names of its scenarios, each once", () => {
    const names = Conformance.scenarios.map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
    assert.deepStrictEqual(Conformance.unknownNames(["components", "compnents"]), ["compnents"])
  })
})
