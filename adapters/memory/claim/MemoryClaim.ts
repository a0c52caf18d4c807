/** The claim of runs in memory. */
import { Clock, Effect } from "effect"
import * as Gate from "../../../core/gate/Gate.ts"
import * as Pace from "../../../core/gate/Pace.ts"
import * as Run from "../../../core/run/Run.ts"
import type { ClaimedRun, RunStore } from "../../../core/run/RunStore.ts"
import * as Start from "../../../core/run/start/Start.ts"
import * as Transition from "../../../core/run/Transition.ts"
import * as Shares from "../../../core/runtime/Shares.ts"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import * as MemoryNamedLimits from "../run/MemoryNamedLimits.ts"
import * as MemorySlots from "../run/MemorySlots.ts"
import * as MemoryStartLedger from "../start/MemoryStartLedger.ts"
import { gateOf, progressOf, type Tables, waitingOf, write } from "../Tables.ts"

/**
 * One run of each workflow in turn, those served longest ago first: first one workflow of each workspace, in the order of
 * the turns. Of each workflow the highest priority comes first, and of equal ones the oldest.
 */
const inTurn = (tables: Tables["Service"], now: number, turns: Shares.Turns): ReadonlyArray<Run.WaitingRun> => {
  const byTurn = Shares.order(turns)
  const workspaces = new Map<string, number>()
  const queues = [...tables.gates]
    .map(([workflowId, gate]) => ({
      workspaceId: tables.workflows.get(workflowId)?.workspaceId ?? "",
      served: tables.served.get(workflowId) ?? 0,
      runs: waitingOf(tables, workflowId)
        .filter((run) => run.notBefore <= now && !Run.isTooLate(run, now) && Run.mayStart(run, gate, now))
        .toSorted(Run.byPriority)
    }))
    .filter(({ runs, workspaceId }) => runs.length > 0 && !turns.full.includes(workspaceId))
    .sort((a, b) => a.served - b.served)
    .map((queue) => {
      const nth = workspaces.get(queue.workspaceId) ?? 0
      workspaces.set(queue.workspaceId, nth + 1)
      return { ...queue, nth }
    })
    .sort((a, b) => a.nth - b.nth || byTurn(a.workspaceId, b.workspaceId))
  const longest = Math.max(0, ...queues.map(({ runs }) => runs.length))
  return Array.from({ length: longest }, (_, round) => queues.flatMap(({ runs }) => runs[round] ?? [])).flat()
}

/** The operation of the store that claims runs. */
export const make = (tables: Tables["Service"]): RunStore["Service"]["claim"] =>
  Effect.fn("RunStore.claim")(function* ({ leaseMillis, limit, turns = Shares.none, worker }) {
    const now = yield* Clock.currentTimeMillis
    const claimed: Array<ClaimedRun> = []
    const limits = MemoryNamedLimits.ledger(tables, now)
    const assign = MemorySlots.assigner(tables, now, limits)
    for (const run of inTurn(tables, now, turns)) {
      if (claimed.length === limit) break
      const { pace } = gateOf(tables, run)
      if (pace !== null && Pace.allowance(pace, progressOf(tables, run.workflowId), now) <= 0) continue
      if (limits.spent({ ...MemoryNamedLimits.drawingOf(tables, run), credentialIds: [] }) !== null) continue
      const credentials = assign(run)
      if (credentials === null) continue
      const lease = { worker, fence: ++tables.lastFence, until: now + leaseMillis }
      const change = Transition.claim(run, gateOf(tables, run), lease, now, credentials)
      if (change === null) continue
      write(tables, change, now)
      limits.take(MemoryNamedLimits.drawingOf(tables, change.run))
      const takenUntil = Pace.afterStarts(pace, tables.paces.get(run.workflowId) ?? 0, 1, now)
      if (pace !== null) tables.paces.set(run.workflowId, takenUntil)
      const gate = gateOf(tables, run)
      const windowHash = MemoryStartLedger.hashOf(gate.runWindow)
      tables.starts.push(
        Start.of(change.run, gate, {
          at: now,
          windowHash,
          zoneData: Zone.dataVersion ?? "unknown",
          isOpen: Gate.mayStart(gate, now)
        })
      )
      MemorySlots.serve(tables, credentials, lease.fence)
      tables.served.set(run.workflowId, lease.fence)
      const version = tables.versions.get(run.workflowId)?.find((one) => one.versionId === run.versionId)
      if (version === undefined) throw new Error(`Run ${run.id} has no version`)
      const next = Pace.nextStartAt(pace, takenUntil, now)
      claimed.push({ run: change.run, version, ...(next > now ? { pacedUntil: next } : {}) })
    }
    MemoryNamedLimits.take(tables, limits.taken())
    return claimed
  })
