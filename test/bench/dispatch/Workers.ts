/** Worker processes, and what they tell. */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Said, Work } from "./Worker.ts"

export interface Workers {
  /** The number of runs that all of them have finished. */
  readonly finished: () => number
  readonly pids: ReadonlyArray<number>
  /** Waits for the next run to begin, and answers when it did. Only one at a time may wait. */
  readonly nextStart: () => Promise<number>
  readonly stop: () => Promise<void>
}

const stopped = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGKILL")
  await gone
}

/** Starts a process for each of these works, and lets them begin when all are ready. */
export const startWorkers = async (program: string, works: ReadonlyArray<Work>): Promise<Workers> => {
  let finished = 0
  let began: (at: number) => void = () => {}
  const readying: Array<Promise<void>> = []
  const children = works.map((work) => {
    const child = fork(fileURLToPath(new URL(program, import.meta.url)), [JSON.stringify(work)])
    readying.push(
      new Promise<void>((resolve, reject) => {
        child.once("exit", (code) => reject(new Error(`The worker process ${work.name} ended with ${code}`)))
        child.on("message", (said: Said) => {
          if (said.is === "ready") resolve()
          else if (said.is === "finished") finished += said.count
          else began(said.at)
        })
      })
    )
    return child
  })
  await Promise.all(readying)
  for (const child of children) child.send("begin")
  return {
    finished: () => finished,
    pids: children.map(({ pid }) => pid ?? 0),
    nextStart: () =>
      new Promise((resolve) => {
        began = resolve
      }),
    stop: async () => {
      for (const ready of readying) ready.catch(() => {})
      await Promise.all(children.map(stopped))
    }
  }
}
