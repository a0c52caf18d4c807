import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import * as LineWriter from "../../../adapters/log/LineWriter.ts"
import { formatters } from "../../../adapters/log/LogFormat.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-log-"))
afterAll(() => rmSync(folder, { recursive: true }))

const dropped = (count: number) => `dropped ${count}`

const opened = (name: string, maxWaiting?: number) => {
  const file = join(folder, name)
  const options = { descriptor: openSync(file, "w"), dropped }
  const writer = LineWriter.make(maxWaiting === undefined ? options : { ...options, maxWaiting })
  return { writer, read: () => readFileSync(file, "utf8").split("\n").slice(0, -1) }
}

describe("the writer of the log", () => {
  it("writes every line once and in order, and nothing while the caller continues", async () => {
    const { read, writer } = opened("order")
    const numbers = Array.from({ length: 20_000 }, (_, at) => `line ${at}`)
    for (const line of numbers.slice(0, 10_000)) writer.line(line)
    assert.isEmpty(read())
    await new Promise((resolve) => setImmediate(resolve))
    for (const line of numbers.slice(10_000)) writer.line(line)
    await writer.flush(20_000)
    assert.deepStrictEqual(read(), numbers)
    await writer.flush(20_000)
  })

  it("drops lines that do not fit while it cannot write, and reports their number", async () => {
    const { read, writer } = opened("full", 25)
    for (const at of [1, 2, 3, 4, 5]) writer.line(`line no. ${at}`)
    await writer.flush(20_000)
    assert.deepStrictEqual(read(), ["line no. 1", "line no. 2", "dropped 3"])
    writer.line("later")
    await writer.flush(20_000)
    assert.strictEqual(read().at(-1), "later")
  })

  it("writes the remaining lines synchronously at the end of the process", () => {
    const { read, writer } = opened("end")
    writer.line("last words")
    writer.finish()
    assert.deepStrictEqual(read(), ["last words"])
  })

  it("continues when the log cannot be written", async () => {
    const writer = LineWriter.make({ descriptor: 9_999, dropped })
    writer.line("lost")
    await writer.flush(20_000)
    writer.line("lost too")
    writer.finish()
    await writer.flush(20_000)
  })
})

describe("a line of the log", () => {
  const written = (format: string) => {
    const lines: Array<string> = []
    const formatter = formatters[format] ?? Logger.formatLogFmt
    Effect.runSync(
      Effect.logWarning("It failed\nbadly \u001b[31m", Cause.die(new Error("why"))).pipe(
        Effect.annotateLogs({ session_id: "s-1", words: 'two "words"\nhere' }),
        Effect.provide(Logger.layer([Logger.map(formatter, (line) => void lines.push(line))]))
      )
    )
    return lines.join("")
  }

  it("is one object in JSON, with its fields beside its message", () => {
    const line = written("json")
    assert.notInclude(line, "\n")
    const read = JSON.parse(line) as Readonly<Record<string, unknown>>
    const fields = { level: "warn", session_id: "s-1", words: 'two "words"\nhere' }
    assert.deepInclude(read, { ...fields, message: "It failed\nbadly \u001b[31m" })
    assert.match(String(read.time), /^\d{4}-\d{2}-\d{2}T.*Z$/)
    assert.match(String(read.cause), /why/)
  })

  it("is one line in logfmt, and holds nothing that a terminal obeys in pretty", () => {
    assert.notInclude(written("logfmt"), "\n")
    assert.include(written("logfmt"), "session_id=s-1")
    assert.include(written("pretty"), ' session_id=s-1 words="two \\"words\\"\\nhere"')
    assert.notInclude(written("pretty"), "\u001b")
  })
})
