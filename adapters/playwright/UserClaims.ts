/**
 * Claims of user ids between the processes of a machine. Two workers must not run browsers as the same user, because
 * each ends all processes of a user when its browser ends.
 *
 * A claim is a file that only root can make. A claim of a process that has ended is taken over.
 */
import { linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Processes from "./Processes.ts"

/** The folder of the claims, which belongs to root alone. */
const folder = (): string => {
  for (const above of ["/run", tmpdir()]) {
    const path = join(above, "sluice-browser-users")
    try {
      mkdirSync(path, { mode: 0o700, recursive: true })
      const { mode, uid } = lstatSync(path)
      if (lstatSync(path).isDirectory() && uid === 0 && (mode & 0o077) === 0) return path
    } catch {}
  }
  throw new Error(`no folder for the claims on users of browsers can be made in /run or ${tmpdir()}`)
}

const fileOf = (id: number): string => join(folder(), String(id))

/** The name that this process gives to the file of a claim that is not in place. */
const asideOf = (file: string): string => `${file}.${process.pid}`

/** Makes the file of a claim, with its text from the first moment, and returns whether there was none. */
const written = (file: string, text: string): boolean => {
  const aside = asideOf(file)
  writeFileSync(aside, text, { mode: 0o600 })
  try {
    linkSync(aside, file)
    return true
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false
    throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

const readIfThere = (file: string): string | null => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return null
  }
}

/** Whether the process that wrote a claim is gone. A file without a text is not a claim. */
const isAbandoned = (text: string): boolean => {
  const [pid = "", birth = ""] = text.split(" ")
  return text === "" || (birth !== "" && Processes.birthOf(Number(pid)) !== birth)
}

/** Claims an id for this process, and returns whether it succeeded. */
export const claim = (id: number): boolean => {
  const file = fileOf(id)
  const mine = `${process.pid} ${Processes.birthOf(process.pid) ?? ""}`
  if (written(file, mine)) return true
  const found = readIfThere(file)
  if (found === null || !isAbandoned(found)) return false
  const aside = asideOf(file)
  try {
    renameSync(file, aside)
    // Another process may have taken over the claim meanwhile: then it is restored.
    if (readIfThere(aside) !== found) linkSync(aside, file)
  } catch {}
  rmSync(aside, { force: true })
  return written(file, mine)
}

/** Releases an id. */
export const release = (id: number): void => rmSync(fileOf(id), { force: true })
