/**
 * How a process of the service lives on once it has started.
 */
import * as Modules from "node:module"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect } from "effect"

/**
 * Returns the memory to the system that was needed to start, which is up to half of all: the heap does not shrink in a
 * process that has nothing to do. It stops this process for about a tenth of a second.
 */
const returnMemory = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  const collect: NodeJS.GCFunction = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  collect({ type: "major", execution: "sync", flavor: "last-resort" })
})

/**
 * Keeps what was compiled for the next start: Node would at the end, but a process may be killed. Deno has no such function,
 * so it is not imported by its name.
 */
const keepCompiled = Effect.sync(() => (Modules as Partial<typeof Modules>).flushCompileCache?.())

/** Waits for the end of the process. A service that is ended or busy at once is not held up. */
export const untilEnd = keepCompiled.pipe(
  Effect.andThen(Effect.delay(returnMemory, "3 seconds")),
  Effect.andThen(Effect.never)
)
