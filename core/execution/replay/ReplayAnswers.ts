/**
 * Decides which recorded answer a request of a replay gets.
 *
 * An answer fits when method, address and body are the same. Where none is, values that change by themselves do not
 * count: instants, random values, ids that a page makes, tokens, and the stand-ins of secrets. Requests that are the same
 * get their answers in order, and the last of them again.
 */

import { hidden } from "../../browser/Exchange.ts"
import * as Json from "../../workspace/Json.ts"
import type { Answer } from "./ReplayRecord.ts"
import * as ReplayText from "./ReplayText.ts"

/** A request of a replay. */
export interface Asked {
  readonly method: string
  readonly url: string
  readonly body: string | null
  readonly by: Answer["by"]
}

export type Found =
  | { readonly _tag: "Answered"; readonly answer: Answer }
  /** `reason` says why no answer fits, as a clause. It repeats no value. */
  | { readonly _tag: "Unanswered"; readonly reason: string }

/** The longest body that is compared, as sessions report it, in characters. */
const longestBody = 65_536

/** What a replay types in place of secrets. Forms accept them, and sites have never seen them. */
export const standIns = { userName: "stand-in@example.com", password: "Stand-in-1", code: "000000" } as const

/** What a value is that is not compared: it was hidden in the record, or is not the real one in the replay. */
const isHidden = (value: string): boolean =>
  value.includes(hidden) ||
  /\[(secret|user name|answer)\]/.test(value) ||
  Object.values<string>(standIns).includes(value)

const changing =
  /^(_|t|ts|v?time|timestamp|date_?now|nonce|rnd|rand|random|cb|cache_?bust(er)?|no_?cache|(x_)?request_?id|correlation_?id|trace_?id|client_?id|_token|csrf.*|xsrf.*|authenticity_token|__requestverificationtoken)$/i

const isChangingName = (name: string): boolean => changing.test(name.replaceAll("-", "_"))

/** A value without what changes by itself. */
const still = (value: string): string =>
  value
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>")
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?/g, "<instant>")
    .replace(/(?<![\d.])1[4-9]\d{8}(\d{3})?(?![\d.])/g, "<instant>")
    .replace(/(?<![\d.])0\.\d{8,17}(?!\d)/g, "<random>")

/** Whether two values are the same, apart from what changes by itself. An empty one fits no hidden one. */
export const isSame = (one: string, other: string): boolean =>
  one === other || (isHidden(one) && other !== "") || (isHidden(other) && one !== "") || still(one) === still(other)

/** A request in the parts that are compared. */
interface Parts {
  readonly place: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Sent
}

type Sent =
  | { readonly _tag: "None" }
  /** A body that has another text each time. */
  | { readonly _tag: "Any" }
  | { readonly _tag: "Fields"; readonly fields: ReadonlyArray<readonly [name: string, value: string]> }
  | { readonly _tag: "Text"; readonly text: string }

const sorted = (fields: Iterable<readonly [string, string]>): Parts["query"] =>
  [...fields]
    .filter(([name]) => !isChangingName(name))
    .toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))

/** The leaves of a JSON value, by their paths. */
const leaves = (value: unknown, path: string): ReadonlyArray<readonly [string, string]> => {
  if (Array.isArray(value)) return value.flatMap((one, index) => leaves(one, `${path}[${index}]`))
  if (Json.isObject(value)) {
    return Object.entries(value).flatMap(([name, one]) =>
      isChangingName(name) ? [] : leaves(one, path === "" ? name : `${path}.${name}`)
    )
  }
  return [[path, String(value)]]
}

const sentOf = (body: string | null): Sent => {
  if (body === null || body === "") return { _tag: "None" }
  if (body.length > longestBody || /^--[-\w']+\r\ncontent-disposition:/i.test(body)) return { _tag: "Any" }
  if (/^\s*[[{]/.test(body)) {
    try {
      const value: unknown = JSON.parse(body)
      if (!Json.isDeeperThan(value, 100)) return { _tag: "Fields", fields: sorted(leaves(value, "")) }
    } catch {}
  }
  return /^[^\s={}<>]{1,200}=/.test(body)
    ? { _tag: "Fields", fields: sorted(new URLSearchParams(body)) }
    : { _tag: "Text", text: body }
}

const partsOf = (method: string, url: string, body: string | null): Parts => {
  const parsed = URL.parse(url)
  return {
    place: `${method} ${parsed === null ? url : still(parsed.origin + parsed.pathname)}`,
    query: sorted(parsed?.searchParams ?? []),
    body: sentOf(body)
  }
}

/** The parts of an address that are hidden in its path, or `null` where none is. */
const maskedPath = (url: string): ReadonlyArray<string> | null => {
  const segments = segmentsOf(url)
  return segments.some(isHidden) ? segments : null
}

const segmentsOf = (url: string): ReadonlyArray<string> => {
  const parsed = URL.parse(url)
  return parsed === null ? [url] : [parsed.origin, ...parsed.pathname.split("/").map(decoded)]
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The first field in which two lists differ; `null` for the same ones. */
const differing = (asked: Parts["query"], recorded: Parts["query"]): string | null => {
  for (let at = 0; at < Math.max(asked.length, recorded.length); at++) {
    const [one, other] = [asked[at], recorded[at]]
    if (one === undefined || other === undefined) return (one ?? other)?.[0] ?? ""
    if (one[0] !== other[0]) return one[0] < other[0] ? one[0] : other[0]
    if (!isSame(one[1], other[1])) return one[0]
  }
  return null
}

/** In what a request differs from a recorded one at the same place; `null` where it does not. */
const difference = (asked: Parts, recorded: Parts): string | null => {
  const inQuery = differing(asked.query, recorded.query)
  if (inQuery !== null) return `its parameter ${inQuery} differs`
  const [one, other] = [asked.body, recorded.body]
  if (one._tag === "Any" || other._tag === "Any") return null
  if (one._tag === "Fields" && other._tag === "Fields") {
    const inBody = differing(one.fields, other.fields)
    return inBody === null ? null : `its field ${inBody} differs`
  }
  if (one._tag === "Text" && other._tag === "Text") return isSame(one.text, other.text) ? null : "its body differs"
  return one._tag === other._tag ? null : "its body differs"
}

interface Kept {
  readonly answer: Answer
  readonly parts: Parts
  isUsed: boolean
}

const exactly = (method: string, url: string, body: string | null): string => `${method} ${url} ${body ?? ""}`

/** The answers of one replay. */
export class ReplayAnswers {
  readonly #exact = new Map<string, Array<Kept>>()
  readonly #byPlace = new Map<string, Array<Kept>>()
  /** Those with something hidden in their path. */
  readonly #masked: Array<Kept & { readonly path: ReadonlyArray<string> }> = []

  constructor(answers: ReadonlyArray<Answer>) {
    for (const answer of answers) {
      const { by, method, sent, url } = answer
      const kept: Kept = { answer, parts: partsOf(method, url, sent), isUsed: false }
      add(this.#exact, `${by} ${exactly(method, url, sent)}`, kept)
      add(this.#byPlace, `${by} ${kept.parts.place}`, kept)
      const path = maskedPath(url)
      if (path !== null) this.#masked.push(Object.assign(kept, { path }))
    }
  }

  /** The answer to the next request. */
  readonly next = ({ body, by, method, url }: Asked): Found => {
    const address = ReplayText.address(url)
    const sent = body === null ? null : ReplayText.sent(body)
    const same = this.#exact.get(`${by} ${exactly(method, address, sent)}`)
    if (same !== undefined) return take(same)
    const parts = partsOf(method, address, sent)
    const there = this.#byPlace.get(`${by} ${parts.place}`) ?? this.#maskedAt(by, method, address)
    let reason = "the run did not ask for this address"
    const alike: Array<Kept> = []
    for (const kept of there) {
      const differs = difference(parts, kept.parts)
      if (differs === null) alike.push(kept)
      else reason = differs
    }
    return alike.length === 0 ? { _tag: "Unanswered", reason } : take(alike)
  }

  readonly #maskedAt = (by: Asked["by"], method: string, url: string): ReadonlyArray<Kept> => {
    const path = segmentsOf(url)
    return this.#masked.filter(
      ({ answer, path: kept }) =>
        answer.by === by &&
        answer.method === method &&
        kept.length === path.length &&
        kept.every((segment, at) => isSame(segment, path[at] ?? ""))
    )
  }
}

const add = (all: Map<string, Array<Kept>>, key: string, kept: Kept): void => {
  const known = all.get(key)
  if (known === undefined) all.set(key, [kept])
  else known.push(kept)
}

/** The first that was not given yet, or else the last. */
const take = (fitting: ReadonlyArray<Kept>): Found => {
  const kept = fitting.find(({ isUsed }) => !isUsed) ?? fitting.at(-1)
  if (kept === undefined) return { _tag: "Unanswered", reason: "the run did not ask for this address" }
  kept.isUsed = true
  const { answer } = kept
  // A page has no use for an answer without its body.
  return answer.missing === null ? { _tag: "Answered", answer } : { _tag: "Unanswered", reason: answer.missing }
}
