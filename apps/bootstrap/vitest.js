// @ts-check
import { join } from "node:path"
import { root } from "./run.js"

/** The projects of `test/projects.ts` that need no browser. */
const withoutBrowser = ["unit", "contract", "http"]

/**
 * The arguments of Node for the test runner. It runs once, or with `--watch` after each change.
 *
 * @param {ReadonlyArray<string>} args
 */
export const vitest = (args) => {
  const program = join(root, "node_modules", "vitest", "vitest.mjs")
  const mode = args.some((arg) => arg === "--watch" || arg === "-w") ? "watch" : "run"
  return [program, mode, "--root", root, "--config", "test/vitest.config.ts", ...args]
}

/** @param {ReadonlyArray<string>} args */
export const needsChromium = (args) => {
  const named = args.flatMap((arg, at) =>
    arg === "--project" ? [args[at + 1] ?? ""] : arg.startsWith("--project=") ? [arg.slice("--project=".length)] : []
  )
  return named.length === 0 || named.some((project) => !withoutBrowser.includes(project))
}
