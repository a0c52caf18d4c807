/**
 * The audit entries of run windows, lifts, manual pauses and paces. There are none where nothing changes.
 */
import type { Schema } from "effect"
import type { Draft } from "../workspace/audit/Audit.ts"
import type { WorkflowId } from "../workspace/Ids.ts"
import type { Gate } from "./Gate.ts"
import type { GateChange } from "./GateStore.ts"

type Change = Omit<GateChange, "at">

/** A window that was set or removed. Its definition is whole: it holds no secrets. */
export const ofWindow =
  (id: WorkflowId) =>
  ({ after, before, workflowName }: Change): ReadonlyArray<Draft> =>
    before.windowRevision === after.windowRevision
      ? []
      : [
          {
            action: after.runWindow === null ? "run_window.remove" : "run_window.set",
            resourceId: id,
            resourceName: workflowName,
            before: windowJson(before),
            after: windowJson(after)
          }
        ]

/** A closed window that was lifted. */
export const ofLift =
  (id: WorkflowId) =>
  ({ after, before, workflowName }: Change): ReadonlyArray<Draft> =>
    before === after
      ? []
      : [
          {
            action: "lift.start",
            resourceId: id,
            resourceName: workflowName,
            before: liftJson(before),
            after: liftJson(after)
          }
        ]

/** A manual pause that began or ended. */
export const ofPause =
  (id: WorkflowId) =>
  ({ after, before, workflowName }: Change): ReadonlyArray<Draft> =>
    before === after
      ? []
      : [
          {
            action: after.pause === null ? "pause.end" : "pause.start",
            resourceId: id,
            resourceName: workflowName,
            reason: after.pause?.reason ?? null,
            before: pauseJson(before),
            after: pauseJson(after)
          }
        ]

/** A pace that was set or removed. */
export const ofPace =
  (id: WorkflowId) =>
  ({ after, before, workflowName }: Change): ReadonlyArray<Draft> =>
    before === after
      ? []
      : [
          {
            action: after.pace === null ? "pace.remove" : "pace.set",
            resourceId: id,
            resourceName: workflowName,
            before: paceJson(before),
            after: paceJson(after)
          }
        ]

const paceJson = ({ pace }: Gate) =>
  pace === null ? null : { max_starts_per_minute: pace.maxStartsPerMinute, max_running: pace.maxRunning }

// A window is made of JSON, which its type does not say.
const windowJson = ({ lift, runWindow, windowRevision }: Gate) =>
  runWindow === null && windowRevision === 0
    ? null
    : {
        run_window_revision: windowRevision,
        run_window: runWindow as unknown as Schema.Json,
        lift_since: iso(lift?.since ?? null)
      }

const liftJson = ({ lift, windowRevision }: Gate) =>
  lift === null ? null : { since: iso(lift.since), by: lift.by, run_window_revision: windowRevision }

const pauseJson = ({ pause }: Gate) =>
  pause === null ? null : { since: iso(pause.since), until: iso(pause.until), by: pause.by, reason: pause.reason }

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
