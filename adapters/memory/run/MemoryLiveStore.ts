/** Admissions to watched runs, and control of them, in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import { LiveStore } from "../../../core/execution/live/LiveStore.ts"
import { statusAt } from "../../../core/run/Run.ts"
import { atomicStore } from "../Atomic.ts"
import { gateOf, Tables } from "../Tables.ts"

export const layer = Layer.effect(
  LiveStore,
  Effect.map(Tables, (tables) => {
    const { admissions, controls, runs } = tables
    return LiveStore.of({
      admit: Effect.fnUntraced(function* (admission) {
        const now = yield* Clock.currentTimeMillis
        for (const { expiresAt, hash } of admissions.values()) if (expiresAt <= now) admissions.delete(hash)
        admissions.set(admission.hash, admission)
      }),
      redeem: Effect.fnUntraced(function* (hash) {
        const now = yield* Clock.currentTimeMillis
        const found = Option.fromUndefinedOr(admissions.get(hash))
        admissions.delete(hash)
        return Option.filter(found, ({ expiresAt }) => expiresAt > now)
      }),
      standing: (runId) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.map(Option.fromUndefinedOr(runs.get(runId)), (run) => ({
            workspaceId: run.workspaceId,
            status: statusAt(run, gateOf(tables, run), now)
          }))
        ),
      take: Effect.fnUntraced(function* (wanted) {
        const now = yield* Clock.currentTimeMillis
        const before = controls.get(wanted.runId)
        const stands = before !== undefined && before.until > now
        if (stands && before.holder !== wanted.holder) return before
        const given = { ...wanted, since: stands ? before.since : now }
        controls.set(wanted.runId, given)
        return given
      }),
      renew: Effect.fnUntraced(function* (runId, holder, until) {
        const now = yield* Clock.currentTimeMillis
        const before = controls.get(runId)
        if (before?.holder !== holder || before.until <= now) return false
        controls.set(runId, { ...before, until })
        return true
      }),
      release: Effect.fnUntraced(function* (runId, holder) {
        const now = yield* Clock.currentTimeMillis
        const before = controls.get(runId)
        if (before?.holder !== holder) return false
        controls.delete(runId)
        return before.until > now
      }),
      control: Effect.fnUntraced(function* (runId) {
        const now = yield* Clock.currentTimeMillis
        return Option.filter(Option.fromUndefinedOr(controls.get(runId)), ({ until }) => until > now)
      })
    })
  }).pipe(Effect.map(atomicStore))
)
