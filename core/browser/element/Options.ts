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
  | { readonly _tag: "None" }

/** The minimum likeness of a text, from 0 to 1, and its minimum lead over the next one. */
const alike = 0.4
const lead = 0.05

/**
 * The option whose value, or else whose text, is `wanted`; upper and lower case and spaces count only where that decides.
 * With `fuzzy`, accents, punctuation and the order of words are ignored too, and the most similar option is chosen if it
 * is similar enough and clearly more so than any other.
 */
export const choose = (options: ReadonlyArray<Option>, wanted: string, fuzzy: boolean): Choice => {
  const tests: ReadonlyArray<(option: Option) => boolean> = [
    ({ value }) => value === wanted,
    ({ text }) => text.trim() === wanted.trim(),
    ({ text }) => even(text) === even(wanted),
    ({ value }) => even(value) === even(wanted)
  ]
  for (const test of tests) {
    const enabled = options.findIndex((option) => !option.disabled && test(option))
    if (enabled >= 0) return { _tag: "Found", index: enabled }
    const disabled = options.findIndex(test)
    if (disabled >= 0) return { _tag: "Disabled", index: disabled }
  }
  if (!fuzzy) return { _tag: "None" }
  const [best, second] = ranked(options, wanted).filter(({ option }) => !option.disabled)
  const enough = best !== undefined && best.likeness >= alike && best.likeness - (second?.likeness ?? 0) >= lead
  return enough ? { _tag: "Found", index: best.index } : { _tag: "None" }
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
    const name = text.trim() === "" ? value : text.trim().replace(/\s+/g, " ")
    return `"${name.length > 60 ? `${name.slice(0, 60)}…` : name}"${disabled ? " (disabled)" : ""}`
  })
  const more = options.length - shown.length
  const nearest = more > 0 ? `; of ${options.length} options the nearest are ` : "; there are "
  return `${what}${nearest}${names.join(", ")}`
}

const mostNamed = 10

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
