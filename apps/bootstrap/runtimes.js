// @ts-check
import { existsSync } from "node:fs"
import { join } from "node:path"
import { installLocked } from "./locked.js"
import { BootstrapError } from "./say.js"

/**
 * The runtimes whose answers the tests compare: Deno, and a Node with a native Temporal where there is a package of it.
 * The first call installs them into `.cache`, as locked in `test/runtimes`. They are not dependencies of the project,
 * because npm would put them on `PATH` before the user's own `node` and `deno`.
 *
 * @returns {{ readonly deno: string, readonly temporalNode: string | null }}
 */
export const otherRuntimes = () => {
  const folder = installLocked({
    source: "test/runtimes",
    name: "runtimes",
    what: "the runtimes that tests compare"
  })
  const modules = join(folder, "node_modules")
  const windows = process.platform === "win32"
  const target = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`
  const deno = join(modules, "@deno", target, windows ? "deno.exe" : "deno")
  if (!existsSync(deno)) throw new BootstrapError(`There is no package of Deno for ${target}`)
  const temporalNode = join(modules, "node-temporal", "bin", "node")
  return { deno, temporalNode: existsSync(temporalNode) ? temporalNode : null }
}
