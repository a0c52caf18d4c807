/** Deliveries to webhooks in memory. When they are due they are in a queue beside them. */
import { Clock, Duration, Effect, Layer, Schema } from "effect"
import { PersistedQueue } from "effect/persistence"
import { Deliveries, type NewDelivery } from "../../../core/event/webhook/Deliveries.ts"
import * as Delivery from "../../../core/event/webhook/Delivery.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { atomic } from "../Atomic.ts"
import { type KeptDelivery, Tables } from "../Tables.ts"

const Ticket = Schema.Struct({ id: Schema.String, turn: Schema.Int })

const deliveries = Layer.effect(
  Deliveries,
  Effect.gen(function* () {
    const { deliveries: kept, runs } = yield* Tables
    const store = yield* PersistedQueue.PersistedQueueStore
    const queue = yield* PersistedQueue.make({ name: "webhooks", schema: Ticket, maxAttempts: 1_000_000 })

    const enqueue = ({ delivery, turn }: KeptDelivery, now: number) =>
      delivery.nextAttemptAt === null
        ? Effect.void
        : Effect.asVoid(
            Effect.orDie(queue.offer({ id: delivery.id, turn }, { delay: Math.max(0, delivery.nextAttemptAt - now) }))
          )

    const all = () => [...kept.values()].map(({ delivery }) => delivery)

    const lineOf = ({ logged, webhookId }: Delivery.Delivery) =>
      all().filter((one) => one.logged.runId === logged.runId && one.webhookId === webhookId)

    const keep = (delivery: Delivery.Delivery, turn: number, now: number) => {
      const one = { delivery, turn }
      kept.set(delivery.id, one)
      return enqueue(one, now)
    }

    const make = ({ entry, id, url, webhookId }: NewDelivery, now: number): Delivery.Delivery => {
      const delivery: Delivery.Delivery = {
        id,
        position: kept.size + 1,
        workspaceId: entry.workspaceId,
        webhookId,
        workflowId: entry.workflowId,
        url,
        logged: { sequence: entry.sequence, runId: entry.runId, at: entry.at, event: entry.event },
        runWebhook: entry.webhook,
        traceparent: runs.get(entry.runId)?.options.traceparent ?? null,
        createdAt: now,
        since: now,
        ...Delivery.pending(now)
      }
      const last = lineOf(delivery).at(-1)
      return last === undefined || Delivery.isSettledOnce(last) ? delivery : { ...delivery, nextAttemptAt: null }
    }

    const write = Effect.fnUntraced(function* ({ delivery: before, turn }: KeptDelivery, after: Delivery.Delivery) {
      if (kept.get(before.id)?.turn !== turn) return
      const now = yield* Clock.currentTimeMillis
      yield* keep(after, turn + 1, now)
      if (!Delivery.isSettledOnce(after)) return
      const next = lineOf(after).find(({ logged }) => logged.sequence > after.logged.sequence)
      if (next === undefined || Delivery.isSettledOnce(next) || next.nextAttemptAt !== null) return
      yield* keep({ ...next, nextAttemptAt: now }, (kept.get(next.id)?.turn ?? 0) + 1, now)
    })

    const find = (workspaceId: WorkspaceId, id: string) =>
      Effect.suspend(() => {
        const one = kept.get(id)
        return one?.delivery.workspaceId === workspaceId
          ? Effect.succeed(one)
          : Effect.fail(new Delivery.DeliveryNotFound({ deliveryId: id }))
      })

    return Deliveries.of({
      append: Effect.fn("Deliveries.append")(function* (made) {
        const now = yield* Clock.currentTimeMillis
        yield* Effect.forEach(made, (one) => keep(make(one, now), 0, now), { discard: true })
      }, atomic),
      next: Effect.fn("Deliveries.next")((attempt) =>
        queue
          .take(({ id, turn }) =>
            Effect.gen(function* () {
              const one = kept.get(id)
              if (one?.turn !== turn || one.delivery.status !== "pending") return false
              yield* atomic(write(one, yield* attempt(one.delivery)))
              return true
            })
          )
          .pipe(Effect.repeat({ until: (handedOut) => handedOut }), Effect.asVoid, Effect.orDie)
      ),
      due: Effect.fn("Deliveries.due")((most) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          Math.min(all().filter((one) => one.nextAttemptAt !== null && one.nextAttemptAt <= now).length, most)
        )
      ),
      get: Effect.fn("Deliveries.get")((workspaceId, id) =>
        Effect.map(find(workspaceId, id), ({ delivery }) => delivery)
      ),
      list: Effect.fn("Deliveries.list")((workspaceId, { before = Infinity, limit, runId, status, webhookId }) =>
        Effect.sync(() =>
          all()
            .filter(
              (one) =>
                one.workspaceId === workspaceId &&
                one.position < before &&
                (status === undefined || one.status === status) &&
                (runId === undefined || one.logged.runId === runId) &&
                (webhookId === undefined || one.webhookId === webhookId)
            )
            .reverse()
            .slice(0, limit)
        )
      ),
      ofRun: Effect.fn("Deliveries.ofRun")((workspaceId, runId) =>
        Effect.sync(() => all().filter((one) => one.workspaceId === workspaceId && one.logged.runId === runId))
      ),
      retry: Effect.fn("Deliveries.retry")(function* (workspaceId, id) {
        const one = yield* find(workspaceId, id)
        const after = yield* Effect.fromResult(Delivery.retry(one.delivery, yield* Clock.currentTimeMillis))
        yield* write(one, after)
        return after
      }, atomic),
      tidy: Effect.orDie(store.cleanup({ timeToLive: Duration.minutes(1), failedTimeToLive: Duration.days(7) })),
      delivered: Effect.fn("Deliveries.delivered")(function* (workspaceId, id, taken) {
        const one = kept.get(id)
        if (one === undefined || one.delivery.workspaceId !== workspaceId || one.delivery.status === "delivered") return
        const { attempts } = one.delivery
        yield* write(one, {
          ...one.delivery,
          ...taken,
          status: "delivered",
          nextAttemptAt: null,
          attempts: attempts + 1
        })
      }, atomic)
    })
  })
)

export const layer = deliveries.pipe(
  Layer.provide(PersistedQueue.layer),
  Layer.provide(PersistedQueue.layerStoreMemory)
)
