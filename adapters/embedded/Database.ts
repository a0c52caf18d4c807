/**
 * An embedded database in a thread of this process: PostgreSQL compiled to WebAssembly (PGlite). No statement blocks
 * the event loop of the calling thread.
 */
import type { Duplex } from "node:stream"
import { Worker } from "node:worker_threads"
import type { Order, Place, Report } from "./Messages.ts"
import * as Wire from "./Wire.ts"

export interface Database {
  /**
   * Opens a connection. The database serves one connection at a time; the next one waits until the former has closed.
   */
  readonly connect: () => Duplex
  /** Writes all data to the files and ends the thread. Open connections fail. */
  readonly close: () => Promise<void>
}

/** The thread of a database ended unexpectedly. */
export class DatabaseLost extends Error {
  override readonly name = "DatabaseLost"
  constructor(folder: string | null, reason: string) {
    const where = folder === null ? "in memory" : `in ${folder}`
    super(
      `The embedded database ${where} ended unexpectedly: ${reason}. Start the process again: it opens what was stored`
    )
  }
}

export interface Options extends Place {
  /** Called when the thread has ended unexpectedly. If it is not set, the process ends with the error. */
  readonly onLost?: (lost: DatabaseLost) => void
  /** The module of the thread. */
  readonly module?: URL
}

/** Opens a database, and creates it if there is none. Fails with the reason if it cannot be opened. */
export const open = ({ folder, module = threadModule, onLost = endProcess, template }: Options): Promise<Database> =>
  new Promise((resolve, reject) => {
    const place: Place = { folder, template }
    // The thread needs neither the environment nor the arguments of the process.
    const worker = new Worker(module, { name: "database", workerData: place, env: {}, argv: [], execArgv: [] })
    const wires = new Map<number, Wire.Wire>()
    let state: "opening" | "open" | "closing" | "ended" = "opening"
    let ended = new Error("The embedded database is closed")
    let connections = 0
    let threadGone = (): void => {}
    const closed = new Promise<void>((done) => {
      threadGone = done
    })

    const order = (message: Order): void =>
      worker.postMessage(message, message._tag === "Sent" ? [message.bytes.buffer] : [])

    /** The thread keeps the process alive while the database is opened, used or closed. */
    const keepAlive = (): void => {
      if (state === "open" && wires.size === 0) worker.unref()
      else worker.ref()
    }

    const end = (error: Error): void => {
      if (state === "ended") return
      const before = state
      state = "ended"
      ended = error
      for (const { stream } of wires.values()) stream.destroy(error)
      const gone = worker.terminate()
      if (before === "opening") void gone.then(() => reject(error))
      if (before === "open") onLost(new DatabaseLost(folder, error.message))
      void gone.then(() => threadGone())
    }

    const connect = (): Duplex => {
      connections += 1
      const connection = connections
      const wire = Wire.make({
        send: (bytes) => order({ _tag: "Sent", connection, bytes }),
        leave: () => {
          wires.delete(connection)
          order({ _tag: "Left", connection })
          keepAlive()
        }
      })
      wires.set(connection, wire)
      keepAlive()
      if (state !== "open") wire.stream.destroy(ended)
      return wire.stream
    }

    const close = (): Promise<void> => {
      if (state === "open") {
        state = "closing"
        keepAlive()
        order({ _tag: "Close" })
      }
      return closed
    }

    worker.on("message", (report: Report) => {
      switch (report._tag) {
        case "Opened":
          state = "open"
          keepAlive()
          return resolve({ connect, close })
        case "Answered":
          return wires.get(report.connection)?.answer(report.bytes)
        case "Ended":
          wires.get(report.connection)?.stream.destroy(...(report.reason === null ? [] : [new Error(report.reason)]))
          return
        case "Closed":
          return end(ended)
        case "NotOpened":
        case "Lost":
          return end(new Error(report.reason))
      }
    })
    worker.on("error", (error) => end(error instanceof Error ? error : new Error(String(error))))
    worker.on("exit", (code) => end(new Error(`its thread ended with code ${code}`)))
  })

const threadModule = new URL("./DatabaseThread.ts", import.meta.url)

/** Ends the process with an uncaught error. */
const endProcess = (lost: DatabaseLost): void => {
  setImmediate(() => {
    throw lost
  })
}
