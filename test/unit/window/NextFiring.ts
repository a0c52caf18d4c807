/** Prints the first instant after another one at which a schedule on Mondays fires, by the time zone data that are set. */
import * as ZoneSetting from "../../../apps/cli/ZoneSetting.ts"
import * as Timing from "../../../core/schedule/ScheduleTiming.ts"

await ZoneSetting.apply(process.env.SLUICE_TZDATA)
const timing: Timing.Timing = { kind: "cron", cron: "0 9 * * MON", timeZone: "Europe/Berlin" }
const next = Timing.instants(timing, null).next(Number(process.argv[2]))
process.stdout.write(`${next === null ? "never" : new Date(next).toISOString()}\n`)
