/**
 * Run windows, lifts, manual pauses and paces of the workflows of a workspace, as callers set and see them.
 *
 * Every operation is for a caller: what belongs to another workspace is not found, and what the role does not allow fails with
 * `RoleForbids`. The layer needs the stores.
 *
 * **Example** (Setting a window, and the problems of one that is refused)
 *
 * ```ts
 * import { Effect } from "effect"
 * import { Gates } from "@sluice/core/gates"
 * import type { Caller } from "@sluice/core/workspace"
 * import type { WorkflowId } from "@sluice/core/workspace/ids"
 *
 * export const close = (caller: Caller, id: WorkflowId) =>
 *   Effect.flatMap(Gates, (gates) => gates.setWindow(caller, id, { time_zone: "UTC", regular_hours: [] })).pipe(
 *     Effect.map(({ state }) => state?.nextOpenAt ?? null),
 *     Effect.catchTag("InvalidRunWindow", ({ issues }) => Effect.succeed(issues)))
 * ```
 */
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { Signals } from "../runtime/Signals.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import * as RunWindow from "../window/RunWindow.ts"
import { Audit } from "../workspace/audit/Audit.ts"
import type { WorkflowId, WorkflowNotFound } from "../workspace/Ids.ts"
import * as Permissions from "../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../workspace/Workspace.ts"
import * as Forecast from "./Forecast.ts"
import * as Gate from "./Gate.ts"
import * as GateAudit from "./GateAudit.ts"
import {
  type GateChange,
  GateStore,
  type MovedOpening,
  noRuns,
  type PastWindow,
  type RunCount,
  type Waiting
} from "./GateStore.ts"
import * as Pace from "./Pace.ts"
import { WorkerCapacity } from "./WorkerCapacity.ts"

/** For how long openings that time zone data moved are listed, in milliseconds, and how many. */
const movedMillis = 30 * 86_400_000
const mostMoved = 100

/** The current window, with its state at the instant of the answer. Both are `null` when there is none. */
export interface WindowView {
  readonly runWindow: RunWindow.RunWindow | null
  readonly state: RunWindow.RunWindowState | null
  /** Names this window among those that the workflow had; 0 when it never had one. */
  readonly revision: number
  readonly inForce: Gate.InForce
  readonly warnings: ReadonlyArray<RunWindow.RunWindowIssue>
}

/** Raised by a change that is based on another window than the stored one, or that does not say on which. */
export class WindowConflict extends Schema.TaggedError<WindowConflict>()("WindowConflict", {
  sent: Schema.NullOr(Schema.Int),
  current: Schema.Int,
  setBy: Schema.NullOr(Schema.String),
  setAt: Schema.NullOr(Schema.Finite)
}) {
  override get message() {
    const why =
      this.sent === null
        ? "base_version_id does not say which one was read, as a run window is no part of a version"
        : `revision ${this.sent} was read, and revision ${this.current} is stored now`
    return `Cannot change the run window: ${why}. Read it again, and send run_window_revision ${this.current}`
  }
}

/** The window on which a change is based; its revision is `null` if the caller does not name the one that was read. */
export interface BaseWindow {
  readonly revision: number | null
}

const anyBase: BaseWindow = { revision: null }

/** Refuses a change that is based on another window than the stored one. */
export const expectRevision = (gate: Gate.Gate, { revision }: BaseWindow): Result.Result<Gate.Gate, WindowConflict> =>
  revision === null || revision === gate.windowRevision
    ? Result.succeed(gate)
    : Result.fail(windowConflict(gate, revision))

/** The refusal of a change that was based on revision `sent`; `null` if the caller does not name one. */
export const windowConflict = (gate: Gate.Gate, sent: number | null): WindowConflict =>
  new WindowConflict({
    sent,
    current: gate.windowRevision,
    setBy: gate.windowSet?.by ?? null,
    setAt: gate.windowSet?.at ?? null
  })

/** The effect of a window, without applying it, and its meaning. */
export interface Preview {
  readonly warnings: ReadonlyArray<RunWindow.RunWindowIssue>
  readonly state: RunWindow.RunWindowState
  readonly openings: ReadonlyArray<RunWindow.ExplainedOpening>
  /** Whether the openings end because none follows within the 400 days that are looked ahead: a later one may exist. */
  readonly truncated: boolean
  /** How many waiting runs an apply at this instant would release, and how many it would hold. */
  readonly releases: RunCount
  readonly holds: RunCount
  /** The first of these runs, in the order of their submission: at most `mostListed`. */
  readonly released: ReadonlyArray<Waiting>
  readonly held: ReadonlyArray<Waiting>
  /** When the waiting runs would start; `null` where the workflow has no pace and the workers are not known. */
  readonly forecast: Forecast.Forecast | null
  /** Whether an apply would end a lift, under which runs start although the stored window is closed. */
  readonly endsLift: boolean
}

/** How many of the runs that an edit would release or hold a preview lists. */
export const mostListed = 20

/** The result of an unpause of several workflows. */
export interface UnpauseResult {
  /** How many waiting runs may start now and could not before. */
  readonly resumedRuns: number
  /** The workflows whose window was open already. */
  readonly skipped: ReadonlyArray<string>
  /** One sentence for each workflow that could not be found. */
  readonly errors: ReadonlyArray<string>
}

export class Gates extends Context.Service<
  Gates,
  {
    /** The window of a workflow, if it has one. */
    readonly window: (caller: Caller, id: WorkflowId) => Effect.Effect<WindowView, WorkflowNotFound | StoreUnavailable>

    /** The windows that a workflow had, newest first: at most `limit` with a revision below `before`. */
    readonly history: (
      caller: Caller,
      id: WorkflowId,
      page: { readonly before: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<PastWindow>, WorkflowNotFound | StoreUnavailable>

    /**
     * The workflows of the workspace whose next opening or closing newer time zone data moved in the last 30 days, the latest
     * first, at most 100. One whose window was set since then is not among them.
     */
    readonly moved: (caller: Caller) => Effect.Effect<ReadonlyArray<MovedOpening>, StoreUnavailable>

    /**
     * Replaces the window. Once it succeeds, no run starts under the former window.
     *
     * `input` is a window from user input. If it is invalid, every problem is reported and nothing changes. `base` is
     * the window that the caller read; when another one is stored by now, nothing changes either.
     */
    readonly setWindow: (
      caller: Caller,
      id: WorkflowId,
      input: unknown,
      base?: BaseWindow
    ) => Effect.Effect<
      WindowView,
      WorkflowNotFound | RunWindow.InvalidRunWindow | WindowConflict | RoleForbids | StoreUnavailable
    >

    /** Removes the window and releases what it holds. Removing none is no error. `base` is as for `setWindow`. */
    readonly removeWindow: (
      caller: Caller,
      id: WorkflowId,
      base?: BaseWindow
    ) => Effect.Effect<WindowView, WorkflowNotFound | WindowConflict | RoleForbids | StoreUnavailable>

    /** Previews what `setWindow` with this input would do now, and changes nothing. */
    readonly preview: (
      caller: Caller,
      id: WorkflowId,
      input: unknown,
      options: { readonly openings: number }
    ) => Effect.Effect<Preview, WorkflowNotFound | RunWindow.InvalidRunWindow | StoreUnavailable>

    /** How fast the runs of a workflow may start; `null` where nothing limits it. */
    readonly pace: (
      caller: Caller,
      id: WorkflowId
    ) => Effect.Effect<Pace.Pace | null, WorkflowNotFound | StoreUnavailable>

    /**
     * Sets how fast runs may start, or with `null` that nothing limits it. Once it succeeds, no run starts faster. Runs in
     * progress continue, even if they are more than the new pace allows.
     */
    readonly setPace: (
      caller: Caller,
      id: WorkflowId,
      pace: Pace.Pace | null
    ) => Effect.Effect<Pace.Pace | null, WorkflowNotFound | RoleForbids | StoreUnavailable>

    /** Sets the manual pause. `until` is an epoch instant in milliseconds, or `null` for no end. */
    readonly pause: (
      caller: Caller,
      id: WorkflowId,
      options: { readonly reason: string; readonly until: number | null }
    ) => Effect.Effect<ReadonlyArray<Gate.Hold>, WorkflowNotFound | RoleForbids | StoreUnavailable>

    /** Lifts the closed windows (`run_window`) or ends the manual pauses (`workflow`) of each listed workflow. */
    readonly unpause: (
      caller: Caller,
      resource: "run_window" | "workflow",
      ids: ReadonlyArray<WorkflowId>
    ) => Effect.Effect<UnpauseResult, RoleForbids | StoreUnavailable>
  }
>()("sluice/core/gate/Gates") {
  static readonly layer = Layer.effect(
    Gates,
    Effect.gen(function* () {
      const store = yield* GateStore
      const signals = yield* Signals
      const audit = yield* Audit

      /** Wakes the scheduler, whose next due instant may have moved, and the workers if there is work for them now. */
      const announce = Effect.fnUntraced(function* (changed: GateChange) {
        yield* signals.publish({ _tag: "due" })
        if (releases(changed)) yield* signals.publish({ _tag: "work" })
      })

      const change = Effect.fnUntraced(function* (
        caller: Caller,
        id: WorkflowId,
        base: BaseWindow,
        decide: (gate: Gate.Gate, actor: Gate.Actor) => Gate.Gate
      ) {
        const changed = yield* audit.recording(
          caller,
          store.change(caller.workspaceId, id, (gate, at) =>
            Result.map(expectRevision(gate, base), (current) => decide(current, { at, by: caller.userId }))
          ),
          GateAudit.ofWindow(id)
        )
        yield* announce(changed)
        return changed
      })

      const window = Effect.fn("Gates.window")(function* (caller: Caller, id: WorkflowId) {
        const gate = yield* store.get(caller.workspaceId, id)
        return view(gate, yield* Clock.currentTimeMillis, [])
      })

      const setWindow = Effect.fn("Gates.setWindow")(function* (
        caller: Caller,
        id: WorkflowId,
        input: unknown,
        base = anyBase
      ) {
        // Look up the workflow first: a caller who may not see it gets no report on the window either.
        yield* store.get(caller.workspaceId, id)
        const now = yield* Clock.currentTimeMillis
        const { window, warnings } = yield* Effect.fromResult(RunWindow.validate(input, { now }))
        const changed = yield* change(caller, id, base, (gate, actor) => Gate.setWindow(gate, window, actor))
        return view(changed.after, changed.at, warnings)
      })

      const removeWindow = Effect.fn("Gates.removeWindow")(function* (caller: Caller, id: WorkflowId, base = anyBase) {
        const changed = yield* change(caller, id, base, Gate.removeWindow)
        return view(changed.after, changed.at, [])
      })

      const pause = Effect.fn("Gates.pause")(function* (
        caller: Caller,
        id: WorkflowId,
        options: { readonly reason: string; readonly until: number | null }
      ) {
        const changed = yield* audit.recording(
          caller,
          store.change(caller.workspaceId, id, (gate, at) =>
            Result.succeed(Gate.pause(gate, { at, by: caller.userId }, options))
          ),
          GateAudit.ofPause(id)
        )
        yield* announce(changed)
        return Gate.holds(changed.after, changed.at)
      })

      const unpauseOne = Effect.fnUntraced(function* (
        caller: Caller,
        resource: "run_window" | "workflow",
        id: WorkflowId
      ) {
        const changed = yield* audit.recording(
          caller,
          store.changeAndCount(
            caller.workspaceId,
            id,
            (gate, at) =>
              resource === "run_window"
                ? Gate.liftWindow(gate, { at, by: caller.userId })
                : Result.succeed(Gate.unpause(gate)),
            releases
          ),
          resource === "run_window" ? GateAudit.ofLift(id) : GateAudit.ofPause(id)
        )
        yield* announce(changed)
        return changed.waiting
      })

      const unpause = Effect.fn("Gates.unpause")(function* (
        caller: Caller,
        resource: "run_window" | "workflow",
        ids: ReadonlyArray<WorkflowId>
      ) {
        const done = yield* Effect.forEach(new Set(ids), (id) =>
          unpauseOne(caller, resource, id).pipe(
            Effect.map((resumed) => ({ resumed, skipped: [], errors: [] })),
            Effect.catchTags({
              WindowIsOpen: () => Effect.succeed({ resumed: 0, skipped: [id], errors: [] }),
              WorkflowNotFound: (error) => Effect.succeed({ resumed: 0, skipped: [], errors: [error.message] })
            })
          )
        )
        return summed(done)
      })

      return Gates.of({
        window,
        ...past(store),
        setWindow,
        removeWindow,
        preview: previewing(store, yield* WorkerCapacity),
        ...(yield* pacing),
        pause,
        unpause
      })
    }).pipe(
      Permissions.checked<Gates["Service"]>({
        window: "read",
        history: "read",
        moved: "read",
        setWindow: "edit",
        removeWindow: "edit",
        preview: "read",
        pace: "read",
        setPace: "edit",
        pause: "edit",
        unpause: "edit"
      })
    )
  )
}

/** What reads former windows, and which openings were moved. */
const past = (store: GateStore["Service"]) => ({
  history: Effect.fn("Gates.history")(
    (caller: Caller, id: WorkflowId, page: Parameters<Gates["Service"]["history"]>[2]) =>
      store.windows(caller.workspaceId, id, page)
  ),
  moved: Effect.fn("Gates.moved")(function* ({ workspaceId }: Caller) {
    return yield* store.moved(workspaceId, (yield* Clock.currentTimeMillis) - movedMillis, mostMoved)
  })
})

/** What reads and sets paces. */
const pacing = Effect.gen(function* () {
  const store = yield* GateStore
  const signals = yield* Signals
  const audit = yield* Audit

  const pace = Effect.fn("Gates.pace")((caller: Caller, id: WorkflowId) =>
    Effect.map(store.get(caller.workspaceId, id), (gate) => gate.pace)
  )

  const setPace = Effect.fn("Gates.setPace")(function* (caller: Caller, id: WorkflowId, sent: Pace.Pace | null) {
    const changed = yield* audit.recording(
      caller,
      store.change(caller.workspaceId, id, (gate) => Result.succeed(Gate.setPace(gate, sent))),
      GateAudit.ofPace(id)
    )
    // Both kinds of waiting may be over: for the next start, and for the end of another run.
    yield* signals.publish({ _tag: "due" })
    if (!Pace.isSame(changed.before.pace, changed.after.pace)) yield* signals.publish({ _tag: "work" })
    return changed.after.pace
  })

  return { pace, setPace }
})

/** The outcome of the unpause of several workflows. */
const summed = (
  done: ReadonlyArray<{
    readonly resumed: number
    readonly skipped: ReadonlyArray<string>
    readonly errors: ReadonlyArray<string>
  }>
): UnpauseResult => ({
  resumedRuns: done.reduce((total, one) => total + one.resumed, 0),
  skipped: done.flatMap((one) => one.skipped),
  errors: done.flatMap((one) => one.errors)
})

/** Makes the previews of the gates of a store. */
const previewing = (store: GateStore["Service"], capacity: typeof WorkerCapacity.Service) =>
  Effect.fn("Gates.preview")(function* (
    caller: Caller,
    id: WorkflowId,
    input: unknown,
    options: { readonly openings: number }
  ) {
    const gate = yield* store.get(caller.workspaceId, id)
    const at = yield* Clock.currentTimeMillis
    const { window, warnings } = yield* Effect.fromResult(RunWindow.validate(input, { now: at }))
    const waiting = yield* store.countWaiting(id)
    const after = Gate.setWindow(gate, window, { at, by: caller.userId })
    const { holds, releases } = impact({ before: gate, after, at }, waiting)
    const listed = holds.runs + releases.runs === 0 ? [] : yield* store.firstWaiting(id, mostListed)
    const workers = yield* capacity.current
    const isForeseen = after.pace !== null || workers !== null
    const forecast = isForeseen ? Forecast.of(after, yield* store.queue(id), workers, at) : null
    return {
      warnings,
      forecast,
      ...outlook(window, at, options.openings),
      releases,
      holds,
      released: releases.runs === 0 ? [] : listed,
      held: holds.runs === 0 ? [] : listed,
      endsLift: Gate.inForce(gate, at).lift !== null && Gate.inForce(after, at).lift === null
    }
  })

/** How a window stands at an instant, and its next openings. */
const outlook = (window: RunWindow.ValidRunWindow, at: number, count: number) => {
  const schedule = RunWindow.compile(window)
  const openings = RunWindow.openings(schedule, at, count)
  return {
    state: RunWindow.state(schedule, at),
    openings,
    truncated: openings.length < count && openings.at(-1)?.closesAt !== null
  }
}

/** How many of the waiting runs a change of a gate releases and holds: all of them, or none. */
const impact = ({ after, at, before }: Omit<GateChange, "workflowName">, waiting: RunCount) => ({
  releases: releases({ before, after, at }) ? waiting : noRuns,
  holds: releases({ before: after, after: before, at }) ? waiting : noRuns
})

/** Returns whether a change released the waiting runs: all of them, or none. */
const releases = ({ before, after, at }: Omit<GateChange, "workflowName">): boolean =>
  Gate.mayStart(after, at) && !Gate.mayStart(before, at)

const view = (gate: Gate.Gate, at: number, warnings: WindowView["warnings"]): WindowView => ({
  runWindow: gate.runWindow,
  state: Gate.windowState(gate, at),
  revision: gate.windowRevision,
  inForce: Gate.inForce(gate, at),
  warnings
})
