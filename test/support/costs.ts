/** What a test file costs: its time, and the processor time of its process and of all that the process started. */
import { readdirSync, readFileSync } from "node:fs"

export interface Cost {
  /** The path of the test file. */
  readonly file: string
  /** From before the file was loaded to after its last test, in milliseconds. */
  readonly wall: number
  /** The processor time of the process that ran the tests, in milliseconds. */
  readonly own: number
  /** The processor time of the processes that it started, such as browsers and programs, in milliseconds. */
  readonly started: number
}

interface Process {
  readonly pid: number
  readonly parent: number
  readonly name: string
  /** The processor time that it used itself, in milliseconds. */
  readonly used: number
  /** The same of its ended children. */
  readonly ended: number
}

/** Linux counts processor time in hundredths of a second for programs. */
const tick = 10

const processOf = (pid: string): ReadonlyArray<Process> => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name stands in parentheses and may contain any character.
    const end = text.lastIndexOf(")")
    const fields = text.slice(end + 2).split(" ")
    const at = (index: number): number => Number(fields[index])
    return [
      {
        pid: Number(pid),
        parent: at(1),
        name: text.slice(text.indexOf("(") + 1, end),
        used: (at(11) + at(12)) * tick,
        ended: (at(13) + at(14)) * tick
      }
    ]
  } catch {
    return []
  }
}

/** A process and all that descend from it; none on systems without `/proc`. */
const treeOf = (root: number): ReadonlyArray<Process> => {
  let names: ReadonlyArray<string>
  try {
    names = readdirSync("/proc")
  } catch {
    return []
  }
  const all = names.filter((name) => /^\d+$/.test(name)).flatMap(processOf)
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid))
  return tree
}

/** The processor time of the processes that a process started, with those that have ended, in milliseconds. */
export const startedBy = (root: number, isMeant: (name: string) => boolean = () => true): number =>
  treeOf(root)
    .filter(({ name }) => isMeant(name))
    .reduce((sum, { ended, pid, used }) => sum + ended + (pid === root ? 0 : used), 0)
