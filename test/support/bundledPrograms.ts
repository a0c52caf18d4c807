/**
 * Bundles the programs of the tests from their sources, once for a test run. `SLUICE_TEST_PROGRAMS=` has the tests start
 * the sources themselves, whose modules and lines are those of a stack trace.
 */
import { createHash } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bundlePrograms } from "../../apps/bootstrap/programBundle.js"
import { programs, root } from "./programs.ts"

const cache = join(root, ".cache")

/** Makes the files in a folder of `.cache` named by what is in them, and answers it. */
const make = async (): Promise<string> => {
  const bundle = await bundlePrograms(programs, {
    shared: "",
    // What a module names by its own place, such as the module of a thread, stays beside its source.
    placeOf: (module) => JSON.stringify(pathToFileURL(join(root, module)).href)
  })
  const files = [...bundle.files].filter(([file]) => file.endsWith(".js"))
  const name = `programs-${createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 16)}`
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  const partial = mkdtempSync(join(cache, "partial-"))
  // Other users of this machine run them, too, as the sources.
  chmodSync(partial, 0o755)
  for (const [file, code] of files) writeFileSync(join(partial, file), code)
  // Another run of the tests may make it at the same time.
  try {
    renameSync(partial, folder)
  } catch (error) {
    rmSync(partial, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  for (const other of readdirSync(cache)) {
    if (other.startsWith("programs-") && other !== name) rmSync(join(cache, other), { recursive: true, force: true })
  }
  return folder
}

/** Runs before the first test. */
export default async () => {
  process.env.SLUICE_TEST_PROGRAMS ??= await make()
}
