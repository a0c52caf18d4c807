/**
 * Imported before a program (`node --import`), this module writes what the program has loaded to the file
 * `SLUICE_TEST_LOADED` when the program ends: the names of packages, the number of modules, and their bytes.
 */
import { statSync, writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { isMainThread } from "node:worker_threads"

const file = process.env.SLUICE_TEST_LOADED

if (isMainThread && file !== undefined) {
  const packages = new Set<string>()
  const modules = new Set<string>()
  registerHooks({
    load: (url, context, next) => {
      const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
      if (name !== undefined) packages.add(name)
      if (url.startsWith("file:")) modules.add(url)
      return next(url, context)
    }
  })
  process.on("exit", () => {
    const bytes = [...modules].reduce((sum, url) => sum + statSync(new URL(url)).size, 0)
    writeFileSync(file, JSON.stringify({ packages: [...packages], modules: modules.size, bytes }))
  })
}
