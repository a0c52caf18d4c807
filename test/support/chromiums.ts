/** The Chromium browsers of a process, as the system sees them. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Every process of the system: its id, its parent's id and its command line. */
const rows = () =>
  execFileSync("ps", ["-eo", "pid,ppid,args"], { encoding: "utf8" })
    .split("\n")
    .map((row) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row))
    .flatMap((found) =>
      found === null ? [] : [{ pid: Number(found[1]), parent: Number(found[2]), args: found[3] ?? "" }]
    )

/** The main processes of the browsers that a process has started. */
export const chromiumsOf = (pid: number): ReadonlyArray<number> =>
  rows()
    .filter(({ args, parent }) => parent === pid && /chrom/.test(args) && !args.includes("<defunct>"))
    .map((row) => row.pid)

/** These processes and all their descendants. */
export const withDescendants = (roots: ReadonlyArray<number>): ReadonlyArray<number> => {
  const all = rows()
  const below = new Set(roots)
  for (let before = -1; before !== below.size; ) {
    before = below.size
    for (const { parent, pid } of all) if (below.has(parent)) below.add(pid)
  }
  return [...below]
}

/** The folders of the browsers of a process. Those of other processes come and go meanwhile. */
export const browserFoldersOf = (pid: number): ReadonlyArray<string> =>
  readdirSync(tmpdir())
    .filter((name) => name.startsWith("sluice-browser-"))
    .map((name) => join(tmpdir(), name))
    .filter((folder) => {
      try {
        return JSON.parse(readFileSync(join(folder, "owner.json"), "utf8")).pid === pid
      } catch {
        return false
      }
    })
