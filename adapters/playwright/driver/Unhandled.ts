/**
 * Exceptions that Playwright leaves unhandled and that are no defect of this service.
 *
 * Playwright goes on to write to a browser that has ended, and reads what a page tells it, outside of any call of ours:
 * no caller can catch what it throws there, and an uncaught exception ends the process with the runs of all its browsers.
 * The calls of ours that were affected fail by themselves.
 */

/** What Playwright says of a browser, page or session that has gone. */
const ofWhatHasGone = [
  /\b(?:closed|crashed)\b/i,
  /\b(?:detached|was destroyed)\b/,
  // Between its two halves: one tells of what the other has already discarded.
  /^Cannot find (?:parent )?object /,
  /^Cannot find command to respond/,
  /^Unknown new child: /,
  /^Object with guid \S+ was not bound in the connection/
]

/** Where Playwright reads the argument of its binding, which every page can call. */
const ofWhatPagesTell = /PageBinding\.dispatch \(/

/** The place of a line of a stack trace. */
const placeOf = (line: string): string => /\(([^()]*)\)$/.exec(line)?.[1] ?? line.replace(/^\s*at (?:async )?/, "")

/**
 * Whether an exception that nothing has handled is Playwright's alone: no other code took part, and it is of a browser
 * that has gone or of what a page told. A promise of ours that nothing waits for has our code in its stack trace.
 */
export const isOfPlaywright = (error: unknown): boolean => {
  if (!(error instanceof Error) || typeof error.stack !== "string") return false
  const lines = error.stack.split("\n").filter((line) => /^\s+at /.test(line))
  const places = lines.map(placeOf).filter((place) => !place.startsWith("node:") && place !== "<anonymous>")
  if (places.length === 0 || !places.every((place) => /[\\/]node_modules[\\/]playwright-core[\\/]/.test(place)))
    return false
  // An error of the protocol may have no message before it reaches a caller, but always has its type.
  const text = `${error.message} ${"type" in error ? error.type : ""}`
  return lines.some((line) => ofWhatPagesTell.test(line)) || ofWhatHasGone.some((kind) => kind.test(text))
}

const outlive = (error: unknown): void => {
  // With other listeners, such as that of a test runner, the process goes on, and they report what is not handled.
  if (isOfPlaywright(error) || process.listenerCount("uncaughtException") > 1) return
  process.off("uncaughtException", outlive)
  // Without a listener, it is reported and ends the process as it would have.
  process.nextTick(() => {
    throw error
  })
}

/** Lets this process outlive such exceptions. All others end it as they do without this. */
export const install = (): void => {
  if (!process.listeners("uncaughtException").includes(outlive)) process.on("uncaughtException", outlive)
}
