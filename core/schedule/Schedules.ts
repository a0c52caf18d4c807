/**
 * Creates, reads, pauses and tries the schedules of a workspace on behalf of callers.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import type * as Gate from "../gate/Gate.ts"
import { GateStore } from "../gate/GateStore.ts"
import { Signals } from "../runtime/Signals.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { RunWindowIssue } from "../window/RunWindow.ts"
import type { FieldsTooLarge } from "../workflow/FieldLimit.ts"
import { WorkflowStore } from "../workflow/WorkflowStore.ts"
import { Audit, type Draft as AuditDraft } from "../workspace/audit/Audit.ts"
import type { AuditAction } from "../workspace/audit/AuditAction.ts"
import { Identifiers } from "../workspace/Identifiers.ts"
import type { RunId, WorkflowNotFound } from "../workspace/Ids.ts"
import * as Permissions from "../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../workspace/Workspace.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import * as Firing from "./Firing.ts"
import * as Preview from "./Preview.ts"
import * as RunSchedule from "./RunSchedule.ts"
import * as ScheduleBody from "./ScheduleBody.ts"
import { type Filter, type GatedSchedule, ScheduleStore, type Step } from "./ScheduleStore.ts"

/** A schedule as callers see it at one instant. */
export interface View {
  readonly schedule: RunSchedule.RunSchedule
  readonly warnings: ReadonlyArray<RunWindowIssue>
  /** The latest first; empty in lists. */
  readonly firings: ReadonlyArray<RunSchedule.Firing>
}

/** The next firings. */
export interface PreviewView {
  readonly coming: ReadonlyArray<Preview.FutureFiring>
  readonly warnings: ReadonlyArray<RunWindowIssue>
}

type Changed<E = never> = Effect.Effect<View, RunSchedule.ScheduleNotFound | RoleForbids | StoreUnavailable | E>

export class Schedules extends Context.Service<
  Schedules,
  {
    /** Stores a new schedule, if its timing fires at all and its input satisfies the workflow for the next firing. */
    readonly create: (
      caller: Caller,
      body: unknown
    ) => Effect.Effect<View, RunSchedule.InvalidSchedule | WorkflowNotFound | RoleForbids | StoreUnavailable>

    readonly get: (
      caller: Caller,
      id: RunSchedule.ScheduleId
    ) => Effect.Effect<View, RunSchedule.ScheduleNotFound | StoreUnavailable>

    readonly list: (caller: Caller, filter: Filter) => Effect.Effect<ReadonlyArray<View>, StoreUnavailable>

    /** Replaces the fields that users set, but not the workflow. A paused schedule stays paused. */
    readonly replace: (
      caller: Caller,
      id: RunSchedule.ScheduleId,
      body: unknown
    ) => Changed<RunSchedule.InvalidSchedule>

    /** Removes a schedule and returns it. Its runs stay. */
    readonly remove: (caller: Caller, id: RunSchedule.ScheduleId) => Changed

    readonly pause: (caller: Caller, id: RunSchedule.ScheduleId, reason: string | null) => Changed

    /** Resumes a paused schedule: it fires at future instants. */
    readonly resume: (caller: Caller, id: RunSchedule.ScheduleId) => Changed

    /** Submits a run as a firing now would, whatever the overlap policy, and while the schedule is paused too. */
    readonly runNow: (
      caller: Caller,
      id: RunSchedule.ScheduleId
    ) => Effect.Effect<
      RunId,
      RunSchedule.ScheduleNotFound | RunSchedule.InvalidSchedule | FieldsTooLarge | RoleForbids | StoreUnavailable
    >

    readonly preview: (
      caller: Caller,
      id: RunSchedule.ScheduleId,
      count: number
    ) => Effect.Effect<PreviewView, RunSchedule.ScheduleNotFound | StoreUnavailable>

    /** The firings that a body would have, without storing it. */
    readonly previewBody: (
      caller: Caller,
      body: unknown,
      count: number
    ) => Effect.Effect<PreviewView, RunSchedule.InvalidSchedule | WorkflowNotFound | StoreUnavailable>
  }
>()("sluice/core/schedule/Schedules") {
  static readonly layer = Layer.effect(
    Schedules,
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const audit = yield* Audit
      const gates = yield* GateStore
      const workflows = yield* WorkflowStore
      const identifiers = yield* Identifiers
      const signals = yield* Signals
      // What `Firing` needs to submit a run.
      const context = yield* Effect.context<ScheduleStore | WorkflowStore | WorkspaceStore | Identifiers | Signals>()

      const view = ({ gate, schedule }: GatedSchedule, at: number, firings: View["firings"] = []): View => ({
        schedule,
        warnings: Preview.warnings(schedule, gate, at),
        firings
      })

      /** Reads a body, and checks the input that its next firing would have. */
      const read = Effect.fnUntraced(function* (
        caller: Caller,
        id: RunSchedule.ScheduleId,
        body: unknown,
        stored: RunSchedule.Terms | null = null
      ) {
        const at = yield* Clock.currentTimeMillis
        const { terms, workflowId } = yield* Effect.fromResult(ScheduleBody.read(body, at, stored))
        const gate = yield* gates.get(caller.workspaceId, workflowId)
        const { workspaceId } = caller
        const schedule = RunSchedule.make({ id, workspaceId, workflowId, terms, createdBy: caller.userId }, gate, at)
        const { canary, version } = yield* workflows.get(workspaceId, workflowId)
        yield* Effect.provide(Firing.prepare({ schedule, gate }, schedule.next ?? at, { ...version, canary }), context)
        return { schedule, gate, at }
      })

      const newId = Effect.map(identifiers.uuid, (id) => RunSchedule.ScheduleId.make(id))

      const create = Effect.fn("Schedules.create")(function* (caller: Caller, body: unknown) {
        const made = yield* read(caller, yield* newId, body)
        yield* audit.recording(caller, store.insert(made.schedule), () => [
          auditOf("schedule.create", null, made.schedule)
        ])
        yield* signals.publish({ _tag: "due" })
        return view(made, made.at)
      })

      const changed = Effect.fnUntraced(function* (placed: GatedSchedule) {
        yield* signals.publish({ _tag: "due" })
        return view(placed, yield* Clock.currentTimeMillis)
      })

      const change = Effect.fnUntraced(function* (
        caller: Caller,
        id: RunSchedule.ScheduleId,
        action: AuditAction,
        decide: (schedule: RunSchedule.RunSchedule, gate: Gate.Gate, at: number) => RunSchedule.Changed
      ) {
        let before: RunSchedule.RunSchedule | undefined
        const change = store.change(caller.workspaceId, id, ({ former, gate, schedule }, at) => {
          before = schedule
          const followed = RunSchedule.isOutdated(schedule, gate)
            ? RunSchedule.follow(schedule, gate, former, at)
            : { schedule, firings: [] }
          const decided = decide(followed.schedule, gate, at)
          return Result.succeed({ ...decided, firings: [...followed.firings, ...decided.firings] })
        })
        const after = yield* audit.recording(caller, change, ({ schedule }) =>
          before === undefined || before === schedule ? [] : [auditOf(action, before, schedule)]
        )
        return yield* changed(after)
      })

      const replace = Effect.fn("Schedules.replace")(function* (
        caller: Caller,
        id: RunSchedule.ScheduleId,
        body: unknown
      ) {
        const stored = yield* store.get(caller.workspaceId, id)
        const next = yield* read(caller, id, body, stored.schedule.terms).pipe(
          // Its own workflow exists; another one is refused here.
          Effect.catchTag("WorkflowNotFound", () => Effect.fail(otherWorkflow(stored.schedule)))
        )
        if (next.schedule.workflowId !== stored.schedule.workflowId) return yield* otherWorkflow(stored.schedule)
        return yield* change(caller, id, "schedule.change", (schedule, gate, at) =>
          RunSchedule.edit(schedule, next.schedule.terms, gate, at)
        )
      })

      const runNow = Effect.fn("Schedules.runNow")(function* (caller: Caller, id: RunSchedule.ScheduleId) {
        const attempt = Effect.gen(function* () {
          const { gate, schedule: before } = yield* store.get(caller.workspaceId, id)
          const now = yield* Clock.currentTimeMillis
          const after = { ...before, revision: before.revision + 1 }
          const planned = { before, after, instant: now, byHand: true, replaces: [], others: [], now }
          // The audit entry belongs to the transaction of the submission; signals follow its commit.
          const commit = (step: Step) =>
            audit.recording(caller, store.commit(step), (done) =>
              done === null ? [] : [auditOfRunNow(before, done.run.id)]
            )
          const submitted = yield* Firing.submit(gate, planned).pipe(
            Effect.provideService(ScheduleStore, { ...store, commit }),
            Effect.provide(context)
          )
          return submitted === null ? yield* Effect.die(new Error("A step submitted no run")) : submitted.run.id
        })
        return yield* attempt.pipe(
          Effect.retry({ times: 20, while: ({ _tag }) => _tag === "ScheduleOutdated" || _tag === "VersionOutdated" }),
          Effect.catchTags({
            WorkflowNotFound: () => Effect.fail(new RunSchedule.ScheduleNotFound({ scheduleId: id })),
            ScheduleOutdated: (error) => Effect.die(error),
            VersionOutdated: (error) => Effect.die(error)
          })
        )
      })

      const coming = ({ gate, schedule }: GatedSchedule, at: number, count: number): PreviewView => ({
        coming: Preview.next(schedule, gate, at, count, schedule),
        warnings: Preview.warnings(schedule, gate, at)
      })

      return Schedules.of({
        create,
        replace,
        runNow,
        get: Effect.fn("Schedules.get")(function* (caller, id) {
          const placed = yield* store.get(caller.workspaceId, id)
          return view(placed, yield* Clock.currentTimeMillis, yield* store.firings(id, shownFirings))
        }),
        list: Effect.fn("Schedules.list")(function* (caller, filter) {
          const listed = yield* store.list(caller.workspaceId, filter)
          return listed.map(({ schedule }): View => ({ schedule, warnings: [], firings: [] }))
        }),
        remove: Effect.fn("Schedules.remove")(function* (caller, id) {
          return yield* changed(
            yield* audit.recording(caller, store.remove(caller.workspaceId, id), ({ schedule }) => [
              auditOf("schedule.delete", schedule, null)
            ])
          )
        }),
        pause: Effect.fn("Schedules.pause")((caller, id, reason) =>
          change(caller, id, "schedule.pause", (schedule, gate, at) =>
            RunSchedule.pause(schedule, gate, { at, by: caller.userId, reason })
          )
        ),
        resume: Effect.fn("Schedules.resume")((caller, id) =>
          change(caller, id, "schedule.resume", RunSchedule.resume)
        ),
        preview: Effect.fn("Schedules.preview")(function* (caller, id, count) {
          return coming(yield* store.get(caller.workspaceId, id), yield* Clock.currentTimeMillis, count)
        }),
        previewBody: Effect.fn("Schedules.previewBody")(function* (caller, body, count) {
          const made = yield* read(caller, yield* newId, body)
          return coming(made, made.at, count)
        })
      })
    }).pipe(
      Permissions.checked<Schedules["Service"]>({
        create: "edit",
        get: "read",
        list: "read",
        replace: "edit",
        remove: "edit",
        pause: "edit",
        resume: "edit",
        runNow: "edit",
        preview: "read",
        previewBody: "read"
      })
    )
  )
}

const auditOfRunNow = ({ id, terms, workflowId }: RunSchedule.RunSchedule, runId: string): AuditDraft => ({
  action: "schedule.run_now",
  resourceId: id,
  resourceName: terms.name,
  before: null,
  after: { workflow_id: workflowId, session_id: runId }
})

const auditOf = (
  action: AuditAction,
  before: RunSchedule.RunSchedule | null,
  after: RunSchedule.RunSchedule | null
): AuditDraft => ({
  action,
  resourceId: (after ?? before)?.id ?? null,
  resourceName: (after ?? before)?.terms.name ?? null,
  before: before === null ? null : audited(before),
  after: after === null ? null : audited(after)
})

/** The form of a schedule in the audit trail: without its input, which may contain personal data. */
const audited = ({ paused, terms: { input: _, ...terms }, workflowId }: RunSchedule.RunSchedule) => ({
  workflow_id: workflowId,
  ...terms,
  paused: paused === null ? null : { ...paused }
})

/** How many of its firings a schedule shows. */
const shownFirings = 20

const otherWorkflow = ({ workflowId }: RunSchedule.RunSchedule) =>
  new RunSchedule.InvalidSchedule({
    problems: [{ path: "workflow_id", message: `Expected ${workflowId}: the workflow of a schedule never changes` }]
  })
