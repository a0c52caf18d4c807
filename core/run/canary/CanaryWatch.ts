/**
 * Ends canaries by the verdict on their runs. Any number of processes may do this at once: of several, one ends a canary.
 */
import { Effect } from "effect"
import * as Background from "../../runtime/Background.ts"
import * as Wake from "../../runtime/Wake.ts"
import * as CanaryVerdict from "../../workflow/canary/CanaryVerdict.ts"
import * as CanaryEnding from "./CanaryEnding.ts"
import { CanaryStore } from "./CanaryStore.ts"

/** Judges all running canaries once, and returns how many ended. */
export const judge = Effect.fn("CanaryWatch.judge")(function* () {
  const canaries = yield* CanaryStore
  const end = yield* CanaryEnding.make
  let ended = 0
  for (const { canary, workflowId, workspaceId } of yield* canaries.running) {
    const { evidence } = yield* canaries.evidence(workflowId, canary)
    const verdict = CanaryVerdict.of(canary.terms, evidence)
    if (verdict._tag === "Continue") continue
    const to = verdict._tag === "Stop" ? "stopped" : "promoted"
    yield* end({ workspaceId }, workflowId, canary, { to, reason: verdict.reason }).pipe(
      Effect.tap(() =>
        Effect.logInfo("A canary ended", { workflow_id: workflowId, state: to, reason: verdict.reason })
      ),
      // Another process, or a user, was faster.
      Effect.catchTags({ CanaryEnded: () => Effect.void, WorkflowNotFound: () => Effect.void })
    )
    ended++
  }
  return ended
})

/** The longest time between two looks, in milliseconds: a signal may be lost. */
const longestSleep = 30_000

/** Judges whenever a run of a canary has ended, without end. */
export const run = Effect.fn("CanaryWatch.run")(function* () {
  const ends = yield* Wake.onSignal((signal) => signal._tag === "canary")
  return yield* Effect.forever(
    Effect.andThen(judge(), ends.sleep(longestSleep)).pipe(Background.round("judge canaries"))
  )
}, Effect.scoped)
