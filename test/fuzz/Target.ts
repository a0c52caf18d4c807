/** A service to be attacked: it is started, asked for things to name in requests, and killed when it hangs. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { programOf } from "../support/programs.ts"
import type { Things } from "./Case.ts"

export interface Target {
  readonly url: string
  /** A new workspace with one of everything, by the names of path parameters. */
  readonly things: () => Promise<Things>
  /** The longest turn of its event loop since the last such question, in fixed works, to be compared with a bound. */
  readonly held: (bound: number) => Promise<number>
  /** Ends it, whatever it does. */
  readonly kill: () => Promise<void>
}

/** Starts a service on the PostgreSQL database at a URL, or in memory without one. */
export const start = async (databaseUrl: string | null): Promise<Target> => {
  const { SLUICE_TEST_FUZZ_DATABASE: _, ...environment } = process.env
  const child = fork(programOf("fuzzTarget"), {
    execArgv: ["--max-old-space-size=1024"],
    // The log of the service would hide the findings.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...environment, ...(databaseUrl === null ? {} : { SLUICE_TEST_FUZZ_DATABASE: databaseUrl }) }
  })
  const { url } = (await told(child)) as { readonly url: string }
  const ask = async (question: string | { readonly bound: number }) => {
    const answer = told(child)
    child.send(question)
    return answer
  }
  return {
    url,
    things: async () => {
      const answer = (await ask("things")) as { readonly things?: Things; readonly failure?: string }
      if (answer.things === undefined) throw new Error(`The service could not make things to name: ${answer.failure}`)
      return answer.things
    },
    held: async (bound) => Number(((await ask({ bound })) as { readonly held: number }).held),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, "exit")
      child.kill("SIGKILL")
      await gone
    }
  }
}

/** The next message of a process; fails when it ends first. */
const told = (child: ChildProcess): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const message = (value: unknown) => {
      child.off("exit", exit)
      resolve(value)
    }
    const exit = () => {
      child.off("message", message)
      reject(new Error("The service ended"))
    }
    child.once("message", message)
    child.once("exit", exit)
  })
