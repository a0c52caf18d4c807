/**
 * Removes runs and parts of runs when their time in their workspace is over.
 *
 * It works in small batches with a pause after each, waits for no claim, and any number of processes may do it at once.
 */
import { Clock, Effect } from "effect"
import * as Gauges from "../../runtime/Gauges.ts"
import type * as Periodic from "../../runtime/Periodic.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import * as RetentionDays from "../../workspace/retention/RetentionDays.ts"
import { WorkspaceStore } from "../../workspace/WorkspaceStore.ts"
import { ArtifactFiles } from "../artifact/ArtifactFiles.ts"
import { ArtifactStore } from "../artifact/ArtifactStore.ts"
import { type Part, RetentionStore } from "./RetentionStore.ts"
import { removeAll } from "./RunRemoval.ts"
import { RunRemovalStore } from "./RunRemovalStore.ts"

const dayMillis = 86_400_000

/** How many runs one batch removes, or removes a part of. */
const batch = 50

/** The pause after a batch, so that a large removal leaves the database to others. */
const pace = "50 millis"

/** How many things of each kind a sweep removed, or would remove, in one workspace. */
export interface SweepResult {
  readonly workspaceId: WorkspaceId
  readonly counts: Readonly<Partial<Record<RetentionDays.Kind, number>>>
}

/** So many runs with unread events are counted in one workspace at most. */
const mostUnread = 10_000

const parts: ReadonlyArray<Part> = ["deliveries", "starts", "events", "errors", "decisions", "artifacts"]

/**
 * The parts with the days after which they are removed before the rest: before their runs, and artifacts and decisions
 * before the time of the installation, after which they go by their own age.
 */
const earlier = (days: RetentionDays.Days, installation: RetentionDays.Installation) =>
  parts.flatMap((part) => {
    const [own, rest] = [days[part], RetentionDays.boundOf(part, { ...installation, runs: days.runs })]
    return own === null || own === rest ? [] : [{ part, days: own }]
  })

/** Removes what of the runs of every workspace is older than its days, and answers what that was. */
export const sweep = Effect.fn("Sweep.sweep")(function* (installation: RetentionDays.Installation) {
  const all: Array<SweepResult> = []
  for (const { id, retentionDays } of yield* (yield* WorkspaceStore).list) {
    const counts: Partial<Record<RetentionDays.Kind, number>> = {}
    const days = RetentionDays.inForce(retentionDays ?? {}, installation)
    const now = yield* Clock.currentTimeMillis
    if (days.runs !== null) counts.runs = yield* sweepRuns(id, now - days.runs * dayMillis)
    for (const { days: own, part } of earlier(days, installation)) {
      counts[part] = yield* sweepPart(id, part, now - own * dayMillis)
    }
    all.push({ workspaceId: id, counts })
  }
  return all
})

/**
 * Counts the runs that are kept beyond their days because their events were not read, at most 10,000 in one workspace,
 * and logs a warning for each workspace that has some.
 */
export const unread = Effect.fn("Sweep.unread")(function* (installation: RetentionDays.Installation) {
  let count = 0
  for (const { id, retentionDays } of yield* (yield* WorkspaceStore).list) {
    const { events } = RetentionDays.inForce(retentionDays ?? {}, installation)
    if (events !== null) count += yield* sayUnread(id, events, yield* Clock.currentTimeMillis)
  }
  return count
})

/** Says how many runs of a workspace are kept beyond their days because their events were not read. */
const sayUnread = Effect.fnUntraced(function* (workspaceId: WorkspaceId, days: number, now: number) {
  const count = yield* (yield* RetentionStore).unread(workspaceId, now - days * dayMillis, mostUnread)
  if (count > 0) {
    const runs = count === mostUnread ? `${mostUnread} runs or more` : `${count} runs`
    yield* Effect.logWarning(
      `Kept the events of ${runs} of workspace ${workspaceId} beyond ${days} days: webhooks or notifications have not read them yet. They are removed when they were read; check that a process that sends webhooks runs`
    )
  }
  return count
})

/** Removes the runs of a workspace that ended before an instant, with everything of them. */
const sweepRuns = Effect.fnUntraced(function* (workspaceId: WorkspaceId, before: number) {
  const store = yield* RunRemovalStore
  let count = 0
  for (;;) {
    const ids = yield* store.ended(workspaceId, before, batch)
    const removed = yield* removeAll(ids)
    count += removed
    // There are no more, or another process is removing them.
    if (ids.length < batch || removed === 0) return count
    yield* Effect.sleep(pace)
  }
})

/** Removes a part of the runs of a workspace that ended before an instant. */
const sweepPart = Effect.fnUntraced(function* (workspaceId: WorkspaceId, part: Part, before: number) {
  const [store, artifacts, files, removal] = [
    yield* RetentionStore,
    yield* ArtifactStore,
    yield* ArtifactFiles,
    yield* RunRemovalStore
  ]
  let count = 0
  for (;;) {
    const ids = yield* store.expired(workspaceId, part, before, batch)
    const last = ids.at(-1)
    if (last === undefined) return count
    const owned = part === "artifacts" ? yield* removal.artifactsOf(ids) : []
    if (owned.length > 0) {
      yield* files.remove(owned)
      yield* artifacts.removed(owned)
    }
    const removed = yield* store.remove(part, ids)
    count += part === "artifacts" ? owned.length : removed
    yield* store.passed(workspaceId, part, last)
    if (ids.length < batch) return count
    yield* Effect.sleep(pace)
  }
})

/** What `sweep` would remove now, and of artifacts and decisions also what is older than the installation keeps. */
export const count = Effect.fn("Sweep.count")(function* (installation: RetentionDays.Installation) {
  const store = yield* RetentionStore
  const all: Array<SweepResult> = []
  const now = yield* Clock.currentTimeMillis
  const instant = (days: number) => now - days * dayMillis
  for (const { id, retentionDays } of yield* (yield* WorkspaceStore).list) {
    const counts: Partial<Record<RetentionDays.Kind, number>> = {}
    const days = RetentionDays.inForce(retentionDays ?? {}, installation)
    if (days.runs !== null) counts.runs = yield* store.count(id, "runs", instant(days.runs), null)
    const own = new Map(earlier(days, installation).map((one) => [one.part, one.days]))
    for (const part of parts) {
      const older =
        (part === "artifacts" || part === "decisions") && installation.artifacts !== null
          ? instant(installation.artifacts)
          : null
      const after = own.get(part)
      if (after === undefined && older === null) continue
      counts[part] = yield* store.count(id, part, after === undefined ? 0 : instant(after), older)
    }
    all.push({ workspaceId: id, counts })
  }
  return all
})

/** Sets the gauge of what is kept beyond its days, in the process that reads the gauges of the installation. */
const measured = Effect.fnUntraced(function* (installation: RetentionDays.Installation) {
  if (yield* Gauges.isLeading) yield* Gauges.setUnreadRuns(yield* unread(installation))
})

/** Sweeps every ten minutes. */
export const sweeping = (
  installation: RetentionDays.Installation
): Periodic.Job<Effect.Services<ReturnType<typeof sweep | typeof unread>>> => ({
  name: "remove old runs",
  every: "10 minutes",
  round: sweep(installation).pipe(
    Effect.catchTag("ArtifactsUnavailable", ({ message }) =>
      Effect.logWarning(`Could not remove old runs; trying again later: ${message}`)
    ),
    Effect.andThen(measured(installation))
  )
})
