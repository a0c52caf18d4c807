/** Versions of time zone data. They sort as texts: `2026a`, `2026b`, `2027a`. */
import { Context } from "effect"

/** The version of the time zone data of this process, such as `2026a`; `null` where Node does not tell. */
export const ZoneVersion = Context.Reference<string | null>("sluice/adapters/postgres/gate/ZoneVersion", {
  defaultValue: () => process.versions.tz ?? null
})

/** Whether one version is newer than another; `false` where one of them is not known. */
export const isNewer = (one: string | null, than: string | null): boolean => one !== null && than !== null && one > than
