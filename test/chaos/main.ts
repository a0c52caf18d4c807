/**
 * `npm run chaos -- --minutes N [--seed S] [--ignore-paces]`: real processes, and everything that may go wrong with them.
 * With `--ignore-paces` the paces of two workflows are removed behind the service's back: the judge has to report it.
 */
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { judge } from "../kit/simulation/Promises.ts"
import { startServer } from "../support/ownServer.ts"
import prepareServer from "../support/postgresServer.ts"
import { chaos } from "./Chaos.ts"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    "ignore-paces": { type: "boolean", default: false }
  }
})
const [minutes, seed] = [Number(values.minutes), Number(values.seed)]
if (!(minutes > 0) || !Number.isInteger(seed)) {
  process.stderr.write("Expected --minutes above 0 and --seed as a whole number\n")
  process.exit(1)
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const server = await startServer(["max_connections=200"])
process.env.SLUICE_TEST_DATABASE_URL = server.url
const forgetDatabases = await prepareServer()
const restartDatabase = Effect.promise(server.restart)
try {
  const { faults, history } = await Effect.runPromise(
    chaos({
      seed,
      seconds: minutes * 60,
      stillMillis: 180_000,
      say,
      restartDatabase,
      ignorePaces: values["ignore-paces"]
    })
  )
  const violations = judge(history)
  for (const { detail, promise, runId } of violations) say(`${promise}: run ${runId} ${detail}`)
  const count = Object.values(faults).reduce((total, one) => total + one, 0)
  say(
    `${count} faults, ${history.runs.length} runs, ${history.starts.length} attempts, ${history.events.length} events: ` +
      `${violations.length} broken promises`
  )
  process.exitCode = violations.length === 0 ? 0 : 1
} finally {
  await forgetDatabases?.()
  await server.stop()
}
// The library of the server ends the process with 0 when nothing is left to do.
process.exit()
