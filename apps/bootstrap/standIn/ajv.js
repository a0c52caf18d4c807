// @ts-check
import { createRequire } from "node:module"

const load = createRequire(import.meta.url)

/** @param {ReadonlyArray<unknown>} args */
export const Ajv = (...args) => new (load("ajv").Ajv)(...args)
