/**
 * The process of an embedded database. PGlite runs here: it blocks no other event loop, and a crash of V8, which takes a process
 * with all its threads, is that of the database alone.
 */
import { mkdirSync, openAsBlob } from "node:fs"
import { inspect } from "node:util"
import { setFlagsFromString } from "node:v8"
import { PGlite } from "@electric-sql/pglite"
import * as Frames from "./Frames.ts"
import type { Order, Place, Report } from "./Messages.ts"
import * as Writer from "./Writer.ts"

// V8 optimizes a WebAssembly function after a few calls. Most of PostgreSQL's functions run only while it opens, and
// optimizing them takes longer than opening. With this budget, V8 optimizes only functions that statements use
// repeatedly.
setFlagsFromString("--wasm-tiering-budget=100000000")

/** Minimum size of a piece of an answer, in bytes. A piece is sent while the rest is computed. */
const pieceBytes = 262_144

const report = (message: Report): void => {
  process.send?.(message)
}

/** Reports the last message of the process, and ends it once that has left. */
const reportLast = (message: Report): void => {
  process.send?.(message, () => process.exit(1))
}

/** Errors of the file system of PGlite for files of the data folder, by their WASI numbers. */
const fileErrors: Readonly<Record<number, string>> = {
  2: "EACCES: permission denied",
  19: "EDQUOT: disk quota exceeded",
  22: "EFBIG: file too large",
  29: "EIO: i/o error",
  33: "EMFILE: too many open files",
  51: "ENOSPC: no space left on device",
  63: "EPERM: operation not permitted",
  69: "EROFS: read-only file system"
}

const reasonOf = (error: unknown): string => {
  if (typeof error === "object" && error !== null && "errno" in error && typeof error.errno === "number") {
    const known = fileErrors[error.errno]
    if (known !== undefined) return known
  }
  return error instanceof Error ? error.message : inspect(error)
}

/** The last reason that PostgreSQL logged for its stop, and whether the previous line was that reason. */
let severe: string | null = null
let wasSevere = false

/** Reads the log of PostgreSQL. After PostgreSQL aborted, each call fails, and PGlite repeats it without end. */
const hear = (line: string): boolean => {
  const found = /\b(?:PANIC|FATAL):\s*(.*)/.exec(line)?.[1]
  const detail = detailOf(line)
  if (found !== undefined) severe = found
  // The details of other messages may contain stored data.
  else if (wasSevere && detail !== undefined) severe = `${severe}: ${detail}`
  wasSevere = found !== undefined
  if (line.startsWith("Aborted(")) {
    report({ _tag: "Lost", reason: severe ?? line })
    process.exit(1)
  }
  return false
}

const detailOf = (line: string): string | undefined => {
  const [, detail] = line.split("DETAIL:", 2)
  const text = detail?.trim()
  return text?.endsWith(".") === true ? text.slice(0, -1) : text
}

const open = async ({ folder, template }: Place): Promise<PGlite> => {
  // PGlite would create the folder, too, but reports no reason if it cannot.
  if (folder !== null) mkdirSync(folder, { recursive: true, mode: 0o700 })
  return PGlite.create({
    ...(folder === null ? {} : { dataDir: folder }),
    ...(template === null ? {} : { loadDataDir: await openAsBlob(template) }),
    onStderr: hear
  })
}

/** Sends the protocol's messages to PostgreSQL, and reports the answer in few pieces. */
const ask = async (database: PGlite, connection: number, messages: Uint8Array): Promise<void> => {
  let pieces: Array<Uint8Array> = []
  let length = 0
  const flush = (): void => {
    const bytes = new Uint8Array(length)
    let at = 0
    for (const piece of pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    pieces = []
    length = 0
    report({ _tag: "Answered", connection, bytes })
  }
  await database.execProtocolRawStream(messages, {
    onRawData: (data) => {
      // A copy, because PostgreSQL writes the next piece into the same memory.
      pieces.push(data.slice())
      length += data.length
      if (length >= pieceBytes) flush()
    }
  })
  if (length > 0) flush()
}

/** Serves connections. PGlite has one session, which serves one connection at a time; the next one waits. */
const serving = (database: PGlite) => {
  const readers = new Map<number, Frames.Reader>()
  /** What the connections sent that wait, in their order. */
  const waiting = new Map<number, Array<Frames.Read>>()
  let served: number | null = null
  let isUsed = false

  const begin = async (connection: number): Promise<void> => {
    // The connection before may have ended within a transaction, and leaves its settings and prepared statements.
    if (isUsed) {
      await database.exec("rollback")
      await database.exec("discard all")
    }
    served = connection
    isUsed = true
  }

  const leave = async (connection: number): Promise<void> => {
    readers.delete(connection)
    waiting.delete(connection)
    if (served !== connection) return
    served = null
    const [next] = waiting
    if (next === undefined) return
    const [first, reads] = next
    waiting.delete(first)
    for (const read of reads) await take(first, read)
  }

  const end = (connection: number, reason: string | null): Promise<void> => {
    report({ _tag: "Ended", connection, reason })
    return leave(connection)
  }

  const answer = async (connection: number, { ends, messages }: Frames.Read): Promise<void> => {
    if (messages.length > 0) {
      if (served === null) await begin(connection)
      await ask(database, connection, messages)
    }
    if (ends) await end(connection, null)
  }

  const take = async (connection: number, read: Frames.Read): Promise<void> => {
    const before = waiting.get(connection)
    if (before !== undefined) return void before.push(read)
    // A client may open its next connection before its last one has left. One that only cancels has no messages.
    const waits = read.messages.length > 0 && served !== null && served !== connection
    if (waits) return void waiting.set(connection, [read])
    return answer(connection, read).catch((error) => end(connection, reasonOf(error)))
  }

  const receive = (connection: number, bytes: Uint8Array): Promise<void> => {
    const read = readers.get(connection) ?? Frames.reader()
    readers.set(connection, read)
    return take(connection, read(bytes))
  }

  return { receive, leave }
}

let serve: ReturnType<typeof serving> & { readonly close: () => Promise<void> }

const obey = async (order: Order): Promise<void> => {
  switch (order._tag) {
    case "Open": {
      const { folder } = order.place
      if (folder !== null) await Writer.become(folder)
      const database = await open(order.place)
      serve = { ...serving(database), close: () => database.close() }
      return report({ _tag: "Opened" })
    }
    case "Sent":
      return serve.receive(order.connection, order.bytes)
    case "Left":
      return serve.leave(order.connection)
    case "Close":
      await serve.close()
      return report({ _tag: "Closed" })
  }
}

let last = Promise.resolve()
process.on("message", (order: Order) => {
  last = last
    .then(() => obey(order))
    .catch((error) =>
      reportLast({ _tag: order._tag === "Open" ? "NotOpened" : "Lost", reason: severe ?? reasonOf(error) })
    )
})

// Its owner ends it, with the last of what it has to store; without an owner, there is nothing more to store.
process.on("disconnect", () => process.exit(0))
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {})
