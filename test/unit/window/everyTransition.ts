/**
 * Compares run windows with every change of clocks from 1970 to 2100 in every zone that this runtime knows, by its own time
 * zone data: `npm run test:zones`. It ends with 1 when one of them is evaluated wrongly.
 */
import process from "node:process"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import { zoneNames } from "../../../core/window/calendar/ZoneNames.ts"
import { compared } from "./Transitions.ts"

let transitions = 0
const problems: Array<string> = []
const zones = [...zoneNames].filter(Zone.isKnown)
for (const zone of zones) {
  const found = compared(zone, Date.UTC(1970, 0), Date.UTC(2100, 0))
  transitions += found.transitions
  problems.push(...found.problems)
}
const counted = `${transitions} changes of clocks in ${zones.length} zones, time zone data ${Zone.dataVersion ?? "unknown"}`
process.stdout.write(`${[...problems.slice(0, 50), `${counted}: ${problems.length} problems`].join("\n")}\n`)
process.exitCode = problems.length === 0 && transitions > 10_000 ? 0 : 1
