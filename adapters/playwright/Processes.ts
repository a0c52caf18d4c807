/**
 * Process data from the system. Only Linux provides it in files; on other systems it is unknown.
 */
import { readdirSync, readFileSync } from "node:fs"

/** The size of a page of memory. Machines with larger ones report as much less than they use. */
const pageBytes = 4_096

/** The private memory of a process in bytes; 0 if unknown. */
export const ownMemory = (pid: number): number => {
  const [, resident = 0, shared = 0] = contents(`/proc/${pid}/statm`).split(" ").map(Number)
  return Math.max(resident - shared, 0) * pageBytes
}

/** The start time of a process, which distinguishes it from a later one with the same id; `null` if there is none. */
export const birthOf = (pid: number): string | null => {
  // The name, in brackets, may hold anything.
  const [, state = "Z", ...rest] = contents(`/proc/${pid}/stat`).replace(/^.*\)/s, "").split(" ")
  return state === "Z" || state === "X" ? null : (rest[18] ?? null)
}

/** The processor time of a process since its start, in ticks of the system; 0 if unknown. */
export const processorTime = (pid: number): number => {
  const fields = contents(`/proc/${pid}/stat`).replace(/^.*\)/s, "").split(" ")
  return Number(fields[12] ?? 0) + Number(fields[13] ?? 0)
}

/** The command line of a process. */
export const wordsOf = (pid: number): ReadonlyArray<string> => contents(`/proc/${pid}/cmdline`).split("\0")

/** The arguments of all processes. */
export const words = (): ReadonlySet<string> => new Set(all().flatMap(({ pid }) => wordsOf(pid)))

/** The users that processes belong to. */
export const users = (): ReadonlySet<number> => new Set(all().map(({ uid }) => uid))

/** The processes that were started with a line such as `NAME=value` in their environment. */
export const withSetting = (line: string): ReadonlyArray<number> =>
  all().flatMap(({ pid }) => (contents(`/proc/${pid}/environ`).split("\0").includes(line) ? [pid] : []))

/** The processes of a user. */
export const ofUser = (user: number): ReadonlyArray<number> =>
  all().flatMap(({ pid, uid }) => (uid === user ? [pid] : []))

const all = (): ReadonlyArray<{ readonly pid: number; readonly uid: number }> => {
  let names: ReadonlyArray<string> = []
  try {
    names = readdirSync("/proc")
  } catch {}
  return names.flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    const status = contents(`/proc/${name}/status`)
    const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1]
    return uid === undefined || /^State:\s+[ZX]/m.test(status) ? [] : [{ pid: Number(name), uid: Number(uid) }]
  })
}

/** Kills a process and its group. Does nothing if there is none. */
export const kill = (pid: number): void => {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL")
    } catch {}
  }
}

const contents = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
