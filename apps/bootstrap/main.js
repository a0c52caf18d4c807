// @ts-check
/**
 * The entry point on a new machine:
 * `node apps/bootstrap/main.js <start | check | test | test:all | test:repeat | ok | vitest | build | docs | console | bench | fuzz | simulate | chaos | rehearse | runtimes | zones | release | sluice> [args]`.
 *
 * It installs what is missing and then runs the command. It is plain JavaScript without dependencies, for Node 18 and
 * later, because it runs before anything is installed.
 */

import { installDependencies } from "./dependencies.js"
import { suitableNode } from "./node.js"
import { currentProgram, runProgram } from "./program.js"
import { beside, run, succeeds } from "./run.js"
import { BootstrapError, say } from "./say.js"

// The others load what they do, so that a command of `sluice` starts without it.
const check = () => import("./check.js")
const checks = () => import("./checks.js")
const chromium = () => import("./chromium.js")

const [command = "start", ...args] = process.argv.slice(2)

/** @param {string} node */
const built = async (node) => {
  const { isCurrent } = await import("./console.js")
  if (isCurrent()) return
  say("Building the console …")
  if (!succeeds(node, ["apps/bootstrap/consoleBuild.js"], {})) {
    throw new BootstrapError("The console could not be built: the output above says why")
  }
}

/** What runs `sluice`: its bundle, made again when its sources changed, or the sources where that cannot be. @param {string} node */
const programOf = (node) => {
  if (currentProgram() === null) {
    say("Building the program …")
    succeeds(node, ["apps/bootstrap/programBuild.js"], {})
  }
  return currentProgram() ?? "apps/cli/main.ts"
}

try {
  const isWhole = ["test", "test:all", "ok"].includes(command)
  const others = isWhole ? [beside("./node.js", "suitableNode"), beside("./runtimes.js", "otherRuntimes")] : []
  installDependencies()
  await Promise.all(others)
  const node = suitableNode()
  switch (command) {
    case "start":
      await built(node)
      // The demo prints its steps to the terminal, where log lines of requests would come between them.
      run(node, [programOf(node), "up", ...args], {
        SLUICE_CHROMIUM: (await chromium()).findChromium(),
        SLUICE_LOG_LEVEL: process.env.SLUICE_LOG_LEVEL ?? "warn"
      })
      break
    case "sluice": {
      if (["up", "api"].includes(args[0] ?? "")) await built(node)
      // After a change of its sources, a command runs them, until the next start of the service.
      const program = currentProgram()
      if (program !== null && node === process.execPath) await runProgram(program, args)
      else run(node, [program ?? "apps/cli/main.ts", ...args], {})
      break
    }
    case "check":
      process.exitCode = await (await check()).check(node)
      break
    case "test:repeat":
      process.exitCode = await (await import("./repeat.js")).repeatFile(node, args, (await chromium()).testBrowsers)
      break
    case "vitest": {
      const { needsChromium, vitest } = await import("./vitest.js")
      // With a channel, the process that starts the PostgreSQL server of the tests would not end: see run.js.
      run(node, vitest(args), needsChromium(args) ? (await chromium()).testBrowsers() : {}, { channel: false })
      break
    }
    case "build":
      run(node, ["apps/bootstrap/build.js", ...args], {})
      break
    case "docs":
      ;(await import("./docs.js")).buildDocs(node)
      break
    case "console":
      await built(node)
      break
    // These start the server, too: no channel.
    case "bench":
      run(
        node,
        ["test/bench/main.ts", ...args],
        { SLUICE_CHROMIUM: (await chromium()).findChromium() },
        { channel: false }
      )
      break
    case "fuzz":
      run(
        node,
        ["test/fuzz/main.ts", ...args],
        { SLUICE_CHROMIUM: (await chromium()).findChromium() },
        { channel: false }
      )
      break
    case "simulate":
      run(node, ["test/simulation/main.ts", ...args], {})
      break
    case "chaos":
      run(node, ["test/chaos/main.ts", ...args], {}, { channel: false })
      break
    case "rehearse":
      run(
        node,
        ["test/rehearsal/main.ts", ...args],
        { SLUICE_CHROMIUM: (await chromium()).findChromium() },
        { channel: false }
      )
      break
    case "runtimes":
      await built(node)
      run(node, ["test/packages/runtimes.ts", ...args], { SLUICE_CHROMIUM: (await chromium()).findChromium() })
      break
    case "zones":
      run(node, ["test/unit/window/everyTransition.ts", ...args], {})
      break
    case "release":
      ;(await import("./release.js")).release(node, args)
      break
    case "test":
    case "ok": {
      const unknown = args.find((arg) => arg !== "--all")
      if (unknown !== undefined) throw new BootstrapError(`"${unknown}" is not an option of npm test: expected --all`)
      // In CI a record would be that of another checkout.
      const isAgain = args.includes("--all") || (process.env.CI ?? "") !== ""
      process.exitCode = await (await checks()).runChecks(node, (await chromium()).testBrowsers(), { isAgain })
      break
    }
    case "test:all":
      process.exitCode = await (await checks()).runChecks(node, (await chromium()).testBrowsers(), {
        isAll: true,
        isAgain: true
      })
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
