/**
 * `npm run bench`: the numbers that the project holds itself to, each against its reference in the same run.
 */
import { cpus, totalmem } from "node:os"
import * as postgresServer from "../support/postgresServer.ts"
import { api } from "./api.ts"
import { compile } from "./compile.ts"
import { console } from "./console.ts"
import { density } from "./density.ts"
import { dispatch } from "./dispatch/dispatch.ts"
import { endurance } from "./endurance.ts"
import { extract } from "./extract.ts"
import { gauntlet } from "./gauntlet.ts"
import { heldRuns } from "./held.ts"
import { lists } from "./lists.ts"
import type { Row } from "./Row.ts"
import { replay } from "./replay.ts"
import { runs } from "./runs.ts"
import { schedules } from "./schedules.ts"
import { stores } from "./stores.ts"
import { streams } from "./streams.ts"
import { tasks } from "./tasks.ts"
import { traces } from "./traces.ts"
import { verbs } from "./verbs.ts"
import { waiting } from "./waiting.ts"
import { window } from "./window.ts"
import { world } from "./world/world.ts"

const suites = {
  window,
  api,
  stores,
  runs,
  density,
  streams,
  extract,
  tasks,
  gauntlet,
  replay,
  compile,
  endurance,
  dispatch,
  waiting,
  held: heldRuns,
  schedules,
  lists,
  verbs,
  console,
  traces,
  world
}
/** Suites that fetch what they measure: they run where they are named. */
const named: ReadonlySet<string> = new Set(["world"])
// `--runs N` and `--minutes M` are for one suite.
const options: ReadonlyArray<string | undefined> = ["--runs", "--minutes"]
const wanted = process.argv.slice(2).filter((one, at, all) => !options.includes(one) && !options.includes(all[at - 1]))

const print = ({ name, ok, ratio, reference, target, value }: Row): void => {
  const cells = [
    name.padEnd(44),
    value.padStart(16),
    reference.padStart(22),
    ratio.toFixed(2).padStart(9),
    target.padStart(8)
  ]
  process.stdout.write(`${cells.join("  ")}  ${ok ? "ok" : "MISSED"}\n`)
}

const [cpu] = cpus()
process.stdout.write(
  `${cpu?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}\n\n`
)
const stopServer = await postgresServer.start([])
let missed = 0
try {
  for (const [name, suite] of Object.entries(suites)) {
    if (wanted.length > 0 ? !wanted.includes(name) : named.has(name)) continue
    for (const row of await suite()) {
      print(row)
      if (!row.ok) missed++
    }
  }
} finally {
  await stopServer?.()
}
process.exitCode = missed === 0 ? 0 : 1
