/**
 * Whether a field holds what was typed into it, as a person would see it.
 *
 * - a password exactly
 * - a number as a number: `12.50` is held by `12,50 €`, and not by `1250`
 * - a date or a time as one: `2026-03-01` is held by `03/01/2026`
 * - digits alone also with what groups them: `5551234567` by `(555) 123-4567`
 * - any other text whole, apart from case, blanks, marks that the field puts between its parts, and a prefix such as
 *   `https://`
 */
import { even } from "../../workflow/language/format/SeenText.ts"
import { dateOf, forType, timeOf } from "./FieldValue.ts"

/** What a field holds. */
export interface Held {
  readonly value: string
  /** The type of the field, such as `password`; `text` for what has none. */
  readonly type: string
}

/** Whether a field holds a text that was typed into it. A text of blanks is held by any. */
export const isHeld = ({ type, value }: Held, text: string): boolean => {
  if (value === text || text.trim() === "") return true
  if (type === "password") return false
  if (forType(type, text) === value) return true
  const [held, wanted] = [plain(value), plain(text)]
  if (held === wanted) return true
  if (isFigure(wanted)) return isNumberHeld(held, wanted, /^(number|range)$/.test(type))
  if (isMoment(wanted)) return isSameMoment(held, wanted) || held === digitsOf(wanted)
  return (isGroupedDigits(wanted) && digitsOf(held) === digitsOf(wanted)) || isFormatted(held, wanted)
}

/**
 * What became of a text that a field has held: it `stands`, is `lost`, or was `replaced` by what the workflow did since.
 * `before` is what the field held before, `null` where that is not known; `acted` whether the workflow has acted on
 * the page since, other than by typing.
 */
export const fate = (
  now: Held,
  text: string,
  before: string | null,
  acted: boolean
): "stands" | "lost" | "replaced" => {
  if (isHeld(now, text)) return "stands"
  return acted && now.value !== "" && now.value !== before ? "replaced" : "lost"
}

/** What a person sees of a text, in one form: no case, no invisible characters, one kind of blank, digits of one script. */
const plain = (text: string): string =>
  even(text.normalize("NFKC"))
    .replace(/[٠-٩۰-۹०-९০-৯]/gu, (digit) => String(scripts.flatMap((zero) => within(digit, zero))[0]))
    .replace(/[\u2010-\u2015\u2212]/gu, "-")
    .trim()
    .toLowerCase()

/** The zeros of scripts that have their own digits: Arabic, Persian, Devanagari, Bengali. */
const scripts = ["٠", "۰", "०", "০"] as const

const within = (digit: string, zero: string): ReadonlyArray<number> => {
  const value = (digit.codePointAt(0) ?? 0) - (zero.codePointAt(0) ?? 0)
  return value >= 0 && value <= 9 ? [value] : []
}

const digitsOf = (text: string): string => text.replace(/\D/g, "")

/** Whether a text is a number and nothing else. */
export const isNumber = (text: string): boolean => isFigure(plain(text))

const isFigure = (text: string): boolean => /^[-+]?(?:\d[\d.,'’]*|[.,]\d+)$/.test(text) && readings(text).length > 0

/**
 * A field that shows one number must show that one. One that shows no number, but digits with marks between them as of a
 * phone number, must show these digits.
 */
const isNumberHeld = (held: string, wanted: string, isNumeric: boolean): boolean => {
  const isBare = /^\d+$/.test(wanted)
  // The country of a phone number, put there by the field.
  if (/^\d{5,}$/.test(wanted) && isBehindCountry(held.replace(/[^\d+]/g, ""), wanted)) return true
  const shown = readings(held)
  if (shown.length === 0) return !/^[-+]/.test(wanted) && isGroupedOnly(wanted) && digitsOf(held) === digitsOf(wanted)
  // Zeros at the start are a part of a number that counts nothing, such as a postal code.
  if (isBare && !isNumeric && /^0\d/.test(wanted)) return digitsOf(held) === wanted
  return shown.includes(readings(wanted)[0] ?? "")
}

const isBehindCountry = (held: string, wanted: string): boolean =>
  held.endsWith(wanted) && /^\+\d{1,3}$/.test(held.slice(0, held.length - wanted.length))

const isGroupedOnly = (figure: string): boolean =>
  !(readings(figure)[0] ?? ".").includes(".") && !/[.,]0*$/.test(figure)

/**
 * The numbers that a text with one figure may mean, each as a sign, digits and, after a point, decimals without zeros at
 * the end; the likelier one first. Nothing for a text without a figure, or with several.
 *
 * A lone separator before three digits parts thousands or decimals: a comma rather thousands, a point rather decimals.
 */
const readings = (text: string): ReadonlyArray<string> => {
  const found = /^(?<before>[^\d.,]*?)(?<figure>[.,]?\d(?:[\d.,'’]| (?=\d{3}(?!\d)))*)(?<after>[^\d]*)$/.exec(text)
  const { after = "", before = "", figure = "" } = found?.groups ?? {}
  const digits = figure.replace(/[ '’]/g, "").replace(/[.,]$/, "")
  if (digits === "" || !isAffix(before.replace(/[-+(]/g, "")) || !isAffix(after.replace(/[-)]/g, ""))) return []
  const isNegative = /[-(]/.test(before) || /^\s?-/.test(after)
  const values = decimalsOf(digits).map(([whole, part]) => {
    const [integer, fraction] = [whole.replace(/^0+(?=\d)/, "") || "0", part.replace(/(?<!0)0+$/, "")]
    const size = fraction === "" ? integer : `${integer}.${fraction}`
    return isNegative && size !== "0" ? `-${size}` : size
  })
  return values
}

/** What stands around a number: a currency, a unit, a sign. */
const isAffix = (text: string): boolean => /^[^\d]{0,12}$/.test(text) && text.trim().split(" ").length <= 2

/** The whole part and the decimals of digits with separators, in each way that they can be read. */
const decimalsOf = (digits: string): ReadonlyArray<readonly [string, string]> => {
  const last = digits.search(/[.,](?=\d*$)/)
  if (last < 0) return [[digits, ""]]
  const [whole, part] = [digits.slice(0, last), digits.slice(last + 1)]
  const bare = whole.replace(/[.,]/g, "")
  const sign = digits[last] ?? ""
  const isFirst = bare === whole
  const isGroup = /^\d{1,3}$/.test(isFirst ? whole : "1") && part.length === 3
  if (isFirst && isGroup && !/^0/.test(whole)) {
    const [thousands, decimals] = [[`${whole}${part}`, ""] as const, [whole, part] as const]
    return sign === "," ? [thousands, decimals] : [decimals, thousands]
  }
  if (isFirst) return [[whole, part]]
  const other = sign === "," ? "." : ","
  const isMixed = whole.includes(other) && !whole.includes(sign)
  const grouped = isMixed ? whole : digits
  if (!/^\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}$/.test(grouped)) return []
  return isMixed ? [[bare, part]] : [[`${bare}${part}`, ""]]
}

const isMoment = (text: string): boolean => timeOf(text) !== null || daysOf(text).length > 0

/** Whether two texts are the same day or time, in one of the ways that each can be read. */
const isSameMoment = (held: string, wanted: string): boolean => {
  const time = timeOf(wanted)
  if (time !== null) return timeOf(held)?.replace(/:00$/, "") === time.replace(/:00$/, "")
  const days = daysOf(wanted)
  return days.length > 0 && daysOf(held).some((day) => days.includes(day))
}

/** The days that a text may mean: `01/03/2026` is in March or in January. */
const daysOf = (text: string): ReadonlyArray<string> => {
  const long = text.replace(/^(\d{1,2})([/.-])(\d{1,2})\2(\d{2})$/, "$1$2$3$220$4")
  const swapped = long.replace(/^(\d{1,2})([/.-]) ?(\d{1,2})\2 ?(\d{4})$/, "$4-$1-$3")
  return [dateOf(long), dateOf(swapped)].flatMap((day) => day ?? [])
}

/** Digits that marks group, as those of a phone number, a card or an account. */
const isGroupedDigits = (text: string): boolean => /^\+?[\d\s().\-/]+$/.test(text) && digitsOf(text).length >= 5

/** A text that the field only wrote in its own way: with blanks or marks between its parts, or behind a prefix. */
const isFormatted = (held: string, wanted: string): boolean => {
  const [shown, typed] = [held.replace(/ /g, ""), wanted.replace(/ /g, "")]
  if (shown === typed) return true
  if (/^[\p{L}\p{N}]+$/u.test(typed) && shown.replace(/[-.·/()_]/g, "") === typed) return true
  if (shown.endsWith(typed)) return /^(?:[a-z]+:|www\.|[^\p{L}\p{N}])+$/u.test(shown.slice(0, -typed.length))
  return shown.startsWith(typed) && /^[^\p{L}\p{N}]+$/u.test(shown.slice(typed.length))
}
