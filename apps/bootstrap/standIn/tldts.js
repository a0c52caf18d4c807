// @ts-check
import { createRequire } from "node:module"

const load = createRequire(import.meta.url)

/** @param {ReadonlyArray<unknown>} args */
export const getDomain = (...args) => load("tldts").getDomain(...args)
