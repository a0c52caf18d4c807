/**
 * Counts the steps of computations: how often the blocks of the source ran, in a thread of its own. It is the same number on
 * every machine, up to a few percent, however busy it is.
 */
import { once } from "node:events"
import { Worker } from "node:worker_threads"

/** A module whose functions measure by `steps` of `StepsThread.ts`, and take and return what can be cloned. */
type Scenario = Readonly<Record<string, (...given: ReadonlyArray<never>) => unknown>>

export interface Steps<S extends Scenario> {
  /** What a function of the scenario returns. The thread answers one question after the other. */
  readonly ask: <N extends keyof S>(name: N, ...given: Parameters<S[N]>) => Promise<Awaited<ReturnType<S[N]>>>
  readonly end: () => Promise<void>
}

/** A thread for a scenario, which starts at the first question. */
export const thread = <S extends Scenario>(scenario: URL): Steps<S> => {
  let worker: Worker | undefined
  let last: Promise<unknown> = Promise.resolve()
  const answered = async (name: string, given: ReadonlyArray<unknown>): Promise<unknown> => {
    worker ??= new Worker(new URL("./StepsThread.ts", import.meta.url), { workerData: scenario.href, execArgv: [] })
    worker.postMessage({ name, given })
    const [{ answer, failure }] = (await once(worker, "message")) as [
      { readonly answer?: unknown; readonly failure?: string }
    ]
    if (failure !== undefined) throw new Error(failure)
    return answer
  }
  return {
    ask: (name, ...given) => {
      const answer = last.then(() => answered(String(name), given))
      last = answer.catch(() => {})
      // The scenario says what its functions return.
      return answer as Promise<never>
    },
    end: async () => void (await worker?.terminate())
  }
}
