/** Waits for the end of a started process. */
import * as Modules from "node:module"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect } from "effect"

/**
 * Releases the memory of the start, up to half of the total, because the heap of an idle process does not shrink. It
 * blocks the process for about a tenth of a second.
 */
const returnMemory = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  const collect: NodeJS.GCFunction = runInNewContext("gc")
  setFlagsFromString("--no-expose-gc")
  collect({ type: "major", execution: "sync", flavor: "last-resort" })
})

/**
 * Stores the compile cache for the next start. Node would store it at the end, but the process may be killed. Deno
 * lacks the function, so it is not imported by name.
 */
const keepCompiled = Effect.sync(() => (Modules as Partial<typeof Modules>).flushCompileCache?.())

/**
 * Waits for the end of the process. A service that is ended or busy at once is not held up. The memory is released twice,
 * because the start takes longer on a slow machine.
 */
export const untilEnd = keepCompiled.pipe(
  Effect.andThen(Effect.delay(returnMemory, "3 seconds")),
  Effect.andThen(Effect.delay(returnMemory, "12 seconds")),
  Effect.andThen(Effect.never)
)
