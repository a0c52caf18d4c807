/** Events in memory about waiting runs that an edit of a gate holds. */
import { Clock, Effect } from "effect"
import * as Gate from "../../../core/gate/Gate.ts"
import { countOf } from "../../../core/gate/GateStore.ts"
import { type HoldAnnouncement, isWatched } from "../../../core/run/hold/HoldAnnouncement.ts"
import * as Run from "../../../core/run/Run.ts"
import type { GatedRun } from "../../../core/run/RunStore.ts"
import { append, gateOf, type Tables } from "../Tables.ts"

/** Announces the hold of one workflow: to the workflow first, then to up to `limit` of its runs. */
export const announce = Effect.fnUntraced(function* (
  tables: Tables["Service"],
  limit: number,
  announcement: HoldAnnouncement
) {
  const now = yield* Clock.currentTimeMillis
  const [next] = [...tables.unannounced].toSorted(([, a], [, b]) => Number(a.announced) - Number(b.announced))
  if (next === undefined) return false
  const [workflowId, { runs, announced }] = next
  // Reinserted, so that it comes after the other workflows.
  tables.unannounced.delete(workflowId)
  const held = runs.flatMap((id) => {
    const run = tables.runs.get(id)
    return run !== undefined && Run.isWaiting(run) ? [{ run, gate: gateOf(tables, run) }] : []
  })
  const latest = held.at(-1)
  if (latest === undefined || Gate.mayStart(latest.gate, now)) return true
  if (!announced) {
    append(tables, latest.run.id, announcement.ofWorkflow(latest, countOf(held.length), now), now)
    tables.unannounced.set(workflowId, { announced: true, runs })
    return true
  }
  const announcesToAll = yield* announcement.announcesToAll(latest.run.workspaceId, workflowId)
  const watched = held.filter(({ run }) => announcesToAll || tables.watched.has(run.id) || isWatched(run.options))
  for (const one of watched.slice(0, limit)) append(tables, one.run.id, announcement.ofRun(one, now), now)
  const left = watched.slice(limit).map(({ run }) => run.id)
  if (left.length > 0) tables.unannounced.set(workflowId, { announced, runs: left })
  return true
})

/** Marks a waiting run as watched, and returns whether its hold was announced now. */
export const watch = (
  tables: Tables["Service"],
  gated: GatedRun,
  now: number,
  ofRun: HoldAnnouncement["ofRun"]
): boolean => {
  const { run } = gated
  if (!Run.isWaiting(run) || tables.watched.has(run.id) || isWatched(run.options)) return false
  tables.watched.add(run.id)
  const isStillTold = tables.unannounced.get(run.workflowId)?.runs.includes(run.id) === true
  const last = tables.events.findLast(({ event, runId }) => runId === run.id && event.event !== "workflow.paused")
  if (isStillTold || last?.event.event === "execution.paused") return false
  const events = ofRun(gated, now)
  append(tables, run.id, events, now)
  return events.length > 0
}
