/**
 * `npm run chaos -- --minutes N [--seed S] [--failover] [--plant] [--ignore-paces]`: real processes, and everything that
 * may go wrong with them. With `--failover` standbys take the place of the database server, again and again; without, its
 * disk gets full. With `--plant` a run is lost and another doubled behind each fault, with `--ignore-paces` the paces of two
 * workflows are removed: the judge has to report all of it.
 */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { judge } from "../kit/simulation/Promises.ts"
import { chaos } from "./Chaos.ts"
import { ownServerWithDisk } from "./DatabaseFaults.ts"
import { missed } from "./Planted.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    failover: { type: "boolean", default: false },
    plant: { type: "boolean", default: false },
    "ignore-paces": { type: "boolean", default: false }
  }
})
const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
if (!(minutes > 0) || !Number.isInteger(seed)) {
  process.stderr.write("Expected --minutes above 0 and --seed as a whole number\n")
  process.exit(1)
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const { faults, history, planted } = await Effect.runPromise(
  Effect.gen(function* () {
    const { disk, server } = yield* ownServerWithDisk
    if (disk === null) say("The disk does not get full: this user may mount none")
    return yield* chaos({
      seed,
      seconds: minutes * 60,
      // What was planted never comes to rest.
      stillMillis: values.plant ? 20_000 : 180_000,
      say,
      server,
      disk: values.failover ? null : disk,
      plant: values.plant,
      ignorePaces: values["ignore-paces"]
    })
  }).pipe(Effect.scoped)
)
const violations = judge(history)
for (const { detail, promise, runId } of violations) say(`${promise}: run ${runId} ${detail}`)
const count = Object.values(faults).reduce((total, one) => total + one, 0)
say(
  `${count} faults, ${history.runs.length} runs, ${history.starts.length} attempts, ${history.events.length} events: ` +
    `${violations.length} broken promises`
)
if (values.plant) {
  say(`${planted.length} runs were lost or doubled on purpose, and ${missed(planted, violations).length} not found`)
}
process.exitCode = violations.length === 0 ? 0 : 1
// The library of the server ends the process with 0 when nothing is left to do.
process.exit()
