// @ts-check
/** Writes the `exports` of `package.json` and `deno.json`: `node apps/bootstrap/writeEntries.js`. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { writtenManifests } from "./packages.js"
import { root } from "./run.js"

for (const [name, text] of Object.entries(writtenManifests())) writeFileSync(join(root, name), text)
