/**
 * Claims runs that may start and executes them, a bounded number at a time.
 *
 * A worker has a lease on each of its runs and renews it. A worker that dies loses its leases. A worker that cannot renew
 * a lease ends the attempt when the lease expires, because another worker may then execute the run. The store refuses
 * the results of a worker that lost its lease without noticing. On shutdown the worker claims nothing more, gives its
 * runs a grace period, and then returns the rest: no lease is left to expire.
 *
 * **Example** (A worker of two runs at once)
 *
 * ```ts
 * import { Effect } from "effect"
 * import * as Worker from "@sluice/core/worker"
 *
 * // Fork it, and interrupt it for an orderly shutdown. It needs the stores, `Signals` and an `Executor`.
 * export const working = Effect.forkScoped(
 *   Worker.run({ name: "worker-1", capacity: 2, leaseMillis: 30_000, graceMillis: 10_000 }))
 * ```
 */
import { Clock, Effect, Stream } from "effect"
import * as Lease from "../runtime/Lease.ts"
import * as Shares from "../runtime/Shares.ts"
import { Signals } from "../runtime/Signals.ts"
import * as Trace from "../runtime/Trace.ts"
import type * as Wake from "../runtime/Wake.ts"
import * as Attempt from "./Attempt.ts"
import { BrowserCapacity } from "./BrowserCapacity.ts"
import { type ClaimedRun, type LeaseRef, RunStore } from "./RunStore.ts"

/** It looks for runs every 10 s at least, unless `longestSleepMillis` says otherwise. */
export interface Options extends Wake.Polling {
  /** Names the worker in leases; different for every process. */
  readonly name: string
  /** The number of runs in progress at once. A run whose executor is done does not count while its end is stored. */
  readonly capacity: number
  /**
   * The number of runs of one workspace that may be in progress at once, given the number of all; all when not given.
   * Workspaces take turns in any case.
   */
  readonly workspaceRuns?: (places: number) => Effect.Effect<number>
  /** The duration of a lease that is not renewed, in milliseconds. It is renewed three times as often. */
  readonly leaseMillis: number
  /** How long running runs may continue after a shutdown began, in milliseconds. */
  readonly graceMillis: number
}

/** Records a claim in the traces of the runs that it took. */
const recordClaim = Effect.fnUntraced(function* (claimed: ReadonlyArray<ClaimedRun>, from: number) {
  if ((yield* Trace.Recorder) === null) return
  const to = yield* Clock.currentTimeMillis
  for (const { run } of claimed) {
    const claim = Trace.record("run claimed", { from, to }, { attributes: { "sluice.session_id": run.id } })
    yield* Trace.continued(run.options.traceparent)(claim)
  }
})

/**
 * Works until interrupted. Interruption is the orderly shutdown: it completes when the last run has ended or was given
 * back.
 */
export const run = Effect.fn("Worker.run")(function* (options: Options) {
  const store = yield* RunStore
  const signals = yield* Signals
  const browsers = yield* BrowserCapacity
  const shares = Shares.make()
  // Claim no run without a browser for it.
  const capacity = Effect.map(browsers.count, (count) => Math.min(options.capacity, count))
  const { leaseMillis, name: worker, workspaceRuns = Effect.succeed } = options

  /** Claims runs, of no workspace more than it may have. */
  const claimRuns = Effect.fnUntraced(function* (free: number) {
    return yield* Shares.take(shares, {
      most: yield* workspaceRuns(yield* capacity),
      free,
      take: (next) => store.claim({ worker, leaseMillis, ...next }),
      ownerOf: ({ run }: ClaimedRun) => run.workspaceId
    })
  })

  const holder = yield* Lease.make({
    what: "runs",
    capacity,
    leaseMillis,
    ...(options.longestSleepMillis === undefined ? {} : { longestSleepMillis: options.longestSleepMillis }),
    claim: (limit) =>
      Effect.gen(function* () {
        const from = yield* Clock.currentTimeMillis
        const claimed = yield* claimRuns(limit)
        if (claimed.length === 0) return claimed
        yield* recordClaim(claimed, from)
        yield* signals.publish({ _tag: "events" })
        // The scheduler wakes the workers for the next start of a paced workflow.
        if (claimed.some(({ pacedUntil }) => pacedUntil !== undefined)) yield* signals.publish({ _tag: "due" })
        return claimed
      }),
    leaseOf: ({ run }: ClaimedRun): LeaseRef => ({ id: run.id, fence: run.lease.fence }),
    renew: (lease) => store.renew(lease, leaseMillis),
    carryOut: (claimed, makeRoom) =>
      Effect.suspend(() => {
        let isOver = false
        const leave = Effect.sync(() => {
          if (!isOver) shares.leave(claimed.run.workspaceId)
          isOver = true
        })
        return Effect.ensuring(Attempt.carryOut(claimed, Effect.andThen(leave, makeRoom)), leave)
      }),
    drain: Effect.timeoutOption(options.graceMillis)
  })
  const obey = (yield* signals.subscribe).pipe(
    Stream.runForEach((signal) => {
      if (signal._tag === "work") return holder.look
      return signal._tag === "ended" ? holder.doubt(signal.runId) : Effect.void
    })
  )
  yield* Effect.forkScoped(obey)
  yield* Effect.forkScoped(Stream.runForEach(browsers.changes, () => holder.look))
  return yield* holder.run
}, Effect.scoped)
