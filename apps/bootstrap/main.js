// @ts-check
/**
 * The entry point on a new machine:
 * `node apps/bootstrap/main.js <start | check | test | test:all | test:repeat | ok | vitest | build | docs | console | bench | fuzz | simulate | chaos | rehearse | runtimes | zones | release | sluice> [args]`.
 *
 * It installs what is missing and then runs the command. It is plain JavaScript without dependencies, for Node 18 and
 * later, because it runs before anything is installed.
 */

import { check } from "./check.js"
import { runChecks } from "./checks.js"
import { findChromium, testBrowsers } from "./chromium.js"
import { isCurrent } from "./console.js"
import { installDependencies } from "./dependencies.js"
import { buildDocs } from "./docs.js"
import { suitableNode } from "./node.js"
import { release } from "./release.js"
import { repeatFile } from "./repeat.js"
import { beside, run, succeeds } from "./run.js"
import { BootstrapError, say } from "./say.js"
import { needsChromium, vitest } from "./vitest.js"

const [command = "start", ...args] = process.argv.slice(2)

/** @param {string} node */
const built = (node) => {
  if (isCurrent()) return
  say("Building the console …")
  if (!succeeds(node, ["apps/bootstrap/consoleBuild.js"], {})) {
    throw new BootstrapError("The console could not be built: the output above says why")
  }
}

try {
  const isWhole = ["test", "test:all", "ok"].includes(command)
  const others = isWhole ? [beside("./node.js", "suitableNode"), beside("./runtimes.js", "otherRuntimes")] : []
  installDependencies()
  await Promise.all(others)
  const node = suitableNode()
  switch (command) {
    case "start":
      built(node)
      // The demo prints its steps to the terminal, where log lines of requests would come between them.
      run(node, ["apps/cli/main.ts", "up", ...args], {
        SLUICE_CHROMIUM: findChromium(),
        SLUICE_LOG_LEVEL: process.env.SLUICE_LOG_LEVEL ?? "warn"
      })
      break
    case "sluice":
      if (["up", "api"].includes(args[0] ?? "")) built(node)
      run(node, ["apps/cli/main.ts", ...args], {})
      break
    case "check":
      process.exitCode = await check(node)
      break
    case "test:repeat":
      process.exitCode = await repeatFile(node, args, testBrowsers)
      break
    case "vitest":
      // With a channel, the process that starts the PostgreSQL server of the tests would not end: see run.js.
      run(node, vitest(args), needsChromium(args) ? testBrowsers() : {}, { channel: false })
      break
    case "build":
      run(node, ["apps/bootstrap/build.js", ...args], {})
      break
    case "docs":
      buildDocs(node)
      break
    case "console":
      built(node)
      break
    // These start the server, too: no channel.
    case "bench":
      run(node, ["test/bench/main.ts", ...args], { SLUICE_CHROMIUM: findChromium() }, { channel: false })
      break
    case "fuzz":
      run(node, ["test/fuzz/main.ts", ...args], { SLUICE_CHROMIUM: findChromium() }, { channel: false })
      break
    case "simulate":
      run(node, ["test/simulation/main.ts", ...args], {})
      break
    case "chaos":
      run(node, ["test/chaos/main.ts", ...args], {}, { channel: false })
      break
    case "rehearse":
      run(node, ["test/rehearsal/main.ts", ...args], { SLUICE_CHROMIUM: findChromium() }, { channel: false })
      break
    case "runtimes":
      built(node)
      run(node, ["test/packages/runtimes.ts", ...args], { SLUICE_CHROMIUM: findChromium() })
      break
    case "zones":
      run(node, ["test/unit/window/everyTransition.ts", ...args], {})
      break
    case "release":
      release(node, args)
      break
    case "test":
    case "ok": {
      const unknown = args.find((arg) => arg !== "--all")
      if (unknown !== undefined) throw new BootstrapError(`"${unknown}" is not an option of npm test: expected --all`)
      // In CI a record would be that of another checkout.
      const isAgain = args.includes("--all") || (process.env.CI ?? "") !== ""
      process.exitCode = await runChecks(node, testBrowsers(), { isAgain })
      break
    }
    case "test:all":
      process.exitCode = await runChecks(node, testBrowsers(), { isAll: true, isAgain: true })
      break
    default:
      throw new BootstrapError(
        `Unknown command "${command}": expected start, check, test, test:all, test:repeat, ok, vitest, build, docs, console, bench, fuzz, simulate, chaos, rehearse, runtimes, zones, release or sluice`
      )
  }
} catch (error) {
  if (!(error instanceof BootstrapError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
