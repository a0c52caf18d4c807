import { assert } from "@effect/vitest"
import { Clock, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import { GateStore } from "../../../core/gate/GateStore.ts"
import { Gates } from "../../../core/gate/Gates.ts"
import { type ClaimedRun, RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { RunId } from "../../../core/workspace/Ids.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"
import { inSeries } from "../../support/series.ts"

const hour = 3_600_000

/** A command for one workflow. Numbers choose: an hour of a window, a run among the present ones, a time to pass. */
const Command = Schema.Struct({
  kind: Schema.Literals([
    "setWindow",
    "removeWindow",
    "lift",
    "pause",
    "unpause",
    "submit",
    "submit",
    "claim",
    "claim",
    "finish",
    "fail",
    "interrupt",
    "release",
    "release",
    "abandon",
    "loseLease",
    "pass",
    "pass"
  ]),
  number: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 22 }))
})
type Command = typeof Command.Type

type Status = "waiting" | "running" | "ended"

interface ModelRun {
  readonly status: Status
  readonly fence: number
  readonly tried?: boolean
  readonly released?: { readonly pause: number | null } | undefined
}

/** The whole of the behaviour in the plainest words there are: hours of the day, and flags. */
class Model {
  at = 0
  window: { from: number; to: number } | null = null
  liftedUntil: number | null = null
  /** Since when. */
  paused: number | null = null
  /** `tried`: it was given back once, and may be put off. `released`: past the window, and past a pause since then. */
  readonly runs = new Map<string, ModelRun>()

  windowOpen(at = this.at): boolean {
    if (this.window === null) return true
    const time = at % (24 * hour)
    return time >= this.window.from * hour && time < this.window.to * hour
  }
  nextOpening(): number {
    let at = this.at
    while (!this.windowOpen(at)) at = (Math.floor(at / hour) + 1) * hour
    return at
  }
  lifted(): boolean {
    return this.liftedUntil !== null && this.at < this.liftedUntil
  }
  mayStart(): boolean {
    return this.paused === null && (this.windowOpen() || this.lifted())
  }
  runMayStart(id: string): boolean {
    const released = this.runs.get(id)?.released
    return this.mayStart() || (released !== undefined && (this.paused === null || this.paused === released.pause))
  }
  waiting(): ReadonlyArray<string> {
    return [...this.runs].filter(([, run]) => run.status === "waiting").map(([id]) => id)
  }
  running(): ReadonlyArray<string> {
    return [...this.runs].filter(([, run]) => run.status === "running").map(([id]) => id)
  }
}

const services = Layer.mergeAll(Gates.layer, Crypto.layer)

const obey = (commands: ReadonlyArray<Command>) =>
  Effect.gen(function* () {
    const [gates, runs, store] = [yield* Gates, yield* RunStore, yield* GateStore]
    const caller = yield* makeWorkspace()
    const workflow = yield* makeWorkflow(caller, { maxRetries: 1 })
    const id = workflow.workflow.id
    const model = new Model()
    // Tests that share a layer share its clock, which only continues.
    model.at = Math.ceil((yield* Clock.currentTimeMillis) / (24 * hour)) * 24 * hour
    yield* TestClock.setTime(model.at)
    const held = new Map<string, ClaimedRun>()
    let highestFence = 0
    const pick = (ids: ReadonlyArray<string>, number: number) =>
      ids.length === 0 ? null : (ids[number % ids.length] ?? null)
    const settle = (chosen: string, decide: Parameters<typeof runs.settle>[1]) =>
      runs.settle({ id: RunId.make(chosen), fence: held.get(chosen)?.run.lease?.fence ?? 0 }, decide)

    for (const { kind, number } of commands) {
      switch (kind) {
        case "setWindow": {
          const window = { from: number, to: number + 1 + (number % (24 - number - 1 || 1)) }
          yield* gates.setWindow(caller, id, daily(window.from, Math.min(window.to, 23)))
          model.window = { from: window.from, to: Math.min(window.to, 23) }
          model.liftedUntil = null
          break
        }
        case "removeWindow":
          yield* gates.removeWindow(caller, id)
          model.window = null
          model.liftedUntil = null
          break
        case "lift": {
          const before = model.mayStart()
          const { errors, resumedRuns, skipped } = yield* gates.unpause(caller, "run_window", [id])
          assert.deepStrictEqual(errors, [])
          if (model.windowOpen() || model.lifted()) {
            assert.deepStrictEqual([resumedRuns, skipped], [0, [id]])
          } else {
            model.liftedUntil = model.nextOpening()
            assert.deepStrictEqual(skipped, [])
            assert.strictEqual(resumedRuns, !before && model.mayStart() ? model.waiting().length : 0)
          }
          break
        }
        case "pause":
          yield* gates.pause(caller, id, { reason: "test", until: null })
          model.paused = model.at
          break
        case "unpause": {
          const before = model.mayStart()
          model.paused = null
          const { resumedRuns, skipped } = yield* gates.unpause(caller, "workflow", [id])
          assert.deepStrictEqual(skipped, [])
          assert.strictEqual(resumedRuns, !before && model.mayStart() ? model.waiting().length : 0)
          break
        }
        case "submit": {
          const sent = submission(workflow)
          yield* runs.submit(sent)
          model.runs.set(sent.id, { status: "waiting", fence: 0 })
          break
        }
        case "claim": {
          const wanted = 1 + (number % 3)
          const claimed = yield* runs.claim({ worker: "w", limit: wanted, leaseMillis: hour })
          const startable = model.waiting().filter((one) => model.runMayStart(one))
          const tryable = claimed.map(({ run }) => String(run.id))
          const fresh = startable.filter((one) => model.runs.get(one)?.tried !== true)
          const taken = tryable.filter((one) => fresh.includes(one))
          // A run that was given back may be put off, and is passed over then. All others start in their order.
          for (const one of tryable) assert.include(startable, one)
          assert.deepStrictEqual(taken, fresh.slice(0, taken.length))
          if (tryable.length < wanted) assert.deepStrictEqual(taken, fresh)
          if (fresh.length === startable.length) assert.deepStrictEqual(tryable, startable.slice(0, wanted))
          for (const one of claimed) {
            const fence = one.run.lease?.fence ?? 0
            assert.isAbove(fence, highestFence)
            highestFence = fence
            held.set(one.run.id, one)
            model.runs.set(one.run.id, { status: "running", fence, released: model.runs.get(one.run.id)?.released })
          }
          break
        }
        case "finish":
        case "fail": {
          const chosen = pick(model.running(), number)
          if (chosen === null) break
          const fence = held.get(chosen)?.run.lease?.fence ?? 0
          yield* settle(chosen, (locked, at) =>
            Transition.finish(locked, { _tag: kind === "finish" ? "Success" : "Failed", data: {}, errors: [] }, at)
          )
          model.runs.set(chosen, { status: "ended", fence })
          break
        }
        case "interrupt": {
          const chosen = pick([...model.runs.keys()], number)
          if (chosen === null) break
          const done = yield* Effect.result(runs.change(caller.workspaceId, RunId.make(chosen), Transition.interrupt))
          assert.strictEqual(done._tag, model.runs.get(chosen)?.status === "ended" ? "Failure" : "Success")
          model.runs.set(chosen, { status: "ended", fence: 0 })
          break
        }
        case "release": {
          const chosen = pick([...model.runs.keys()], number)
          if (chosen === null) break
          const before = model.runs.get(chosen)
          const pastPause = number % 2 === 0
          const [decided] = yield* runs.changeAll(
            caller.workspaceId,
            [RunId.make(chosen)],
            (locked, at) => Transition.release(locked, { at, by: caller.userId }, pastPause),
            { dryRun: number % 5 === 4 }
          )
          const passes = before?.released?.pause === model.paused
          if (before?.status !== "waiting") assert.strictEqual(decided?.outcome, "not_waiting")
          else if (model.paused !== null && !pastPause && !passes) {
            assert.strictEqual(decided?.outcome, "held_by_pause")
          } else {
            if (before.released === undefined) assert.strictEqual(decided?.outcome, "released")
            if (decided?.outcome === "released" && number % 5 !== 4) {
              // What was put off may start now.
              model.runs.set(chosen, { status: "waiting", fence: 0, released: { pause: model.paused } })
            }
          }
          break
        }
        case "abandon": {
          const chosen = pick(model.running(), number)
          if (chosen === null) break
          const { run } = yield* settle(chosen, Transition.abandon)
          model.runs.set(chosen, {
            status: run.status === "execution.requeued" ? "waiting" : "ended",
            fence: 0,
            tried: true,
            released: model.runs.get(chosen)?.released
          })
          break
        }
        case "loseLease": {
          // A worker that lost its lease is refused, whatever it brings.
          const chosen = pick([...model.runs.keys()], number)
          if (chosen === null) break
          const stale = { id: RunId.make(chosen), fence: highestFence + 1 }
          const late = yield* Effect.result(
            runs.settle(stale, (locked, at) => Transition.finish(locked, { _tag: "Success", data: {} }, at))
          )
          assert.strictEqual(late._tag, "Failure")
          break
        }
        case "pass":
          model.at += (1 + number) * (hour / 2)
          yield* TestClock.setTime(model.at)
          // The leases of the model's workers are renewed; what is due is done.
          yield* runs.renew(
            model.running().map((one) => ({ id: RunId.make(one), fence: model.runs.get(one)?.fence ?? 0 })),
            hour
          )
          yield* store.review(100)
          yield* runs.reap(100, Transition.reap)
          break
      }
      for (const [one, expected] of model.runs) {
        const { run } = yield* runs.get(caller.workspaceId, RunId.make(one))
        const status = run.endedAt !== null ? "ended" : run.lease !== null ? "running" : "waiting"
        assert.strictEqual(status, expected.status, `after ${kind}`)
      }
    }

    // In the end nothing is lost: what waits starts as soon as nothing holds it.
    yield* gates.removeWindow(caller, id)
    yield* gates.unpause(caller, "workflow", [id])
    yield* TestClock.setTime(model.at + 24 * hour)
    const left = new Set(model.waiting())
    for (let claimed = yield* runs.claim({ worker: "w", limit: 50, leaseMillis: hour }); claimed.length > 0; ) {
      for (const { run } of claimed) assert.isTrue(left.delete(run.id), "started twice, or never submitted")
      claimed = yield* runs.claim({ worker: "w", limit: 50, leaseMillis: hour })
    }
    assert.deepStrictEqual([...left], [])
  }).pipe(Effect.provide(services))

inSeries("the stores and the plain model agree on every command", Command, obey)
