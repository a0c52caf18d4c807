// @ts-check
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import * as modules from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bundlePrograms } from "./programBundle.js"
import { compiled, root, withNode } from "./run.js"

/** The folder of the bundled `sluice` of the checkout. */
const output = join(root, ".cache", "program")

/** Names the sources that it was made from, each with its state. It is written last. */
const list = "sources.json"

/** Without it, dependencies may differ. */
const alsoRead = ["package-lock.json", "apps/bootstrap/programBundle.js"]

/** The state of a source by its size and time: hashing a thousand files takes longer than most commands. @param {string} source */
export const stateOf = (source) => {
  const found = statSync(join(root, source), { throwIfNoEntry: false })
  return found === undefined ? "" : `${found.size} ${found.mtimeMs}`
}

/** The bundled program in a folder; `null` unless it was made from the present sources. */
export const currentProgram = (folder = output) => {
  try {
    /** @type {Readonly<Record<string, string>>} */
    const states = JSON.parse(readFileSync(join(folder, list), "utf8"))
    const isCurrent = Object.entries(states).every(([source, state]) => stateOf(source) === state)
    return isCurrent ? join(folder, "sluice.js") : null
  } catch {
    return null
  }
}

/**
 * Runs `sluice` in this process, with the present sources.
 *
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 */
export const runProgram = async (program, args) => {
  const { NODE_COMPILE_CACHE: cache } = compiled
  // The Node that a machine has may be older, and has to load this file to fetch another one.
  modules.enableCompileCache?.(process.env.NODE_COMPILE_CACHE ?? cache)
  // Threads have a cache by their environment alone.
  Object.assign(process.env, { ...compiled, ...withNode(process.execPath) })
  process.chdir(root)
  process.argv = [process.execPath, program, ...args]
  await import(pathToFileURL(program).href)
}

/** Bundles `sluice` for commands at this checkout, which otherwise load a thousand sources each. */
export const buildProgram = async () => {
  const { files, sources } = await bundlePrograms(
    { sluice: "apps/cli/main.ts" },
    {
      shared: "",
      // What a module names by its own place, such as the module of a thread, stays beside its source.
      placeOf: (module) => JSON.stringify(pathToFileURL(join(root, module)).href)
    }
  )
  const states = Object.fromEntries([...sources, ...alsoRead].map((source) => [source, stateOf(source)]))
  const fresh = `${output}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  for (const [file, code] of files) {
    if (file.endsWith(".js")) writeFileSync(join(fresh, file), code)
  }
  writeFileSync(join(fresh, list), JSON.stringify(states))
  rmSync(output, { recursive: true, force: true })
  renameSync(fresh, output)
}
