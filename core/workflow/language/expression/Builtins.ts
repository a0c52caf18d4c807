/**
 * The functions of the expression language, each within the limits of its evaluation. A call that would build a huge
 * value or take very long fails before it starts.
 */
import jsonata from "jsonata"
import { even } from "../format/SeenText.ts"
import { functionName, seenValue } from "./ComparedTexts.ts"
import { isFunction, Meter, noteFunction } from "./Meter.ts"

/** A function in the representation of JSONata. `this` of the implementation has the environment of the call. */
interface Definition {
  readonly _jsonata_function: true
  readonly implementation: Implementation
  readonly signature?: unknown
}

type Implementation = (this: Focus, ...given: ReadonlyArray<never>) => unknown

interface Focus {
  readonly environment: Environment
  readonly input?: unknown
  readonly createSequence: (...given: ReadonlyArray<unknown>) => Array<unknown>
}

/** The part of a JSONata environment that is used here. */
export interface Environment {
  readonly base: {
    readonly lookup: (name: string) => unknown
    readonly timestamp: { readonly setTime: (at: number) => unknown }
  }
}

/** The name under which an evaluation has its meter. It is not a valid name, so no expression can refer to it. */
export const meterName = "the meter"

export const meterOf = ({ base }: Environment): Meter => {
  const found = base.lookup(meterName)
  return found instanceof Meter ? found : new Meter({ at: 0, seed: 0 })
}

const names =
  "sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim pad match contains replace split join formatNumber formatBase formatInteger parseInteger number floor ceil round abs sqrt power boolean not map zip filter single reduce sift keys lookup append exists spread merge reverse each error assert type sort distinct base64encode base64decode encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl eval toMillis fromMillis clone".split(
    " "
  )

/** The functions that return the time or random values. They use those of the evaluation, not of the machine. */
const ownNames = ["now", "millis", "random", "shuffle"] as const

/** Every function of the language, without its dollar sign. */
export const functionNames: ReadonlyArray<string> = [...names, ...ownNames]

/** The checks before a function is called. They may change the arguments. */
type Before = (meter: Meter, given: Array<unknown>) => void

const maxPicture = 256
const maxDate = 100

const picture =
  (at: number): Before =>
  (_meter, given) => {
    const one = given[at]
    if (typeof one !== "string") return
    if (one.length > maxPicture) throw new Error(`Expected a picture of at most ${maxPicture} characters`)
    if (/(?:^|\])[^\],]*,[^\]]*\d{3}/.test(one)) throw new Error("Expected widths of at most 99 in a picture")
  }

/**
 * Limits for reading dates, which matches the parts of the picture by backtracking: each part once, and a short text.
 */
const datePicture: Before = (meter, given) => {
  picture(1)(meter, given)
  const [text, shape] = given
  if (typeof text === "string" && text.length > maxDate) {
    throw new Error(`Expected a date of at most ${maxDate} characters`)
  }
  const parts = typeof shape === "string" ? [...shape.matchAll(/\[\s*([a-zA-Z])/g)].map(([, part]) => part) : []
  if (new Set(parts).size < parts.length) throw new Error("Expected each part of a date at most once in a picture")
}

/** Charges the cost of each match of a pattern and of its replacement. */
const counted = (meter: Meter, matcher: unknown, costOf: (match: Match) => number): unknown => {
  if (typeof matcher !== "function") return matcher
  let built = 0
  const follow = (result: unknown): unknown => {
    if (result instanceof Promise) return result.then(follow)
    if (typeof result !== "object" || result === null) return result
    // The matchers of JSONata return matches only.
    const match = result as Match
    built += costOf(match)
    meter.admitText(built)
    meter.charge(1 + (match.groups?.length ?? 0))
    const { next } = match
    return typeof next === "function" ? { ...match, next: () => follow(next.call(match)) } : match
  }
  const wrapped = function (this: unknown, ...given: ReadonlyArray<unknown>) {
    return follow(matcher.apply(this, given))
  }
  return Object.assign(wrapped, { arity: "arity" in matcher ? matcher.arity : matcher.length })
}

interface Match {
  readonly match?: unknown
  readonly groups?: ReadonlyArray<unknown>
  readonly next?: unknown
}

const occurrences = (text: string, part: string): number => {
  let count = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++
  return count
}

const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : 0)

const replacing: Before = (meter, given) => {
  const [text, pattern, replacement] = given
  if (typeof pattern === "string" && pattern !== "" && typeof text === "string") {
    if (typeof replacement !== "string") throw new Error("Expected a text in place of a text that is replaced")
    meter.charge(text.length / 64)
    const perMatch = replacement.length
    if (perMatch > 0) meter.admitText(text.length + occurrences(text, pattern) * perMatch)
    return
  }
  const marks = typeof replacement === "string" ? occurrences(replacement, "$") : 0
  given[1] = counted(meter, pattern, ({ groups = [], match }) => {
    const longest = Math.max(lengthOf(match), ...groups.slice(0, 100).map(lengthOf))
    return lengthOf(replacement) + marks * longest
  })
}

const matching: Before = (meter, given) => {
  given[1] = counted(meter, given[1], ({ groups = [], match }) =>
    groups.reduce((total: number, group) => total + lengthOf(group), lengthOf(match))
  )
}

const before: Readonly<Record<string, Before>> = {
  pad: (meter, [text, width, filling]) => {
    if (typeof width === "number") {
      const length = Math.abs(width) * Math.max(lengthOf(filling), 1)
      meter.admitText(Math.max(Number.isNaN(length) ? 0 : length, lengthOf(text)))
    }
  },
  join: (meter, [parts, separator]) => {
    if (!Array.isArray(parts)) return
    const own = parts.reduce((total: number, part) => total + lengthOf(part), 0)
    meter.admitText(own + parts.length * lengthOf(separator))
  },
  replace: replacing,
  match: matching,
  split: matching,
  contains: (meter, given) => {
    const [text, part] = given
    if (typeof text !== "string" || typeof part !== "string") return matching(meter, given)
    given.splice(0, 2, even(text), even(part))
  },
  sort: (meter, [list]) => {
    if (Array.isArray(list)) meter.charge((list.length * Math.log2(list.length + 1)) / 8)
  },
  formatNumber: picture(1),
  formatInteger: picture(1),
  parseInteger: (meter, given) => {
    picture(1)(meter, given)
    if (lengthOf(given[0]) > 1_000) throw new Error("Expected a number of at most 1000 characters")
  },
  fromMillis: picture(1),
  toMillis: datePicture,
  clone: (meter, [value]) => meter.admitText(meter.measure(value, 1)),
  string: (meter, [value]) => {
    if (typeof value !== "string") meter.admitText(meter.measure(value, 1))
  }
}

/** The distinct elements of a list, in their order. */
function distinct(this: Focus, list: unknown): unknown {
  if (!Array.isArray(list) || list.length <= 1) return list
  const seen = new Set<string>()
  const found = this.createSequence()
  for (const one of list) {
    const key = keyOf(one)
    if (seen.has(key)) continue
    seen.add(key)
    found.push(one)
  }
  return found
}

/** A text that is the same for equal values and different for others. */
const keyOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return `${typeof value} ${String(value)}`
  if (isFunction(value)) return "function"
  if (Array.isArray(value)) return `[${value.map(keyOf).map(quoted).join()}]`
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([name, one]) => `${quoted(name)}:${quoted(keyOf(one))}`).join()}}`
}

const quoted = (text: string): string => `${text.length} ${text}`

const maxEvaluated = 10_000

/** Each enclosing evaluation repeats an inner error at twice the length, so the nesting depth is bounded. */
const evaluating = (evaluate: Implementation): Implementation =>
  async function (this: Focus, source: unknown, focus: unknown): Promise<unknown> {
    if (lengthOf(source) > maxEvaluated) {
      throw new Error(`Expected at most ${maxEvaluated} characters to evaluate`)
    }
    const leave = meterOf(this.environment).enterEvaluation()
    try {
      // Functions of JSONata check their own arguments.
      return await evaluate.apply(this, [source, focus] as unknown as Array<never>)
    } finally {
      leave()
    }
  } as Implementation

/** A function within the limits that replaces another. It has the same parameters, because JSONata reads them. */
const limited = (name: string, definition: Definition): Definition => {
  const { implementation } = definition
  const look = before[name]
  // The implementations check their own arguments.
  const act =
    name === "distinct" ? (distinct as Implementation) : name === "eval" ? evaluating(implementation) : implementation
  const wrapped = function (this: Focus, ...given: Array<unknown>): unknown {
    const meter = meterOf(this.environment)
    meter.charge(1)
    look?.(meter, given)
    // Missing parts of a date are taken from this instant.
    this.environment.base.timestamp.setTime(meter.at)
    // As above.
    const result = act.apply(this, given as Array<never>)
    if (result instanceof Promise) {
      return result.then((value: unknown) => {
        meter.admit(value)
        return value
      })
    }
    meter.admit(result)
    return result
  }
  Object.defineProperty(wrapped, "length", { value: implementation.length })
  wrapped.toString = () => implementation.toString()
  // As above.
  const made = { ...definition, implementation: wrapped as Implementation }
  noteFunction(made)
  return made
}

let loading: Promise<ReadonlyArray<readonly [string, unknown]>> | undefined

/** Every function of the language by its name, within limits. */
export const load = (): Promise<ReadonlyArray<readonly [string, unknown]>> => {
  loading ??= Promise.all(
    // The name of a function is an expression whose value is its definition.
    names.map(async (name) => [name, limited(name, (await jsonata(`$${name}`).evaluate({})) as Definition)] as const)
  ).then((all) => [...all, ...own(all)])
  return loading
}

const own = (
  all: ReadonlyArray<readonly [string, Definition]>
): ReadonlyArray<readonly [(typeof ownNames)[number] | typeof functionName, unknown]> => [
  [functionName, ownFunction(seenValue)],
  ["now", nowOf(all)],
  [
    "millis",
    ownFunction(function (this: Focus) {
      return meterOf(this.environment).at
    })
  ],
  [
    "random",
    ownFunction(function (this: Focus) {
      return meterOf(this.environment).draw()
    })
  ],
  ["shuffle", ownFunction(shuffled)]
]

const ownFunction = (implementation: Implementation): unknown => {
  const made = { _jsonata_function: true, implementation }
  noteFunction(made)
  return made
}

/** A list in random order, each order equally likely. A single value is a list of one element. */
function shuffled(this: Focus, given: unknown): unknown {
  if (given === undefined) return undefined
  const meter = meterOf(this.environment)
  const list = Array.isArray(given) ? [...given] : [given]
  meter.admit(list)
  for (let last = list.length - 1; last > 0; last--) {
    const chosen = Math.floor(meter.draw() * (last + 1))
    ;[list[last], list[chosen]] = [list[chosen], list[last]]
  }
  return list
}

/** The time of the evaluation as a text. */
const nowOf = (all: ReadonlyArray<readonly [string, Definition]>): unknown => {
  const fromMillis = all.find(([name]) => name === "fromMillis")?.[1]
  const implementation = function (this: Focus, shape: unknown, zone: unknown): unknown {
    const millis = meterOf(this.environment).at
    // The implementation checks its own arguments.
    return fromMillis?.implementation.apply(this, [millis, shape, zone] as unknown as Array<never>)
  }
  return ownFunction(implementation)
}
