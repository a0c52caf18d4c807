/** Named limits in memory: what has started of each is derived from the running runs. */
import { Effect, Layer } from "effect"
import * as LimitLedger from "../../../core/run/limit/LimitLedger.ts"
import * as NamedLimit from "../../../core/run/limit/NamedLimit.ts"
import * as Run from "../../../core/run/Run.ts"
import * as Slots from "../../../core/run/Slots.ts"
import * as MemoryCollection from "../MemoryCollection.ts"
import { Tables } from "../Tables.ts"
import * as MemorySlots from "./MemorySlots.ts"

type Shape = Tables["Service"]

export const layer = Layer.effect(
  NamedLimit.NamedLimitStore,
  Effect.gen(function* () {
    const tables = yield* Tables
    const limits = yield* MemoryCollection.make(NamedLimit.kind)
    return NamedLimit.NamedLimitStore.of({
      ...limits,
      used: Effect.fn("NamedLimitStore.used")((workspaceId, id) =>
        Effect.sync(() =>
          usedIn(tables).filter((one) => one.workspaceId === workspaceId && (id === undefined || one.limit.id === id))
        )
      )
    })
  })
)

/** All limits, with what has started of each. */
const usedIn = (tables: Shape): ReadonlyArray<NamedLimit.UsedLimit> =>
  [...(tables.collections.get(NamedLimit.kind.name)?.values() ?? [])].map(({ value, workspaceId }) => {
    // The table of a kind holds only values of that kind.
    const limit = value as NamedLimit.NamedLimit
    const running = [...tables.runs.values()].filter(
      (run) =>
        run.workspaceId === workspaceId && Run.isRunning(run) && NamedLimit.drawsOn(limit, drawingOf(tables, run))
    )
    return { workspaceId, limit, running: running.length, takenUntil: tables.limitsTaken.get(limit.id) ?? 0 }
  })

/** What a run draws on limits by. */
export const drawingOf = (
  tables: Shape,
  run: Pick<Run.Run, "credentials" | "tags" | "workflowId" | "workspaceId">
): NamedLimit.Drawing => ({
  workspaceId: run.workspaceId,
  workflowId: run.workflowId,
  tags: run.tags,
  credentialIds: MemorySlots.entryIds(tables, run.workspaceId, Slots.names(run.credentials))
})

/** What limits allow at an instant. */
export const ledger = (tables: Shape, now: number): LimitLedger.LimitLedger => {
  const made = LimitLedger.make(now)
  made.know(usedIn(tables))
  return made
}

/** Charges the starts of a claim to the minutes of limits. */
export const take = (tables: Shape, taken: ReturnType<LimitLedger.LimitLedger["taken"]>): void => {
  for (const { id, takenUntil } of taken) tables.limitsTaken.set(id, takenUntil)
}

/** What a run would have to wait for if it were claimed at an instant. */
export const awaited = (tables: Shape, run: Run.Run, now: number): Slots.Awaited | NamedLimit.SpentLimit | null => {
  if (!Run.isWaiting(run)) return null
  const limits = ledger(tables, now)
  const spent = limits.spent({ ...drawingOf(tables, run), credentialIds: [] })
  if (spent !== null) return LimitLedger.spentLimit(spent, now)
  const busy = MemorySlots.awaited(tables, run)
  if (busy !== null) return busy
  const ofEntry = MemorySlots.spentOf(tables, run, limits)
  return ofEntry === null ? null : LimitLedger.spentLimit(ofEntry, now)
}

/** The instants after `after` at which limits may allow more by time alone. */
export const dueAfter = (tables: Shape, after: number): ReadonlyArray<number> =>
  usedIn(tables).flatMap(({ limit, ...progress }) => {
    const at = NamedLimit.nextChangeAt(limit, progress, after)
    return at !== null && at > after ? [at] : []
  })
