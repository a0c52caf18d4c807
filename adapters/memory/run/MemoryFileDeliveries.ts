/** Deliveries of files in memory. */
import { Effect, Layer, Option } from "effect"
import { FileDeliveries } from "../../../core/run/delivery/FileDeliveries.ts"
import * as FileDelivery from "../../../core/run/delivery/FileDelivery.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  FileDeliveries,
  Effect.map(Tables, ({ fileDeliveries: kept }) => {
    const all = () => [...kept.values()]
    const isKnown = ({ file, runId }: FileDelivery.FileDelivery) =>
      all().some(({ delivery }) => delivery.runId === runId && delivery.file.id === file.id)

    return FileDeliveries.of({
      append: Effect.fn("FileDeliveries.append")((made) =>
        Effect.sync(() => {
          for (const delivery of made) {
            if (isKnown(delivery)) continue
            const position = (all().at(-1)?.position ?? 0) + 1
            kept.set(delivery.id, { position, turn: 0, dueAt: delivery.nextAttemptAt, delivery })
          }
        })
      ),
      take: Effect.fn("FileDeliveries.take")((now, until) =>
        Effect.sync(() => {
          const [first] = all()
            .flatMap((one) => (one.dueAt !== null && one.dueAt <= now ? [{ ...one, dueAt: one.dueAt }] : []))
            .sort((a, b) => a.dueAt - b.dueAt)
          if (first === undefined) return Option.none()
          const turn = first.turn + 1
          kept.set(first.delivery.id, { ...first, turn, dueAt: until })
          return Option.some({ turn, delivery: first.delivery })
        })
      ),
      nextDue: Effect.sync(() =>
        all().reduce<number | null>(
          (first, { dueAt }) => (first === null || (dueAt !== null && dueAt < first) ? dueAt : first),
          null
        )
      ),
      settle: Effect.fn("FileDeliveries.settle")(({ turn }, delivery) =>
        Effect.sync(() => {
          const before = kept.get(delivery.id)
          if (before?.turn === turn) {
            kept.set(delivery.id, { ...before, turn: turn + 1, dueAt: delivery.nextAttemptAt, delivery })
          }
        })
      ),
      list: Effect.fn("FileDeliveries.list")((workspaceId, { before = Infinity, limit, runId, status }) =>
        Effect.sync(() =>
          all()
            .filter(
              ({ delivery, position }) =>
                delivery.workspaceId === workspaceId &&
                position < before &&
                (status === undefined || delivery.status === status) &&
                (runId === undefined || delivery.runId === runId)
            )
            .reverse()
            .slice(0, limit)
            .map(({ delivery, position }) => ({ delivery, position }))
        )
      ),
      ofRun: Effect.fn("FileDeliveries.ofRun")((workspaceId, runId) =>
        Effect.sync(() =>
          all()
            .map(({ delivery }) => delivery)
            .filter((delivery) => delivery.workspaceId === workspaceId && delivery.runId === runId)
        )
      ),
      retry: Effect.fn("FileDeliveries.retry")(function* (workspaceId, id, now) {
        const before = kept.get(id)
        if (before?.delivery.workspaceId !== workspaceId) {
          return yield* new FileDelivery.FileDeliveryNotFound({ deliveryId: id })
        }
        const delivery = yield* Effect.fromResult(FileDelivery.retry(before.delivery, now))
        kept.set(id, { ...before, turn: before.turn + 1, dueAt: now, delivery })
        return delivery
      })
    })
  }).pipe(Effect.map(atomicStore))
)
