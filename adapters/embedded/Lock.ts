/**
 * Keeps a second process out of a data folder.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { Effect, Schema } from "effect"

/** Raised when another process uses the folder. */
export class DataInUse extends Schema.TaggedError<DataInUse>()("DataInUse", {
  folder: Schema.String,
  pid: Schema.Int
}) {
  override get message() {
    return `Cannot open the data folder ${this.folder}: process ${this.pid} uses it. Stop that process, or choose another folder with SLUICE_DATA_DIR; commands that take --url work over HTTP while it runs`
  }
}

/** Raised when the folder cannot be made or written. */
export class DataNotWritable extends Schema.TaggedError<DataNotWritable>()("DataNotWritable", {
  folder: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot write to the data folder ${this.folder}: ${this.reason}. Choose another one with SLUICE_DATA_DIR`
  }
}

/**
 * Makes the folder, readable by its owner only, and holds its lock until the scope closes.
 *
 * The lock is a file with the process id, the start of that process, and the address at which it serves. The file of a
 * killed process is taken over, also if another process has its id now.
 */
export const acquire = (folder: string) =>
  Effect.acquireRelease(
    Effect.suspend((): Effect.Effect<string, DataInUse | DataNotWritable> => {
      const file = `${folder}/lock`
      const own = ownLock(null)
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const holder = readHolder(file)
        if (holder !== null && isAlive(holder)) return Effect.fail(new DataInUse({ folder, pid: holder.pid }))
        if (holder !== null) rmSync(file, { force: true })
        // Fails if another process made the file in between.
        writeFileSync(file, own, { flag: "wx", mode: 0o600 })
        return Effect.succeed(file)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        return Effect.fail(new DataNotWritable({ folder, reason }))
      }
    }),
    (file) => Effect.sync(() => rmSync(file, { force: true }))
  )

/** Writes the address at which this process serves into its lock, for commands that find the folder in use. */
export const announce = (folder: string, address: string): Effect.Effect<void> =>
  Effect.sync(() => {
    const file = `${folder}/lock`
    if (readHolder(file)?.pid !== process.pid) return
    const draft = `${file}.${process.pid}`
    try {
      // Atomically, so that no reader sees a partial file.
      writeFileSync(draft, ownLock(address), { mode: 0o600 })
      renameSync(draft, file)
    } catch {
      // The lock is unchanged: commands then name the process without its address.
      rmSync(draft, { force: true })
    }
  })

/**
 * The process that uses a folder, and the address at which it serves, if announced; `null` if the folder is not in use.
 */
export const inUse = (folder: string): { readonly pid: number; readonly address: string | null } | null => {
  const holder = readHolder(`${folder}/lock`)
  return holder !== null && isAlive(holder) ? { pid: holder.pid, address: holder.address } : null
}

interface Holder {
  readonly pid: number
  readonly began: string | null
  readonly address: string | null
}

const ownLock = (address: string | null): string => {
  const own: Holder = { pid: process.pid, began: beganAt(process.pid), address }
  return JSON.stringify(own)
}

const unknownHolder: Holder = { pid: 0, began: null, address: null }

const readHolder = (file: string): Holder | null => {
  try {
    // Another process may have written anything: each field is checked.
    const { address, began, pid } = JSON.parse(readFileSync(file, "utf8")) as Partial<Holder>
    return typeof pid === "number" ? { pid, began: textOrNull(began), address: textOrNull(address) } : unknownHolder
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? null : unknownHolder
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null)

const isAlive = ({ began, pid }: Holder): boolean => {
  if (pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user cannot be signalled, but exists.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false
  }
  const now = beganAt(pid)
  return now === null || began === null || now === began
}

/** The start of a process, in ticks of the kernel; `null` if the system does not report it. */
export const beganAt = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null
  } catch {
    return null
  }
}
