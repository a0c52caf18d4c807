/**
 * A thread of the sandbox that exits at its first operation.
 */
import { parentPort } from "node:worker_threads"

parentPort?.on("message", () => process.exit(3))
parentPort?.postMessage({ _tag: "Ready" })
