/**
 * The events of an edit that holds the waiting runs of a workflow.
 *
 * One event tells the workflow's webhooks at once how many runs are held. Only runs that are watched have an event of
 * their own, unless a webhook asks for those of all runs: an event for each of a million runs takes minutes.
 */
import { Effect } from "effect"
import type { RunEvent } from "../../event/RunEvent.ts"
import * as Subscription from "../../event/webhook/Subscription.ts"
import * as Target from "../../event/webhook/Target.ts"
import { WebhookStore } from "../../event/webhook/Webhook.ts"
import * as Gate from "../../gate/Gate.ts"
import type { RunCount } from "../../gate/GateStore.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import type { Options } from "../Run.ts"
import * as Transition from "../Transition.ts"

/** A run together with the gate of its workflow. */
type Gated = Pick<Transition.LockedRun, "run" | "gate">

/** What is announced of a hold. */
export interface HoldAnnouncement {
  /** The events of the workflow, attached to the latest of its held runs. */
  readonly ofWorkflow: (latest: Gated, held: RunCount, now: number) => ReadonlyArray<RunEvent>
  /** The events of one waiting run that is held at `now`. */
  readonly ofRun: (gated: Gated, now: number) => ReadonlyArray<RunEvent>
  /** Whether every held run of the workflow gets its own events, not only the watched ones. */
  readonly announcesToAll: (workspaceId: WorkspaceId, workflowId: string) => Effect.Effect<boolean, StoreUnavailable>
}

/** Whether a submission asks for the events of its run: it names a stream, or a webhook that takes `execution.paused`. */
export const isWatched = ({ clientId, webhook }: Options): boolean => {
  if (clientId !== undefined) return true
  const own = Target.runWebhookOf(webhook ?? null)
  return Target.runTarget(own) !== null && Subscription.includes(own.event_types_subscribed ?? [], "execution.paused")
}

const ofWorkflow = ({ gate, run }: Gated, held: RunCount, now: number): ReadonlyArray<RunEvent> => {
  const hold = Gate.holds(gate, now)[0]
  if (hold === undefined) return []
  return [
    {
      event: "workflow.paused",
      runId: run.id,
      workflowId: run.workflowId,
      reason: hold.kind,
      message: hold.reason,
      nextOpenAt: Gate.windowState(gate, now)?.nextOpenAt ?? null,
      heldRuns: held.runs,
      atLeast: held.atLeast
    }
  ]
}

/** The announcement, with the webhooks that are registered when it is made. */
export const make: Effect.Effect<HoldAnnouncement, never, WebhookStore> = Effect.map(WebhookStore, (webhooks) => ({
  ofWorkflow,
  ofRun: ({ gate, run }, now) => Transition.pausedEvents(run, gate, now),
  announcesToAll: (workspaceId, workflowId) =>
    Effect.map(webhooks.list(workspaceId), (all) =>
      all.some(
        (one) =>
          one.active &&
          (one.workflowId === null || one.workflowId === workflowId) &&
          Subscription.includes(one.eventTypes, "execution.paused")
      )
    )
}))
