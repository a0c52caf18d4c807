/** The log of events in memory, and how far it was passed on. */
import { Context, Effect, Layer, Semaphore } from "effect"
import { type Entry, EventLog, page } from "../../../core/event/EventLog.ts"
import * as FairShare from "../../../core/event/FairShare.ts"
import type { LoggedEvent } from "../../../core/event/RunEvent.ts"
import { ClientProgress } from "../../../core/event/stream/ClientProgress.ts"
import type { Run } from "../../../core/run/Run.ts"
import { Tables } from "../Tables.ts"
import { pageOf } from "./Page.ts"

const entryOf = ({ createdAt, options, workflowId, workspaceId }: Run, logged: LoggedEvent): Entry => ({
  ...logged,
  workspaceId,
  workflowId,
  submittedAt: createdAt,
  clientId: options.clientId ?? null,
  ...(options.check === undefined ? {} : { isCheck: true }),
  webhook: options.webhook ?? null,
  notifications: options.notifications ?? null
})

export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const tables = yield* Tables
    const oneAtATime = yield* Semaphore.make(1)

    /** No entry for an event of a removed run: only its position is left. */
    const toEntry = (logged: LoggedEvent): ReadonlyArray<Entry> => {
      const run = tables.runs.get(logged.runId)
      return run === undefined ? [] : [entryOf(run, logged)]
    }

    const read = (from: number, limit: number) => {
      const events = pageOf(tables.events.slice(from, from + limit))
      const to = from + events.length
      const found = events.flatMap((logged, index) =>
        toEntry(logged).map((entry) => ({ entry, place: from + index + 1 }))
      )
      return {
        entries: found.map(({ entry }) => entry),
        positions: found.map(({ place }) => String(place)),
        to,
        more: to < tables.events.length
      }
    }

    const ahead = (from: number, to: number) =>
      tables.events.slice(from, to).map((logged, index) => ({
        logged,
        place: from + index,
        workflowId: logged.event.workflowId,
        characters: JSON.stringify(logged.event).length
      }))

    /** The next events of the first backlog, which then moves behind the others. */
    const late = (backlogs: Map<string, { readonly from: number; readonly to: number }>, most: number) => {
      const [next] = backlogs
      if (next === undefined || most === 0) return []
      const [workflowId, { from, to }] = next
      const own = ahead(from, to).filter((one) => one.workflowId === workflowId)
      const taken = FairShare.firstOf(own, { ...page, events: most })
      backlogs.delete(workflowId)
      const left = own[taken.length]
      if (left !== undefined) backlogs.set(workflowId, { from: left.place, to })
      return taken
    }

    const log = EventLog.of({
      end: Effect.sync(() => String(tables.events.length)),
      read: Effect.fn("EventLog.read")((position, limit) =>
        Effect.sync(() => {
          const { to, ...rest } = read(Number(position), limit)
          return { ...rest, position: String(to) }
        })
      ),
      consume: Effect.fn("EventLog.consume")((consumer, limit, handle, room = Effect.succeed(limit)) =>
        oneAtATime.withPermits(1)(
          Effect.gen(function* () {
            const place = tables.consumers.get(consumer) ?? 0
            const found = ahead(place, Math.min(place + limit * FairShare.lookAhead, tables.events.length))
            const before = tables.backlogs.get(consumer)
            const backlogs = new Map(before)
            const shared = FairShare.share(found, new Set(backlogs.keys()), { ...page, events: limit })
            for (const [workflowId, { first, last }] of shared.putOff) {
              backlogs.set(workflowId, { from: backlogs.get(workflowId)?.from ?? first.place, to: last.place + 1 })
            }
            const hasBacklog = backlogs.size > 0
            const taken = [...shared.taken, ...late(backlogs, hasBacklog ? yield* room : 0)]
            const entries = taken.flatMap(({ logged }) => toEntry(logged))
            if (entries.length > 0) yield* handle(entries)
            tables.consumers.set(consumer, place + shared.seen)
            tables.backlogs.set(consumer, backlogs)
            return hasBacklog || place + shared.seen < tables.events.length
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
          ).flatMap(toEntry)
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
