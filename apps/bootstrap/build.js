// @ts-check
/**
 * Builds the packages, with the console in `sluice`, into `dist` or into another folder: `node build.js [FOLDER]`. The
 * subfolder `jsr` contains the core for JSR.
 */
import { join, resolve } from "node:path"
import { buildConsole } from "./console.js"
import { writeJsr } from "./jsr.js"
import { buildPackages } from "./packageBuild.js"
import { root } from "./run.js"

await buildConsole()
const folder = resolve(process.argv[2] ?? join(root, "dist"))
for (const { name, version, files } of await buildPackages(folder)) {
  process.stdout.write(`${name}@${version}: ${files} files\n`)
}
writeJsr(join(folder, "jsr"))
