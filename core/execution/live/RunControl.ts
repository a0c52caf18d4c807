/**
 * The holder of the control of the browser of a run: a person, or the run itself. Taking and releasing control are
 * events of the run.
 */
import { Clock, Effect, Latch, Option, Semaphore } from "effect"
import type { Reporter } from "../../run/Executor.ts"
import type { Run } from "../../run/Run.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { type Control, LiveStore } from "./LiveStore.ts"

/** The control of one run, as known to its worker. */
export interface RunControl {
  /** Waits while a person has control. */
  readonly hold: Effect.Effect<void>
  /** The holder at the last read. */
  readonly current: () => Control | null
  /**
   * Reads who has control, reports changes, and resumes the run if no person has control. `lost` runs first if a person
   * lost control. Reads are serialized, so that an older one does not overwrite a newer one.
   */
  readonly learn: (lost: Effect.Effect<void>) => Effect.Effect<void, StoreUnavailable>
  /** Takes control from its holder, because the attempt is over. */
  readonly end: Effect.Effect<void, StoreUnavailable>
}

/** Makes the function that follows the control of a run. */
export const make = Effect.map(LiveStore, (store) => (run: Run, reporter: Reporter): RunControl => {
  const free = Latch.makeUnsafe(true)
  const learning = Semaphore.makeUnsafe(1)
  const ids = { runId: run.id, workflowId: run.workflowId }
  let control: Control | null = null

  const report = Effect.fnUntraced(function* (before: Control | null, now: Control | null, isOver: boolean) {
    if (before?.holder === now?.holder) return
    const at = yield* Clock.currentTimeMillis
    if (before !== null) {
      const reason = isOver ? "ended" : before.until <= at ? "timeout" : "released"
      yield* reporter.event({ event: "control.returned", ...ids, userId: before.userId, at, reason })
    }
    if (now !== null) yield* reporter.event({ event: "control.taken", ...ids, userId: now.userId, at })
  })

  return {
    hold: free.await,
    current: () => control,
    learn: Effect.fnUntraced(function* (lost) {
      const now = Option.getOrNull(yield* store.control(run.id))
      const before = control
      control = now
      yield* report(before, now, false)
      if (before !== null && before.holder !== now?.holder) yield* lost
      yield* now === null ? Latch.open(free) : Latch.close(free)
    }, learning.withPermits(1)),
    end: Effect.gen(function* () {
      const before = control
      control = null
      yield* report(before, null, true)
      if (before !== null) yield* store.release(run.id, before.holder)
    })
  }
})
