/** The version of the time zone data of this process, such as `2026a`; `null` where Node does not tell. */
import { Context } from "effect"

export const ZoneVersion = Context.Reference<string | null>("sluice/adapters/postgres/gate/ZoneVersion", {
  defaultValue: () => process.versions.tz ?? null
})
