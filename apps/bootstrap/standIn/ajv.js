// @ts-check
import { createRequire } from "node:module"

const load = createRequire(import.meta.url)

/**
 * Called with `new`, which an arrow function does not allow.
 *
 * @param {ReadonlyArray<unknown>} args
 */
export function Ajv(...args) {
  return new (load("ajv").Ajv)(...args)
}
