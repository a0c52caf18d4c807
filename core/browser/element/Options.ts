/**
 * Finds the option of a list that a value means.
 */

export interface Option {
  /** The value that the list sends for it. Equal to the text if a list has no values. */
  readonly value: string
  /** The displayed text. */
  readonly text: string
  readonly disabled: boolean
}

export type Choice =
  | { readonly _tag: "Found"; readonly index: number }
  /** A matching option exists but cannot be chosen. */
  | { readonly _tag: "Disabled"; readonly index: number }
  /** Several options match equally well, and not all of them are the same. */
  | { readonly _tag: "Several"; readonly indexes: ReadonlyArray<number> }
  | { readonly _tag: "None" }

/** The minimum likeness of a text, from 0 to 1, and its minimum lead over the next one. */
const alike = 0.4
const lead = 0.05

/** How an option is looked for. */
export interface Search {
  /** Whether the most similar option is chosen where none is the same. */
  readonly fuzzy: boolean
  /** The only part of an option that counts; both where it is left out. */
  readonly by?: "value" | "text" | undefined
  /** Whether options of one value and text are the same, as in a list of the browser. */
  readonly merges: boolean
}

/**
 * The one option whose value or text is `wanted`; upper and lower case and spaces count only where that decides. With
 * `fuzzy`, accents, punctuation and the order of words are ignored too, and the most similar option is chosen if it
 * is similar enough and clearly more so than any other.
 */
export const choose = (options: ReadonlyArray<Option>, wanted: string, { by, fuzzy, merges }: Search): Choice => {
  const parts = ({ text, value }: Option) => (by === undefined ? [value, text] : by === "value" ? [value] : [text])
  const tests: ReadonlyArray<(part: string) => boolean> = [
    (part) => part === wanted || part.trim() === wanted.trim(),
    (part) => even(part) === even(wanted)
  ]
  for (const test of tests) {
    const matching = [...options.keys()].filter((at) => parts(options[at] ?? none).some(test))
    const enabled = matching.filter((at) => options[at]?.disabled === false)
    const [first, ...others] = enabled
    if (first === undefined) {
      if (matching[0] !== undefined) return { _tag: "Disabled", index: matching[0] }
      continue
    }
    const isSame = (at: number) =>
      merges && options[at]?.value === options[first]?.value && options[at]?.text === options[first]?.text
    return others.every(isSame) ? { _tag: "Found", index: first } : { _tag: "Several", indexes: enabled }
  }
  if (!fuzzy) return { _tag: "None" }
  const [best, second] = ranked(options, wanted).filter(({ option }) => !option.disabled)
  const enough = best !== undefined && best.likeness >= alike && best.likeness - (second?.likeness ?? 0) >= lead
  return enough ? { _tag: "Found", index: best.index } : { _tag: "None" }
}

const none: Option = { value: "", text: "", disabled: true }

/** Says that several options fit, and which. */
export const several = (options: ReadonlyArray<Option>, indexes: ReadonlyArray<number>): string => {
  const named = indexes.slice(0, mostNamed).map((at) => {
    const { text, value } = options[at] ?? none
    return `number ${at + 1} ("${shortened(text)}", value "${shortened(value)}")`
  })
  return `${indexes.length} options have this value or text: ${named.join(", ")}. Expected one: give the value or text that it alone has, or match_by`
}

/** How many options match equally well when `choose` with `fuzzy` finds none for that reason; otherwise 0. */
export const alikeIn = (options: ReadonlyArray<Option>, wanted: string): number => {
  const [best, ...others] = ranked(options, wanted).filter(({ option }) => !option.disabled)
  if (best === undefined || best.likeness < alike) return 0
  const near = others.filter(({ likeness }) => best.likeness - likeness < lead)
  return near.length === 0 ? 0 : near.length + 1
}

/**
 * The shorter search for a list that finds nothing for the whole value: its longest words, and how the longest begins.
 */
export const partsOf = (wanted: string): ReadonlyArray<string> => {
  const words = wanted.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= shortestPart)
  const longest = words.sort((one, other) => other.length - one.length).slice(0, 2)
  const beginning = [...(longest[0] ?? "")].slice(0, shortestPart).join("")
  return [...new Set([...longest, beginning])].filter((part) => part !== "" && part !== wanted)
}

const shortestPart = 3

/** Says that no option fits, and which ones there are: those most like it first, at most ten. */
export const missing = (options: ReadonlyArray<Option>, wanted: string, fuzzy: boolean): string => {
  const same = fuzzy ? alikeIn(options, wanted) : 0
  const what =
    same > 0
      ? `${same} options are equally like it`
      : fuzzy
        ? "no single option is enough like it"
        : "no option has this value or text"
  if (options.length === 0) return `${what}; the list has no options`
  const shown = (
    options.length > mostNamed || same > 0 ? ranked(options, wanted).map(({ option }) => option) : options
  ).slice(0, mostNamed)
  const names = shown.map(({ disabled, text, value }) => {
    return `"${shortened(text.trim() === "" ? value : text)}"${disabled ? " (disabled)" : ""}`
  })
  const more = options.length - shown.length
  const nearest = more > 0 ? `; of ${options.length} options the nearest are ` : "; there are "
  return `${what}${nearest}${names.join(", ")}`
}

const mostNamed = 10

const shortened = (text: string): string => {
  const name = text.trim().replace(/\s+/g, " ")
  return name.length > 60 ? `${name.slice(0, 60)}…` : name
}

/** How alike two texts are, from 0 to 1: by their words, and by the pairs of their letters. */
export const likeness = (one: string, other: string): number => {
  const [a, b] = [plain(one), plain(other)]
  if (a === "" || b === "") return 0
  if (a === b) return 1
  return Math.min(Math.max(shared(pairsOf(a), pairsOf(b)), shared(wordsOf(a), wordsOf(b))), 0.99)
}

const ranked = (options: ReadonlyArray<Option>, wanted: string) =>
  options
    .map((option, index) => ({
      option,
      index,
      likeness: Math.max(likeness(option.text, wanted), likeness(option.value, wanted))
    }))
    .sort((a, b) => b.likeness - a.likeness)

const even = (text: string): string => text.toLowerCase().replace(/\s+/g, " ").trim()

const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/ß/g, "ss")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const pairsOf = (text: string): ReadonlySet<string> =>
  new Set(text.length === 1 ? [text] : Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)))

const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  (2 * [...one].filter((part) => other.has(part)).length) / (one.size + other.size)
