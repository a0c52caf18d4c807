/** Snapshots and network logs in memory. */
import { Effect, Layer, Option } from "effect"
import type { RecordedExchange } from "../../../core/browser/Exchange.ts"
import { EvidenceStore, roomBeside } from "../../../core/run/evidence/EvidenceStore.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  EvidenceStore,
  Effect.map(Tables, ({ networkLogs, snapshots }) => {
    const key = (runId: string, nodeId: string) => `${runId} ${nodeId}`
    return EvidenceStore.of({
      keepSnapshot: (snapshot) => Effect.sync(() => void snapshots.set(key(snapshot.runId, snapshot.nodeId), snapshot)),
      snapshot: (runId, nodeId) => Effect.sync(() => Option.fromUndefinedOr(snapshots.get(key(runId, nodeId)))),
      openLog: (runId) =>
        Effect.sync(() => {
          const before = networkLogs.get(runId) ?? { events: [], open: false, truncated: false }
          networkLogs.set(runId, { ...before, open: true, truncated: before.truncated || before.open })
          return roomBeside(before.events)
        }),
      log: (runId, events) =>
        Effect.sync(() => {
          const before = networkLogs.get(runId)
          if (before === undefined) throw new Error(`The network log of run ${runId} was never opened`)
          networkLogs.set(runId, { ...before, events: [...before.events, ...events].sort(byStart) })
        }),
      closeLog: (runId, truncated) =>
        Effect.sync(() => {
          const before = networkLogs.get(runId)
          if (before !== undefined) {
            networkLogs.set(runId, { ...before, open: false, truncated: before.truncated || truncated })
          }
        }),
      network: (runId) => Effect.sync(() => Option.fromUndefinedOr(networkLogs.get(runId))),
      expire: (before, limit) =>
        Effect.sync(() => {
          const old = [...snapshots].filter(([, { at }]) => at < before).slice(0, limit)
          for (const [key] of old) snapshots.delete(key)
          let left = limit
          for (const [runId, log] of networkLogs) {
            const gone = log.events.filter(({ startedAt }) => startedAt < before).slice(0, left)
            left -= gone.length
            if (gone.length > 0)
              networkLogs.set(runId, {
                ...log,
                truncated: true,
                events: log.events.filter((one) => !gone.includes(one))
              })
          }
          return Math.max(old.length, limit - left)
        })
    })
  }).pipe(Effect.map(atomicStore))
)

const byStart = (a: RecordedExchange, b: RecordedExchange): number =>
  a.startedAt < b.startedAt || (a.startedAt === b.startedAt && a.id < b.id) ? -1 : 1
