// @ts-check
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { npm, root } from "./run.js"
import { say } from "./say.js"
import { makeWhole } from "./whole.js"

/**
 * Installs the packages that a folder of the checkout locks into `.cache/NAME`, unless they are installed. They are not
 * dependencies of the project: only some commands need them.
 *
 * @param {{ readonly source: string, readonly name: string, readonly what: string }} packages
 * @returns {string} the folder that holds their `node_modules`
 */
export const installLocked = ({ name, source, what }) => {
  const from = join(root, source)
  const lock = createHash("sha256")
    .update(readFileSync(join(from, "package-lock.json")))
    .digest("hex")
  const folder = join(root, ".cache", name, lock.slice(0, 16))
  // Made by another version of this file, which was interrupted.
  if (existsSync(folder) && !existsSync(join(folder, "installed"))) rmSync(folder, { recursive: true, force: true })
  if (!existsSync(folder)) {
    say(`Installing ${what} (npm ci) …`)
    makeWhole(folder, (draft) => {
      for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(from, file), join(draft, file))
      npm(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"], draft)
      writeFileSync(join(draft, "installed"), "")
    })
  }
  return folder
}
