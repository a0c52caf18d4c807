/** How much of the processor this process and everything that it started has used. */
import { readdirSync, readFileSync } from "node:fs"

interface Entry {
  readonly parent: number
  /** Its own time. */
  readonly own: number
  /** That of its children that have ended. */
  readonly ended: number
}

/** The unit of the processor time of the system, in milliseconds: a hundredth of a second on every Linux. */
const tickMillis = 10

const entryOf = (pid: string): Entry | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name of the program stands in brackets and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const [own, ownKernel, ended, endedKernel] = fields.slice(11, 15).map(Number)
    return { parent: Number(fields[1]), own: (own ?? 0) + (ownKernel ?? 0), ended: (ended ?? 0) + (endedKernel ?? 0) }
  } catch {
    return null
  }
}

const allEntries = (): ReadonlyMap<number, Entry> => {
  const entries = new Map<number, Entry>()
  for (const name of readdirSync("/proc")) {
    const entry = /^\d+$/.test(name) ? entryOf(name) : null
    if (entry !== null) entries.set(Number(name), entry)
  }
  return entries
}

/** Processor time of these processes and of all below them, those that have ended included, in milliseconds. */
export const millisOf = (roots: ReadonlyArray<number>): number => {
  const entries = allEntries()
  const isBelow = (pid: number): boolean => {
    for (let at = pid; at > 1; at = entries.get(at)?.parent ?? 0) if (roots.includes(at)) return true
    return false
  }
  let sum = 0
  for (const [pid, { ended, own }] of entries) if (isBelow(pid)) sum += own + ended
  return sum * tickMillis
}

/** Processor time of this process and of all below it, those that have ended included, in milliseconds. */
export const processMillis = (): number => {
  const own = allEntries().get(process.pid)?.own ?? 0
  const { system, user } = process.cpuUsage()
  return millisOf([process.pid]) - own * tickMillis + (system + user) / 1_000
}

/** Processor time of the threads of a process that live, in milliseconds. It is finer than a tick of the system. */
export const threadMillis = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6)
    .reduce((sum, millis) => sum + millis, 0)

const stretch = 100

/** How long it is waited for rest at most, in milliseconds. */
const longestRest = 3_000

/**
 * Waits until this process and all below it have come to rest, so that what one way of doing something left to be done is
 * not taken for work of the other. On a machine that is never idle it stops waiting.
 */
export const rest = async (): Promise<void> => {
  const until = performance.now() + longestRest
  for (let quiet = 0; quiet < 2 && performance.now() < until; ) {
    const [began, before] = [performance.now(), processMillis()]
    await new Promise((resolve) => setTimeout(resolve, stretch))
    quiet = processMillis() - before < (performance.now() - began) / 5 ? quiet + 1 : 0
  }
}
