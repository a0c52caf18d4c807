/**
 * Rate limits for the requests of one caller.
 *
 * A limit uses a sliding window: no interval of its length contains more accepted requests than it allows. Several
 * limits apply together; refused requests do not count. Instants are epoch milliseconds.
 */
import { Result } from "effect"

/** At most `requests` in any `seconds`. */
export interface Limit {
  readonly requests: number
  readonly seconds: number
}

/** The decision about one request, by the limit with the fewest remaining requests. */
export interface Decision {
  readonly allowed: boolean
  readonly limit: number
  /** The number of further requests that would be accepted now. */
  readonly remaining: number
  /** The time until that limit allows one more request, in milliseconds. */
  readonly resetMillis: number
}

/** The limits of every caller unless others are set. */
export const defaults: ReadonlyArray<Limit> = [
  { requests: 500, seconds: 1 },
  { requests: 1_000, seconds: 15 },
  { requests: 2_000, seconds: 60 }
]

/** Reads limits such as `500/1s,1000/15s`; `off` means none. */
export const parse = (text: string): Result.Result<ReadonlyArray<Limit>, string> => {
  if (text.trim() === "off") return Result.succeed([])
  const limits: Array<Limit> = []
  for (const part of text.split(",")) {
    const [, requests = "", seconds = ""] = /^\s*([1-9]\d{0,5})\/([1-9]\d{0,4})s\s*$/.exec(part) ?? []
    if (requests === "") {
      return Result.fail(`Expected off, or limits such as 500/1s,1000/15s, got "${part.trim()}"`)
    }
    limits.push({ requests: Number(requests), seconds: Number(seconds) })
  }
  return Result.succeed(limits)
}

/** The latest accepted requests of one caller, as many as its limits need. Mutable: every decision changes it. */
export interface Log {
  /** A ring buffer of instants in order, which grows when needed. */
  instants: Float64Array
  first: number
  size: number
}

/** The log of a caller that has made no request. */
export const empty = (): Log => ({ instants: new Float64Array(8), first: 0, size: 0 })

/** Returns whether no entry of a log counts any longer. */
export const isSpent = (log: Log, limits: ReadonlyArray<Limit>, now: number): boolean =>
  log.size === 0 || instant(log, log.size - 1) <= now - longest(limits)

/** Returns whether a request at `now` would be refused. Nothing is counted. There must be at least one limit. */
export const isFull = (log: Log, limits: ReadonlyArray<Limit>, now: number): boolean => {
  const at = log.size === 0 ? now : Math.max(now, instant(log, log.size - 1))
  return limits.some(({ requests, seconds }) => log.size - firstAfter(log, at - seconds * 1_000) >= requests)
}

/**
 * Decides about a request at `now`, and adds it to the log if it is accepted. An instant before the last one counts as
 * the last one, so setting the clock back gives no additional requests. There must be at least one limit.
 */
export const take = (log: Log, limits: ReadonlyArray<Limit>, now: number): Decision => {
  const at = log.size === 0 ? now : Math.max(now, instant(log, log.size - 1))
  forget(log, at - longest(limits))
  let refusal: Decision | null = null
  let tightest: Decision | null = null
  for (const { requests, seconds } of limits) {
    const windowMillis = seconds * 1_000
    const from = firstAfter(log, at - windowMillis)
    const used = log.size - from
    if (used >= requests) {
      // The request that must leave the window before another one is accepted.
      const resetMillis = instant(log, log.size - requests) + windowMillis - at
      if (refusal === null || resetMillis > refusal.resetMillis) {
        refusal = { allowed: false, limit: requests, remaining: 0, resetMillis }
      }
    } else if (tightest === null || requests - used - 1 < tightest.remaining) {
      const oldest = used === 0 ? at : instant(log, from)
      tightest = {
        allowed: true,
        limit: requests,
        remaining: requests - used - 1,
        resetMillis: oldest + windowMillis - at
      }
    }
  }
  if (refusal !== null) return refusal
  keep(log, at, Math.max(...limits.map(({ requests }) => requests)))
  return tightest ?? { allowed: true, limit: 0, remaining: 0, resetMillis: 0 }
}

/** The logs of many callers. */
export interface Book {
  /** Decides about a request of a caller, and counts it if it is accepted. There must be at least one limit. */
  readonly take: (name: string, limits: ReadonlyArray<Limit>, now: number) => Decision
  /** Returns whether a request of a caller would be refused. Nothing is counted. */
  readonly isFull: (name: string, limits: ReadonlyArray<Limit>, now: number) => boolean
}

/** A book without entries. Beyond `most` callers, the least recently active ones are forgotten. */
export const book = (most: number): Book => {
  // In the order of their last request.
  const logs = new Map<string, Log>()
  return {
    take: (name, limits, now) => {
      const log = logs.get(name) ?? empty()
      logs.delete(name)
      logs.set(name, log)
      const decision = take(log, limits, now)
      for (const [silent, its] of logs) {
        if (logs.size <= most && !isSpent(its, limits, now)) break
        if (its !== log) logs.delete(silent)
      }
      return decision
    },
    isFull: (name, limits, now) => {
      const log = logs.get(name)
      return log !== undefined && isFull(log, limits, now)
    }
  }
}

const longest = (limits: ReadonlyArray<Limit>): number => Math.max(...limits.map(({ seconds }) => seconds)) * 1_000

/** The instant at a position from the oldest. */
const instant = (log: Log, position: number): number =>
  log.instants[(log.first + position) % log.instants.length] as number

/** The position of the first instant after `at`; the size when there is none. */
const firstAfter = (log: Log, at: number): number => {
  let [low, high] = [0, log.size]
  while (low < high) {
    const middle = (low + high) >> 1
    if (instant(log, middle) > at) high = middle
    else low = middle + 1
  }
  return low
}

const forget = (log: Log, until: number): void => {
  const dropped = firstAfter(log, until)
  log.first = (log.first + dropped) % log.instants.length
  log.size -= dropped
}

const keep = (log: Log, at: number, most: number): void => {
  if (log.size >= most) {
    log.first = (log.first + 1) % log.instants.length
    log.size--
  }
  if (log.size === log.instants.length) {
    const grown = new Float64Array(log.instants.length * 2)
    for (let position = 0; position < log.size; position++) grown[position] = instant(log, position)
    log.instants = grown
    log.first = 0
  }
  log.instants[(log.first + log.size) % log.instants.length] = at
  log.size++
}
