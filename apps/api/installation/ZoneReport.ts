/** The time zone data of this process, as its readiness says them. */
import { Clock, Effect } from "effect"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import * as ZoneAge from "../../../core/window/calendar/ZoneAge.ts"

/** Which data, where they are from, how old at least, and a warning of old ones. */
export const now = Effect.map(Clock.currentTimeMillis, (at) => ({
  version: Zone.dataVersion,
  source: Zone.dataSource,
  at_least_days_old: ZoneAge.leastDays(Zone.dataVersion, at),
  warning: ZoneAge.warning(Zone.dataVersion, at)
}))
