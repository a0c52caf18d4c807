/** Alerts in memory. */
import { Effect, Layer, Option } from "effect"
import * as Alert from "../../../core/event/alert/Alert.ts"
import { Alerts } from "../../../core/event/alert/Alerts.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  Alerts,
  Effect.map(Tables, ({ alerts: kept }) => {
    const all = () => [...kept.values()]

    return Alerts.of({
      gather: Effect.fn("Alerts.gather")((receiverId, cause, decide) =>
        Effect.sync(() => {
          const latest = all().findLast(({ alert }) => alert.receiverId === receiverId && alert.cause === cause)
          const alert = decide(latest?.alert ?? null)
          if (latest !== undefined && latest.alert.id === alert.id) {
            kept.set(alert.id, { ...latest, turn: latest.turn + 1, alert })
          } else kept.set(alert.id, { position: (all().at(-1)?.position ?? 0) + 1, turn: 0, alert })
        })
      ),
      take: Effect.fn("Alerts.take")((now, until) =>
        Effect.sync(() => {
          const [first] = all()
            .flatMap((one) => {
              const at = one.alert.nextAttemptAt
              return at !== null && at <= now ? [{ ...one, at }] : []
            })
            .sort((a, b) => a.at - b.at)
          if (first === undefined) return Option.none()
          const alert = Alert.taken(first.alert)
          const turn = first.turn + 1
          kept.set(alert.id, { position: first.position, turn, alert: { ...alert, nextAttemptAt: until } })
          return Option.some({ turn, alert })
        })
      ),
      nextDue: Effect.sync(() =>
        all().reduce<number | null>((first, { alert: { nextAttemptAt: at } }) => {
          return first === null || (at !== null && at < first) ? at : first
        }, null)
      ),
      settle: Effect.fn("Alerts.settle")(({ turn }, alert) =>
        Effect.sync(() => {
          const before = kept.get(alert.id)
          if (before?.turn === turn) kept.set(alert.id, { ...before, turn: turn + 1, alert })
        })
      ),
      list: Effect.fn("Alerts.list")((workspaceId, { before = Infinity, limit, receiverId, status }) =>
        Effect.sync(() =>
          all()
            .filter(
              ({ alert, position }) =>
                alert.workspaceId === workspaceId &&
                position < before &&
                (status === undefined || alert.status === status) &&
                (receiverId === undefined || alert.receiverId === receiverId)
            )
            .reverse()
            .slice(0, limit)
            .map(({ alert, position }) => ({ alert, position }))
        )
      ),
      tidy: Effect.fn("Alerts.tidy")((before) =>
        Effect.sync(() => {
          for (const [id, { alert }] of kept) {
            if (alert.settledAt !== null && alert.settledAt < before) kept.delete(id)
          }
        })
      )
    })
  }).pipe(Effect.map(atomicStore))
)
