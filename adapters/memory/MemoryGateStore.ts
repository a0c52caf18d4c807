/** Gates in memory. Holds are always evaluated from the current gates, so there is nothing to review. */
import { Clock, Effect, Layer } from "effect"
import * as Forecast from "../../core/gate/Forecast.ts"
import * as Gate from "../../core/gate/Gate.ts"
import { countOf, type Decide, durationsMeasured, type GateChange, GateStore } from "../../core/gate/GateStore.ts"
import * as Pace from "../../core/gate/Pace.ts"
import * as Run from "../../core/run/Run.ts"
import { WorkflowId, WorkflowNotFound, type WorkspaceId } from "../../core/workspace/Ids.ts"
import { atomicStore } from "./Atomic.ts"
import * as MemoryNamedLimits from "./run/MemoryNamedLimits.ts"
import { changeGate, gateIn, progressOf, Tables, waitingOf } from "./Tables.ts"

export const layer = Layer.effect(
  GateStore,
  Effect.gen(function* () {
    const tables = yield* Tables

    const get = Effect.fn("GateStore.get")(function* (workspaceId: WorkspaceId, workflowId: WorkflowId) {
      const gate = gateIn(tables, workspaceId, workflowId)
      return gate ?? (yield* new WorkflowNotFound({ workflowId }))
    })

    const change = Effect.fn("GateStore.change")(function* <E>(
      workspaceId: WorkspaceId,
      workflowId: WorkflowId,
      decide: Decide<E>
    ) {
      const at = yield* Clock.currentTimeMillis
      const before = yield* get(workspaceId, workflowId)
      const after = yield* Effect.fromResult(decide(before, at))
      changeGate(tables, workflowId, after, at)
      const workflowName = tables.workflows.get(workflowId)?.name ?? ""
      return { workflowName, before, after, at } satisfies GateChange
    })

    return GateStore.of({
      get,
      change,
      windows: Effect.fn("GateStore.windows")((workspaceId, workflowId, { before, limit }) =>
        Effect.map(get(workspaceId, workflowId), () =>
          (tables.runWindows.get(workflowId) ?? [])
            .filter(({ revision }) => revision < before)
            .toReversed()
            .slice(0, limit)
        )
      ),
      countWaiting: Effect.fn("GateStore.countWaiting")((workflowId) =>
        Effect.sync(() => countOf(waitingOf(tables, workflowId).length))
      ),
      firstWaiting: Effect.fn("GateStore.firstWaiting")((workflowId, limit) =>
        Effect.sync(() =>
          waitingOf(tables, workflowId)
            .toSorted((one, other) => one.createdAt - other.createdAt)
            .slice(0, limit)
            .map(({ createdAt, id }) => ({ id, createdAt }))
        )
      ),
      queue: Effect.fn("GateStore.queue")((workflowId, of) =>
        Effect.sync(() => {
          const waiting = waitingOf(tables, workflowId).toSorted(Run.byPriority)
          const durations = [...tables.runs.values()]
            .filter((run) => run.workflowId === workflowId && run.status === "execution.success")
            .sort((one, other) => other.createdAt - one.createdAt)
            .slice(0, durationsMeasured)
            .map(({ endedAt, startedAt }) => (endedAt ?? 0) - (startedAt ?? 0))
          return {
            ...progressOf(tables, workflowId),
            waiting: Math.min(waiting.length, Forecast.mostCounted),
            atLeast: waiting.length > Forecast.mostCounted,
            ahead:
              of === undefined
                ? 0
                : Math.max(
                    0,
                    waiting.findIndex(({ id }) => id === of)
                  ),
            deadlines: waiting.slice(0, Forecast.mostCounted).flatMap((run, index) => {
              const at = Run.deadlineOf(run)
              return at === null ? [] : [{ place: index + 1, at }]
            }),
            durationMillis:
              durations.length === 0 ? null : durations.reduce((sum, one) => sum + one, 0) / durations.length
          }
        })
      ),
      paced: Effect.fn("GateStore.paced")((workspaceId, workflowIds, limit) =>
        Effect.sync(() =>
          [...tables.gates]
            .map(([id, gate]) => ({ workflowId: WorkflowId.make(id), gate }))
            .filter(
              ({ gate, workflowId }) =>
                gate.pace !== null &&
                gateIn(tables, workspaceId, workflowId) !== undefined &&
                (workflowIds?.includes(workflowId) ?? true) &&
                waitingOf(tables, workflowId).length > 0
            )
            .slice(0, limit)
        )
      ),
      changeAndCount: Effect.fn("GateStore.changeAndCount")((workspaceId, workflowId, decide, isCounted) =>
        Effect.map(change(workspaceId, workflowId, decide), (changed) => ({
          ...changed,
          waiting: isCounted(changed) ? waitingOf(tables, workflowId).length : 0
        }))
      ),
      review: () => Effect.succeed(0),
      // What is in memory was computed by this process, whose time zone data do not change.
      moved: () => Effect.succeed([]),
      nextDue: Effect.fn("GateStore.nextDue")((after) =>
        Effect.sync(() => {
          let due = Infinity
          for (const [workflowId, gate] of tables.gates) {
            const paced = Pace.nextStartAt(gate.pace, tables.paces.get(workflowId) ?? 0, after)
            const startsAt = Gate.startInterval(gate, paced)?.startsAt ?? Infinity
            if (startsAt > after && waitingOf(tables, workflowId).length > 0) due = Math.min(due, startsAt)
          }
          const isWaiting = [...tables.runs.values()].some(Run.isWaiting)
          due = Math.min(due, ...(isWaiting ? MemoryNamedLimits.dueAfter(tables, after) : []))
          return due === Infinity ? null : due
        })
      )
    })
  }).pipe(Effect.map(atomicStore))
)
