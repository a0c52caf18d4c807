/**
 * Removes what runs left behind when its time is over: artifacts, snapshots, network logs and decisions of models. The records of the runs stay,
 * and say so.
 *
 * It works in small batches, and any number of processes may run it at once.
 */
import { Clock, Effect } from "effect"
import type * as Periodic from "../../runtime/Periodic.ts"
import { DecisionStore } from "../evidence/DecisionStore.ts"
import { EvidenceStore } from "../evidence/EvidenceStore.ts"
import { ArtifactFiles } from "./ArtifactFiles.ts"
import { ArtifactStore } from "./ArtifactStore.ts"

const dayMillis = 86_400_000

/** How much one piece removes. */
const batch = 100

/** Uploads that began so long ago and did not end have lost their worker, in milliseconds. */
const uploadMillis = dayMillis

/**
 * Removes everything that is older than so many days, what belongs to deleted workflows, and what uploads that never
 * ended have left; answers how many artifacts it removed. `null` days: everything else is kept without limit.
 */
export const sweep = Effect.fn("Retention.sweep")(function* (days: number | null) {
  const files = yield* ArtifactFiles
  const artifacts = yield* ArtifactStore
  const decisions = yield* DecisionStore
  const evidence = yield* EvidenceStore
  const now = yield* Clock.currentTimeMillis
  const before = days === null ? 0 : now - days * dayMillis
  const expiry = { before, unfinishedBefore: now - uploadMillis }
  let count = 0
  for (let taken = batch; taken === batch; ) {
    const ids = yield* artifacts.takeExpired(expiry, batch)
    taken = ids.length
    count += taken
    if (taken === 0) break
    yield* files.remove(ids)
    yield* artifacts.removed(ids)
  }
  while ((yield* evidence.expire(before, batch)) === batch);
  while ((yield* decisions.expire(before, batch)) === batch);
  yield* files.sweep(expiry.unfinishedBefore)
  return count
})

/** Sweeps every ten minutes. */
export const sweeping = (days: number | null): Periodic.Job<Effect.Services<ReturnType<typeof sweep>>> => ({
  name: "remove old artifacts",
  every: "10 minutes",
  round: sweep(days).pipe(
    Effect.catchTag("ArtifactsUnavailable", ({ message }) =>
      Effect.logWarning(`Could not remove old artifacts; trying again later: ${message}`)
    )
  )
})
