/** Schedules and their firings in memory. */
import { Clock, Effect, Layer } from "effect"
import * as Run from "../../../core/run/Run.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import * as RunSchedule from "../../../core/schedule/RunSchedule.ts"
import {
  type GatedSchedule,
  keptMillis,
  ScheduleOutdated,
  ScheduleStore
} from "../../../core/schedule/ScheduleStore.ts"
import { WorkflowNotFound, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { atomicStore } from "../Atomic.ts"
import { gateIn, Tables } from "../Tables.ts"

export const layer = Layer.effect(
  ScheduleStore,
  Effect.gen(function* () {
    const tables = yield* Tables
    const runs = yield* RunStore

    /** The schedules whose workflows exist, oldest first. */
    const all = (): ReadonlyArray<GatedSchedule> =>
      [...tables.schedules.values()]
        .flatMap((schedule) => {
          const gate = gateIn(tables, schedule.workspaceId, schedule.workflowId)
          return gate === undefined ? [] : [{ schedule, gate }]
        })
        .sort((a, b) => (a.schedule.id < b.schedule.id ? -1 : 1))

    const find = Effect.fnUntraced(function* (workspaceId: WorkspaceId, id: RunSchedule.ScheduleId) {
      const schedule = tables.schedules.get(id)
      const gate = schedule === undefined ? undefined : gateIn(tables, workspaceId, schedule.workflowId)
      return schedule === undefined || gate === undefined || schedule.workspaceId !== workspaceId
        ? yield* new RunSchedule.ScheduleNotFound({ scheduleId: id })
        : { schedule, gate }
    })

    const openOf = (schedule: RunSchedule.RunSchedule) =>
      schedule.runs.filter((id) => {
        const run = tables.runs.get(id)
        return run !== undefined && !Run.isEnded(run)
      })

    const isDue = ({ gate, schedule }: GatedSchedule, now: number) =>
      RunSchedule.isOutdated(schedule, gate) ||
      (RunSchedule.dueAt(schedule) ?? Number.POSITIVE_INFINITY) <= now ||
      (RunSchedule.waits(schedule) && openOf(schedule).length === 0)

    /** The windows since the one that a schedule follows. */
    const formerOf = ({ gate, schedule }: GatedSchedule) =>
      RunSchedule.isOutdated(schedule, gate)
        ? RunSchedule.formerWindows(
            (tables.runWindows.get(schedule.workflowId) ?? []).filter(
              ({ revision }) => revision >= (schedule.windowRevision ?? 0)
            )
          )
        : []

    const note = (schedule: RunSchedule.RunSchedule, firings: ReadonlyArray<RunSchedule.Firing>, now: number) => {
      const isNamed = (one: RunSchedule.Firing) =>
        firings.some(({ byHand, instant }) => instant === one.instant && byHand === one.byHand)
      const kept = (tables.firings.get(schedule.id) ?? []).filter(
        (one) => one.decidedAt >= now - keptMillis && !isNamed(one)
      )
      tables.firings.set(schedule.id, [...kept, ...firings])
    }

    return ScheduleStore.of(
      atomicStore<ScheduleStore["Service"]>({
        insert: Effect.fn("ScheduleStore.insert")(function* (schedule) {
          const { workflowId, workspaceId } = schedule
          if (gateIn(tables, workspaceId, workflowId) === undefined) return yield* new WorkflowNotFound({ workflowId })
          tables.schedules.set(schedule.id, schedule)
        }),
        get: Effect.fn("ScheduleStore.get")((workspaceId, id) => find(workspaceId, id)),
        list: Effect.fn("ScheduleStore.list")((workspaceId, { after, limit, workflowId }) =>
          Effect.sync(() =>
            all()
              .filter(({ schedule }) => schedule.workspaceId === workspaceId)
              .filter(({ schedule }) => workflowId === undefined || schedule.workflowId === workflowId)
              .filter(({ schedule }) => after === undefined || schedule.id > after)
              .slice(0, limit)
          )
        ),
        change: Effect.fn("ScheduleStore.change")(function* (workspaceId, id, decide) {
          const placed = yield* find(workspaceId, id)
          const now = yield* Clock.currentTimeMillis
          const decided = yield* Effect.fromResult(decide({ ...placed, former: formerOf(placed) }, now))
          const { firings, schedule } = decided
          tables.schedules.set(id, schedule)
          if (firings.length > 0)
            note(
              schedule,
              firings.map((one) => ({ ...one, runId: null })),
              now
            )
          return { ...placed, schedule }
        }),
        remove: Effect.fn("ScheduleStore.remove")(function* (workspaceId, id) {
          const placed = yield* find(workspaceId, id)
          tables.schedules.delete(id)
          tables.firings.delete(id)
          return placed
        }),
        firings: Effect.fn("ScheduleStore.firings")((id, limit) =>
          Effect.sync(() => [...(tables.firings.get(id) ?? [])].sort((a, b) => b.instant - a.instant).slice(0, limit))
        ),
        due: Effect.fn("ScheduleStore.due")((limit) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            all()
              .filter((placed) => isDue(placed, now))
              .slice(0, limit)
              .map((placed) => ({ ...placed, former: formerOf(placed), open: openOf(placed.schedule) }))
          )
        ),
        commit: Effect.fn("ScheduleStore.commit")(function* ({ after, before, firings, replaces, submission, why }) {
          const now = yield* Clock.currentTimeMillis
          if (tables.schedules.get(before.id)?.revision !== before.revision) return yield* new ScheduleOutdated()
          const submitted =
            submission === null
              ? null
              : yield* runs.submit(submission).pipe(Effect.catchTag("ReferenceTaken", Effect.die))
          for (const id of replaces) {
            const stopped = runs.change(before.workspaceId, id, (locked, at) =>
              Transition.interrupt(locked, at, { code: "INTERRUPTED-E0001", message: why, address: null })
            )
            yield* Effect.catchTags(stopped, { RunEnded: () => Effect.void, RunNotFound: () => Effect.void })
          }
          tables.schedules.set(after.id, after)
          note(after, firings, now)
          return submitted
        }),
        nextDue: Effect.sync(() => {
          const due = all().flatMap(({ gate, schedule }) =>
            RunSchedule.isOutdated(schedule, gate) ? 0 : (RunSchedule.dueAt(schedule) ?? [])
          )
          return {
            at: due.length === 0 ? null : due.reduce((least, one) => Math.min(least, one)),
            waits: all().some(({ schedule }) => RunSchedule.waits(schedule))
          }
        })
      })
    )
  })
)
