/**
 * A thread whose engine counts how often each block of the source runs. The code of Node is not counted, nor is what the
 * engine does without running source: a search by a regular expression, or the parsing of JSON. Started by `steps.ts`.
 */
import { Session } from "node:inspector"
import { parentPort, workerData } from "node:worker_threads"

interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{ readonly ranges: ReadonlyArray<{ readonly count: number }> }>
  }>
}

const session = new Session()

const ask = (method: string, parameters: object = {}): unknown => {
  let answer: unknown
  // A session of the same thread answers before `post` returns.
  session.post(method, parameters, (error, result) => {
    if (error !== null) throw new Error(`${method} failed`, { cause: error })
    answer = result
  })
  return answer
}

/** The steps since the last call. */
export const taken = (): number => {
  const { result } = ask("Profiler.takePreciseCoverage") as Coverage
  let steps = 0
  for (const { functions, url } of result) {
    if (!url.startsWith("file:") || url === import.meta.url) continue
    for (const { ranges } of functions) for (const { count } of ranges) steps += count
  }
  return steps
}

/** The steps of each piece of work, which must be synchronous. */
export const steps = (...works: ReadonlyArray<() => unknown>): ReadonlyArray<number> => {
  taken()
  return works.map((work) => {
    work()
    return taken()
  })
}

if (parentPort !== null) {
  const port = parentPort
  session.connect()
  ask("Profiler.enable")
  // What was compiled before has no counters.
  ask("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  // The scenario imports this module, which it must not wait for.
  const scenario: Promise<Readonly<Record<string, (...given: ReadonlyArray<unknown>) => unknown>>> = import(workerData)
  port.on("message", async ({ given, name }: { readonly name: string; readonly given: ReadonlyArray<unknown> }) => {
    try {
      port.postMessage({ answer: await (await scenario)[name]?.(...given) })
    } catch (error) {
      port.postMessage({ failure: error instanceof Error ? error.stack : String(error) })
    }
  })
}
