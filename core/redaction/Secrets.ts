/**
 * The secrets known to an execution, and the only place that redacts them in its output.
 *
 * A value is found in plain text, in hexadecimal, in base64 (alone or within a longer value), and with the escapes of
 * JSON, addresses and HTML, also nested or on some characters only. Values of fewer than four characters are not
 * searched for, because too many texts contain them.
 */
import { Effect, type Schema } from "effect"
import * as Json from "../workspace/Json.ts"
import * as Turns from "./Turns.ts"
import { limitOf, type Search, type Spellings, Values, type Window, windowsOf } from "./Values.ts"
import { longestInName, ValuesInNames } from "./ValuesInNames.ts"

/**
 * The kind of a value. `secret` is hidden in the data of the run as well; the others only in descriptions of the run.
 */
export type Kind = "secret" | "name" | "answer"

const labels: Readonly<Record<Kind, string>> = { secret: "[secret]", name: "[user name]", answer: "[answer]" }

/** A part of an added value, and its replacement. */
interface Part {
  /**
   * The length of the value, and the number of values added before. The longest value takes precedence, then the first.
   */
  readonly length: number
  readonly order: number
  readonly kind: Kind
  /** Whether it is hidden only as a whole word, and not within a longer word. */
  readonly isWord: boolean
  /** The number of its value among all. */
  readonly value: number
}

/** The part that replaces a text that takes too long to search. */
const unsearched: Part = { length: Number.POSITIVE_INFINITY, order: 0, kind: "secret", isWord: false, value: 0 }

/** For each spelling, by its number, the part that takes precedence. */
class Parts {
  readonly characters: Array<Part | undefined> = []
  readonly bytes: Array<Part | undefined> = []

  readonly add = ({ bytes, characters }: Spellings, part: Part): void => {
    for (const character of characters) this.characters[character] = better(this.characters[character], part)
    this.bytes[bytes] = better(this.bytes[bytes], part)
  }
}

/** The longer of two parts. Of equally long ones, the one that is also hidden within words, or else the first. */
const better = (one: Part | undefined, other: Part): Part => {
  if (one === undefined || other.length > one.length) return other
  if (other.length < one.length) return one
  // A password may be the same word as a user name.
  if (other.isWord !== one.isWord) return one.isWord ? other : one
  return other.order < one.order ? other : one
}

/** The values to hide in a text, and their replacements. */
interface Sought {
  readonly values: Values
  readonly parts: Parts
  readonly labelOf: (part: Part) => string
}

const labelOf = ({ kind }: Part): string => labels[kind]

const referenceTo = ({ value }: { readonly value: number }): string => `{{secret:${value}}}`

/** Maximum number of characters of a synchronous search. Longer texts are searched in turns. */
export const maxAtOnce = 8_192

/** The values of one execution. Values are added when they become known, and never removed. */
export class Secrets {
  readonly #known: Readonly<Record<Kind, Set<string>>> = { secret: new Set(), name: new Set(), answer: new Set() }
  #count = 0
  #partCount = 0
  readonly #values = new Values()
  readonly #all: Sought = { values: this.#values, parts: new Parts(), labelOf }
  readonly #ofSecrets: Sought = { values: this.#values, parts: new Parts(), labelOf }
  readonly #asReferences: Sought = { ...this.#all, labelOf: referenceTo }
  readonly #inNames = new ValuesInNames()
  /** The references of names and answers, which data may contain. */
  readonly #tellable = new Map<string, string>()
  readonly #owned = new OwnedValues()
  /** The credentials from which values of the context were derived, by the name of the value. */
  readonly #made = new Map<string, Set<string>>()
  /** The paths in the context of what has a secret in it, or a part of one. */
  readonly #kept: Array<{ readonly path: ReadonlyArray<string>; readonly isPart: boolean }> = []
  /** Whether a part of a secret was typed, so that a field that hides what it holds may hold one. */
  partsAreTyped = false
  /** Values of the context that were searched, by what they were, while there are as many values to search for. */
  #searched = { count: 0, values: new WeakMap<object, Schema.Json>() }

  /** Hides a value in all later texts; of a list or an object, every text in it. */
  readonly add = (value: Schema.Json, kind: Kind): void => {
    const pending: Array<Schema.Json> = [value]
    for (const one of pending) {
      if (typeof one === "object" && one !== null) pending.push(...Object.values(one))
      else if (typeof one === "string" || typeof one === "number") this.#addText(String(one), kind)
    }
  }

  /** Hides a secret of a credential in all later texts, and records its credential. */
  readonly addOf = (alias: string, value: string, kind: Kind): void => {
    this.add(value, kind)
    if (kind === "secret") this.#owned.add([alias], value, Number.POSITIVE_INFINITY)
  }

  /**
   * Indexes all values that were added so far, in turns. Otherwise the next search does so synchronously, which is slow
   * for thousands of values.
   */
  readonly prepared: Effect.Effect<void> = Turns.inTurns(() => this.#index())

  /** Records that the texts of a value were derived from secrets of these credentials. This does not hide them. */
  readonly own = (aliases: ReadonlyArray<string>, value: Schema.Json): void => {
    const pending: Array<Schema.Json> = aliases.length === 0 ? [] : [value]
    for (const one of pending) {
      if (typeof one === "object" && one !== null) pending.push(...Object.values(one))
      else if (typeof one === "string" || typeof one === "number") this.#owned.add(aliases, String(one), mostMade)
    }
  }

  /**
   * The credentials of the secrets in a text. Secrets that are a part of the secrets of `others` do not count. The text
   * is searched in turns.
   */
  readonly ownersIn = (
    text: string,
    others: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<ReadonlySet<string>>> => Turns.inTurns(() => this.#owned.ownersIn(text, others))

  /**
   * Records that a value of the context, such as `total` or `runtime.row`, was derived from secrets of these
   * credentials.
   */
  readonly noteMade = (name: string, aliases: ReadonlyArray<string>, value: Schema.Json): void => {
    this.own(aliases, value)
    const known = this.#made.get(name) ?? new Set()
    for (const alias of aliases) known.add(alias)
    if (known.size > 0) this.#made.set(name, known)
  }

  /** The credentials whose secrets are in the values that a path reads. */
  readonly madeOf = ([root, name, variable]: ReadonlyArray<string>): ReadonlySet<string> => {
    const found = new Set<string>()
    if (root !== undefined && root !== "context") return found
    const whole = name === "runtime" && variable !== undefined ? `runtime.${variable}` : name
    for (const [made, aliases] of this.#made) {
      const isRead = whole === undefined || made === whole || (whole === "runtime" && made.startsWith("runtime."))
      if (isRead) for (const alias of aliases) found.add(alias)
    }
    return found
  }

  /**
   * Records that a secret, or a part of one, is kept at a path of the context, such as `["login", "token"]`. A part is too
   * short, and a number too, to be found again by its text, so what is there is hidden as a whole when it leaves the run.
   */
  readonly noteKept = (path: ReadonlyArray<string>, isPart: boolean): void => {
    const isKnown = this.#kept.some((one) => one.isPart === isPart && one.path.join("\n") === path.join("\n"))
    if (!isKnown) this.#kept.push({ path, isPart })
  }

  /** Whether a path of an expression leads to a secret in the context, or to a part of one; `null` where to neither. */
  readonly keptAt = ([root, ...path]: ReadonlyArray<string>): "whole" | "part" | null => {
    if (root !== undefined && root !== "context") return null
    const found = this.#kept.filter((one) => one.path.every((name, at) => at >= path.length || path[at] === name))
    return found.length === 0 ? null : found.some(({ isPart }) => isPart) ? "part" : "whole"
  }

  /** Whether nothing is known that has to be hidden. */
  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** Whether the context has a secret of a credential, or a part of one. */
  get hasKept(): boolean {
    return this.#kept.length > 0
  }

  /** The variables of a context as an expression may see them: as they leave the run. What was searched is kept. */
  readonly hideInContext = Effect.fnUntraced(function* (this: Secrets, context: Schema.JsonObject) {
    if (this.#ofSecrets.parts.bytes.length === 0 && !this.hasKept) return context
    if (this.#searched.count !== this.#count) this.#searched = { count: this.#count, values: new WeakMap() }
    const { values } = this.#searched
    const shown: Record<string, Schema.Json> = {}
    for (const [name, value] of Object.entries(this.#masked(context))) {
      if (typeof value !== "object" || value === null) shown[name] = yield* mapped(value, this.#ofSecrets)
      else {
        const known = values.get(value) ?? (yield* mapped(value, this.#ofSecrets))
        values.set(value, known)
        shown[name] = known
      }
    }
    return shown
  })

  /** Data that expressions read besides the context, as they may see it. */
  readonly hideInData = <A extends Schema.Json>(value: A): Effect.Effect<A> => mapped(value, this.#ofSecrets)

  /** The data of a run as it leaves it: with the values hidden, except answers of persons and user names. */
  readonly hideInOutput = (data: Schema.JsonObject): Effect.Effect<Schema.JsonObject> =>
    this.hideInData(this.#masked(data))

  /** The context with what it keeps of secrets replaced. */
  readonly #masked = (context: Schema.JsonObject): Schema.JsonObject =>
    this.#kept.reduce<Schema.JsonObject>(
      (data, { isPart, path }) => Json.objectOf(replaced(data, path, (value) => this.#mask(value, isPart))),
      context
    )

  /** A text in which a whole secret is found keeps what is around it. */
  readonly #mask = (value: Schema.Json, isPart: boolean): Schema.Json => {
    if (isPart) return labels.secret
    if (value === null) return null
    if (Array.isArray(value)) return value.map((one) => this.#mask(one, isPart))
    if (typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#mask(one, isPart)]))
    }
    const text = String(value)
    const shown = text.length > maxAtOnce ? text : Turns.atOnce(hidden(text, text.length, this.#ofSecrets))
    return shown === text ? labels.secret : shown
  }

  /** Adds a link that signs in, and the tokens in it. */
  readonly addLink = (address: string): void => {
    this.add(address, "secret")
    if (URL.parse(address) === null) return
    const url = new URL(address)
    this.add(url.href, "secret")
    this.add(
      [...url.searchParams.values()].filter(({ length }) => length >= 8),
      "secret"
    )
    this.add(
      url.pathname.split("/").filter(({ length }) => length >= 16),
      "secret"
    )
    if (url.hash.length >= 8) this.add(url.hash.slice(1), "secret")
  }

  /**
   * A text with the values hidden. The text is cut at `maxAtOnce` characters, so that a page cannot make the search
   * slow.
   */
  readonly hide = (text: string): string => this.hideWithin(text, maxAtOnce)

  /**
   * The first `length` characters of a text, at most `maxAtOnce`, with the values hidden, including a value that is cut
   * by the end.
   */
  readonly hideWithin = (text: string, length: number): string =>
    Turns.atOnce(hidden(text, Math.min(length, maxAtOnce), this.#all))

  /** A text of any length, or its first `length` characters, with the values hidden. It is searched in turns. */
  readonly hideLong = (text: string, length = text.length): Effect.Effect<string> =>
    Turns.inTurns(() => hidden(text, length, this.#all))

  /** A text for a model: each known value is replaced by a reference that no other value has, such as `{{secret:3}}`. */
  readonly refer = (text: string): Effect.Effect<string> =>
    Turns.inTurns(() => hidden(text, text.length, this.#asReferences))

  /** Restores values in the output of a model: references to names and answers become their values again. */
  readonly restore = <A extends Schema.Json>(value: A): A =>
    mapAll(
      value,
      (text) => text.replace(/\{\{secret:\d+\}\}/g, (reference) => this.#tellable.get(reference) ?? reference)
      // Only texts change, into other texts.
    ) as A

  /**
   * The name of a file, cut at `longestInName` characters, with the values hidden, also if characters that file names
   * cannot contain were removed or replaced.
   */
  readonly hideInName = (name: string): string => this.#inNames.hide(this.hideWithin(name, longestInName))

  /**
   * A JSON value of any size with the values hidden in every text, number and name of a field. It is searched in turns.
   */
  readonly hideIn = <A extends Schema.Json>(value: A): Effect.Effect<A> => mapped(value, this.#all)

  /** The message of a defect with the values hidden. */
  readonly describe = (defect: unknown): string => this.hide(wordsOf(defect))

  readonly #addText = (value: string, kind: Kind): void => {
    if (isTooShort(value) || this.#known[kind].has(value)) return
    this.#known[kind].add(value)
    const parts = partsOf(value)
    const number = ++this.#count
    for (const text of parts) {
      const part: Part = {
        length: text.length,
        order: this.#partCount++,
        kind,
        isWord: isWord(value, kind),
        value: number
      }
      const spellings = this.#values.add(text)
      this.#all.parts.add(spellings, part)
      if (kind === "secret") this.#ofSecrets.parts.add(spellings, part)
    }
    this.#inNames.add(value, labels[kind])
    if (kind !== "secret" && parts.length === 1) this.#tellable.set(referenceTo({ value: number }), value)
  }

  readonly #index = function* (this: Secrets): Turns.Work<void> {
    yield* this.#values.index()
    yield* this.#inNames.index()
  }
}

/** Whether a user name is an ordinary word, such as `admin`. Such names are hidden as whole words only. */
const isWord = (value: string, kind: Kind): boolean => kind === "name" && /^\p{L}{1,20}$/u.test(value)

/**
 * Whether a range of a text is within a longer word. An escape before it, such as `%2F` or `\\n`, does not count as a
 * part of a word.
 */
const isWithinWord = (text: string, start: number, end: number): boolean => {
  const before = text.slice(Math.max(0, start - 6), start)
  const isEscape = /(%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[nrtbfv0])$/i.test(before)
  return (!isEscape && /[\p{L}\p{N}_-]$/u.test(before)) || /^[\p{L}\p{N}_-]/u.test(text.slice(end, end + 2))
}

const shortest = 4

const isTooShort = (value: string): boolean => [...value.slice(0, 2 * shortest)].length < shortest

/** Maximum number of derived texts that are recorded. Each typed text is searched for all of them. */
const mostMade = 1_000

/** Longer values are searched in parts. */
const partLength = 512

/** The parts of a value that are searched for separately. Surrogate pairs are not divided. */
const partsOf = (value: string): ReadonlyArray<string> => {
  const count = Math.max(Math.floor(value.length / partLength), 1)
  const cutAt = (index: number): number => {
    const at = index * partLength
    return (value.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at
  }
  return Array.from({ length: count }, (_, index) =>
    value.slice(index === 0 ? 0 : cutAt(index), index === count - 1 ? undefined : cutAt(index + 1))
  )
}

/** The values of credentials, and the values derived from them. */
class OwnedValues {
  readonly #all: Array<{ readonly value: string; readonly owners: Set<string> }> = []
  readonly #numbers = new Map<string, number>()
  readonly #values = new Values()
  /** For each spelling, by its number, the numbers of its values. */
  readonly #inCharacters: Array<Array<number>> = []
  readonly #inBytes: Array<Array<number>> = []

  /** Records the credentials of a value, unless there are already `most` values. */
  readonly add = (aliases: ReadonlyArray<string>, value: string, most: number): void => {
    if (isTooShort(value)) return
    const known = this.#all[this.#numbers.get(value) ?? -1]
    if (known !== undefined) for (const alias of aliases) known.owners.add(alias)
    else if (this.#all.length < most) {
      const number = this.#all.push({ value, owners: new Set(aliases) }) - 1
      this.#numbers.set(value, number)
      for (const part of partsOf(value)) {
        const { bytes, characters } = this.#values.add(part)
        for (const character of characters) note(this.#inCharacters, character, number)
        note(this.#inBytes, bytes, number)
      }
    }
  }

  /** The credentials of the values in a text, without values that are a part of the values of `others`. */
  readonly ownersIn = function* (
    this: OwnedValues,
    text: string,
    others: ReadonlyArray<string>
  ): Turns.Work<ReadonlyArray<ReadonlySet<string>>> {
    const all = [...this.#all]
    const found = yield* this.#foundIn(text)
    const theirs = all.filter(({ owners }) => others.some((alias) => owners.has(alias)))
    const held: Array<ReadonlySet<string>> = []
    for (const [number, { owners, value }] of all.entries()) {
      if (found !== "too costly" && !found.has(number)) continue
      yield charactersOfValue * theirs.length
      if (!theirs.some((their) => their.value.includes(value))) held.push(owners)
    }
    return held
  }

  /** The numbers of the values in a text. */
  readonly #foundIn = function* (this: OwnedValues, text: string): Turns.Work<ReadonlySet<number> | "too costly"> {
    yield* this.#values.index()
    const found = new Set<Array<number>>()
    const take = (numbers: Array<number> | undefined) => void (numbers !== undefined && found.add(numbers))
    let left = limitOf(text.length)
    for (const window of windowsOf(text.length)) {
      const { places, reached, spent } = this.#values.find(
        text,
        window,
        {
          characters: (spelling) => take(this.#inCharacters[spelling]),
          bytes: (spelling) => take(this.#inBytes[spelling])
        },
        left
      )
      if (reached < window[1]) return "too costly"
      left -= spent
      yield places
    }
    return new Set([...found].flat())
  }
}

const note = (lists: Array<Array<number>>, at: number, number: number): void => {
  const known = lists[at]
  if (known === undefined) lists[at] = [number]
  else known.push(number)
}

/** A hidden range of a text. */
interface Place {
  end: number
  part: Part
}

/** The places of a window of a text at which values begin, in ascending order. */
const placesIn = (
  text: string,
  window: Window,
  { parts, values }: Sought,
  limit: number
): Search & { readonly found: ReadonlyArray<readonly [start: number, place: Place]> } => {
  const found = new Map<number, Place>()
  const take = (part: Part | undefined, start: number, end: number): void => {
    if (part === undefined || (part.isWord && isWithinWord(text, start, end))) return
    const known = found.get(start)
    if (known === undefined) found.set(start, { end, part })
    else {
      known.end = Math.max(known.end, end)
      known.part = better(known.part, part)
    }
  }
  const search = values.find(
    text,
    window,
    {
      characters: (spelling, start, end) => take(parts.characters[spelling], start, end),
      bytes: (spelling, start, end) => take(parts.bytes[spelling], start, end)
    },
    limit
  )
  if (search.reached < window[1]) take(unsearched, search.reached, window[1])
  return { ...search, found: [...found].sort(([a], [b]) => a - b) }
}

/**
 * The first `length` characters of a text with every value replaced, also overlapping ones. A part that would take too
 * long to search is replaced as a whole.
 */
const hidden = function* (text: string, length: number, sought: Sought): Turns.Work<string> {
  const within = Math.min(length, text.length)
  yield* sought.values.index()
  const shown: Array<string> = []
  // The result covers the text up to here.
  let end = 0
  let left = limitOf(within)
  for (const window of windowsOf(within)) {
    const { found, places, spent } = placesIn(text, window, sought, left)
    left -= spent
    for (const [start, place] of found) {
      if (start >= end) shown.push(text.slice(end, start), sought.labelOf(place.part))
      end = Math.max(end, place.end)
    }
    yield places
  }
  if (shown.length === 0) return within === text.length ? text : text.slice(0, within)
  shown.push(text.slice(end, Math.max(within, end)))
  return shown.join("")
}

const mapped = <A extends Schema.Json>(value: A, sought: Sought): Effect.Effect<A> =>
  sought.parts.bytes.length === 0
    ? Effect.succeed(value)
    : // Only texts change, into other texts.
      Turns.inTurns(() => mapTexts(value, sought) as Turns.Work<A>)

const mapTexts = function* (value: Schema.Json, sought: Sought): Turns.Work<Schema.Json> {
  yield charactersOfValue
  if (typeof value === "string") return yield* hidden(value, value.length, sought)
  if (typeof value === "number") {
    const text = String(value)
    const shown = yield* hidden(text, text.length, sought)
    return shown === text ? value : shown
  }
  if (Array.isArray(value)) {
    const all: Array<Schema.Json> = []
    for (const one of value) all.push(yield* mapTexts(one, sought))
    return all
  }
  if (typeof value !== "object" || value === null) return value
  const fields: Array<readonly [string, Schema.Json]> = []
  for (const [name, one] of Object.entries(value)) {
    fields.push([yield* hidden(name, name.length, sought), yield* mapTexts(one, sought)])
  }
  return Object.fromEntries(fields)
}

/** A value with what is at a path in it replaced, in every element of a list on the way. */
const replaced = (
  value: Schema.Json,
  [name, ...path]: ReadonlyArray<string>,
  change: (value: Schema.Json) => Schema.Json
): Schema.Json => {
  if (name === undefined) return change(value)
  if (Array.isArray(value)) return value.map((one) => replaced(one, [name, ...path], change))
  if (!Json.isObject(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: replaced(value[name] ?? null, path, change) }
}

/** The cost of a value of any kind, in characters. */
const charactersOfValue = 16

const mapAll = (value: Schema.Json, change: (text: string) => string): Schema.Json => {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((one) => mapAll(one, change))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapAll(one, change)]))
}

const wordsOf = (defect: unknown): string => {
  const said: Array<string> = []
  for (let one: unknown = defect; one !== undefined && one !== null && said.length < 10; ) {
    if (!(one instanceof Error)) {
      said.push(typeof one === "object" ? jsonOf(one) : String(one))
      break
    }
    said.push(one.stack ?? `${one.name}: ${one.message}`)
    one = one.cause
  }
  return said.join("\nCaused by ")
}

const jsonOf = (value: object): string => {
  try {
    return JSON.stringify(value)
  } catch {
    return "an object that cannot be shown"
  }
}
