// @ts-check
/** Builds the console, on a Node that the builder runs on. */
import { buildConsole } from "./console.js"

await buildConsole()
