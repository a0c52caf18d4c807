// @ts-check
/** Builds the packages into `dist`, or into another folder: `node build.js [FOLDER]`. */
import { join, resolve } from "node:path"
import { buildPackages } from "./packageBuild.js"
import { root } from "./run.js"

const folder = resolve(process.argv[2] ?? join(root, "dist"))
for (const { name, version, files } of await buildPackages(folder)) {
  process.stdout.write(`${name}@${version}: ${files} files\n`)
}
