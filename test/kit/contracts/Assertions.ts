/**
 * The comparisons that contracts make. Each throws an error that shows what was expected and what was found, so that a
 * contract needs no test runner.
 */
import { Formatter, Predicate } from "effect"

/** Raised when an implementation breaks a promise of its port. */
export class PromiseBroken extends Error {
  readonly _tag = "PromiseBroken"
  override readonly name = "PromiseBroken"
}

const shown = (value: unknown): string => Formatter.format(value)

const hold = (holds: boolean, actual: unknown, expectation: string, note: string | undefined): void => {
  if (holds) return
  throw new PromiseBroken(`${note === undefined ? "" : `${note}: `}expected ${expectation}, got ${shown(actual)}`)
}

/**
 * Whether two values have the same structure. Compared each time, because `Equal` of Effect caches comparisons, and
 * lists may have changed since.
 */
const alike = (one: unknown, other: unknown): boolean => {
  if (Object.is(one, other)) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  // The stacks of two errors differ, and so may their classes.
  if (one instanceof Error && other instanceof Error) return one.name === other.name && one.message === other.message
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime()
  if (one instanceof Map && other instanceof Map) return alike([...one], [...other])
  if (one instanceof Set && other instanceof Set) return alike([...one], [...other])
  const names = Reflect.ownKeys(one)
  return (
    names.length === Reflect.ownKeys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && alike(Reflect.get(one, name), Reflect.get(other, name)))
  )
}

/** Expects the same value, as `Object.is` compares. */
export const strictEqual = (actual: unknown, expected: unknown, note?: string): void =>
  hold(Object.is(actual, expected), actual, shown(expected), note)

export const notStrictEqual = (actual: unknown, other: unknown, note?: string): void =>
  hold(!Object.is(actual, other), actual, `anything but ${shown(other)}`, note)

/** Expects a value of the same structure. */
export const deepStrictEqual = (actual: unknown, expected: unknown, note?: string): void =>
  hold(alike(actual, expected), actual, shown(expected), note)

/** Expects an object with at least these fields. */
export const deepInclude = (actual: unknown, fields: Readonly<Record<string, unknown>>, note?: string): void =>
  hold(
    typeof actual === "object" &&
      actual !== null &&
      Object.entries(fields).every(([name, value]) => alike(Reflect.get(actual, name), value)),
    actual,
    `an object with ${shown(fields)}`,
    note
  )

/** Expects a text that has a part, or a list that has an item. */
export const include = (actual: string | ReadonlyArray<unknown> | undefined, part: unknown, note?: string): void =>
  hold(contains(actual, part), actual, `${shown(part)} to be part of it`, note)

export const notInclude = (actual: string | ReadonlyArray<unknown> | undefined, part: unknown, note?: string): void =>
  hold(!contains(actual, part), actual, `${shown(part)} to be no part of it`, note)

const contains = (whole: string | ReadonlyArray<unknown> | undefined, part: unknown): boolean =>
  typeof whole === "string" ? whole.includes(String(part)) : (whole ?? []).includes(part)

/** Expects a list that has each of these items. */
export const includeMembers = (actual: ReadonlyArray<unknown>, members: ReadonlyArray<unknown>): void =>
  hold(
    members.every((one) => actual.includes(one)),
    actual,
    `a list with each of ${shown(members)}`,
    undefined
  )

export const lengthOf = (actual: ReadonlyArray<unknown>, length: number, note?: string): void =>
  hold(actual.length === length, actual, `${length} items`, note)

export const isTrue = (actual: unknown, note?: string): void => hold(actual === true, actual, "true", note)

export const isFalse = (actual: unknown, note?: string): void => hold(actual === false, actual, "false", note)

export const isNull = (actual: unknown, note?: string): void => hold(actual === null, actual, "null", note)

export const isUndefined = (actual: unknown, note?: string): void =>
  hold(actual === undefined, actual, "undefined", note)

export const isDefined = (actual: unknown, note?: string): void => hold(actual !== undefined, actual, "a value", note)

export const isAbove = (actual: number, bound: number, note?: string): void =>
  hold(actual > bound, actual, `more than ${bound}`, note)

export const isBelow = (actual: number, bound: number, note?: string): void =>
  hold(actual < bound, actual, `less than ${bound}`, note)

export const isAtMost = (actual: number, bound: number, note?: string): void =>
  hold(actual <= bound, actual, `at most ${bound}`, note)

export const match = (actual: string, pattern: RegExp, note?: string): void =>
  hold(pattern.test(actual), actual, `a match of ${pattern}`, note)

export const notMatch = (actual: string, pattern: RegExp, note?: string): void =>
  hold(!pattern.test(actual), actual, `no match of ${pattern}`, note)

/** Expects a failure of a kind, by its tag, with these fields: the class may be one of another package. */
export const tagged = (
  actual: unknown,
  tag: string,
  fields: Readonly<Record<string, unknown>> = {},
  note?: string
): void => {
  hold(Predicate.isTagged(actual, tag), actual, `a failure with the tag ${tag}`, note)
  for (const [name, value] of Object.entries(fields)) {
    const has = Predicate.hasProperty(actual, name) ? actual[name] : undefined
    hold(alike(has, value), has, `${shown(value)} as the field "${name}" of ${tag}`, note)
  }
}
