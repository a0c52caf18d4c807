/**
 * What a simulation sees at the store: the starts of runs, the gates as they change, and which runs wait or are executed.
 */
import { Clock, Effect } from "effect"
import * as Gate from "../../../core/gate/Gate.ts"
import { GateStore } from "../../../core/gate/GateStore.ts"
import * as Run from "../../../core/run/Run.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import type { WorkflowId } from "../../../core/workspace/Ids.ts"
import type { History } from "./Promises.ts"

/** A gate since an instant. */
interface Since {
  readonly at: number
  readonly gate: Gate.Gate
}

export interface Observations {
  readonly runs: RunStore["Service"]
  readonly gates: GateStore["Service"]
  readonly starts: ReadonlyArray<History["starts"][number]>
  /** The runs that have not ended, as they were last seen, by their ids. */
  readonly open: ReadonlyMap<string, Run.Run>
  /** All runs, in the order of their submission. */
  readonly submitted: ReadonlyArray<Run.Run["id"]>
  /** Whether a run may start now, or is executed. */
  readonly isBusy: (now: number) => boolean
  /** When the gates were closed, until `end`. */
  readonly closed: (end: number) => History["closed"]
}

export const make = Effect.gen(function* () {
  const [runs, gates] = [yield* RunStore, yield* GateStore]
  const starts: Array<History["starts"][number]> = []
  const open = new Map<string, Run.Run>()
  const submitted: Array<Run.Run["id"]> = []
  const gateLog = new Map<string, Array<Since>>()

  const see = (run: Run.Run) => {
    if (Run.isEnded(run)) open.delete(run.id)
    else open.set(run.id, run)
  }
  const seeGate = (workflowId: WorkflowId, { after, at }: { readonly after: Gate.Gate; readonly at: number }) => {
    const log = gateLog.get(workflowId) ?? []
    log.push({ at, gate: after })
    gateLog.set(workflowId, log)
  }
  const gateNow = (workflowId: string) => gateLog.get(workflowId)?.at(-1)?.gate ?? Gate.open

  const seen: Observations = {
    runs: RunStore.of({
      ...runs,
      submit: (submission) =>
        Effect.tap(runs.submit(submission), ({ run }) =>
          Effect.sync(() => {
            submitted.push(run.id)
            see(run)
          })
        ),
      claim: (options) =>
        Effect.gen(function* () {
          const claimed = yield* runs.claim(options)
          const at = yield* Clock.currentTimeMillis
          for (const { run } of claimed) {
            starts.push({ runId: run.id, at })
            see(run)
          }
          return claimed
        }),
      change: (workspaceId, id, decide) =>
        Effect.tap(runs.change(workspaceId, id, decide), ({ run }) => Effect.sync(() => see(run))),
      settle: (lease, decide) => Effect.tap(runs.settle(lease, decide), ({ run }) => Effect.sync(() => see(run))),
      reap: (limit, decide) => Effect.tap(runs.reap(limit, decide), (all) => Effect.sync(() => all.forEach(see)))
    }),
    gates: GateStore.of({
      ...gates,
      change: (workspaceId, workflowId, decide) =>
        Effect.tap(gates.change(workspaceId, workflowId, decide), (changed) =>
          Effect.sync(() => seeGate(workflowId, changed))
        ),
      changeAndCount: (workspaceId, workflowId, decide, isCounted) =>
        Effect.tap(gates.changeAndCount(workspaceId, workflowId, decide, isCounted), (changed) =>
          Effect.sync(() => seeGate(workflowId, changed))
        )
    }),
    starts,
    open,
    submitted,
    isBusy: (now) =>
      [...open.values()].some(
        (run) => Run.isRunning(run) || (run.notBefore <= now && isOpen(gateNow(run.workflowId), now))
      ),
    closed: (end) => [...gateLog].flatMap(([workflowId, log]) => closedOf(workflowId, log, end))
  }
  return seen
})

const hour = 3_600_000
const day = 24 * hour

/** The hours of a window of a simulation, which is the same each day, in UTC. */
const hoursOf = ({ runWindow }: Gate.Gate) => {
  const [first] = runWindow?.regular_hours ?? []
  return first === undefined ? null : { from: first.active_start_time.hours, to: first.active_end_time.hours }
}

const isInHours = (hours: { readonly from: number; readonly to: number }, at: number): boolean =>
  at % day >= hours.from * hour && at % day < hours.to * hour

/** The first opening of such a window after an instant at which it is closed. */
const openingAfter = (hours: { readonly from: number; readonly to: number }, at: number): number => {
  const today = at - (at % day) + hours.from * hour
  return today > at ? today : today + day
}

/** Whether a gate is open, in plain hours: it shares nothing with how the service decides this. */
const isOpen = (gate: Gate.Gate, at: number): boolean => {
  const { lift, pause } = gate
  if (pause !== null && (pause.until === null || at < pause.until)) return false
  const hours = hoursOf(gate)
  if (hours === null || isInHours(hours, at)) return true
  return lift !== null && at < openingAfter(hours, lift.since)
}

const closedOf = (workflowId: string, log: ReadonlyArray<Since>, end: number): History["closed"] =>
  log.flatMap(({ at, gate }, index) => {
    const until = log[index + 1]?.at ?? end
    const bounds = new Set([at, until])
    if (gate.pause?.until != null) bounds.add(gate.pause.until)
    if (gate.runWindow !== null) for (let next = at - (at % hour) + hour; next < until; next += hour) bounds.add(next)
    const sorted = [...bounds].filter((bound) => bound >= at && bound <= until).sort((a, b) => a - b)
    return sorted.slice(1).flatMap((to, place) => {
      const from = sorted[place] ?? at
      return isOpen(gate, from) ? [] : [{ workflowId, from, until: to }]
    })
  })
