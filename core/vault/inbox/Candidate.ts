/**
 * Finds what in a line has the form of a code. Whether it is one depends on the text around it.
 */

/** How a candidate is written, from the most to the least like a code. */
export type Form = "prefixed" | "digits" | "grouped" | "mixed" | "uneven" | "cased" | "letters"

export interface Candidate {
  /** The text to type. */
  readonly code: string
  readonly form: Form
  readonly start: number
  readonly end: number
}

const months =
  "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil|août|déc|ene|abr|ago|dic|gen|mag|giu|lug|set|ott"

const units =
  "minut\\w*|mins?\\b|m\\b|hours?|hrs?\\b|h\\b|seconds?|secs?\\b|s\\b|days?|weeks?|months?|years?|stunden?|tage?n?\\b|sekunden?|heures?|jours?|horas?|días?|dias?|ore\\b|giorni|uur\\b|dagen|godzin\\w*|dni\\b|dakika|saat|gün|минут\\p{L}*|час\\p{L}*|дн\\p{L}*|दिन|मिनट|মিনিট|นาที|دقائق|دقيقة|ساعات?|دقیقه|km\\b|gb\\b|mb\\b|kb\\b|tb\\b|kg\\b|cm\\b|mm\\b|px\\b|pts\\b|points?\\b|characters\\b|digits\\b|items?\\b|people\\b|users?\\b|times\\b|miles\\b|pages?\\b|readers\\b|tests\\b|subscribers\\b"

/** Those that other words may begin with. Of so much nobody has more than a few. */
const briefUnits =
  "分钟|分鐘|分以内|分間|分内|秒|小时|小時|時間|天内|日間|日以内|分|분|초|시간|일|개월|位|件|個|个|名|人"

/** Numbers that are never codes, whatever text is beside them. */
const noise: ReadonlyArray<RegExp> = [
  /[\w.+-]{1,64}@[\w.-]{1,255}/gu,
  /(?:https?:\/\/|www\.)[^\s]{1,4096}/giu,
  /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w])/gu,
  /(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])/giu,
  /(?<!\d)\d{1,4}[./]\d{1,2}[./]\d{1,4}(?!\d)/gu,
  /(?<!\d)(?:19|20)\d\d-\d{1,2}-\d{1,2}(?!\d)|(?<!\d)\d{1,2}-\d{1,2}-(?:19|20)\d\d(?!\d)/gu,
  new RegExp(`(?:${months})[\\p{L}]{0,7}\\.?,? (?:\\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\\d\\d(?!\\d)`, "giu"),
  /(?<!\d)\d{1,2}\.? (?:de )?\p{L}{3,12}\.?,? (?:de )?(?:19|20)\d\d(?!\d)/gu,
  /(?:19|20)\d\d ?[年년]/gu,
  /(?<!\d)\d{1,2}:\d{2}(?!\d)/gu,
  /(?:[$€£¥₹₩₽₺₴₸₾₫฿৳]|(?<!\p{L})(?:usd|eur|gbp|chf|pln|czk|huf|ron|sek|nok|dkk|rs\.?|r\$|us\$|inr|brl|cny|jpy|krw|rp|rm|aed|sar|tk) ?)\s?\d[\d.,]{0,20}/giu,
  /(?<![\w.])\d[\d.,]{0,20}\s?(?:[$€£¥₹₩₽₺₴₸₾₫฿৳]|(?:usd|eur|euros?|gbp|chf|pln|zł|zl|kr|kč|kc|ft|lei|ron|czk|huf|sek|nok|dkk|rub|uah|грн|лв|дин|rsd|din|руб\p{L}*|tl|try|dollars?|reais|元|円|원|บาท|đ|vnd)(?!\p{L}))/giu,
  /(?<!\w)\d{1,12}[.,]\d{1,6}(?:[.,]\d{1,6}){0,4}(?!\w)/gu,
  /(?<!\w)\d{1,10} ?%/gu,
  /\+\d[\d ().-]{5,20}\d/gu,
  /\(\d{2,5}\) ?-?\d[\d -]{3,14}/gu,
  /(?<![\w-])\d{1,4}[-. ]\d{3}[-. ]\d{4}(?![\w-])/gu,
  /(?<![\w-])\d-\d{3}-\d{3}-\d{4}(?![\w-])/gu,
  /(?<![\w-])\d{2,4}[- ]\d{3,4}[- ]\d{4}(?![\w-])/gu,
  /(?<![\w-])(?=(?:\d[- /]?){9})0\d{1,4}[- /]\d{2,4}[- ]\d{2,4}(?:[- ]\d{2,4}){0,2}(?![\w-])/gu,
  /(?<![\w-])0\d{1,4}[ /-]\d{5,9}(?![\w-])/gu,
  // Three groups and more with more digits than a code has, as of an account or a card.
  /(?<![\w-])(?=(?:\d[- ]?){11})\d{2,6}(?:[- ]\d{2,6}){2,9}(?![\w-])/gu,
  /(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)/gu,
  /[*x•·]{2,20}[ -]?\d{2,4}(?!\d)|(?<![\w*])\*\d{4}(?![\d*])/giu,
  new RegExp(`(?<![\\w-])\\d{1,10} ?(?:${units})`, "giu"),
  new RegExp(`(?<![\\w-])\\d{1,3} ?(?:${briefUnits})`, "gu"),
  /(?:©|\(c\)|copyright)\s?(?:\d{4} ?- ?)?\d{4}/giu,
  /(?<!\w)\d{1,6} (?:[A-Z][\w.]{1,20} ){1,3}(?:street|st|avenue|ave|road|rd|blvd|boulevard|drive|dr|lane|ln|way|suite|floor|parkway|pkwy)(?!\w)/giu,
  /(?<!\w)[A-Z]{2} \d{5}(?:-\d{4})?(?!\w)/gu
]

/** At most so many in a line are looked at. */
const maxPerLine = 20

const origin = /^@[a-z0-9.-]{1,253} #([A-Za-z0-9]{4,12})(?: @[a-z0-9.-]{1,253})?$/iu

/**
 * The code of a line that binds it to a site, such as `@example.com #123456`, which ends messages whose code browsers
 * fill in by themselves; `null` for any other line.
 */
export const originBound = (text: string): string | null => origin.exec(text)?.[1] ?? null

/** The parts of a line, in plain form, that have the form of a code, in order. It takes linear time. */
export const candidatesIn = (text: string): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  const masked = Array.from({ length: text.length }, () => false)
  const mask = (start: number, end: number) => masked.fill(true, start, end)
  const isFree = (start: number, end: number) => {
    for (let at = start; at < end; at++) if (masked[at]) return false
    return true
  }
  for (const pattern of noise) {
    for (const match of text.matchAll(pattern)) mask(match.index, match.index + match[0].length)
  }
  for (const { form, pattern, read } of forms) {
    for (const match of text.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length]
      if (!isFree(start, end)) continue
      const code = read(match)
      if (code === null) continue
      mask(start, end)
      if (found.length < maxPerLine) found.push({ code, form, start, end })
    }
  }
  return found.sort((one, other) => one.start - other.start)
}

const joined = (match: RegExpExecArray): string => match[0].replace(/[\s·•|_[\]()-]/gu, "")

const ofLength =
  (minimum: number, maximum: number) =>
  (match: RegExpExecArray): string | null => {
    const code = joined(match)
    return code.length >= minimum && code.length <= maximum ? code : null
  }

const isEven = (match: RegExpExecArray): boolean => {
  const groups = match[0].split(/[\s·•-]/u)
  return groups.every(({ length }) => length === groups[0]?.length)
}

const isMixed = (text: string): boolean => /[A-Za-z]/u.test(text) && /\d/u.test(text)

const isUpper = (text: string): boolean => text === text.toUpperCase()

/** Words in capitals are words: letters alone are a code only where they can hardly be said. */
const unspeakable = (text: string): boolean => (text.match(/[AEIOUY]/gu) ?? []).length * 5 <= text.length

const forms: ReadonlyArray<{
  readonly form: Form
  readonly pattern: RegExp
  readonly read: (match: RegExpExecArray) => string | null
}> = [
  { form: "prefixed", pattern: /(?<![\w-])[A-Z]{1,2}-(\d{4,8})(?![\w-])/gu, read: (match) => match[1] ?? null },
  // One character in each cell.
  {
    form: "grouped",
    pattern: /(?<![A-Za-z0-9.,])(?:\d(?:[ \t]?[·•|_-][ \t]?|[ \t])){3,9}\d(?![A-Za-z0-9]|[.,]\d)/gu,
    read: ofLength(4, 10)
  },
  { form: "grouped", pattern: /(?:[[(]\d[\])][ \t]?){4,10}/gu, read: joined },
  {
    form: "mixed",
    pattern: /(?<![A-Za-z0-9.,])(?:[A-Z0-9][ \t]){3,9}[A-Z0-9](?![A-Za-z0-9])/gu,
    read: (match) => (isMixed(match[0]) ? ofLength(4, 10)(match) : null)
  },
  {
    form: "grouped",
    pattern: /(?<![\w./-])\d{2,5}(?:[ ·•-]\d{2,5}){1,3}(?![\w-]|\.\d)/gu,
    read: (match) => (isEven(match) ? ofLength(6, 10)(match) : null)
  },
  {
    form: "uneven",
    pattern: /(?<![\w./#-])\d{2,4}[ -]\d{2,4}(?![\w-]| \d|\.\d)/gu,
    read: ofLength(5, 7)
  },
  {
    form: "mixed",
    pattern: /(?<![\w/-])[A-Z0-9]{3,5}(?:-[A-Z0-9]{3,5}){1,2}(?![\w-])/gu,
    read: (match) => (/[A-Z]/u.test(match[0]) ? match[0] : null)
  },
  { form: "digits", pattern: /(?<![A-Za-z0-9_./-])\d{4,10}(?![A-Za-z0-9_]|[/-]\w|\.\d)/gu, read: joined },
  {
    form: "mixed",
    pattern: /(?<![A-Za-z0-9_./&=+-])[A-Z0-9]{4,10}(?![A-Za-z0-9_+]|[/=&-]\w|\.\w)/gu,
    read: (match) => (isMixed(match[0]) ? match[0] : null)
  },
  {
    form: "cased",
    pattern: /(?<![A-Za-z0-9_./&=+-])[A-Za-z0-9]{5,10}(?![A-Za-z0-9_+]|[/=&-]\w|\.\w)/gu,
    read: (match) => (isMixed(match[0]) && !isUpper(match[0]) ? match[0] : null)
  },
  {
    form: "letters",
    pattern: /(?<![A-Za-z0-9_./-])[A-Z]{5,8}(?![A-Za-z0-9_]|[/-]\w|\.\w)/gu,
    read: (match) => (unspeakable(match[0]) ? match[0] : null)
  }
]
