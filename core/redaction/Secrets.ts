/**
 * The secrets that an execution has come to know, and the one place that hides them in what leaves it.
 *
 * A value is found however it is written: as it is, or as JSON, addresses and HTML write it, also when some of its
 * characters are escaped and others are not, or one encoding is within another; in hexadecimal; and in base64, on its own or
 * as a part of something longer. Values of less than four characters are not looked for: everything would have them in it.
 */
import { Effect, type Schema } from "effect"
import { Grams } from "./Grams.ts"
import * as Turns from "./Turns.ts"

/**
 * The kind of a value. `secret` is hidden in the data of the run as well; the others only in descriptions of the run.
 */
export type Kind = "secret" | "name" | "answer"

const labels: Readonly<Record<Kind, string>> = { secret: "[secret]", name: "[user name]", answer: "[answer]" }

/** One way in which a value is found. A text that has the value in it has each of the anchors in it as well. */
class Form {
  readonly anchors: ReadonlyArray<string>
  readonly #make: () => Search
  #search: Search | undefined

  constructor(anchors: ReadonlyArray<string>, make: () => Search) {
    this.anchors = anchors
    this.#make = make
  }

  /** Made when a text has the anchors in it for the first time: to compile a pattern takes far longer than to look for that. */
  get search(): Search {
    this.#search ??= this.#make()
    return this.#search
  }
}

/** How a form is found in a text that has its anchors in it. */
interface Search {
  readonly pattern: RegExp
  /** The most characters that the pattern matches. */
  readonly reach: number
  /**
   * For a pattern that finds only the beginning of a value: the end of the value that begins at a place of a text; -1
   * where none begins.
   */
  readonly endOf?: (text: string, enough: number) => EndOf
  /** Whether `endOf` goes to the end of all values that lap over one another, or to what is `enough`. */
  readonly reachesAll?: boolean
}

type EndOf = (start: number) => number

/** A part of a value that is searched for separately. Its forms are made at the first search. */
class Chunk {
  readonly text: string
  #forms: ReadonlyArray<Form> | undefined
  #least: number | undefined

  constructor(text: string) {
    this.text = text
  }

  /** A text of fewer characters does not have it. */
  get least(): number {
    this.#least ??= leastOf(unrepeated(this.text))
    return this.#least
  }

  get forms(): ReadonlyArray<Form> {
    this.#forms ??= formsOf(this.text)
    return this.#forms
  }
}

/** A chunk, and what is shown in its place. */
interface Sought {
  readonly chunk: Chunk
  readonly label: string
  /** The number of the chunk in its catalogue. */
  readonly number: number
}

/** How many forms a chunk has. */
const formsPerChunk = 6

/** So many chunks are looked for one by one; with more of them, a text is first searched for all of their anchors at once. */
const fewChunks = 32

/** Chunks by number, and which of their forms may be in a text. */
class Catalogue {
  readonly #chunks: Array<Chunk> = []
  readonly #grams = new Grams()
  /** The chunks before this one are in the grams. */
  #indexed = 0

  /** Adds a chunk, and answers its number. */
  readonly add = (chunk: Chunk): number => this.#chunks.push(chunk) - 1

  readonly isSmall = (): boolean => this.#chunks.length <= fewChunks

  /** The forms whose anchors may be in a text, in order: the number of the chunk, and the form. */
  readonly formsIn = function* (this: Catalogue, text: string): Turns.Work<ReadonlyArray<readonly [number, Form]>> {
    yield* this.index()
    const search = this.#grams.search()
    for (const [from, to] of windowsOf(text.length)) {
      search.read(text, from, to)
      yield to - from
    }
    return search.found().flatMap((one) => {
      const number = Math.floor(one / formsPerChunk)
      const form = this.#chunks[number]?.forms[one % formsPerChunk]
      return form === undefined ? [] : [[number, form] as const]
    })
  }

  /** Prepares the search for all anchors at once. */
  readonly index = function* (this: Catalogue): Turns.Work<void> {
    if (this.isSmall()) return
    for (; this.#indexed < this.#chunks.length; this.#indexed++) {
      const { forms = [], text: value = "" } = this.#chunks[this.#indexed] ?? {}
      for (const [at, { anchors }] of forms.entries()) this.#grams.add(anchors, this.#indexed * formsPerChunk + at)
      yield charactersOfValue + value.length
    }
  }
}

/** The most characters that are searched at once. What is longer is searched in turns. */
export const maxAtOnce = 8_192

/** The values of one execution. They are added as they become known, and stay. */
export class Secrets {
  readonly #known = new Set<string>()
  readonly #all: Array<Sought> = []
  readonly #ofSecrets: Array<Sought> = []
  readonly #asReferences: Array<Sought> = []
  readonly #catalogue = new Catalogue()
  readonly #inNames: Array<{ readonly words: Words; readonly label: string }> = []
  /** The references of names and answers, which may stand in data. */
  readonly #tellable = new Map<string, string>()
  /** The credentials that values are of, and how these are found. */
  readonly #owned = new Map<string, Owned>()
  readonly #ownedCatalogue = new Catalogue()
  /** The credentials that the values of the context were made of, by the name of the value. */
  readonly #made = new Map<string, Set<string>>()

  /** Hides a value in all later texts, and every text in it when it is a list or an object. */
  readonly add = (value: Schema.Json, kind: Kind): void => {
    const pending: Array<Schema.Json> = [value]
    for (const one of pending) {
      if (typeof one === "object" && one !== null) pending.push(...Object.values(one))
      else if (typeof one === "string" || typeof one === "number") this.#addText(String(one), kind)
    }
  }

  /** Hides a secret of a credential in all later texts, and remembers whose it is. */
  readonly addOf = (alias: string, value: string, kind: Kind): void => {
    this.add(value, kind)
    if (kind === "secret") this.#ownText([alias], value, Number.POSITIVE_INFINITY)
  }

  /**
   * Prepares the search for all values that were added so far. Without it the first search does so, which takes long at once
   * where there are thousands.
   */
  readonly prepared: Effect.Effect<void> = Turns.inTurns(() => this.#catalogue.index())

  /** Remembers that the texts of a value were made of secrets of these credentials. They are not hidden by that. */
  readonly own = (aliases: ReadonlyArray<string>, value: Schema.Json): void => {
    const pending: Array<Schema.Json> = aliases.length === 0 ? [] : [value]
    for (const one of pending) {
      if (typeof one === "object" && one !== null) pending.push(...Object.values(one))
      else if (typeof one === "string" || typeof one === "number") this.#ownText(aliases, String(one), mostMade)
    }
  }

  readonly #ownText = (aliases: ReadonlyArray<string>, text: string, most: number): void => {
    if (isTooShort(text)) return
    const known = this.#owned.get(text)
    if (known !== undefined) for (const alias of aliases) known.owners.add(alias)
    else if (this.#owned.size < most) {
      const sought = chunks(text).map((chunk) => ({ chunk, label: "", number: this.#ownedCatalogue.add(chunk) }))
      this.#owned.set(text, { owners: new Set(aliases), sought })
    }
  }

  /**
   * For each secret of a credential that a text holds, whose it is. Those that are a part of the secrets of `others` do not
   * count. The text is searched in turns.
   */
  readonly ownersIn = (
    text: string,
    others: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<ReadonlySet<string>>> => {
    const owned = [...this.#owned]
    const theirs = owned.filter(([, { owners }]) => others.some((alias) => owners.has(alias))).map(([value]) => value)
    return Turns.inTurns(() => owning(text, owned, theirs, this.#ownedCatalogue))
  }

  /** Notes that a value of the context, such as `total` or `runtime.row`, was made of secrets of these credentials. */
  readonly noteMade = (name: string, aliases: ReadonlyArray<string>, value: Schema.Json): void => {
    this.own(aliases, value)
    const known = this.#made.get(name) ?? new Set()
    for (const alias of aliases) known.add(alias)
    if (known.size > 0) this.#made.set(name, known)
  }

  /** The credentials whose secrets are in what a path of an expression reads. */
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

  /** Adds a link that signs in, and the tokens in it. */
  readonly addLink = (address: string): void => {
    this.add(address, "secret")
    if (!URL.canParse(address)) return
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
   * A text, such as an address or a sentence, with the values hidden. It is cut at `maxAtOnce` characters,
   * so that a page cannot decide how long the search takes.
   */
  readonly hide = (text: string): string => this.hideWithin(text, maxAtOnce)

  /** The first `length` characters of a text, at most `maxAtOnce`, with the values hidden, though the end may lie within a value. */
  readonly hideWithin = (text: string, length: number): string =>
    Turns.atOnce(hidden(text, Math.min(length, maxAtOnce), this.#all, this.#catalogue))

  /** A text of any length, or its first `length` characters, with the values hidden. It is searched in turns. */
  readonly hideLong = (text: string, length = text.length): Effect.Effect<string> => {
    const all = [...this.#all]
    return Turns.inTurns(() => hidden(text, length, all, this.#catalogue))
  }

  /** A text for a model: each known value is replaced by a reference that no other value has, such as `{{secret:3}}`. */
  readonly refer = (text: string): Effect.Effect<string> => {
    const all = [...this.#asReferences]
    return Turns.inTurns(() => hidden(text, text.length, all, this.#catalogue))
  }

  /** The data that a model read from a text with references: those of names and answers become their values again. */
  readonly restore = <A extends Schema.Json>(value: A): A =>
    mapAll(value, (text) =>
      text.replace(/\{\{secret:\d+\}\}/g, (reference) => this.#tellable.get(reference) ?? reference)
    ) as A

  /** The name of a file with the values hidden: it may have lost, or had replaced, the signs that names of files cannot have. */
  readonly hideInName = (name: string): string =>
    this.#inNames.reduce(
      ({ inCase, text }, { label, words }) => {
        const next = words.replaced(text, label, inCase)
        return next === text ? { inCase, text } : withCase(next)
      },
      withCase(this.hide(name))
    ).text

  /** A JSON value of any size with every text and number in it, names included, with the values hidden. It is searched in turns. */
  readonly hideIn = <A extends Schema.Json>(value: A): Effect.Effect<A> => mapped(value, this.#all, this.#catalogue)

  /** The data of a run with the values hidden, except answers of persons and user names, which stay. */
  readonly hideInData = <A extends Schema.Json>(value: A): Effect.Effect<A> =>
    mapped(value, this.#ofSecrets, this.#catalogue)

  /** The message of a defect with the values hidden. */
  readonly describe = (defect: unknown): string => this.hide(wordsOf(defect))

  readonly #addText = (value: string, kind: Kind): void => {
    const known = `${kind} ${value}`
    if (isTooShort(value) || this.#known.has(known)) return
    this.#known.add(known)
    const all = chunks(value).map((chunk) => ({ chunk, label: labels[kind], number: this.#catalogue.add(chunk) }))
    this.#all.push(...all)
    const words =
      value
        .slice(0, longestInName)
        .normalize("NFC")
        .match(/[\p{L}\p{N}]+/gu) ?? []
    if (words.length > 1 && words.join("").length >= shortestInName) {
      this.#inNames.push({ words: new Words(words), label: labels[kind] })
    }
    const reference = `{{secret:${this.#known.size}}}`
    this.#asReferences.push(...all.map((one) => ({ ...one, label: reference })))
    if (kind !== "secret" && all.length === 1) this.#tellable.set(reference, value)
    if (kind === "secret") this.#ofSecrets.push(...all)
  }
}

/** The credentials that a value is of, and how it is found. */
interface Owned {
  readonly owners: Set<string>
  readonly sought: ReadonlyArray<Sought>
}

const shortest = 4

const isTooShort = (value: string): boolean => [...value.slice(0, 2 * shortest)].length < shortest

/** So many texts that were made of secrets are remembered: each is looked for in what is typed. */
const mostMade = 1_000

/** The least number of signs of a value, without separators, that are hidden in a name. */
const shortestInName = 6

/** Names of files are shorter than this, so a longer part of a value is not sought in them. */
const longestInName = 1_024

/** Between two words of it there are at most so many signs. */
const maxSigns = 64

/** So many words of a value are looked for by one pattern. To compile one takes time that grows with its length. */
const wordsPerPattern = 16

/** A text in which characters that differ in their case alone are the same. */
const folded = (text: string): string => {
  if (/^[ -~]*$/.test(text)) return text.toLowerCase()
  let all = ""
  for (const one of text) {
    const upper = one.toUpperCase()
    all += ([...upper].length === 1 ? upper : one).toLowerCase()
  }
  return all
}

const withCase = (text: string) => ({ text, inCase: folded(text) })

/** The words of a value, with few or no signs between them. */
class Words {
  readonly #words: ReadonlyArray<string>
  /** The words in the case in which texts are compared, the last one first: it is the one by which values mostly differ. */
  #inCase: ReadonlyArray<string> | undefined
  #compiled: ReadonlyArray<RegExp> | undefined

  constructor(words: ReadonlyArray<string>) {
    this.#words = words
  }

  /** Each finds some of the words; the signs before them are in all but the first. */
  get #patterns(): ReadonlyArray<RegExp> {
    this.#compiled ??= this.#compile()
    return this.#compiled
  }

  #compile(): ReadonlyArray<RegExp> {
    const words = this.#words
    const signs = `[^\\p{L}\\p{N}]{0,${maxSigns}}`
    return Array.from({ length: Math.ceil(words.length / wordsPerPattern) }, (_, at) => {
      const some = words.slice(at * wordsPerPattern, (at + 1) * wordsPerPattern).join(signs)
      return at === 0 ? new RegExp(some, "giu") : new RegExp(`${signs}${some}`, "iuy")
    })
  }

  /** A text with a label in the place of each occurrence of the words. */
  readonly replaced = (text: string, label: string, inCase: string): string => {
    // To compile a pattern takes far longer.
    this.#inCase ??= this.#words.map(folded).reverse()
    if (!this.#inCase.every((word) => inCase.includes(word))) return text
    const [first, ...others] = this.#patterns
    if (first === undefined) return text
    const parts: Array<string> = []
    let rest = 0
    first.lastIndex = 0
    for (let match = first.exec(text); match !== null; match = first.exec(text)) {
      let end = first.lastIndex
      for (const pattern of others) {
        pattern.lastIndex = end
        if (end >= 0) end = pattern.test(text) ? pattern.lastIndex : -1
      }
      if (end >= 0) parts.push(text.slice(rest, match.index), label)
      if (end >= 0) rest = end
      first.lastIndex = end >= 0 ? end : match.index + 1
    }
    return parts.length === 0 ? text : `${parts.join("")}${text.slice(rest)}`
  }
}

/** Longer values are looked for in pieces. */
const chunkLength = 512

/** How often one escaping may be within another. Bounded, so that a text of escapes alone is searched in linear time. */
const maxNesting = 4

/** Each JSON within JSON doubles the backslashes, and adds one. */
const maxBackslashes = 2 ** maxNesting - 1

/** A UTF-16 unit takes at most so many characters where it is escaped: three bytes in an address, or an entity in JSON. */
const longestEscape = 48

const chunks = (value: string): ReadonlyArray<Chunk> => {
  const count = Math.max(Math.floor(value.length / chunkLength), 1)
  return Array.from(
    { length: count },
    (_, index) =>
      new Chunk(value.slice(index * chunkLength, index === count - 1 ? undefined : (index + 1) * chunkLength))
  )
}

/** A value whose beginning repeats something this short is looked for without most of the repetitions. */
const maxPeriod = 32

/** So much of such a beginning is kept. */
const keptLength = 64

/**
 * A chunk without what its beginning only repeats. A text that repeats the same would be read that far from each of its
 * positions on. What stays visible then is what is repeated.
 */
const unrepeated = (chunk: string): string => {
  // Of each beginning of the chunk, the length of its longest border: the failure function of Knuth, Morris and Pratt.
  const borders = [0]
  let repeated = 0
  for (let at = 1, border = 0; at < chunk.length; at++) {
    while (border > 0 && chunk[at] !== chunk[border]) border = borders[border - 1] ?? 0
    if (chunk[at] === chunk[border]) border++
    borders.push(border)
    if (at + 1 - border <= maxPeriod) repeated = at + 1
  }
  const start = Math.max(repeated - keptLength, 0)
  return chunk.slice(/^[\udc00-\udfff]/.test(chunk.slice(start)) ? start - 1 : start)
}

const digitsOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const formsOf = (value: string): ReadonlyArray<Form> => {
  const bytes = new TextEncoder().encode(value)
  let digits = ""
  for (const byte of bytes) digits += digitsOfByte[byte]
  const sought = unrepeated(value)
  // A short number stands in longer ones by chance.
  const alone = /^\d{1,8}$/.test(value) ? ["(?:(?<!\\d)|(?<=%[0-9A-Fa-f]{2}))", "(?!\\d)"] : ["", ""]
  return [
    new Form(anchorsOf(sought.split(/[^A-Za-z0-9]+/)), () => found(sought, alone[0] ?? "", alone[1] ?? "")),
    ...[0, 1, 2].map((offset) => base64(bytes, offset)),
    ...[digits, digits.toUpperCase()].map(
      (anchor) => new Form([anchor], () => ({ pattern: new RegExp(anchor, "g"), reach: anchor.length }))
    )
  ]
}

/** Characters that no encoding in use here ever escapes. */
const plain = /[A-Za-z0-9]/

/** So many of the runs of such characters in a value tell it from others. */
const mostAnchors = 8

/** The longest of the runs, the longest first. */
const anchorsOf = (runs: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(runs)]
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, mostAnchors)

/**
 * Of a longer run of backslashes at the beginning of a value only the last ones are looked for. A search may begin at each
 * backslash of a text, and must not read a long run again each time.
 */
const maxLeading = 16

/** Longer sources are not compiled as a whole, which takes a tenth of a second for 512 signs. */
const maxSource = 6_000

/** The source of what begins a longer one. */
const headSource = 2_000

/** The fewest characters in which a value is found. Each piece of it takes at least as many as it has, but for long runs. */
const leastOf = (value: string): number =>
  [...value].length - Math.max((/^\\*/.exec(value)?.[0].length ?? 0) - maxLeading, 0)

/** The pattern for a text in which each character may be escaped or not, and how a long value is followed to its end. */
const found = (value: string, before: string, after: string): Search => {
  const pieces = (value.match(/\\+|[^\\]/gsu) ?? []).map((piece, index) =>
    index === 0 && piece.startsWith("\\") ? piece.slice(-maxLeading) : piece
  )
  const sources = pieces.map((piece, index) =>
    piece.startsWith("\\") ? backslashes(piece.length) : character(piece, index === 0 ? oncePerRun : anyBackslashes)
  )
  const whole = sources.join("")
  if (whole.length <= maxSource)
    return { pattern: new RegExp(`${before}${whole}${after}`, "g"), reach: reachOf(pieces) }
  let head = ""
  let count = 0
  for (const source of sources) {
    if (head.length >= headSource) break
    head += source
    count++
  }
  const [first = ""] = pieces
  const repeats = pieces.every((piece) => piece === first) && !first.startsWith("\\")
  return {
    pattern: new RegExp(head, "g"),
    reach: reachOf(pieces.slice(0, count)),
    endOf: following(pieces, repeats),
    reachesAll: repeats
  }
}

/** The most characters that pieces of a value take. */
const reachOf = (pieces: ReadonlyArray<string>): number =>
  pieces.reduce((sum, piece) => sum + (plain.test(piece) ? 1 : piece.length * longestEscape), 0)

/** All ends that a piece of a value may have in a text where it begins at `at`. */
type Ends = (text: string, at: number, isLast: boolean) => ReadonlyArray<number>

/**
 * Follows the pieces of a value through a text. A piece may be read in several ways, so several ends are followed at once;
 * the furthest one counts. Where all pieces are the same, they are followed for as long as the text repeats them, as each
 * of the repetitions would begin the value again, until the end is one that is `enough`.
 */
const following = (pieces: ReadonlyArray<string>, repeats: boolean): NonNullable<Search["endOf"]> => {
  const known = new Map<string, Ends>()
  const all = pieces.map((piece) => {
    const ends = known.get(piece) ?? endsOf(piece)
    known.set(piece, ends)
    return ends
  })
  // The pieces that are one unit of UTF-16 and begin no escape; they are compared by themselves first.
  const units = Int32Array.from(pieces, (piece) =>
    piece.length === 1 && !/[\\%&]/.test(piece) ? piece.charCodeAt(0) : -1
  )
  return (text, enough) => {
    // The same piece is looked for at the same place from many starts.
    const seen = new Map<Ends, Map<number, ReadonlyArray<number>>>()
    const endsAt = (piece: Ends, at: number, isLast: boolean): ReadonlyArray<number> => {
      if (isLast) return piece(text, at, isLast)
      const places = seen.get(piece) ?? new Map<number, ReadonlyArray<number>>()
      seen.set(piece, places)
      const ends = places.get(at) ?? piece(text, at, isLast)
      places.set(at, ends)
      return ends
    }
    const reached = (from: ReadonlyArray<number>, piece: Ends, isLast: boolean): ReadonlyArray<number> => {
      const [only] = from
      if (from.length === 1 && only !== undefined) return endsAt(piece, only, isLast)
      return [...new Set(from.flatMap((end) => endsAt(piece, end, isLast)))]
    }
    // An escaped piece and the same without its escape end at one place, from where nothing need be followed twice.
    let failedAt = -1
    return (start) => {
      let ends: ReadonlyArray<number> = [start]
      // The one end where there is one; -1 for several.
      let single = start
      let second = -1
      for (let at = 0; at < units.length; at++) {
        if (at === 1) {
          if (single >= 0 && single === failedAt) return -1
          second = single
        }
        if (single >= 0 && text.charCodeAt(single) === units[at]) {
          single++
          continue
        }
        const piece = all[at]
        ends = piece === undefined ? [] : reached(single >= 0 ? [single] : ends, piece, at === units.length - 1)
        if (ends.length === 0) {
          failedAt = second
          return -1
        }
        single = ends.length === 1 ? (ends[0] ?? -1) : -1
      }
      if (single >= 0) ends = [single]
      const [first] = all
      if (!repeats || first === undefined) return Math.max(...ends)
      let last = ends
      while (last.length > 0) {
        ends = last
        last = Math.max(...last) < enough ? reached(last, first, false) : []
      }
      return Math.max(...ends)
    }
  }
}

const endsOf = (piece: string): Ends => {
  const count = piece.startsWith("\\") ? piece.length : 0
  // Only where the sign of an escape is itself escaped has a form several ends.
  const nestings = /[%&]/.test(piece)
    ? Array.from({ length: maxNesting + 1 }, (_, nesting) => `{${nesting}}`)
    : [anyNesting]
  const sources =
    count > 0 ? escapedBackslashes(count) : nestings.map((nesting) => character(piece, anyBackslashes, nesting))
  // A sign is also one of its forms, and has a separate pattern: the others may find an escape before it.
  const patterns = [...sources, ...(count > 0 ? [] : [literal(piece)])].map((source) => new RegExp(source, "y"))
  return (text, at, isLast) => {
    const ends: Array<number> = []
    for (const pattern of patterns) {
      pattern.lastIndex = at
      if (pattern.test(text) && !ends.includes(pattern.lastIndex)) ends.push(pattern.lastIndex)
    }
    if (count === 0) return ends
    let run = at
    while (run - at <= longestRun && text[run] === "\\") run++
    const last = Math.min(at + 4 * count, run)
    // The next match begins behind the run, or with those of its last backslashes that escape it.
    const first = isLast ? last : Math.max(at + count, run - maxBackslashes)
    if (last >= at + count) for (let end = first; end <= last; end++) ends.push(end)
    return ends
  }
}

/** A run of backslashes is read no further than any piece needs. */
const longestRun = 4 * 2 * chunkLength + maxBackslashes

/** Every escaping may double them, so a run of them is read as one piece: reading each separately could take very long. */
const backslashes = (count: number): string => `(?:\\\\{${count},${4 * count}}|${escapedBackslashes(count).join("|")})`

const escapedBackslashes = (count: number): ReadonlyArray<string> =>
  [percent("\\"), `\\\\{1,${maxBackslashes}}u005[cC]`, entity("\\")].map((one) => `(?:${one}){${count}}`)

const names: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "\u00a0": "nbsp"
}
const shortEscapes: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f" }

/** The backslashes before a character. */
const anyBackslashes = `\\\\{1,${maxBackslashes}}`

/** The same for how a value begins: a search begins once in each run of backslashes, and not at each of them. */
const oncePerRun = `(?:(?<!\\\\)\\\\{1,${maxBackslashes}}|\\\\{${maxBackslashes}})`

const anyNesting = `{0,${maxNesting}}`

const character = (one: string, leading: string, nesting = anyNesting): string => {
  if (plain.test(one)) return literal(one)
  const short = shortEscapes[one]
  const unicode = [...Array(one.length).keys()]
    .map((at) => `u${hex(one.charCodeAt(at), 4)}`)
    .join(`\\\\{1,${maxBackslashes}}`)
  const escaped = [entity(one, nesting), literal(one), ...(short === undefined ? [] : [short]), unicode]
  const others = [
    `${leading}(?:${escaped.join("|")})`,
    percent(one, nesting),
    entity(one, nesting),
    ...(one === " " ? ["\\+", `%${percents(nesting)}2[bB]`] : [])
  ]
  // The literal is tried first because it fails fastest, unless an escape begins with it.
  const forms = one === "&" || one === "%" ? [...others, literal(one)] : [literal(one), ...others]
  return `(?:${forms.join("|")})`
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

/** Hexadecimal digits in either case. */
const hex = (value: number, digits: number): string =>
  value
    .toString(16)
    .padStart(digits, "0")
    .replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)

/** A percent sign that is escaped again becomes `%25`. */
const percents = (nesting = anyNesting): string => `(?:25)${nesting}`

const percent = (one: string, nesting = anyNesting): string =>
  [...new TextEncoder().encode(one)].map((byte) => `%${percents(nesting)}${hex(byte, 2)}`).join("")

const entity = (one: string, nesting = anyNesting): string => {
  const point = one.codePointAt(0) ?? 0
  const name = names[one]
  return `&(?:amp;)${nesting}(?:#0{0,6}${point}|#[xX]0{0,6}${hex(point, 1)}${name === undefined ? "" : `|${name}`});`
}

/** The part of a value in base64 that is the same whatever follows it, and `offset` bytes before it. */
const base64 = (bytes: Uint8Array, offset: number): Form => {
  const encoded = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes))
  const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
  return new Form(anchorsOf(core.split(/[+/]/)), () => {
    const edge = "[A-Za-z0-9+/_-]?"
    const source = core.replace(/[+/]/g, (sign) =>
      sign === "+" ? `(?:\\+|-|%${percents()}2[bB])` : `(?:\\\\{0,${maxBackslashes}}\\/|_|%${percents()}2[fF])`
    )
    const before = offset === 0 ? "" : edge
    const after = ((offset + bytes.length) * 8) % 6 === 0 ? "" : edge
    return {
      pattern: new RegExp(`${before}${source}${after}(?:=|%${percents()}3[dD]){0,2}`, "g"),
      // A sign takes 16 characters where backslashes escape a slash, and what is around the core no more than 24.
      reach: core.length + 15 * (core.match(/[+/]/g)?.length ?? 0) + 24
    }
  })
}

interface Found {
  readonly start: number
  end: number
  readonly label: string
  /** How long the chunk is, and how many others are looked for before it: the longest counts, and then the first. */
  readonly length: number
  readonly order: number
}

/** The places of a text at which values may begin, from the first up to the second. */
type Window = readonly [from: number, to: number]

/** How many places are looked at in one step. */
const windowLength = 8_192

/** The characters that patterns look at before the place at which they match. */
const behind = 4

/** The characters that patterns look at behind their match. */
const ahead = 1

/** How far beyond all that a window needs repeated values are followed: the next window begins within one of them. */
const beyond = 2 * longestEscape

const windowsOf = function* (length: number): Generator<Window, void, void> {
  for (let from = 0; from < length; from += windowLength) yield [from, Math.min(from + windowLength, length)]
}

/** A UTF-16 unit takes no more in any form: three bytes are four signs in base64, of 16 characters each. */
const longestForm = 64

/** No form of a chunk reaches further than so many characters. */
const widestOf = ({ text }: Chunk): number => (text.length + 1) * longestForm

/** The places where a form begins in a window of a text. They are the same whatever the windows are. */
const foundIn = (text: string, [from, to]: Window, form: Form, { chunk, label }: Sought, order: number) => {
  const first = Math.max(from - behind, 0)
  const places: Array<Found> = []
  const around = text.slice(first, to + widestOf(chunk) + ahead)
  if (!form.anchors.every((anchor) => around.includes(anchor))) return places
  const { endOf, pattern, reach, reachesAll } = form.search
  const part = text.slice(first, to + reach + ahead)
  const follow = endOf?.(text, to + chunk.text.length * longestEscape + beyond)
  let last: Found | undefined
  pattern.lastIndex = from - first
  for (let match = pattern.exec(part); match !== null && first + match.index < to; match = pattern.exec(part)) {
    const start = first + match.index
    const end = follow === undefined ? start + match[0].length : follow(start)
    // A value such as "abab" may lap over itself.
    pattern.lastIndex = match.index + 1
    if (end < 0) continue
    if (reachesAll === true) pattern.lastIndex = end - first
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end)
    else {
      last = { start, end, label, length: chunk.text.length, order }
      places.push(last)
    }
  }
  return places
}

/** The first `length` characters of a text with every value in it replaced, also where one laps over another. */
const hidden = function* (
  text: string,
  length: number,
  sought: ReadonlyArray<Sought>,
  catalogue: Catalogue
): Turns.Work<string> {
  const within = Math.min(length, text.length)
  const forms = catalogue.isSmall()
    ? sought.flatMap((one, order) => one.chunk.forms.map((form) => ({ one, order, form })))
    : soughtOf(yield* catalogue.formsIn(text.slice(0, within + furthest)), sought)
  const parts: Array<string> = []
  // The result covers the text up to here.
  let end = 0
  for (const window of windowsOf(within)) {
    const found: Array<Found> = []
    for (const { form, one, order } of forms) {
      if (text.length < one.chunk.least) continue
      for (const place of foundIn(text, window, form, one, order)) found.push(place)
      yield window[1] - window[0]
    }
    found.sort((a, b) => a.start - b.start || b.length - a.length || a.order - b.order)
    const shown: Array<string> = []
    for (const one of found) {
      if (one.start >= end) shown.push(text.slice(end, one.start), one.label)
      end = Math.max(end, one.end)
    }
    if (shown.length > 0) parts.push(shown.join(""))
  }
  if (parts.length === 0) return within === text.length ? text : text.slice(0, within)
  parts.push(text.slice(end, Math.max(within, end)))
  return parts.join("")
}

/** A catalogue for what is looked for one by one. */
const alone = new Catalogue()

/** Behind a place there is nothing that belongs to a value that begins there from so many characters on. */
const furthest = longestForm * 2 * chunkLength + ahead

/** Those of the forms that are sought. Both are in the order of the numbers of their chunks. */
const soughtOf = (forms: ReadonlyArray<readonly [number: number, form: Form]>, sought: ReadonlyArray<Sought>) =>
  forms.flatMap(([number, form]) => {
    let [order, after] = [0, sought.length]
    while (order < after) {
      const middle = (order + after) >> 1
      if ((sought[middle]?.number ?? Infinity) < number) order = middle + 1
      else after = middle
    }
    const one = sought[order]
    return one?.number === number ? [{ one, order, form }] : []
  })

/** The owners of the secrets that a text holds, apart from those that are a part of `theirs`. */
const owning = function* (
  text: string,
  owned: ReadonlyArray<readonly [string, Owned]>,
  theirs: ReadonlyArray<string>,
  catalogue: Catalogue
): Turns.Work<ReadonlyArray<ReadonlySet<string>>> {
  const held: Array<ReadonlySet<string>> = []
  const possible = catalogue.isSmall() ? null : new Set((yield* catalogue.formsIn(text)).map(([number]) => number))
  for (const [value, { owners, sought }] of owned) {
    yield theirs.length
    if (possible !== null && !sought.some(({ number }) => possible.has(number))) continue
    if (theirs.some((their) => their.includes(value))) continue
    if ((yield* hidden(text, text.length, sought, alone)) !== text) held.push(owners)
  }
  return held
}

const mapped = <A extends Schema.Json>(
  value: A,
  known: ReadonlyArray<Sought>,
  catalogue: Catalogue
): Effect.Effect<A> => {
  const sought = [...known]
  return sought.length === 0
    ? Effect.succeed(value)
    : // A value keeps its form: only its texts change.
      Turns.inTurns(() => mapTexts(value, sought, catalogue) as Turns.Work<A>)
}

const mapTexts = function* (
  value: Schema.Json,
  sought: ReadonlyArray<Sought>,
  catalogue: Catalogue
): Turns.Work<Schema.Json> {
  yield charactersOfValue
  if (typeof value === "string") return yield* hidden(value, value.length, sought, catalogue)
  if (typeof value === "number") {
    const text = String(value)
    const shown = yield* hidden(text, text.length, sought, catalogue)
    return shown === text ? value : shown
  }
  if (Array.isArray(value)) {
    const all: Array<Schema.Json> = []
    for (const one of value) all.push(yield* mapTexts(one, sought, catalogue))
    return all
  }
  if (typeof value !== "object" || value === null) return value
  const fields: Array<readonly [string, Schema.Json]> = []
  for (const [name, one] of Object.entries(value)) {
    fields.push([yield* hidden(name, name.length, sought, catalogue), yield* mapTexts(one, sought, catalogue)])
  }
  return Object.fromEntries(fields)
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
