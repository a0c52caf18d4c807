// @ts-check
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { basename, delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { BootstrapError } from "./say.js"

/** The folder of the checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Node keeps compiled code here, which halves the time of the next start. */
export const compiled = { NODE_COMPILE_CACHE: join(root, ".cache", "compiled") }

/**
 * The environment with this Node first on `PATH`, so that programs that call `node` by name get the same one.
 *
 * @param {string} node
 * @returns {NodeJS.ProcessEnv}
 */
export const withNode = (node) => {
  const key = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH"
  return { ...process.env, [key]: [folderOf(node), process.env[key] ?? ""].join(delimiter) }
}

/**
 * A folder in which the program `node` is this one.
 *
 * @param {string} node
 */
const folderOf = (node) => {
  if (process.platform === "win32" || basename(node) === "node") return dirname(node)
  const folder = join(root, ".cache", "named-node")
  mkdirSync(folder, { recursive: true })
  // Another process may be looking for it.
  const draft = join(folder, `node.${process.pid}`)
  rmSync(draft, { force: true })
  symlinkSync(node, draft)
  renameSync(draft, join(folder, "node"))
  return folder
}

/**
 * Runs a Node program in the checkout, forwards signals to it, and ends with its exit code or signal.
 *
 * With a `channel`, the program notices when this process is killed, because the channel closes. A program that listens to
 * messages of its parent for another reason does not end while the channel is open.
 *
 * @param {string} node
 * @param {ReadonlyArray<string>} args
 * @param {NodeJS.ProcessEnv} env
 * @param {{ readonly channel: boolean }} [options]
 */
export const run = (node, args, env, { channel } = { channel: true }) => {
  const child = spawn(node, args, {
    cwd: root,
    env: { ...compiled, ...withNode(node), ...env },
    stdio: ["inherit", "inherit", "inherit", ...(channel ? /** @type {const} */ (["ipc"]) : [])]
  })
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      // A terminal sends its interrupt to both processes; other senders signal this process alone.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on("error", (error) => {
    process.stderr.write(`Cannot run ${node}: ${error.message}\n`)
    process.exit(1)
  })
  child.on("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
}

/**
 * Runs a program to its end, shows its output, and returns whether it succeeded.
 *
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export const succeeds = (program, args, env = {}) =>
  spawnSync(program, args, { cwd: root, env: { ...compiled, ...process.env, ...env }, stdio: ["ignore", 2, 2] })
    .status === 0

/**
 * Calls a function of a module of this folder in another process, and resolves when that has ended. Installations run
 * beside each other this way, because each waits for a registry. What has failed is tried again where it is needed.
 *
 * @param {string} module
 * @param {string} name
 * @returns {Promise<void>}
 */
export const beside = (module, name) =>
  new Promise((resolve) => {
    const url = new URL(module, import.meta.url).href
    const script = `import(${JSON.stringify(url)}).then((one) => one.${name}()).catch(() => {})`
    const child = spawn(process.execPath, ["-e", script], { cwd: root, stdio: ["ignore", 2, 2] })
    child.on("error", () => resolve())
    child.on("exit", () => resolve())
  })

/**
 * Runs npm, which comes with every Node.
 *
 * @param {ReadonlyArray<string>} args
 * @param {string} [cwd]
 */
export const npm = (args, cwd = root) => {
  const windows = process.platform === "win32"
  const done = spawnSync(windows ? "npm.cmd" : "npm", args, { cwd, stdio: ["ignore", 2, 2], shell: windows })
  if (done.error !== undefined) {
    throw new BootstrapError(`Cannot run npm: ${done.error.message}. Install Node with npm, then try again`)
  }
  if (done.status !== 0) {
    throw new BootstrapError(
      `npm ${args[0]} failed: its output above says why. Check the network and the free space, then try again`
    )
  }
}
