// @ts-check
/**
 * Builds the packages, with the console in `sluice`, into `dist` or into another folder: `node build.js [FOLDER]`. The
 * subfolder `jsr` contains the core for JSR. `node build.js FOLDER sluice` builds the service alone, from the sources that
 * its image has.
 */
import { join, resolve } from "node:path"
import { buildConsole } from "./console.js"
import { writeJsr } from "./jsr.js"
import { buildPackages } from "./packageBuild.js"
import { packages } from "./packages.js"
import { root } from "./run.js"
import { say } from "./say.js"

const [, , place = join(root, "dist"), only] = process.argv
const chosen = packages.filter(({ name }) => only === undefined || name === only)
if (chosen.length === 0) {
  say(`Cannot build the package "${only}": expected one of ${packages.map(({ name }) => name).join(", ")}`)
  process.exit(1)
}
await buildConsole()
const folder = resolve(place)
for (const { name, version, files } of await buildPackages(folder, chosen)) {
  process.stdout.write(`${name}@${version}: ${files} files\n`)
}
if (only === undefined) writeJsr(join(folder, "jsr"))
