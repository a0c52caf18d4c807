// @ts-check
import { spawnSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { npm, root } from "./run.js"
import { BootstrapError, say } from "./say.js"
import { makeWhole } from "./whole.js"

/** The oldest Node that runs TypeScript without a build and meets the needs of the libraries. */
const oldest = [22, 19]

/** The version of Node to fetch when the current one is too old. */
const fetched = "24.21.0"

/**
 * The path of a Node that can run the project: `SLUICE_NODE`, the current one, or one that is fetched once as a package
 * into `.cache`.
 */
export const suitableNode = () => {
  const named = process.env.SLUICE_NODE
  if (named !== undefined && named !== "") {
    if (isSuitable(versionOf(named))) return named
    throw new BootstrapError(`SLUICE_NODE=${named} is not Node ${oldest.join(".")} or later`)
  }
  if (isSuitable(process.version)) return process.execPath
  const platform = process.platform === "win32" ? "win" : process.platform
  const name = `node-${platform}-${process.arch}`
  const folder = join(root, ".cache", `node-${fetched}`)
  const program = join(folder, "node_modules", name, "bin", platform === "win" ? "node.exe" : "node")
  const isThere = existsSync(folder)
  if (!isThere || !isSuitable(versionOf(program))) {
    say(
      `This is Node ${process.version}; fetching Node ${fetched} into .cache (${oldest.join(".")} or later is needed) …`
    )
    // Made by another version of this file, which was interrupted.
    if (isThere) rmSync(folder, { recursive: true, force: true })
    makeWhole(folder, (draft) =>
      npm([
        "install",
        "--prefix",
        draft,
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--loglevel=error",
        `${name}@${fetched}`
      ])
    )
  }
  if (isSuitable(versionOf(program))) return program
  throw new BootstrapError(
    `Node ${process.version} is too old, and Node ${fetched} could not be fetched for ${name}. Install Node ${oldest.join(".")} or later`
  )
}

/**
 * What a Node says that it is, such as `v24.21.0`.
 *
 * @param {string} program
 */
export const versionOf = (program) => spawnSync(program, ["--version"], { encoding: "utf8" }).stdout?.trim() ?? ""

/** @param {string} version */
const isSuitable = (version) => {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  return major > (oldest[0] ?? 0) || (major === oldest[0] && minor >= (oldest[1] ?? 0))
}
