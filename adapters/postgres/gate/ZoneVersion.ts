/** Versions of time zone data. They sort as texts: `2026a`, `2026b`, `2027a`. */
import { Context } from "effect"
import * as Zone from "../../../core/window/calendar/Zone.ts"

/** The version of the time zone data of this process, such as `2026a`; `null` where Node does not tell. */
export const ZoneVersion = Context.Reference<string | null>("sluice/adapters/postgres/gate/ZoneVersion", {
  defaultValue: () => Zone.dataVersion
})

/** Whether one version is newer than another; `false` where one of them is not known. */
export const isNewer = (one: string | null, than: string | null): boolean => one !== null && than !== null && one > than
