/**
 * Finds the code of a message, and refuses numbers that only look like one.
 *
 * Each number that has the form of a code gets a reason for it, a reason against it, or neither. A reason against it
 * rules it out. Of the others the one with the best reason is the code; where two have equally good ones, there is none,
 * and a person is asked.
 *
 * Everything takes time in proportion to the length of the message, of which no more than its limits is looked at.
 */
import { candidatesIn, type Form, originBound } from "./Candidate.ts"
import * as Announcing from "./code/Announcing.ts"
import { type Language, languages } from "./code/Languages.ts"
import { type Numeral, type Sentence, sentencesOf } from "./code/Naming.ts"
import { type Lexicon, lexiconOf, type Meaning } from "./code/Words.ts"
import { plain } from "./PlainText.ts"
import { marks, olderLines } from "./Quotation.ts"
import { type Body, limits, type Message } from "./ReceivedMessage.ts"

/** The reasons for a number, the best first. */
const reasonsFor = [
  /** A line binds it to a site, as in `@example.com #4821`. */
  "bound",
  /** Its sentence calls it a code to sign in or to confirm something with. */
  "named surely",
  /** The text beside it speaks of such a code, and it stands alone or is what the reader is asked to use. */
  "announced surely",
  /** Its sentence calls it a code. */
  "named",
  /** The text beside it speaks of a code. */
  "announced",
  /** The subject speaks of a code. */
  "titled",
  /** Its sentence asks to use it in order to sign in. */
  "asked",
  /** Its sentence speaks of a code, somewhere. */
  "near"
] as const

export type ReasonFor = (typeof reasonsFor)[number]

/** The reasons against a number. */
export type ReasonAgainst =
  /** The text says that it is no longer good. */
  | "over"
  /** It is the number of something else. */
  | "other"
  /** It is called a code, and no more, where shops, carriers and hotels have codes of their own. */
  | "trade"
  /** Its form is too unlike a code for the reason that speaks for it. */
  | "form"

/** A number that has the form of a code, with the reasons for and against it. */
export interface Judged {
  readonly code: string
  readonly for: ReasonFor | null
  readonly against: ReasonAgainst | null
}

export interface FoundCode {
  readonly code: string
  readonly reason: ReasonFor
}

/** So many numbers of a message are judged. */
const maxJudged = 200

/** So many numbers of a message without a likely code are given to a person. */
const maxUncertain = 5

/** Finds codes in messages of some languages. */
export interface CodeFinder {
  /**
   * The codes of a message, the likeliest first: none where nothing is likely, and none where two are equally likely to be
   * the code.
   */
  readonly codesIn: (message: Message) => ReadonlyArray<FoundCode>

  /**
   * What may be a code in a message without a likely one, the likeliest first and at most five. A person may choose. What
   * is no longer good is left out.
   */
  readonly uncertainCodesIn: (message: Message) => ReadonlyArray<Judged>
}

export const codeFinder = (spoken: ReadonlyArray<Language>): CodeFinder => {
  const lexicon = lexiconOf(spoken)
  return {
    codesIn: (message) => {
      for (const body of bodiesOf(message)) {
        const found = ranked(message.subject, body, lexicon)
        const likely = found.flatMap(({ against, code, for: reason }) =>
          reason === null || against !== null ? [] : [{ code, reason }]
        )
        const [first, second] = found
        if (likely.length === 0) continue
        return first !== undefined && second !== undefined && compare(first, second) === 0 ? [] : likely
      }
      return []
    },
    uncertainCodesIn: (message) => {
      for (const body of bodiesOf(message)) {
        const found = ranked(message.subject, body, lexicon).filter(({ against }) => against !== "over")
        if (found.length > 0) return found.slice(0, maxUncertain)
      }
      return []
    }
  }
}

/** Those of all known languages. */
export const { codesIn, uncertainCodesIn } = codeFinder(languages)

/** The forms of a message in which there is something to read; its subject alone is one. */
const bodiesOf = ({ bodies }: Message): ReadonlyArray<Body> =>
  bodies.length === 0 ? [{ lines: [], links: [] }] : bodies

interface Row extends WrittenLine, Announcing.Row {}

/** A number at its place. */
interface Sighting {
  readonly numeral: Numeral
  readonly sentence: Sentence
  readonly row: Row
  /** Whether its row has no other meaningful text. */
  readonly alone: boolean
  /** What other sentences say that it is. */
  readonly announced: Announcing.Meant | null
}

/** All numbers, the likeliest first. */
const ranked = (subject: string, body: Body, lexicon: Lexicon): ReadonlyArray<Ranked> => {
  const written = [lineOf(subject, 1, false), ...linesOf(body, olderLines(subject, body))]
  const present = written.filter(({ unread }) => !unread)
  for (const { text } of present) {
    const code = originBound(text)
    if (code !== null)
      return [{ code, for: "bound", against: null, fresh: false, weight: 0, repeats: 0, form: "digits" }]
  }
  const spoken = lexicon.languagesOf(present.map(({ text }) => text))
  let left = maxJudged
  const rows = present.map((line): Row => {
    const candidates = left === 0 ? [] : candidatesIn(line.text).slice(0, left)
    left -= candidates.length
    return { ...line, sentences: sentencesOf(line.text, lexicon.wordsIn(line.text, spoken), candidates) }
  })
  const announced = Announcing.meantIn(rows)
  const context = contextOf(rows)
  const judged = rows.flatMap((row, index) =>
    row.sentences.flatMap((sentence) =>
      sentence.numerals.map((numeral) =>
        judge(
          {
            numeral,
            sentence,
            row,
            alone: Announcing.standsAlone(row, index, numeral),
            announced: announced.get(numeral) ?? null
          },
          context
        )
      )
    )
  )
  return sorted(
    judged,
    written.filter(({ unread }) => unread).map(({ text }) => text)
  )
}

/** What the whole message says. */
interface Context {
  /** Whether it is of a shop, a carrier or a hotel, rather than about signing in. */
  readonly trade: boolean
  /** Whether it speaks of signing in, or of confirming something. */
  readonly purpose: boolean
  /** Whether its title speaks of a code, and does not have it. */
  readonly titled: boolean
}

const contextOf = (rows: ReadonlyArray<Row>): Context => {
  const count = (...some: ReadonlyArray<Meaning>): number => {
    const found = rows.flatMap(({ sentences, text }) =>
      sentences
        .flatMap(({ words }) => words)
        .filter(({ means }) => some.some((meaning) => means.has(meaning)))
        .map(({ start }) => text.slice(start, start + 6).toLowerCase())
    )
    return new Set(found).size
  }
  const [purposes, trades] = [count("purpose", "secret"), count("trade")]
  return {
    purpose: purposes > 0,
    trade: trades > 0 && (purposes === 0 || (trades > 1 && trades > purposes)),
    titled:
      rows[0]?.sentences.some(({ names }) =>
        names.some((name) => name.of === "code" && !name.numbered && !name.over)
      ) === true
  }
}

/** The reasons for and against a number at its place. */
const judge = ({ alone, announced, numeral, row, sentence }: Sighting, { purpose, titled, trade }: Context): Ranked => {
  const { asked, code, form, fresh, name, over, rule } = numeral
  const reason = ((): ReasonFor | null => {
    if (name?.of === "code" && (rule !== "near" || asked !== null))
      return name.sure || sentence.purpose ? "named surely" : "named"
    if (announced?.of === "code") return announced.sure ? "announced surely" : "announced"
    if (name?.of === "other") return null
    if (titled && (alone || asked !== null)) return "titled"
    if (asked === "verb" && sentence.purpose) return "asked"
    return name !== null && (name.sure || sentence.purpose) ? "near" : null
  })()
  const isSure = reason === "named surely" || reason === "announced surely"
  const against = ((): ReasonAgainst | null => {
    if (over) return "over"
    if (reason === null) return name?.of === "other" || announced?.of === "other" ? "other" : null
    const isVague = (name ?? announced)?.vague === true && !purpose
    if ((trade || isVague) && !isSure) return "trade"
    return fits(numeral, reason, alone) ? null : "form"
  })()
  return { code, for: reason, against, fresh, weight: row.weight, repeats: 0, form }
}

/** Whether the form of a number is enough like a code for the reason that speaks for it. */
const fits = ({ code, form, rule }: Numeral, reason: ReasonFor, alone: boolean): boolean => {
  const isLike: Readonly<Record<Form, boolean>> = {
    prefixed: true,
    digits: !/^(?:19|20)\d\d$/u.test(code) && code.length <= 8,
    grouped: true,
    mixed: reason !== "near",
    uneven: false,
    cased: false,
    letters: false
  }
  return isLike[form] || rule === "direct" || rule === "said" || rule === "joined" || (alone && reason !== "asked")
}

/** A number with what decides between equally good reasons. */
interface Ranked extends Judged {
  readonly fresh: boolean
  readonly weight: number
  readonly repeats: number
  readonly form: Form
}

/** The numbers with the best of their reasons, the likeliest first. */
const sorted = (judged: ReadonlyArray<Ranked>, elsewhere: ReadonlyArray<string>): ReadonlyArray<Ranked> => {
  const found = new Map<string, Ranked>()
  const repeats = new Map(elsewhere.flatMap((text) => candidatesIn(text)).map(({ code }) => [code, 0]))
  for (const ranked of judged) {
    const times = (repeats.get(ranked.code) ?? -1) + 1
    repeats.set(ranked.code, times)
    const before = found.get(ranked.code) ?? ranked
    const isOver = before.against === "over" || ranked.against === "over"
    const best = compare(ranked, before) < 0 ? ranked : before
    found.set(ranked.code, {
      ...best,
      repeats: times,
      fresh: ranked.fresh || before.fresh,
      ...(isOver ? { against: "over" } : {})
    })
  }
  return [...found.values()].sort((one, other) => compare(one, other) || likeness(one) - likeness(other))
}

/** Less than 0 where the first number is likelier to be the code, 0 where both are equally likely. */
const compare = (one: Ranked, other: Ranked): number =>
  standing(one) - standing(other) || other.weight - one.weight || other.repeats - one.repeats

/** A number that may be the code comes before all others; among them one that is called new; then by their reasons. */
const standing = ({ against, for: reason, fresh }: Ranked): number => {
  if (against === "over") return 300
  if (against !== null) return 200
  return reason === null ? 100 : reasonsFor.indexOf(reason) + (fresh ? 0 : 10)
}

/** By their forms alone. */
const likeness = ({ code, form }: Ranked): number => (form === "digits" && code.length === 6 ? -1 : formOrder[form])

const formOrder: Readonly<Record<Form, number>> = {
  prefixed: 0,
  grouped: 1,
  digits: 2,
  mixed: 3,
  uneven: 4,
  cased: 5,
  letters: 6
}

interface WrittenLine {
  readonly text: string
  readonly weight: number
  /** Whether people do not see it, or know it already. It may confirm what is seen elsewhere. */
  readonly unread: boolean
}

/** The lines of a body that have text, in plain form. */
const linesOf = (body: Body, older: ReadonlyArray<boolean>): ReadonlyArray<WrittenLine> => {
  const lines: Array<WrittenLine> = []
  let characters = 0
  let single = ""
  let singleWeight = 0
  const flush = () => {
    if (single !== "") lines.push(lineOf(single, singleWeight, false))
    single = ""
  }
  for (const [index, { hidden, text, weight }] of body.lines.slice(0, limits.lines).entries()) {
    const line = lineOf(text, weight, hidden || older[index] === true)
    characters += line.text.length
    if (characters > limits.characters) break
    if (line.text === "") continue
    // Digits that stand one to a line are one number.
    if (!line.unread && /^[A-Z0-9]$/u.test(line.text)) {
      single += line.text
      singleWeight = weight
      continue
    }
    flush()
    lines.push(line)
  }
  flush()
  return lines
}

const lineOf = (written: string, weight: number, unread: boolean): WrittenLine => ({
  text: plain(written.slice(0, limits.lineCharacters))
    .replace(marks, "")
    // Signs of emphasis around a word.
    .replace(/(?<![\p{L}\p{N}_*~`])([_*~`]{1,3})([\p{L}\p{N}][^_*~`]{0,80})\1(?![\p{L}\p{N}_*~`])/gu, " $2 ")
    .replace(/(?<!\p{L})(otp|pin|tan|code|kod)(?=\d{4,8}(?!\w))/giu, "$1 ")
    .trim(),
  weight,
  unread
})
