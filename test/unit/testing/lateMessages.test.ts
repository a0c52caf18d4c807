import { PassThrough } from "node:stream"
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import * as LateMessages from "../../support/lateMessages.ts"

/** More than any message is late, in milliseconds. */
const longest = 1_000

interface Message {
  readonly method: string
  readonly sessionId?: string
  readonly params?: object
}

const events = (sessionId: string) =>
  ["Page.frameNavigated", "Network.responseReceived", "Runtime.consoleAPICalled"].flatMap((method) =>
    Array.from({ length: 20 }, (_, n): Message => ({ method, sessionId, params: { n } }))
  )

/** Messages of two sessions in turns, the second of them announced by the first. */
const [first, second] = [events("first"), events("second")]
const begins: Message = { method: "Target.attachedToTarget", sessionId: "first", params: { sessionId: "second" } }
const ends: Message = { method: "Target.detachedFromTarget", sessionId: "first", params: { sessionId: "second" } }
const sent: ReadonlyArray<Message> = [begins, ...first.flatMap((one, at) => [one, second[at] ?? one]), ends]

/** What comes out, each with when, once all was sent at one instant. */
const passed = (delays: LateMessages.Delays, messages = sent) => {
  const reports = new PassThrough()
  const told = LateMessages.late(delays, new PassThrough(), reports)
  const seen: Array<{ readonly at: number; readonly message: Message }> = []
  const began = performance.now()
  reports.emit("data", Buffer.from(messages.map((one) => `${JSON.stringify(one)}\0`).join("")))
  for (let at = 0; at < longest; at++) {
    const text: Buffer | null = told.read()
    for (const one of text?.toString().split("\0").slice(0, -1) ?? []) {
      seen.push({ at: performance.now() - began, message: JSON.parse(one) })
    }
    vi.advanceTimersByTime(1)
  }
  return seen
}

const seeds = Array.from({ length: 20 }, (_, seed) => seed)

describe("late messages", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  it("one seed delays each message by as much every time, and another seed by something else", () => {
    const all = seeds.map((seed) => JSON.stringify(passed({ seed, order: "session" })))
    assert.deepStrictEqual(
      seeds.map((seed) => JSON.stringify(passed({ seed, order: "session" }))),
      all
    )
    assert.strictEqual(new Set(all).size, seeds.length)
  })

  it("messages of one session keep their order, between its announcement and its end", () => {
    let mixed = 0
    for (const seed of seeds) {
      const seen = passed({ seed, order: "session" }).map(({ message }) => message)
      const of = (id: string, messages: ReadonlyArray<Message>) => messages.filter(({ sessionId }) => sessionId === id)
      assert.lengthOf(seen, sent.length)
      for (const id of ["first", "second"]) assert.deepStrictEqual(of(id, seen), of(id, sent))
      const at = (one: Message) => seen.findIndex(({ method }) => method === one.method)
      const own = seen.flatMap(({ sessionId }, index) => (sessionId === "second" ? [index] : []))
      assert.isBelow(at(begins), Math.min(...own))
      assert.isAbove(at(ends), Math.max(...own))
      if (JSON.stringify(seen) !== JSON.stringify(sent)) mixed++
    }
    assert.isAbove(mixed, 0)
  })

  it("all messages keep their order where that is asked for", () => {
    for (const seed of seeds) {
      const seen = passed({ seed, order: "whole" })
      assert.deepStrictEqual(
        seen.map(({ message }) => message),
        sent
      )
    }
    assert.isAbove(Math.max(...seeds.map((seed) => passed({ seed, order: "whole" }).at(-1)?.at ?? 0)), 0)
  })

  it("a message that comes in pieces is passed on whole", () => {
    const reports = new PassThrough()
    const told = LateMessages.late({ seed: 1, order: "whole" }, new PassThrough(), reports)
    for (const piece of ['{"method":"a', '"}\0{"met', 'hod":"b"}\0']) reports.emit("data", Buffer.from(piece))
    vi.advanceTimersByTime(longest)
    assert.strictEqual(String(told.read()), '{"method":"a"}\0{"method":"b"}\0')
  })

  it("commands are written in their order, each with its end", () => {
    const commands = new PassThrough()
    LateMessages.late({ seed: 1, order: "session" }, commands, new PassThrough())
    const texts = seeds.map((id) =>
      JSON.stringify({ id, method: "Input.dispatchKeyEvent", params: { type: "keyDown" } })
    )
    for (const text of texts) {
      commands.write(text)
      commands.write("\0")
    }
    vi.advanceTimersByTime(longest)
    assert.strictEqual(String(commands.read()), texts.map((text) => `${text}\0`).join(""))
  })

  it("the setting takes a seed, and refuses what is none with what it takes", () => {
    assert.isNull(LateMessages.read(undefined))
    assert.isNull(LateMessages.read(""))
    assert.deepStrictEqual(LateMessages.read("7"), { seed: 7, order: "session" })
    assert.deepStrictEqual(LateMessages.read("7,whole"), { seed: 7, order: "whole" })
    assert.throws(
      () => LateMessages.read("much"),
      "SLUICE_TEST_DELAY=much is no seed: expected a whole number such as 7"
    )
  })
})
