/**
 * The budget of one evaluation of an expression, and its cost so far.
 *
 * No limit depends on a clock, so the same expression over the same values always reaches the same limit.
 */
import { generator, type Moment } from "./Moment.ts"

/** The limits of one evaluation. Sizes apply to values that the expression builds, not to values that it reads. */
export const limits = {
  /** Operations, where long lists and texts count for several. About a microsecond each. */
  work: 1_000_000,
  /** Characters of a text. */
  text: 5_000_000,
  /** Elements of a list. */
  list: 100_000,
  /** Approximate number of characters of a value as JSON. */
  value: 20_000_000,
  /** Nesting depth of lists and objects. */
  nesting: 500,
  /** Nesting depth of function calls. */
  calls: 500,
  /** Nesting depth of `$eval` calls. */
  evaluations: 5
} as const

export type Limit = keyof typeof limits

const units: Readonly<Record<Limit, string>> = {
  work: "operations",
  text: "characters",
  list: "elements",
  value: "characters as JSON",
  nesting: "levels",
  calls: "nested calls",
  evaluations: "nested evaluations"
}

/** Raised when an evaluation exceeds a limit. */
export class LimitReached extends Error {
  readonly limit: Limit
  constructor(limit: Limit) {
    super(`it goes over the limit "${limit}" of expressions: at most ${limits[limit]} ${units[limit]}`)
    this.limit = limit
  }
}

/** How much of a text or a list counts as one operation. */
const charactersPerUnit = 64
const elementsPerUnit = 16

/** The number of operations after which other fibers get their turn. */
const unitsPerTurn = 2_000

/** The measured size and depth of each list and object. They are immutable once measured. */
const measured = new WeakMap<object, { readonly weight: number; readonly depth: number }>()

/** The functions of expressions. They are objects, but not data. */
const functions = new WeakSet<object>()

export const noteFunction = (value: unknown): void => {
  if (typeof value === "object" && value !== null) functions.add(value)
}

export const isFunction = (value: unknown): boolean =>
  typeof value === "function" || (typeof value === "object" && value !== null && functions.has(value))

export class Meter {
  #used = 0
  #evaluations = 0
  #turn = unitsPerTurn
  readonly #isOver: () => boolean
  /** The time of the evaluation, in epoch milliseconds. */
  readonly at: number
  /** Draws a number from 0 up to, but not including, 1. */
  readonly draw: () => number

  constructor({ at, seed }: Moment, isOver: () => boolean = () => false) {
    this.#isOver = isOver
    this.at = at
    this.draw = generator(seed)
  }

  /** Counts operations. */
  readonly charge = (amount: number): void => {
    this.#used += amount
    if (!(this.#used <= limits.work) || this.#isOver()) throw new LimitReached("work")
  }

  /** Counts the start of an `$eval` call; the returned function counts its end. */
  readonly enterEvaluation = (): (() => void) => {
    if (++this.#evaluations > limits.evaluations) throw new LimitReached("evaluations")
    return () => {
      this.#evaluations--
    }
  }

  /** Whether the evaluation must yield to other fibers. Returns `true` once in each `unitsPerTurn` operations. */
  readonly isTurnOver = (): boolean => {
    if (this.#used < this.#turn) return false
    this.#turn = this.#used + unitsPerTurn
    return true
  }

  /** Refuses a text that would be too long, before it is built. */
  readonly admitText = (length: number): void => {
    if (length > limits.text) throw new LimitReached("text")
    this.charge(length / charactersPerUnit)
  }

  /** Refuses a value that was built and is too large. */
  readonly admit = (value: unknown): void => {
    if (typeof value === "string") this.admitText(value.length)
    else if (typeof value === "object" && value !== null && !functions.has(value)) {
      if (Array.isArray(value)) this.charge(value.length / elementsPerUnit)
      this.measure(value, 1)
    }
  }

  /** The approximate number of characters of a value as JSON. */
  readonly measure = (value: unknown, level: number): number => {
    if (typeof value === "string") return value.length + 2
    if (typeof value !== "object" || value === null || functions.has(value)) return 5
    const known = measured.get(value)
    if (known !== undefined) {
      if (level + known.depth > limits.nesting) throw new LimitReached("nesting")
      return known.weight
    }
    if (level > limits.nesting) throw new LimitReached("nesting")
    let weight = 2
    let depth = 0
    const add = (one: unknown): void => {
      weight += this.measure(one, level + 1) + 1
      if (weight > limits.value) throw new LimitReached("value")
      if (typeof one === "object" && one !== null) depth = Math.max(depth, measured.get(one)?.depth ?? 0)
    }
    if (Array.isArray(value)) for (const one of value) add(one)
    else {
      for (const [name, one] of Object.entries(value)) {
        weight += name.length + 3
        add(one)
      }
    }
    measured.set(value, { weight, depth: depth + 1 })
    return weight
  }
}
