/**
 * Processes of applications, each stopped with the processes that it started, at the latest when this process ends.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { rm } from "node:fs/promises"
import { createServer } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

/** A port that nothing listens at. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return address !== null && typeof address === "object" ? address.port : 0
}

const startMillis = 60_000

/** The processes that are to end with this one. */
const running = new Set<ChildProcess>()

/** Sends a signal to the group of a process: its workers get it too. */
const signal = (child: ChildProcess, name: "SIGTERM" | "SIGKILL"): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, name)
  } catch (error) {
    // The group has ended already.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

const killAll = (): void => {
  for (const child of running) signal(child, "SIGKILL")
}

/** Ends a process with this one. A process of its own group gets no signal of the terminal. */
const endWithThis = (child: ChildProcess): void => {
  if (!process.listeners("exit").includes(killAll)) {
    process.once("exit", killAll)
    process.once("SIGINT", () => process.exit(130))
    process.once("SIGTERM", () => process.exit(143))
  }
  running.add(child)
  child.once("exit", () => void running.delete(child))
}

export interface Process {
  readonly stop: () => Promise<void>
}

/** Ends a process and removes the folder of its state. */
export const stopAndRemove = async ({ stop }: Process, state: string): Promise<void> => {
  await stop()
  await rm(state, { recursive: true, force: true })
}

interface Start {
  readonly cwd: string
  readonly env?: Record<string, string>
  /** The address at which the process answers once it is up. */
  readonly url: string
}

/** Starts a process, and waits until it answers at an address. */
export const start = (command: string, args: ReadonlyArray<string>, { url, ...options }: Start): Promise<Process> =>
  startUntil(command, args, { ...options, answers: () => fetch(url), at: url })

interface StartUntil extends Omit<Start, "url"> {
  /** Rejects until the process is up. */
  readonly answers: () => Promise<unknown>
  /** Where the process is asked, for the error. */
  readonly at: string
}

/** Starts a process, and waits until it answers. */
export const startUntil = async (
  command: string,
  args: ReadonlyArray<string>,
  { answers, at, cwd, env = {} }: StartUntil
): Promise<Process> => {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true
  })
  endWithThis(child)
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (bytes) => {
      said = `${said}${bytes}`.slice(-4_000)
    })
  }
  const until = performance.now() + startMillis
  while (true) {
    const isUp = await answers().then(
      () => true,
      () => false
    )
    if (isUp) return { stop: () => stopped(child) }
    if (child.exitCode !== null || performance.now() > until) {
      await stopped(child)
      throw new Error(`${command} does not answer at ${at}: ${said}`)
    }
    await sleep(100)
  }
}

const stopped = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, "exit")
  signal(child, "SIGTERM")
  const late = setTimeout(() => signal(child, "SIGKILL"), 5_000)
  await exit
  clearTimeout(late)
  child.stdout?.destroy()
  child.stderr?.destroy()
}
