import { assert, describe, it } from "@effect/vitest"
import { sources } from "../../support/Source.ts"
import { clocksIn } from "./Clocks.ts"

/** Where a clock may be read, or a limit stand, and why: no verdict depends on it. A folder ends in a slash. */
const allowed: Readonly<Record<string, string>> = {
  "test/bench/": "the benches measure, and fail no commit",
  "test/chaos/": "goes on for as long as it is asked to, and says when what it judges happened",
  "test/kit/contracts/": "ends what a broken implementation never ends",
  "test/kit/conformance/": "asks a server that runs elsewhere",
  "test/kit/simulation/Simulation.ts": "on the clock of the simulation",
  "test/packages/": "tries the packages by hand and at night",
  "test/rehearsal/": "says when what it does happens",
  "test/simulation/main.ts": "says how fast it simulates",
  "test/fuzz/main.ts: Date.now": "the seed where none is given",
  "test/fuzz/Fuzz.ts: performance.now": "the slowest requests of the report",
  "test/support/noteCosts.ts": "the costs of the report",
  "test/support/relativeCost.ts": "the ratio to a fixed work",
  "test/support/heldLoop.ts": "the ratio to a fixed work",
  "test/support/lateMessages.ts": "makes messages late, by a seed",
  "test/unit/testing/waiting.test.ts": "a wait that ends without its event, in little time",
  "test/unit/testing/lateMessages.test.ts": "on timers that the test moves",
  "test/support/ownServer.ts: node:timers/promises": "looks again whether a process has ended",
  "test/browser/agent/video.test.ts": "a video lasts as long as what it shows",
  "test/contract/clock.test.ts": "the clock of the database is what is tested",
  "test/contract/run/concurrency.test.ts": "between which instants a window was closed",
  "test/contract/startLedger.test.ts": "a window that is open now",
  "test/contract/outage.test.ts: performance.now": "the clock is stopped",
  "test/e2e/client.test.ts: Date.now": "the clock of the client is moved",
  "test/e2e/firings.test.ts: Date.now": "a schedule that was due",
  "test/e2e/processes.test.ts: new Date()": "a window that is closed now",
  "test/http/api/clients.test.ts": "what happened within the last hour",
  "test/http/webhook/delivery.test.ts": "a clock that is behind, and a window that is closed now",
  "test/browser/agent/leftProfiles.test.ts: Date.now": "the age of a folder",
  "test/browser/agent/session.test.ts: Date.now": "when a cookie ends",
  "test/browser/agent/tfaBrowser.test.ts: Date.now": "a code of now",
  "test/gauntlet/pages/People.ts: Date.now": "a code of now",
  "test/browser/console/console.test.ts: Date.now": "what the console shows of now",
  "test/browser/console/console.test.ts: new Date()": "what the console shows of now",
  "test/browser/docs/actions.test.ts: Date.now": "a code of now",
  "test/browser/api/liveBrowser.test.ts: Effect.timeoutOption": "a gesture is made again, for as long as a test waits",
  "test/contract/models.test.ts: Effect.timeoutOrElse": "a model that keeps the time for its answer",
  "test/unit/runtime/lease.test.ts: Effect.timeoutOption": "on the clock of the test",
  "test/unit/attack/computedSecrets.test.ts: a limit of its own":
    "how long a question of a workflow waits for its answer",
  "test/browser/agent/person.test.ts: a limit of its own": "how long a question of a workflow waits for its answer",
  "test/browser/console/console.test.ts: a limit of its own": "how long a question of a workflow waits for its answer",
  "test/e2e/leaks/leaks.test.ts: a limit of its own": "how long a question of a workflow waits for its answer",
  "test/http/api/interaction.test.ts: a limit of its own": "how long a question of a workflow waits for its answer"
}

describe("a test", () => {
  const found = sources("test").flatMap(clocksIn)
  const placeOf = (one: string) => Object.keys(allowed).find((place) => one.startsWith(place))

  it("gives no verdict by a clock, and has no limit of its own", () =>
    assert.deepStrictEqual(
      found.filter((one) => placeOf(one) === undefined),
      []
    ))

  it("has no place in the list that needs none", () => {
    const used = new Set(found.map(placeOf))
    assert.deepStrictEqual(
      Object.keys(allowed).filter((place) => !used.has(place)),
      []
    )
  })

  it.each([
    "const began = performance.now()",
    "const now = Date.now",
    "const at = new Date()",
    "const { user } = process.threadCpuUsage()",
    "const began = process.hrtime.bigint()",
    'import { monitorEventLoopDelay } from "node:perf_hooks"',
    'import { setTimeout } from "node:timers/promises"',
    'it("is quick", () => {}, 5_000)',
    'it("is quick", { timeout: 5_000 }, () => {})',
    'it.effect.each([1])("is quick", () => {}, 1_000 * scale)',
    'layer(service, { timeout: "1 minute" })("a service", () => {})',
    "const soon = Effect.timeout(work, 5_000)",
    "const signal = AbortSignal.timeout(100)",
    "page.setDefaultTimeout(5_000)",
    'const soon = until("an answer", ask, isThere, 5_000)',
    'it.live("is quick", () => Effect.map(Clock.currentTimeMillis, (now) => assert.isBelow(now, 5)))'
  ])("would be noticed with %s", (text) => assert.isNotEmpty(clocksIn({ path: "test/unit/a.test.ts", text })))

  it.each([
    "const script = `setTimeout(() => { while (Date.now() < end); }, performance.now())`",
    "const at = new Date(0)",
    "page.setDefaultTimeout(hangMillis)",
    "// Date.now()",
    'it.effect("ends later", () => Effect.map(Clock.currentTimeMillis, (now) => assert.strictEqual(now, 5)))'
  ])("may have %s", (text) => assert.deepStrictEqual(clocksIn({ path: "test/unit/a.test.ts", text }), []))
})
