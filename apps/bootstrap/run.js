// @ts-check
import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { BootstrapError } from "./say.js"

/** The folder of the checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Node keeps what it compiled for the next start, which takes half the time then. */
const compiled = { NODE_COMPILE_CACHE: join(root, ".cache", "compiled") }

/**
 * Runs a program in the checkout until it ends, and ends as it did. Signals that ask this process to end reach it; if
 * this process is killed, the channel between the two closes, and the program ends by itself.
 *
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 * @param {NodeJS.ProcessEnv} env
 */
export const run = (program, args, env) => {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...compiled, ...process.env, ...env },
    stdio: ["inherit", "inherit", "inherit", "ipc"]
  })
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      // A terminal sends its interrupt to both; only other senders mean this process alone.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on("error", (error) => {
    process.stderr.write(`Cannot run ${program}: ${error.message}\n`)
    process.exit(1)
  })
  child.on("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
}

/**
 * Runs a program to its end with its output shown, and answers whether it succeeded.
 *
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export const succeeds = (program, args, env = {}) =>
  spawnSync(program, args, { cwd: root, env: { ...compiled, ...process.env, ...env }, stdio: ["ignore", 2, 2] })
    .status === 0

/**
 * Runs npm, which comes with every Node.
 *
 * @param {ReadonlyArray<string>} args
 */
export const npm = (args) => {
  const windows = process.platform === "win32"
  const done = spawnSync(windows ? "npm.cmd" : "npm", args, { cwd: root, stdio: ["ignore", 2, 2], shell: windows })
  if (done.error !== undefined) {
    throw new BootstrapError(`Cannot run npm: ${done.error.message}. Install Node with npm, then try again`)
  }
  if (done.status !== 0) {
    throw new BootstrapError(
      `npm ${args[0]} failed: its output above says why. Check the network and the free space, then try again`
    )
  }
}
