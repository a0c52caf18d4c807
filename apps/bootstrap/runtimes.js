// @ts-check
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { npm, root } from "./run.js"
import { BootstrapError, say } from "./say.js"

/**
 * Deno, and a Node with a native Temporal where there is a package of it: runtimes that the tests compare answers on.
 * The first call installs them into `.cache`, as locked in `test/runtimes`. They are no dependencies of the project,
 * because npm would put them on `PATH` before the user's own `node` and `deno`.
 *
 * @returns {{ readonly deno: string, readonly temporalNode: string | null }}
 */
export const otherRuntimes = () => {
  const source = join(root, "test", "runtimes")
  const lock = createHash("sha256")
    .update(readFileSync(join(source, "package-lock.json")))
    .digest("hex")
  const folder = join(root, ".cache", "runtimes", lock.slice(0, 16))
  // Written last: an installation that was cut off is done again.
  const mark = join(folder, "installed")
  if (!existsSync(mark)) {
    say("Installing the runtimes that tests compare (npm ci) …")
    mkdirSync(folder, { recursive: true })
    for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(source, name), join(folder, name))
    npm(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"], folder)
    writeFileSync(mark, "")
  }
  const modules = join(folder, "node_modules")
  const windows = process.platform === "win32"
  const target = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`
  const deno = join(modules, "@deno", target, windows ? "deno.exe" : "deno")
  if (!existsSync(deno)) throw new BootstrapError(`There is no package of Deno for ${target}`)
  const temporalNode = join(modules, "node-temporal", "bin", "node")
  return { deno, temporalNode: existsSync(temporalNode) ? temporalNode : null }
}
