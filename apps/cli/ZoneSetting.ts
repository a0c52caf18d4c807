/**
 * The time zone data of this process: those that `SLUICE_TZDATA` names, or else those of the runtime. It is decided before
 * any command runs, and never again.
 */
import * as Zone from "../../core/window/calendar/Zone.ts"

/** Applies the setting; returns what is wrong with it, `null` for nothing. */
export const apply = async (place: string | undefined): Promise<string | null> => {
  if (place === undefined || place === "") return null
  const { load, NoZoneInfo } = await import("../../adapters/files/ZoneInfo.ts")
  try {
    Zone.replaceData(load(place))
    return null
  } catch (error) {
    if (error instanceof NoZoneInfo) return `SLUICE_TZDATA: ${error.message}`
    throw error
  }
}
