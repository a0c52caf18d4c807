/**
 * Writes the lines of the log to a file descriptor without blocking the event loop.
 *
 * Node writes synchronously to a standard error that is a file or a pipe, so a stalled reader would block the process.
 * Lines are collected here and written together by the thread pool, in order, one write at a time. Lines that do not
 * fit into the buffer while the reader stalls are dropped, and their number is logged.
 */
import { write, writeSync } from "node:fs"

export interface LineWriter {
  /** Takes a line without its line break. */
  readonly line: (text: string) => void
  /** Resolves when everything taken so far is written, or after `millis`. It never rejects. */
  readonly flush: (millis: number) => Promise<void>
  /** Writes all remaining lines synchronously, at the end of the process. */
  readonly finish: () => void
}

export interface Options {
  readonly descriptor: number
  /** The maximum number of characters that wait to be written. */
  readonly maxWaiting?: number
  /** The line that reports how many lines were dropped. */
  readonly dropped: (count: number) => string
}

const defaultMaxWaiting = 8_388_608

/** The time for which lines are collected into one write, in milliseconds. */
const gatheringMillis = 20

/** The pause before the next write to a full pipe, in milliseconds. */
const fullMillis = 10

export const make = ({ descriptor, dropped, maxWaiting = defaultMaxWaiting }: Options): LineWriter => {
  let waiting: Array<string> = []
  let characters = 0
  let lost = 0
  /** Runs from the first line that is taken until the last one is written. */
  let isBusy = false
  let gathering: NodeJS.Timeout | null = null
  let flushed: Array<() => void> = []

  const taken = (): string => {
    if (lost > 0) waiting.push(dropped(lost))
    lost = 0
    const text = waiting.length === 0 ? "" : `${waiting.join("\n")}\n`
    waiting = []
    characters = 0
    return text
  }

  const rest = (): void => {
    isBusy = false
    for (const done of flushed) done()
    flushed = []
  }

  const writeAll = (bytes: Buffer): void => {
    write(descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error?.code === "EAGAIN") return void setTimeout(writeAll, fullMillis, bytes)
      // A log that cannot be written, such as a closed pipe, does not end the process.
      if (error !== null || written >= bytes.length) return next()
      writeAll(bytes.subarray(written))
    })
  }

  const next = (): void => {
    gathering = null
    const text = taken()
    if (text === "") rest()
    else writeAll(Buffer.from(text))
  }

  return {
    line: (text) => {
      if (characters + text.length > maxWaiting) return void lost++
      waiting.push(text)
      characters += text.length
      if (isBusy) return
      isBusy = true
      gathering = setTimeout(next, gatheringMillis)
    },
    flush: (millis) =>
      new Promise((resolve) => {
        if (!isBusy) return resolve()
        const limit = setTimeout(resolve, millis)
        flushed.push(() => {
          clearTimeout(limit)
          resolve()
        })
        if (gathering === null) return
        clearTimeout(gathering)
        next()
      }),
    finish: () => {
      const text = taken()
      if (text === "") return
      try {
        writeSync(descriptor, text)
      } catch {
        // There is nowhere left to report to.
      }
    }
  }
}
