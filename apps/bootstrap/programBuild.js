// @ts-check
/** Builds the program of the checkout, on a Node that the builder runs on. */
import { buildProgram } from "./program.js"

await buildProgram()
