// @ts-check
import { createHash } from "node:crypto"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { npm, root } from "./run.js"
import { BootstrapError, say } from "./say.js"

/**
 * Installs the locked packages, unless they are installed. No package runs its install scripts. The mark of a finished
 * installation is written last, so that an interrupted one is repeated.
 */
export const installDependencies = () => {
  const mark = join(root, "node_modules", ".sluice-installed")
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex")
  if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return
  say("Installing packages (npm ci) …")
  // It would name what an interrupted installation had before as the whole of what is there.
  rmSync(mark, { force: true })
  npm(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"])
  try {
    writeFileSync(mark, lock)
  } catch (error) {
    throw new BootstrapError(
      `Cannot write to ${join(root, "node_modules")}: ${error instanceof Error ? error.message : error}`
    )
  }
}
