/**
 * Starts the HTTP interface in a separate process, with a workspace and a workflow to send requests about.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { Effect } from "effect"
import { programOf } from "./programs.ts"

export interface Memory {
  /** The memory of the process in bytes, now and at most since the last restart of the measurement. */
  readonly rss: number
  readonly peak: number
}

export interface Running {
  readonly url: string
  /** A key of an owner. */
  readonly key: string
  readonly workflowId: string
  /** Collects garbage and restarts the measurement. */
  readonly rest: () => Promise<Memory>
  readonly memory: () => Promise<Memory>
  /** The longest turn of its event loop since the last such question or restart, in fixed works, to be compared with a bound. */
  readonly held: (bound: number) => Promise<number>
  readonly pid: number
}

/** Serves on the PostgreSQL database at a URL, or in memory without one, until the scope closes. */
export const start = (
  databaseUrl: string | null,
  nodeFlags: ReadonlyArray<string> = [],
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = fork(programOf("server"), {
        execArgv: ["--expose-gc", ...nodeFlags],
        env: {
          ...process.env,
          ...environment,
          ...(databaseUrl === null ? {} : { SLUICE_TEST_SERVER_DATABASE: databaseUrl })
        }
      })
      const [ready] = await once(child, "message")
      const ask = async (question: "rest" | "memory" | { readonly bound: number }) => {
        const answer = once(child, "message")
        child.send(question)
        return (await answer)[0]
      }
      const running: Running = {
        ...(ready as Pick<Running, "url" | "key" | "workflowId">),
        rest: () => ask("rest"),
        memory: () => ask("memory"),
        held: async (bound) => (await ask({ bound })).held,
        pid: child.pid ?? 0
      }
      return { child, running }
    }),
    ({ child }) =>
      Effect.promise(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const gone = once(child, "exit")
        child.disconnect()
        await gone
      })
  ).pipe(Effect.map(({ running }) => running))
