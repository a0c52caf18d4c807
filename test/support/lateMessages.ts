/**
 * Late messages between Playwright and Chromium, by a seed: the races of a busy machine, again and again.
 *
 * `SLUICE_TEST_DELAY=7` delays what the tests of this process ask of every Chromium, and what it answers and reports. A seed
 * chooses which kinds of messages are slow, and how slow each one is: the third `Page.frameNavigated` of the second session
 * is always as late. Messages of one session keep their order, and those of a new session come after the event that announces
 * it. `SLUICE_TEST_DELAY=7,whole` keeps the order of all messages, as one pipe has them. `SLUICE_TEST_DELAY=7,stall` holds all
 * messages of both ways for a while, again and again, as a machine that stalls does: pages go on meanwhile.
 */
import type { ChildProcess } from "node:child_process"
import { createRequire } from "node:module"
import { PassThrough, type Readable, type Writable } from "node:stream"

export interface Delays {
  readonly seed: number
  /** The messages that keep their order: those of one `session`, or all of them; with `stall`, all are held at times. */
  readonly order: "session" | "whole" | "stall"
}

/** What `SLUICE_TEST_DELAY` asks for; `null` where it is not set. */
export const read = (text: string | undefined): Delays | null => {
  if (text === undefined || text === "") return null
  const [, seed, order] = /^(\d{1,9})(?:,(whole|stall))?$/.exec(text) ?? []
  if (seed === undefined) {
    throw new Error(`SLUICE_TEST_DELAY=${text} is no seed: expected a whole number such as 7, or 7,whole or 7,stall`)
  }
  return { seed: Number(seed), order: order === "whole" || order === "stall" ? order : "session" }
}

/** From 0 up to 1, the same for the same words. */
const drawn = (...words: ReadonlyArray<string | number>): number => {
  let hash = 0x811c9dc5
  for (const character of words.join(" ")) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000
}

/** The longest delays of slow kinds of messages, in milliseconds: each kind has one of them. */
const longest = [20, 80, 300]

/**
 * How late a message is, in milliseconds. A seed makes one kind of message in four slow, and each of these one time in
 * two; any message may be a little late.
 */
export const delayOf = (seed: number, session: number, kind: string, count: number): number => {
  const most = longest[Math.floor(drawn(seed, kind, "most") * longest.length)] ?? 0
  const slow = drawn(seed, kind) < 0.25 ? { share: 0.5, most } : { share: 0.05, most: 20 }
  const isLate = drawn(seed, session, kind, count) < slow.share
  return isLate ? Math.ceil(drawn(seed, session, kind, count, "delay") * slow.most) : 0
}

/** How long messages pass between two stalls, and how long a stall holds them at most, in milliseconds. */
const passingMillis = 700
const stallMillis = 1_500

/**
 * When a message leaves that comes at a moment, both in milliseconds from the start. The stalls of a seed are the same each
 * time, and what falls into them is not.
 */
export const afterStall = (seed: number, moment: number): number => {
  let at = 0
  for (let number = 0; at <= moment; number++) {
    at += drawn(seed, "passes", number) * passingMillis
    const end = at + drawn(seed, "stalls", number) * stallMillis
    if (moment >= at && moment < end) return end
    at = end
  }
  return moment
}

interface Message {
  readonly id?: number
  readonly method?: string
  readonly sessionId?: string
  readonly params?: { readonly sessionId?: string; readonly type?: unknown }
}

/** Passes messages on at their times; of two with one time, the first to come goes first. */
const timed = (pass: (text: string) => void) => {
  const waiting: Array<{ readonly at: number; readonly text: string }> = []
  let timer: NodeJS.Timeout | undefined
  const release = (until: number): void => {
    clearTimeout(timer)
    while (waiting[0] !== undefined && waiting[0].at <= until) pass(waiting.shift()?.text ?? "")
    if (waiting[0] !== undefined) timer = setTimeout(() => release(performance.now()), waiting[0].at - until)
  }
  return {
    add: (at: number, text: string, now: number): void => {
      const place = waiting.findLastIndex((one) => one.at <= at) + 1
      waiting.splice(place, 0, { at, text })
      if (place === 0) release(now)
    },
    end: () => release(Number.POSITIVE_INFINITY)
  }
}

/** Delays messages that go one way. The kind of a message is given a name by `kindOf`. */
const oneWay = ({ order, seed }: Delays, kindOf: (message: Message) => string, pass: (text: string) => void) => {
  const counts = new Map<string, number>()
  /** The number of each session, and when its last message leaves. */
  const sessions = new Map<string, { readonly number: number; until: number }>()
  const { add, end } = timed(pass)

  const sessionOf = (id: string) => {
    const known = sessions.get(id) ?? { number: sessions.size, until: 0 }
    sessions.set(id, known)
    return known
  }

  const take = (text: string): void => {
    const message: Message = JSON.parse(text)
    const session = sessionOf(message.sessionId ?? "")
    const kind = kindOf(message)
    const counted = `${session.number} ${kind}`
    const count = counts.get(counted) ?? 0
    counts.set(counted, count + 1)
    // A session begins after it was announced, and has told everything before its end.
    const isBorder = /^Target\.(at|de)tached/.test(message.method ?? "")
    const other = isBorder ? sessionOf(message.params?.sessionId ?? "") : session
    const before = order === "session" ? session : sessionOf("")
    const now = performance.now()
    const due = order === "stall" ? afterStall(seed, now) : now + delayOf(seed, session.number, kind, count)
    const at = Math.max(due, before.until, other.until)
    before.until = at
    other.until = at
    add(at, text, now)
  }
  return { take, end }
}

/**
 * Delays what is written to `commands` from now on, and returns what `reports` tells, with its delays. Both carry messages
 * that end in a zero byte.
 */
export const late = (delays: Delays, commands: Writable, reports: Readable): Readable => {
  const asked = new Map<number, string>()
  const write = commands.write.bind(commands)
  const asking = oneWay(
    delays,
    ({ method, params }) => (typeof params?.type === "string" ? `${method} ${params.type}` : `${method}`),
    (text) => {
      write(text)
      write("\0")
    }
  )
  const told = new PassThrough()
  const telling = oneWay(
    delays,
    ({ id = 0, method }) => {
      const kind = method ?? `${asked.get(id)} answered`
      asked.delete(id)
      return kind
    },
    (text) => void told.write(`${text}\0`)
  )
  // Playwright writes a message, and then its end.
  commands.write = (text: string) => {
    if (text === "\0") return true
    const { id = 0, method = "" }: Message = JSON.parse(text)
    asked.set(id, method)
    asking.take(text)
    return true
  }
  let parts: Array<Buffer> = []
  reports.on("data", (bytes: Buffer) => {
    let from = 0
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
      telling.take(Buffer.concat([...parts, bytes.subarray(from, end)]).toString())
      parts = []
      from = end + 1
    }
    parts.push(bytes.subarray(from))
  })
  reports.on("close", () => {
    telling.end()
    told.end()
  })
  return told
}

/** Delays the messages of the browsers that Playwright starts from now on in this process, until the result is called. */
export const install = (delays: Delays): (() => void) => {
  // Playwright calls what this object holds.
  const processes = createRequire(import.meta.url)("node:child_process")
  const { spawn } = processes
  processes.spawn = (...args: ReadonlyArray<unknown>): ChildProcess => {
    const child: ChildProcess = spawn(...args)
    const [, , , commands, reports] = child.stdio
    const isBrowser = Array.isArray(args[1]) && args[1].includes("--remote-debugging-pipe")
    if (isBrowser && commands && reports) {
      Object.assign(child.stdio, { 4: late(delays, commands as Writable, reports as Readable) })
    }
    return child
  }
  return () => {
    processes.spawn = spawn
  }
}
