/**
 * Subscribes to the runs of a workspace or of some of its workflows, and unsubscribes.
 */
import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import { isOther, otherwiseDie, type StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { Fingerprints } from "../../vault/keys/Fingerprints.ts"
import { Sealing } from "../../vault/keys/Sealing.ts"
import { WorkflowStore } from "../../workflow/WorkflowStore.ts"
import { Audit, type Draft } from "../../workspace/audit/Audit.ts"
import * as AuditedChange from "../../workspace/audit/AuditedChange.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import { WorkflowId, WorkflowNotFound } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import * as KeptSubscription from "./KeptSubscription.ts"
import type { Channel, NoticeKind, RunSubscription } from "./Notifications.ts"

/** The scope of a subscription: the listed workflows, or the whole workspace when that is `null`. */
export type Workflows = ReadonlyArray<string> | null

export class RunSubscriptions extends Context.Service<
  RunSubscriptions,
  {
    /** All subscriptions of the workspace, oldest first. */
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<RunSubscription>, RoleForbids | StoreUnavailable>

    /**
     * Subscribes to events on a channel and answers the subscriptions, one for each workflow. Earlier subscriptions of
     * the same channel are kept. When a workflow does not exist, nothing is changed.
     */
    readonly subscribe: (
      caller: Caller,
      about: Workflows,
      events: ReadonlyArray<NoticeKind>,
      channel: Channel
    ) => Effect.Effect<ReadonlyArray<RunSubscription>, WorkflowNotFound | RoleForbids | StoreUnavailable>

    /**
     * Ends subscriptions on all channels, for some events or (`null`) for all, and answers how many were changed. A
     * workflow that neither exists nor has subscriptions is refused, and nothing is changed then.
     */
    readonly unsubscribe: (
      caller: Caller,
      about: Workflows,
      events: ReadonlyArray<NoticeKind> | null
    ) => Effect.Effect<number, WorkflowNotFound | RoleForbids | StoreUnavailable>
  }
>()("sluice/core/event/notification/RunSubscriptions") {
  static readonly layer = Layer.effect(
    RunSubscriptions,
    Effect.gen(function* () {
      const store = yield* KeptSubscription.RunSubscriptionStore
      const sealing = yield* Sealing
      const context = yield* Effect.context<Fingerprints | Sealing>()
      const workflows = yield* WorkflowStore
      const identifiers = yield* Identifiers
      const audit = yield* Audit

      /** The ids, each once and as they are stored; fails with the first that is the id of no workflow. */
      const existing = Effect.fnUntraced(function* (caller: Caller, ids: ReadonlyArray<string>) {
        return yield* Effect.forEach(new Set(ids.map((id) => id.toLowerCase())), (id) =>
          Schema.is(WorkflowId)(id)
            ? Effect.as(workflows.get(caller.workspaceId, id), id)
            : Effect.fail(new WorkflowNotFound({ workflowId: id }))
        )
      })

      const subscribeOne = Effect.fnUntraced(function* (
        caller: Caller,
        workflowId: string | null,
        events: ReadonlyArray<NoticeKind>,
        channel: Channel
      ) {
        const fresh: RunSubscription = {
          id: yield* identifiers.uuid,
          workflowId,
          events: [...new Set(events)],
          channel,
          createdBy: caller.userId,
          createdAt: yield* Clock.currentTimeMillis
        }
        const kept = yield* Effect.provide(KeptSubscription.keep(caller.workspaceId, fresh), context)
        const attempt = Effect.gen(function* () {
          const before = yield* store.find(caller.workspaceId, KeptSubscription.kind.key(kept))
          const changed = Option.isNone(before)
            ? Option.none()
            : yield* AuditedChange.change(
                audit,
                caller,
                store,
                before.value.id,
                (one) => Result.succeed({ ...one, events: [...new Set([...one.events, ...events])] }),
                auditOf
              )
          if (Option.isSome(changed)) return { ...changed.value, channel }
          yield* audit.recording(caller, store.insert(caller.workspaceId, kept), () => [auditOf(null, kept)])
          return fresh
        })
        // A request that loses the race to create the subscription adds to the one that won.
        return yield* attempt.pipe(Effect.retry({ times: 10, while: isOther }), otherwiseDie)
      })

      const subscribe = Effect.fn("RunSubscriptions.subscribe")(function* (
        caller: Caller,
        about: Workflows,
        events: ReadonlyArray<NoticeKind>,
        channel: Channel
      ) {
        const targets = about === null ? [null] : yield* existing(caller, about)
        return yield* Effect.forEach(targets, (workflowId) => subscribeOne(caller, workflowId, events, channel))
      })

      const unsubscribe = Effect.fn("RunSubscriptions.unsubscribe")(function* (
        caller: Caller,
        about: Workflows,
        events: ReadonlyArray<NoticeKind> | null
      ) {
        const all = yield* store.list(caller.workspaceId)
        const known = new Set(all.map(({ workflowId }) => workflowId))
        if (about !== null)
          yield* existing(
            caller,
            about.filter((id) => !known.has(id.toLowerCase()))
          )
        const targets = new Set<string | null>(about === null ? [null] : about.map((id) => id.toLowerCase()))
        const ended = all.filter(
          (one) =>
            targets.has(one.workflowId) && (events === null || one.events.some((event) => events.includes(event)))
        )
        yield* Effect.forEach(ended, (one) => {
          const left = events === null ? [] : one.events.filter((event) => !events.includes(event))
          return left.length === 0
            ? AuditedChange.remove(audit, caller, store, one.id, (before) => auditOf(before, null))
            : otherwiseDie(
                AuditedChange.change(
                  audit,
                  caller,
                  store,
                  one.id,
                  (before) => Result.succeed({ ...before, events: left }),
                  auditOf
                )
              )
        })
        return ended.length
      })

      return RunSubscriptions.of({
        subscribe,
        unsubscribe,
        list: Effect.fn("RunSubscriptions.list")(function* ({ workspaceId }) {
          const cipher = yield* sealing.cipher(workspaceId)
          const opened = yield* Effect.forEach(yield* store.list(workspaceId), (kept) =>
            KeptSubscription.open(cipher, kept)
          )
          return opened.flatMap(Option.toArray)
        })
      })
    }).pipe(
      Permissions.checked<RunSubscriptions["Service"]>({ list: "manage", subscribe: "manage", unsubscribe: "manage" })
    )
  )
}

/** The audit entry of a change of a subscription. The address of its channel may be a secret, and is in none. */
const auditOf = (
  before: KeptSubscription.KeptSubscription | null,
  after: KeptSubscription.KeptSubscription | null
): Draft => ({
  action: before === null ? "subscription.create" : after === null ? "subscription.delete" : "subscription.change",
  resourceId: (after ?? before)?.id ?? null,
  before: before === null ? null : audited(before),
  after: after === null ? null : audited(after)
})

const audited = ({ channel, events, workflowId }: KeptSubscription.KeptSubscription) => ({
  workflow_id: workflowId,
  events,
  channel: channel.type
})
