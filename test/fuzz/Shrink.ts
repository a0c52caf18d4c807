/** Makes what fails smaller while it still fails. */
import type { Case } from "./Case.ts"

/** JSON values that are a step simpler than this one, the simplest first. */
export function* simpler(value: unknown): Generator<unknown> {
  if (typeof value === "string") {
    if (value === "") return
    yield ""
    if (value.length > 1) yield value.slice(0, Math.ceil(value.length / 2))
    if (value.length > 1) yield value.slice(Math.floor(value.length / 2))
    if (value.length > 1 && value.length <= 16) {
      yield value.slice(1)
      yield value.slice(0, -1)
    }
    return
  }
  if (typeof value === "number") {
    if (value !== 0) yield 0
    return
  }
  if (typeof value !== "object" || value === null) return
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    if (items.length > 0) yield []
    if (items.length > 2) yield items.slice(0, Math.ceil(items.length / 2))
    if (items.length > 2) yield items.slice(Math.floor(items.length / 2))
    for (let at = 0; at < Math.min(items.length, 20); at++) yield items.filter((_, index) => index !== at)
    for (let at = 0; at < Math.min(items.length, 20); at++) {
      for (const inner of simpler(items[at])) yield items.map((item, index) => (index === at ? inner : item))
    }
    return
  }
  const fields = Object.entries(value)
  if (fields.length > 0) yield {}
  for (const [name] of fields) yield Object.fromEntries(fields.filter(([other]) => other !== name))
  for (const [name, old] of fields) {
    if (name.length > 20) yield Object.fromEntries(fields.map((field) => (field[0] === name ? ["a", old] : field)))
  }
  for (const [name, old] of fields) {
    for (const inner of simpler(old)) yield { ...value, [name]: inner }
  }
}

/** Requests that are a step simpler than this one. */
export function* simplerCases(one: Case): Generator<Case> {
  const { body, headers, path } = one
  if (body !== null) yield { ...one, body: null }
  const [address = "", query] = path.split("?", 2)
  if (query !== undefined) yield { ...one, path: address }
  if (headers.length > 1) yield { ...one, headers: headers.filter(([name]) => name === "cc-key") }
  for (const left of headers) yield { ...one, headers: headers.filter((header) => header !== left) }
  const parts = query?.split("&") ?? []
  for (const left of parts.length > 1 ? parts : []) {
    yield { ...one, path: `${address}?${parts.filter((part) => part !== left).join("&")}` }
  }
  for (const long of parts) {
    const short = long.replace(/=(..).+$/, "=$1")
    if (short === long) continue
    yield { ...one, path: `${address}?${parts.map((part) => (part === long ? short : part)).join("&")}` }
  }
  if (body === null) return
  if ("json" in body) for (const json of simpler(body.json)) yield { ...one, body: { json } }
  if ("text" in body) for (const text of simpler(body.text)) yield { ...one, body: { text: String(text) } }
}

/**
 * The smallest of the values reached from `start` by steps to simpler ones that all still fail, after at most `attempts`
 * attempts.
 */
export const shrink = async <A>(
  start: A,
  steps: (one: A) => Iterable<A>,
  stillFails: (one: A) => Promise<boolean>,
  attempts: number
): Promise<A> => {
  let smallest = start
  let left = attempts
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const next of steps(smallest)) {
      if (left-- <= 0) return smallest
      if (await stillFails(next)) {
        smallest = next
        isSmaller = true
        break
      }
    }
  }
  return smallest
}
