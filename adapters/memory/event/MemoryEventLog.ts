/** The log of events in memory, and how far it was passed on. */
import { Context, Effect, Layer, Semaphore } from "effect"
import { type Entry, EventLog } from "../../../core/event/EventLog.ts"
import type { LoggedEvent } from "../../../core/event/RunEvent.ts"
import { ClientProgress } from "../../../core/event/stream/ClientProgress.ts"
import { Tables } from "../Tables.ts"
import { pageOf } from "./Page.ts"

export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const tables = yield* Tables
    const oneAtATime = yield* Semaphore.make(1)

    const toEntry = (logged: LoggedEvent): Entry => {
      const run = tables.runs.get(logged.runId)
      if (run === undefined) throw new Error(`Event ${logged.sequence} is of no run`)
      return {
        ...logged,
        workspaceId: run.workspaceId,
        workflowId: run.workflowId,
        submittedAt: run.createdAt,
        clientId: run.options.clientId ?? null,
        webhook: run.options.webhook ?? null,
        notifications: run.options.notifications ?? null
      }
    }

    const read = (from: number, limit: number) => {
      const entries = pageOf(tables.events.slice(from, from + limit)).map(toEntry)
      const positions = entries.map((_, index) => String(from + index + 1))
      return { entries, positions, to: from + entries.length, more: from + entries.length < tables.events.length }
    }

    const log = EventLog.of({
      end: Effect.sync(() => String(tables.events.length)),
      read: Effect.fn("EventLog.read")((position, limit) =>
        Effect.sync(() => {
          const { to, ...rest } = read(Number(position), limit)
          return { ...rest, position: String(to) }
        })
      ),
      consume: Effect.fn("EventLog.consume")((consumer, limit, handle) =>
        oneAtATime.withPermits(1)(
          Effect.gen(function* () {
            const { entries, more, to } = read(tables.consumers.get(consumer) ?? 0, limit)
            if (entries.length > 0) yield* handle(entries)
            tables.consumers.set(consumer, to)
            return more
          })
        )
      )
    })

    const progress = ClientProgress.of({
      owed: Effect.fn("ClientProgress.owed")((workspaceId, clientId, since, after) =>
        Effect.sync(() =>
          pageOf(
            tables.events.filter((one) => {
              const run = tables.runs.get(one.runId)
              const before = tables.written.get(one.runId)
              return (
                run?.workspaceId === workspaceId &&
                run.options.clientId === clientId &&
                before?.last !== true &&
                one.sequence > Math.max(before?.sequence ?? 0, after) &&
                (run.endedAt === null || run.endedAt >= since)
              )
            })
          ).map(toEntry)
        )
      ),
      written: Effect.fn("ClientProgress.written")((all) =>
        Effect.sync(() => {
          for (const one of all) {
            const before = tables.written.get(one.runId)
            tables.written.set(one.runId, {
              runId: one.runId,
              sequence: Math.max(one.sequence, before?.sequence ?? 0),
              last: one.last || before?.last === true
            })
          }
        })
      )
    })

    return Context.make(EventLog, log).pipe(Context.add(ClientProgress, progress))
  })
)
