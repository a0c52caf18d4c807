/**
 * The number that a text of a page shows: one rule for every browser.
 *
 * A figure among words is read when it is the only one. Where a separator can be read in two ways, the rest of its
 * column, the language of the page or a `format` decides; otherwise the usual reading is kept, with a doubt.
 */ import * as Json from "../../workspace/Json.ts"

/** A sign that parts decimals. */
export type Decimal = "." | ","

/** What is known about the figures of a place before they are read. */
export interface Convention {
  readonly decimal: Decimal | null
  /** Whether a blank groups digits. */
  readonly blank: boolean
  /** Whether a text that does not follow it is refused. */
  readonly strict: boolean
  /** Whether a whole number in parentheses is negative. */
  readonly parentheses: boolean
}

export const unknown: Convention = { decimal: null, blank: false, strict: false, parentheses: false }

/** A number, `null` where none was read. `doubt` says what is unsure about it, or why none was read. */
export interface Reading {
  readonly number: number | null
  readonly doubt: string | null
}

/** Maximum length of a text with a figure, in characters. */
const maxText = 10_000

const nothing: Reading = { number: null, doubt: null }

/** A figure in a text: its digits and separators, and where it stands. */
interface Figure {
  readonly body: string
  readonly before: string
  readonly after: string
}

/** Reads the number of a text. A text without a figure has none, which is no doubt. */
export const read = (text: string, convention: Convention = unknown): Reading => {
  if (text.length > maxText) return { number: null, doubt: `it is longer than ${maxText} characters` }
  const plain = once(clean(text))
  const odd = /[\p{No}\p{Nl}]/u.exec(plain)?.[0]
  const figures = figuresIn(plain)
  if (figures.length > 0 && odd !== undefined) return { number: null, doubt: `it has "${odd}" beside a figure` }
  if (odd !== undefined) return { number: null, doubt: `"${odd}" is no decimal figure` }
  const readings = figures.map((figure) => valueOf(figure, convention))
  const [only] = readings
  if (only === undefined) return nothing
  if (readings.length === 1) return only
  const shown = figures.slice(0, 3).map(({ body }) => body.trim())
  return {
    number: null,
    doubt: `it has ${figures.length} figures: ${shown.join(", ")}${figures.length > 3 ? " …" : ""}`
  }
}

/** A reading that must be a whole number. */
export const whole = (reading: Reading): Reading =>
  reading.number === null || Number.isInteger(reading.number)
    ? reading
    : { number: null, doubt: `${reading.number} is not a whole number` }

/**
 * The convention that the figures of a list show where they leave no doubt: `null` for a sign that none or two of them
 * show.
 */
export const shownBy = (texts: ReadonlyArray<string>): Pick<Convention, "decimal" | "parentheses"> => {
  const decimals = new Set<Decimal>()
  let isBare = false
  for (const text of texts) {
    if (text.length > maxText) continue
    const [figure, another] = figuresIn(clean(text))
    if (figure === undefined || another !== undefined) continue
    const decimal = decimalIn(figure.body)
    if (decimal !== null) decimals.add(decimal)
    if (!enclosed(figure)) isBare = true
  }
  const [decimal = null] = decimals
  return { decimal: decimals.size === 1 ? decimal : null, parentheses: isBare }
}

const conventions = new Map<string, Pick<Convention, "decimal" | "blank">>()

/** The separators of a language tag; none for one that is not known, or whose countries differ. */
export const ofLanguage = (tag: string): Pick<Convention, "decimal" | "blank"> =>
  // Spanish is written with a comma in Spain, and with a point in Mexico.
  /^(es|mul|und|)$/i.test(tag.trim()) ? unknown : ofLocale(tag.trim())

/** The separators of a locale. */
export const ofLocale = (tag: string): Pick<Convention, "decimal" | "blank"> => {
  const before = conventions.get(tag)
  if (before !== undefined) return before
  const found = separatorsOf(tag)
  if (conventions.size > 200) conventions.clear()
  conventions.set(tag, found)
  return found
}

const separatorsOf = (tag: string): Pick<Convention, "decimal" | "blank"> => {
  try {
    if (Intl.NumberFormat.supportedLocalesOf([tag]).length === 0) return unknown
    const parts = new Intl.NumberFormat(tag, { numberingSystem: "latn" }).formatToParts(1_234_567.5)
    const decimal = parts.find(({ type }) => type === "decimal")?.value
    const group = parts.find(({ type }) => type === "group")?.value ?? ""
    return { decimal: decimal === "." || decimal === "," ? decimal : null, blank: /\s/.test(group) }
  } catch {
    return unknown
  }
}

/** The convention of a place: what its column shows, else what the page shows, else what its language says. */
export const conventionOf = (
  lang: string,
  column: ReturnType<typeof shownBy>,
  page: ReturnType<typeof shownBy>
): Convention => {
  const spoken = ofLanguage(lang)
  return {
    decimal: column.decimal ?? page.decimal ?? spoken.decimal,
    blank: spoken.blank,
    parentheses: column.parentheses,
    strict: false
  }
}

const codes =
  "EUR USD GBP CHF JPY CNY RMB INR AUD CAD NZD SEK NOK DKK PLN CZK HUF RON BGN RUB UAH BRL MXN ZAR KRW SGD HKD TWD THB IDR MYR PHP ILS AED SAR TRY"
const currency = `(?:\\p{Sc}|(?:US|A|C|R|HK|NZ|S)\\$|${codes.replaceAll(" ", "|")}|Rs|kr|zł|Kč|Ft|лв|руб|Fr)\\.?`
const groupSigns = "'’ʼ‘´`٬"

/** Digits as ASCII, and signs that look alike as one. */
const clean = (text: string): string =>
  text
    .replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, "")
    .replace(/\p{Nd}/gu, (digit) => String(digitOf(digit.codePointAt(0) ?? 0)))
    .replace(/[\uff0d\ufe63\u2212\u2010\u2011]/g, "-")
    .replace(/[\uff0b]/g, "+")
    .replace(/[\uff0e\uff0c\uff08\uff09\uff05]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0))
    .replace(/\u066a/g, "%")
    .replace(/[\u00a0\u2007-\u200a\u202f]/g, "\u00a0")
    // The number of a unit, such as m², is no figure.
    .replace(/(?<=\p{L})[⁰¹²³⁴-⁹₀-₉]+/gu, "")
    .trim()

/** A text that is there twice, for the eye and for a screen reader. */
const once = (text: string): string => {
  const half = text.slice(0, text.length / 2).trim()
  return half === text.slice(Math.ceil(text.length / 2)).trim() && /\d/.test(half) && /\D/.test(half) ? half : text
}

const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code))

/** Unicode has the digits of a script in order from zero, and such tens one after another. */
const digitOf = (code: number): number => {
  if (code <= 0x39) return code - 0x30
  let before = 0
  while (isDigit(code - before - 1)) before++
  return before % 10
}

const figurePattern = new RegExp(
  `(?<![\\p{L}\\d.,])\\d+(?:[.,]\\d+)?[eE][+-]?\\d+(?![\\p{L}\\d])|\\d+(?:[.,٫${groupSigns}]\\d+|[ \\u00a0]\\d{3}(?!\\d))*`,
  "gu"
)

/** How much of the text around a figure says what it means, in characters. */
const near = 40

const figuresIn = (text: string): ReadonlyArray<Figure> =>
  [...text.matchAll(figurePattern)].flatMap(({ 0: body, index }) => {
    const parts = body.split(/[ \u00a0]/)
    const isOne = parts.length === 1 || /^[1-9]\d{0,2}$/.test(parts[0] ?? "")
    let at = index
    return (isOne ? [body] : parts).map((part) => {
      const from = at
      at += part.length + 1
      const end = from + part.length
      const [before, after] = [text.slice(Math.max(0, from - near), from), text.slice(end, end + near)]
      return pointed({
        body: part,
        // What is left out is a word, as it is neither the beginning nor the end of the text.
        before: from > near ? `x${before}` : before,
        after: end + near < text.length ? `${after}x` : after
      })
    })
  })

/** A figure that begins with its point, as in `.99`. */
const pointed = (figure: Figure): Figure => {
  const [, before = "", sign = ""] = /^([\s\S]*)([.,])$/.exec(figure.before) ?? []
  const isPoint = sign !== "" && /^\d+$/.test(figure.body) && /(?:^|[\s(+\-–]|\p{Sc})$/u.test(before)
  return isPoint ? { ...figure, body: `0${sign}${figure.body}`, before } : figure
}

/** The digits of a figure as a program writes them. */
type Written = { readonly plain: string; readonly doubt: string | null } | { readonly wrong: string }

const valueOf = (figure: Figure, convention: Convention): Reading => {
  const written = writtenOf(figure.body, convention)
  if ("wrong" in written) return { number: null, doubt: written.wrong }
  const scale = scaleOf(figure.after)
  if ("wrong" in scale) return { number: null, doubt: scale.wrong }
  const size = numberOf(`${written.plain}${scale.exponent}`)
  if (size === null) return { number: null, doubt: "it has more digits than a number can hold: type string keeps them" }
  const sign = signOf(figure, written.plain.includes(".") || convention.parentheses)
  if ("wrong" in sign) return { number: null, doubt: sign.wrong }
  const number = sign.negative && size !== 0 ? -size : size
  return { number, doubt: written.doubt ?? scale.doubt ?? sign.doubt }
}

/** A number that has the given digits; `null` for one that no number has. */
export const numberOf = (plain: string): number | null => (Json.keepsDigits(plain) ? Number(plain) : null)

const writtenOf = (body: string, { blank, decimal, strict }: Convention): Written => {
  if (/[eE]/.test(body)) return { plain: body.replace(",", "."), doubt: null }
  const signs = body.match(/\D/g) ?? []
  const groups = body.split(/\D/)
  const last = signs.at(-1)
  if (last === undefined) return { plain: body, doubt: null }
  const own = decimalIn(body)
  if (own !== null && strict && decimal !== null && own !== decimal) {
    return { wrong: `it does not have "${decimal}" before its decimals, as its format says` }
  }
  const isAlone = signs.length === 1 && (last === "." || last === ",")
  const isOpen = isAlone && own === null
  const parts = last === "٫" || own === last || (isOpen && (decimal ?? ".") === last)
  const whole = parts ? groups.slice(0, -1) : groups
  const grouping = parts ? signs.slice(0, -1) : signs
  if (!isGrouped(whole, grouping)) return { wrong: `"${body}" is not one figure` }
  const plain = parts ? `${whole.join("")}.${groups.at(-1)}` : whole.join("")
  if (isOpen && decimal === null) {
    const name = last === "." ? "point" : "comma"
    return {
      plain,
      doubt: `its ${name} can part thousands or decimals, and was read as ${plain}: a "format" says which`
    }
  }
  const isLoose = groups.length === 2 && last === " " && !blank && !strict
  return { plain, doubt: isLoose ? `its blank can part two figures, and was read as ${plain}` : null }
}

/** The sign before the decimals of a figure that can be read in one way only; `null` for others. */
const decimalIn = (body: string): Decimal | null => {
  const signs = (body.match(/\D/g) ?? []).map((sign) => (sign === "." || sign === "," ? sign : "'"))
  const [first] = signs
  const last = signs.at(-1)
  if (first === undefined || last === undefined) return null
  const other = (sign: Decimal): Decimal => (sign === "." ? "," : ".")
  const groups = body.split(/\D/)
  if (signs.length === 1) {
    if (last === "'") return null
    const isOpen = /^[1-9]\d{0,2}$/.test(groups[0] ?? "") && groups[1]?.length === 3
    return isOpen ? null : last
  }
  if (signs.every((sign) => sign === last)) return last === "'" || !isGrouped(groups, signs) ? null : other(last)
  const isParted = last !== "'" && signs.indexOf(last) === signs.length - 1
  return isParted && isGrouped(groups.slice(0, -1), signs.slice(0, -1)) ? last : null
}

/** Whether groups of digits are thousands, or those of India, parted by one sign. */
const isGrouped = (groups: ReadonlyArray<string>, signs: ReadonlyArray<string>): boolean => {
  if (groups.length <= 1) return true
  const kinds = new Set(signs.map((sign) => (sign === "\u00a0" ? " " : sign)))
  const lengths = groups.map(({ length }) => length).join("")
  return kinds.size === 1 && !groups[0]?.startsWith("0") && (/^[123]3+$/.test(lengths) || /^[12]2+3$/.test(lengths))
}

type Scale = { readonly exponent: string; readonly doubt: string | null } | { readonly wrong: string }

const scales: Readonly<Record<string, string>> = { k: "e3", K: "e3", M: "e6" }
const multiples =
  /^\s?((?:mio|mln|mn|mrd|mld|bn|tsd|lakh|lac|crore|тыс|млн|млрд)(?!\p{L})|hundred|thousand|tausend|milli(?:on|ard)|millón|mili(?:on|ard)|bil(?:l)?ion|trillion|тысяч|миллион|миллиард|[百千万萬億亿兆만억천])/iu

/** What follows a figure and multiplies it. */
const scaleOf = (after: string): Scale => {
  const [, letter = ""] = /^([kKMB])(?![\p{L}\p{N}])/u.exec(after) ?? []
  if (letter === "B") return { exponent: "", doubt: 'its "B" can mean billions' }
  const word = multiples.exec(after)?.[1]
  if (word !== undefined) return { wrong: `"${word}" multiplies its figure` }
  return { exponent: scales[letter] ?? "", doubt: null }
}

type Sign = { readonly negative: boolean; readonly doubt: string | null } | { readonly wrong: string }

const positive: Sign = { negative: false, doubt: null }
const negative: Sign = { negative: true, doubt: null }

const opensPattern = new RegExp(`(?:^|:\\s*)[-–]?(?:${currency}\\s?)?\\(\\s?(?:${currency}\\s?)?$`, "u")
const closesPattern = new RegExp(`^\\s?(?:${currency}|%)?\\s?\\)\\s?(?:${currency}|%)?$`, "u")

const enclosed = ({ after, before }: Figure): boolean => opensPattern.test(before) && closesPattern.test(after)

const glued = new RegExp(`(?:^|[\\s(:=\\u00a0]|\\p{Sc}|(?<!\\p{L})${currency})[-–](?:${currency}\\s?)?$`, "u")
const spaced = new RegExp(`(?<lead>^|[:=(]\\s*|[\\s\\S])(?<sign>[-–])\\s+(?:${currency}\\s?)?$`, "u")
const trailing = new RegExp(`^(?:\\s?${currency})?-(?:\\s?(?:${currency}))?(?![-\\p{L}\\p{N}])`, "u")
const words = new RegExp(`(?<!\\p{L})(?!${currency}(?!\\p{L}))\\p{L}`, "u")

const signOf = (figure: Figure, isSum: boolean): Sign => {
  const { after, before } = figure
  if (/±\s?$/.test(before)) return { wrong: "its sign is ±" }
  if (enclosed(figure)) {
    const hasUnit = /[^\s()]/.test(`${before.replace(/^.*:/s, "")}${after}`)
    return isSum || hasUnit
      ? negative
      : { negative: false, doubt: "its parentheses can mean that it is negative, and was read as positive" }
  }
  if (glued.test(before)) return negative
  const apart = spaced.exec(before)?.groups
  if (apart !== undefined) {
    if (apart.lead === "" || /^[:=(]/.test(apart.lead ?? "")) {
      return words.test(after) ? { wrong: `its "${apart.sign}" can be a sign or a dash` } : negative
    }
    return apart.sign === "-" && /[\s]/.test(apart.lead ?? "") ? { wrong: 'its "-" can be a sign or a dash' } : positive
  }
  return trailing.test(after) && !/\+\s?$/.test(before) ? negative : positive
}
