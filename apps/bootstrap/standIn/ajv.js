// @ts-check
import { createRequire } from "node:module"

const load = createRequire(import.meta.url)

/**
 * Called with `new`, which only a function with a body of its own can be.
 *
 * @param {ReadonlyArray<unknown>} args
 */
export function Ajv(...args) {
  return new (load("ajv").Ajv)(...args)
}
