/**
 * Whose time zone data decide. Processes of one installation may have different ones while it is upgraded; openings and
 * schedules are then computed by those with the newest.
 */
import { Context, Effect } from "effect"

export interface ZoneData {
  /** Whether no other process that computes openings has newer time zone data than this one. */
  readonly decides: Effect.Effect<boolean>
}

/** A process that knows of no other decides. */
export const ZoneData = Context.Reference<ZoneData>("sluice/core/gate/ZoneData", {
  defaultValue: () => ({ decides: Effect.succeed(true) })
})

/** Does something only while this process decides. */
export const whileDeciding = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(ZoneData, ({ decides }) =>
    Effect.flatMap(decides, (does) => (does ? Effect.asVoid(effect) : Effect.void))
  )
