/**
 * Keeps a second process from writing to a database while the former one still ends.
 *
 * The lock of the data folder belongs to the service. When the service is killed, the process of its database ends with the
 * statement that it computes, which may be after the next service has taken the lock.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import * as Lock from "./Lock.ts"

/** How long a former process may still take before it is killed, and then until it is gone, in milliseconds. */
const patienceMillis = 5_000
const lookMillis = 20

interface Writer {
  readonly pid: number
  readonly began: string | null
}

const read = (file: string): Writer | null => {
  try {
    // Only this file writes it.
    return JSON.parse(readFileSync(file, "utf8")) as Writer
  } catch {
    return null
  }
}

/** Whether the process that wrote this is still there. Without its start, another one may have its id. */
const isAlive = ({ began, pid }: Writer): boolean => began !== null && Lock.beganAt(pid) === began

/**
 * Waits until no former process writes to the database in a folder, and notes that this one does. Only the process that owns the
 * lock of the data folder may call it. A former process that does not end is killed, as its owner has ended.
 */
export const become = async (folder: string): Promise<void> => {
  const file = `${folder}.writer`
  const former = read(file)
  if (former !== null && former.pid !== process.pid) {
    for (let waited = 0; isAlive(former); waited += lookMillis) {
      if (waited === patienceMillis) process.kill(former.pid, "SIGKILL")
      if (waited > 2 * patienceMillis) throw new Error(`process ${former.pid} still writes to it`)
      await new Promise((resolve) => setTimeout(resolve, lookMillis))
    }
  }
  const own: Writer = { pid: process.pid, began: Lock.beganAt(process.pid) }
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 })
  renameSync(draft, file)
}
