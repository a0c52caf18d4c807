/**
 * Imported before a program (`node --import`), this module writes the packages that the program has loaded to the file
 * `SLUICE_TEST_LOADED` when the program ends, one a line.
 */
import { writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { isMainThread } from "node:worker_threads"

const file = process.env.SLUICE_TEST_LOADED

if (isMainThread && file !== undefined) {
  const loaded = new Set<string>()
  registerHooks({
    load: (url, context, next) => {
      const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
      if (name !== undefined) loaded.add(name)
      return next(url, context)
    }
  })
  process.on("exit", () => writeFileSync(file, [...loaded].join("\n")))
}
