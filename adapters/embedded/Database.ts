/**
 * An embedded database in a separate process: PostgreSQL compiled to WebAssembly (PGlite). No statement blocks the event
 * loop of the caller, and when the engine that runs it crashes, the caller goes on: the database is started again.
 */
import { type ChildProcess, fork } from "node:child_process"
import type { Duplex } from "node:stream"
import type { Order, Place, Report } from "./Messages.ts"
import * as Wire from "./Wire.ts"

export interface Database {
  /**
   * Opens a connection. The database serves one connection at a time; the next one waits until the former has closed, and
   * while the database is started again.
   */
  readonly connect: () => Duplex
  /** Writes all data to the files and ends the process. Open connections fail. */
  readonly close: () => Promise<void>
}

/** The process of a database ended unexpectedly, and the database is not open any more. */
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
  /** Called when the database is lost. If it is not set, the process ends with the error. */
  readonly onLost?: (lost: DatabaseLost) => void
  /** Called when the process of the database ended unexpectedly and is started again. */
  readonly onRestart?: (reason: string) => void
  /** The module of the process. */
  readonly module?: URL
}

/** A database in a folder that ends again within this time is lost, in milliseconds. */
const restartMillis = 60_000

/** What the process needs of the environment. It has no use for the settings of the service, which are secret. */
const passed = /^(PATH|HOME|LD_LIBRARY_PATH|NODE_COMPILE_CACHE|DENO_DIR|TMPDIR|TEMP|TMP|SYSTEMROOT|WINDIR)$/i

const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => passed.test(name)))

/** Starts the process. It has none of the options of this one, and shares its output. */
const start = (module: URL): ChildProcess =>
  fork(module, [], {
    env: environment(),
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })

/** Tells when a process could not be started, or has ended and all its messages were read. */
const whenGone = (child: ChildProcess, tell: (error: Error) => void): void => {
  child.on("error", tell)
  child.on("exit", (code, signal) => {
    const gone = () => tell(new Error(`its process ended with ${signal ?? `code ${code}`}`))
    if (child.connected) child.once("disconnect", gone)
    else gone()
  })
}

/** Whether a process has ended, or was never there. */
const isGone = ({ exitCode, pid, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null || pid === undefined

const keepsAlive = (child: ChildProcess | null, isUsed: boolean): void => {
  for (const control of [child, child?.channel]) {
    if (isUsed) control?.ref()
    else control?.unref()
  }
}

/**
 * Opens a database, and creates it if there is none. Fails with the reason if it cannot be opened. When its process ends
 * unexpectedly, open connections fail, and a database in a folder is started again, once within a minute.
 */
export const open = ({
  folder,
  module = program,
  onLost = endProcess,
  onRestart = () => {},
  template
}: Options): Promise<Database> =>
  new Promise((resolve, reject) => {
    const wires = new Map<number, Wire.Wire>()
    let state: "opening" | "open" | "restarting" | "closing" | "ended" = "opening"
    let ended = new Error("The embedded database is closed")
    let connections = 0
    let restartedAt = Number.NEGATIVE_INFINITY
    /** What is sent between two processes. */
    let early: Array<Order> = []
    let child: ChildProcess | null = null
    let processGone = (): void => {}
    const closed = new Promise<void>((done) => {
      processGone = done
    })

    const order = (message: Order): void => {
      if (state === "ended") return
      // A message that a process does not get any more is lost with its connection.
      if (child?.connected === true) child.send(message, () => {})
      else early.push(message)
    }

    /** The database keeps this process alive while it is opened, used or closed. */
    const keepAlive = (): void => {
      keepsAlive(child, state !== "open" || wires.size > 0)
    }

    const begin = (place: Place): void => {
      const childProcess = start(module)
      child = childProcess
      order({ _tag: "Open", place })
      for (const message of early.splice(0)) order(message)
      keepAlive()
      childProcess.on("message", (report: Report) => hear(childProcess, report))
      whenGone(childProcess, (error) => end(childProcess, error))
    }

    const end = (childProcess: ChildProcess, error: Error): void => {
      if (childProcess !== child) return
      child = null
      const before = state
      const mayRestart = folder !== null && performance.now() - restartedAt > restartMillis
      state = before === "open" && mayRestart ? "restarting" : "ended"
      ended = error
      early = []
      for (const { stream } of wires.values()) stream.destroy(error)
      const goOn = (): void => {
        if (before === "opening") reject(error)
        // Closed before it is started again, it has stored all that was answered.
        if (state !== "restarting") state = "ended"
        if (state === "ended") processGone()
        else begin({ folder, template: null })
      }
      if (state === "restarting") {
        restartedAt = performance.now()
        onRestart(error.message)
      } else if (before === "open" || before === "restarting") onLost(new DatabaseLost(folder, error.message))
      if (isGone(childProcess)) goOn()
      else {
        childProcess.once("exit", goOn)
        childProcess.kill("SIGKILL")
      }
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
      if (state !== "open" && state !== "restarting") wire.stream.destroy(ended)
      return wire.stream
    }

    const close = (): Promise<void> => {
      if (state === "open" || state === "restarting") {
        order({ _tag: "Close" })
        state = "closing"
        keepAlive()
      }
      return closed
    }

    const hear = (childProcess: ChildProcess, report: Report): void => {
      switch (report._tag) {
        case "Opened":
          if (state !== "closing") state = "open"
          keepAlive()
          resolve({ connect, close })
          break
        case "Answered":
          wires.get(report.connection)?.answer(report.bytes)
          break
        case "Ended":
          wires.get(report.connection)?.stream.destroy(...(report.reason === null ? [] : [new Error(report.reason)]))
          break
        case "Closed":
          end(childProcess, ended)
          break
        case "NotOpened":
        case "Lost":
          end(childProcess, new Error(report.reason))
      }
    }

    begin({ folder, template })
  })

const program = new URL("./DatabaseProcess.ts", import.meta.url)

/** Ends the process with an uncaught error. */
const endProcess = (lost: DatabaseLost): void => {
  setImmediate(() => {
    throw lost
  })
}
