import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as Gate from "../../../core/gate/Gate.ts"
import * as Run from "../../../core/run/Run.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { makeWorkspace, stored, submission } from "../../support/fixtures.ts"

const caller = Effect.runSync(makeWorkspace().pipe(Effect.provide(Memory.layer)))
const lease: Run.Lease = { worker: "w", fence: 1, until: 30_000 }
const waiting = Transition.submit(submission(stored(caller)), Gate.open, 1_000).run

describe("the state of a run", () => {
  const states: ReadonlyArray<readonly [string, Partial<Run.StoredRun>]> = [
    ["waiting", {}],
    ["waiting to be tried again", { status: "execution.requeued", startedAt: 1_500 }],
    ["running", { status: "execution.start", startedAt: 1_500, lease }],
    ["ended", { status: "execution.success", startedAt: 1_500, endedAt: 2_000 }],
    ["stopped before it started", { status: "execution.stopped", endedAt: 2_000 }]
  ]
  it.each(states)("%s is read as it was stored", (_, fields) => {
    const kept: Run.StoredRun = { ...waiting, ...fields }
    assert.deepStrictEqual(Run.fromStored(kept), kept)
  })

  const broken: ReadonlyArray<readonly [string, Partial<Run.StoredRun>]> = [
    ["a waiting run with a lease", { lease }],
    ["a running run without a lease", { status: "execution.start", startedAt: 1_500 }],
    ["a running run that never started", { status: "execution.start", lease }],
    ["an ended run without an end", { status: "execution.failed" }],
    ["an ended run with a lease", { status: "execution.failed", endedAt: 2_000, lease }]
  ]
  it.each(broken)("refuses %s", (_, fields) => {
    assert.throws(() => Run.fromStored({ ...waiting, ...fields }), `Cannot read run ${waiting.id}: its status`)
  })

  it("stays waiting when a claim comes while its gate holds it or its retry is put off", () => {
    const closed: Gate.Gate = { ...Gate.open, pause: { since: 0, until: null, by: "u", reason: "r" } }
    assert.isNull(Transition.claim(waiting, closed, lease, 1_000))
    assert.isNull(Transition.claim({ ...waiting, notBefore: 1_001 }, Gate.open, lease, 1_000))
    assert.strictEqual(Transition.claim(waiting, Gate.open, lease, 1_000)?.run.lease.fence, 1)
  })
})

describe("the end of a run", () => {
  it("is written once, with the files that the run has produced", () => {
    const file = { id: "f", name: "a.pdf", at: 1_500, metadata: {} }
    const run = Transition.claim(waiting, Gate.open, lease, 1_000)?.run
    assert.isDefined(run)
    const locked = { run, gate: Gate.open, files: [file] }
    const { events } = Transition.settle(locked, { _tag: "Success", data: { done: true } }, 2_000)
    const [end] = events
    assert.deepInclude(end, { event: "execution.success", data: { done: true }, files: [file] })
  })
})

describe("a run whose browser went away", () => {
  const failure = { ...Run.failure(waiting, "BROWSER-E0001", "The browser went away", 2_000) }
  const lost: Transition.Outcome = { _tag: "Failed", data: {}, errors: [failure], lostBrowser: true }
  const running = (fields: Partial<Run.RunningRun>): Transition.LockedRun<Run.RunningRun> => {
    const run = Transition.claim(waiting, Gate.open, lease, 1_000)?.run
    assert.isDefined(run)
    return { run: { ...run, ...fields }, gate: Gate.open, files: [] }
  }

  it("before it acted is tried again at once, then put off, and never uses a retry", () => {
    const first = Transition.settle(running({}), lost, 2_000).run
    assert.deepInclude(first, { status: "execution.requeued", retries: 0, notBefore: 2_000, errors: [failure] })
    const third = Transition.settle(running({ attempts: 3, errors: [failure] }), lost, 2_000).run
    assert.deepInclude(third, {
      status: "execution.requeued",
      retries: 0,
      notBefore: 12_000,
      errors: [failure, failure]
    })
  })

  it("before it acted fails in its tenth attempt", () => {
    const { events, run } = Transition.settle(running({ attempts: 10 }), lost, 2_000)
    assert.strictEqual(run.status, "execution.failed")
    assert.deepInclude(events[0], { event: "execution.failed", errors: [failure] })
  })

  it.each([
    { acted: true, committed: false, mark: null },
    { acted: true, committed: true, mark: null }
  ])("after %s fails", (progress) => {
    assert.strictEqual(Transition.settle(running({ progress }), lost, 2_000).run.status, "execution.failed")
  })
})
