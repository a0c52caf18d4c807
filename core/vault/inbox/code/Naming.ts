/**
 * What a sentence says about its numbers: of what each is the number, and whether it is still good.
 *
 * A phrase such as `your login code` or `order no.` names one number. Where several could be meant, the first of these
 * rules that applies decides:
 *
 * 1. `direct`: a number directly behind a phrase, as in `code 4821`, `order no. 4711`, `TAN: 4821`. An ordinary word before
 *    a colon names no number where the sentence spoke of a code before: `code for your account: 4821`.
 * 2. `said`: a number of which it is said, as in `4821 is your code` or `4821 (your code)`.
 * 3. `joined`: a number behind a colon or "is" is the code that the sentence spoke of: `TAN for the order 4711: 4821`.
 * 4. `other`: a number that the reader is not asked to use has the name of the thing before it: `order of today, 4711`.
 * 5. `near`: a number without a name is the code that the sentence speaks of, somewhere.
 */
import type { Candidate } from "../Candidate.ts"
import type { Meaning, Word } from "./Words.ts"

export type Rule = "direct" | "said" | "joined" | "other" | "near"

/** A phrase that names a number. */
interface Phrase {
  readonly start: number
  readonly end: number
  readonly of: "code" | "other"
  /** Of a code: that it is for signing in or confirming something. Of another thing: that it has a number in any case. */
  readonly sure: boolean
  /** Of a code: that it is a compound with a word that may be anything. */
  readonly vague: boolean
}

/** A phrase of a sentence. */
export interface Name extends Phrase {
  /** Whether the text says that the code of this name is no longer good. */
  readonly over: boolean
  /** Whether the sentence has its number, and the number is still good. */
  readonly numbered: boolean
}

/** A number of a sentence. */
export interface Numeral extends Candidate {
  readonly name: Phrase | null
  readonly rule: Rule | null
  /** How the sentence asks to use it: by a verb such as "enter", or because a colon or "is" comes before it. */
  readonly asked: "verb" | "joint" | null
  /** Whether the text says that it is no longer good. */
  readonly over: boolean
  /** Whether the text says that it takes the place of an older one. */
  readonly fresh: boolean
}

export interface Sentence {
  readonly words: ReadonlyArray<Word>
  readonly names: ReadonlyArray<Name>
  readonly numerals: ReadonlyArray<Numeral>
  /** Whether it speaks of signing in or of confirming something. */
  readonly purpose: boolean
  /** Its last character that is not blank. */
  readonly last: string
}

/** The sentences of a row of text in plain form, with its words and what has the form of a code. */
export const sentencesOf = (
  text: string,
  words: ReadonlyArray<Word>,
  candidates: ReadonlyArray<Candidate>
): ReadonlyArray<Sentence> => {
  const signed = withSigns(text, words)
  let start = 0
  return [...endsOf(text, candidates), text.length].map((end) => {
    const within = (one: { readonly start: number }) => one.start >= start && one.start < end
    const own = { text: signed, start, words: words.filter(within), candidates: candidates.filter(within) }
    const last = text.slice(start, end).trimEnd().slice(-1)
    start = end
    return sentenceOf(own, last)
  })
}

const sentenceOf = (part: Part, last: string): Sentence => {
  const phrases = phrasesOf(part)
  const reading: Reading = { ...part, phrases, asked: askedIn(part), named: new Map(), numbers: new Map() }
  for (const rule of rules) rule(reading)
  const { over, overPhrases } = overIn(reading)
  replace(reading, over)
  const isFresh = freshIn(reading)
  return {
    words: part.words,
    names: phrases.map((phrase) => {
      const number = reading.numbers.get(phrase)
      return { ...phrase, over: overPhrases.has(phrase), numbered: number !== undefined && !over.has(number) }
    }),
    numerals: part.candidates.map((candidate) => {
      const { phrase = null, rule = null } = reading.named.get(candidate) ?? {}
      return {
        ...candidate,
        name: phrase,
        rule,
        asked: reading.asked.get(candidate) ?? null,
        over: over.has(candidate),
        fresh: isFresh(candidate)
      }
    }),
    purpose: part.words.some((word) => has(word, "purpose", "secret")),
    last
  }
}

/** A sentence before it is read. */
interface Part {
  /** The whole row, with signs for the words that join others. */
  readonly text: string
  readonly start: number
  readonly words: ReadonlyArray<Word>
  readonly candidates: ReadonlyArray<Candidate>
}

/** A sentence while it is read. */
interface Reading extends Part {
  readonly phrases: ReadonlyArray<Phrase>
  readonly asked: ReadonlyMap<Candidate, "verb" | "joint">
  readonly named: Map<Candidate, { readonly phrase: Phrase; readonly rule: Rule }>
  readonly numbers: Map<Phrase, Candidate>
}

/** The text with `=` in place of each character of a word such as "is", and `∘` for one such as "of". */
const withSigns = (text: string, words: ReadonlyArray<Word>): string => {
  let made = ""
  let from = 0
  for (const word of words) {
    const sign = has(word, "is") ? "=" : has(word, "of") ? "∘" : null
    if (sign === null) continue
    made += text.slice(from, word.start) + sign.repeat(word.end - word.start)
    from = word.end
  }
  return made + text.slice(from)
}

const ending = /[!?।۔؟։።။](?!\d)|[.](?=["'»”’)\]]?(?:\s|$))/gu

/** What a full stop may end besides a sentence. */
const abbreviation =
  /(?:^|[^\p{L}\p{N}])(?:\p{L}|\d{1,2}|no|nr|num|tel|tlf|ref|réf|rif|inc|ltd|dr|mr|mrs|ms|dn|tj|max|min|ca|bzw|art|acct|cod|str|ул|тел|см|шт|obj|čís|telef)$/iu

/** Where the sentences of a text end. */
const endsOf = (text: string, candidates: ReadonlyArray<Candidate>): ReadonlyArray<number> =>
  [...text.matchAll(ending)].flatMap(({ 0: sign, index }) => {
    const isAbbreviated = sign === "." && abbreviation.test(text.slice(Math.max(0, index - 8), index))
    const isWithin = candidates.some(({ end, start }) => start <= index && index < end)
    return isAbbreviated || isWithin ? [] : [index + 1]
  })

const has = ({ means }: Word, ...some: ReadonlyArray<Meaning>): boolean => some.some((meaning) => means.has(meaning))

const isHead = (word: Word): boolean => has(word, "code", "secret", "number")

const isThing = (word: Word): boolean => has(word, "thing", "line") && !has(word, "purpose")

/** Whether two words follow one another, in one cell. */
const isAdjacent = (between: string): boolean => /^[ '’-]{0,3}$/u.test(between)

/** Whether the latter of two words says what the former is of. */
const isOf = (between: string): boolean => /^[\s-]{0,2}∘{1,5}[\s'’]{1,2}(?:\p{L}{1,5}[\s'’]{1,2})?$/u.test(between)

/**
 * The phrases of a sentence. Each is a word for a code or a number, with the words before it and those that say what it is
 * of, or else a single word for a thing.
 */
const phrasesOf = ({ candidates, text, words }: Part): ReadonlyArray<Phrase> => {
  const parts = words.filter((word) => isHead(word) || has(word, "purpose", "thing", "line", "sort", "trade"))
  const between = (before: Word, after: Word) => text.slice(before.end, after.start)
  const phrases: Array<Phrase> = []
  const used = new Set<Word>()
  for (const [at, head] of parts.entries()) {
    if (!isHead(head) || used.has(head)) continue
    const before: Array<Word> = []
    for (const word of parts.slice(0, at).reverse()) {
      if (used.has(word) || has(word, "line") || !isAdjacent(between(word, before[0] ?? head))) break
      before.unshift(word)
    }
    const behind: Array<Word> = []
    for (const word of parts.slice(at + 1)) {
      const gap = between(behind.at(-1) ?? head, word)
      const isPurposeful = [...before, head, ...behind].some((word) => has(word, "purpose", "secret"))
      // In `code order 4711: 4821` the code is not the order's.
      const from = parts.find((part) => part.start >= word.end && has(part, "number"))?.end ?? word.end
      const isNumbered = candidates.some(
        ({ start }) => start > word.end && /^[\s#.]{1,4}$/u.test(text.slice(from, start))
      )
      const isPart = isThing(word)
        ? !isPurposeful && (isOf(gap) || has(head, "number") || !isNumbered)
        : has(head, "code", "secret") || !has(word, "code", "secret")
      if (!isPart || !(isAdjacent(gap) || isOf(gap))) break
      behind.push(word)
    }
    for (const word of [...before, head, ...behind]) used.add(word)
    const phrase = phraseOf(before, head, behind, /[\p{Script=Latin}]/u.test(text.charAt(head.start - 1)))
    if (phrase !== null) phrases.push(phrase)
  }
  for (const word of parts) {
    if (!used.has(word) && has(word, "thing", "line", "trade"))
      phrases.push({ start: word.start, end: word.end, of: "other", sure: has(word, "line"), vague: false })
  }
  return phrases.sort((one, other) => one.start - other.start)
}

/** What a phrase names; `null` for a number of nothing. */
const phraseOf = (
  before: ReadonlyArray<Word>,
  head: Word,
  behind: ReadonlyArray<Word>,
  isCompound: boolean
): Phrase | null => {
  const all = [...before, head, ...behind]
  const [left, right] = [before.at(-1), behind[0]]
  const phrase = (of: Phrase["of"], sure: boolean, vague = false): Phrase => ({
    start: all[0]?.start ?? head.start,
    end: all.at(-1)?.end ?? head.end,
    of,
    sure,
    vague
  })
  if (all.some((word) => has(word, "trade")) || [left, right].some((word) => word !== undefined && has(word, "sort")))
    return phrase("other", true)
  if (all.some((word) => has(word, "secret"))) return phrase("code", true)
  if (!has(head, "code")) return all.some(isThing) ? phrase("other", true) : null
  const sure = all.some((word) => has(word, "purpose"))
  if (!sure && ((left !== undefined && isThing(left)) || behind.some(isThing))) return phrase("other", true)
  return phrase("code", sure, isCompound && !sure)
}

/** Between a name and its number: signs alone. */
const isDirect = (between: string): boolean => /^[\s:="'«»“”„‘’「」『』【】()[\]{}<>#*→|՝፦៖–-]{0,60}$/u.test(between)

/** Whether a text ends with a colon, or with "is". */
const endsWithJoint = (text: string): boolean => /(?:[:=→՝፦៖]|\s[–-]\s)[\s"'«“„‘「『【([{<#*]{0,10}$/u.test(text)

/** Words after which a thing is what a number is for, and not what it is. */
const isFor = (text: string): boolean =>
  /(?:^|\s)(?:for|to|für|fur|zu|pour|para|per|voor|til|till|dla|do|для|pro|za|na|για|için|untuk|cho)\s/iu.test(text)

/** Whether a text has at most three short words. */
const isFiller = (text: string): boolean => /^[\s"'«“„‘「『【([#*]{0,6}(?:[\p{L}∘]{1,8}[\s"'(]{1,3}){0,3}$/u.test(text)

/** How far from its number a name may be, in characters. */
const reach = { joined: 250, near: 70, other: 30 }

/** The numbers that the reader is asked to use. */
const askedIn = ({ candidates, start, text, words }: Part): ReadonlyMap<Candidate, "verb" | "joint"> => {
  const asked = new Map<Candidate, "verb" | "joint">()
  for (const number of candidates) {
    const before = words.findLast((word) => has(word, "use") && word.end <= number.start)
    const behind = words.find((word) => has(word, "used") && word.start >= number.end)
    const isAsked =
      (before !== undefined && isFiller(text.slice(before.end, number.start))) ||
      (behind !== undefined && isFiller(text.slice(number.end, behind.start)))
    if (isAsked) asked.set(number, "verb")
    else if (endsWithJoint(text.slice(start, number.start))) asked.set(number, "joint")
  }
  return asked
}

const name = ({ named, numbers }: Reading, number: Candidate, phrase: Phrase, rule: Rule): void => {
  named.set(number, { phrase, rule })
  numbers.set(phrase, number)
}

const unnamed = ({ candidates, named }: Reading) => candidates.filter((number) => !named.has(number))

const lastBefore = ({ phrases }: Reading, number: Candidate) => phrases.findLast(({ end }) => end <= number.start)

/** The last code before a number that has none yet. */
const announced = ({ numbers, phrases }: Reading, number: Candidate) =>
  phrases.findLast((phrase) => phrase.of === "code" && phrase.end <= number.start && !numbers.has(phrase))

const hasNumber = ({ candidates }: Reading, from: number, to: number) =>
  candidates.some(({ end, start }) => start >= from && end <= to)

const direct = (reading: Reading): void => {
  const { candidates, numbers, text } = reading
  for (const number of unnamed(reading)) {
    const phrase = lastBefore(reading, number)
    if (phrase === undefined || numbers.has(phrase)) continue
    const between = text.slice(phrase.end, number.start)
    const isOrdinary =
      phrase.of === "other" &&
      (!phrase.sure || candidates.some(({ end }) => end <= phrase.start && isAdjacent(text.slice(end, phrase.start))))
    if (isOrdinary && endsWithJoint(between) && announced(reading, number) !== undefined) continue
    if (isDirect(between)) name(reading, number, phrase, "direct")
  }
}

const said = (reading: Reading): void => {
  const { numbers, phrases, text } = reading
  for (const number of unnamed(reading)) {
    const phrase = phrases.find(({ start }) => start >= number.end)
    if (phrase === undefined || numbers.has(phrase) || hasNumber(reading, number.end, phrase.start)) continue
    // What a colon follows is the name of something behind it.
    if (/^\s?[:：]/u.test(text.slice(phrase.end, phrase.end + 2))) continue
    const between = text.slice(number.end, phrase.start)
    const isSaid = /^[\s"'»”’)\]」』]{0,6}(?:[:=(（–-][^,;.()]{0,50})?["'«“‘(]?$/u.test(between)
    if (isSaid && !isFor(between)) name(reading, number, phrase, "said")
  }
}

const joined = (reading: Reading): void => {
  const { asked, numbers, text } = reading
  for (const number of unnamed(reading)) {
    if (asked.get(number) !== "joint") continue
    const code = announced(reading, number)
    const thing = lastBefore(reading, number)
    if (code !== undefined && number.start - code.end <= reach.joined) name(reading, number, code, "joined")
    else if (thing !== undefined && !numbers.has(thing) && isDirect(text.slice(thing.end, number.start)))
      name(reading, number, thing, "joined")
  }
}

const other = (reading: Reading): void => {
  const { asked, numbers } = reading
  for (const number of unnamed(reading)) {
    const thing = lastBefore(reading, number)
    if (thing?.of !== "other" || numbers.has(thing) || asked.has(number)) continue
    const isNear = number.start - thing.end <= reach.other && !hasNumber(reading, thing.end, number.start)
    if (isNear) name(reading, number, thing, "other")
  }
}

const near = (reading: Reading): void => {
  const { numbers, phrases } = reading
  for (const code of phrases) {
    if (code.of !== "code" || numbers.has(code)) continue
    const free = unnamed(reading)
    const number =
      free.find(({ start }) => start >= code.end && start - code.end <= reach.near) ??
      free.findLast(({ end }) => end <= code.start && code.start - end <= reach.near)
    if (number !== undefined) name(reading, number, code, "near")
  }
}

/** The rules, in their order. */
const rules = [direct, said, joined, other, near]

/** The numbers and phrases of which the sentence says that they are no longer good. */
const overIn = ({ candidates, named, numbers, phrases, text, words }: Reading) => {
  const codes = phrases.filter((phrase) => phrase.of === "code")
  const over = new Set<Candidate>()
  const overPhrases = new Set<Phrase>()
  for (const word of words) {
    if (has(word, "past")) {
      const number = candidates.find(({ start }) => start >= word.end)
      const code = codes.find(({ start }) => start >= word.end)
      const codeBefore = codes.findLast(({ end }) => end <= word.start)
      if (number !== undefined && isShort(text, word.end, number.start, codes)) over.add(number)
      const isFirst = code !== undefined && (number === undefined || code.end <= number.start)
      if (isFirst && isShort(text, word.end, code.start, [])) overPhrases.add(code)
      if (codeBefore !== undefined && /^\s?$/u.test(text.slice(codeBefore.end, word.start))) overPhrases.add(codeBefore)
    }
    if (has(word, "over") && !isAssumed(text, words, word)) {
      const number = candidates.findLast(({ end }) => end <= word.start)
      const code = codes.findLast(({ end }) => end <= word.start)
      // "4821, as your code has expired" speaks of another code, and "4821, the code, has expired" of this one.
      if (code !== undefined && (number === undefined || code.start > number.end + 6)) overPhrases.add(code)
      else if (number !== undefined) over.add(number)
    }
  }
  for (const phrase of overPhrases) {
    const number = numbers.get(phrase)
    if (number !== undefined && named.get(number)?.rule !== "near") over.add(number)
  }
  return { over, overPhrases }
}

/** Whether a piece of text, without the phrases in it, has no more than a few letters. */
const isShort = (text: string, from: number, to: number, phrases: ReadonlyArray<Phrase>): boolean => {
  let letters = 0
  let at = from
  for (const { end, start } of [
    ...phrases.filter((phrase) => phrase.start >= from && phrase.end <= to),
    { start: to, end: to }
  ]) {
    const piece = text.slice(at, start)
    if (/[,;]/u.test(piece)) return false
    letters += (piece.match(/\p{L}/gu) ?? []).length
    at = end
  }
  return letters <= 14
}

/** Whether a code is said to be no longer good only in a condition, or in the time to come. */
const isAssumed = (text: string, words: ReadonlyArray<Word>, over: Word): boolean =>
  words.some((word) => {
    const between = word.end <= over.start ? text.slice(word.end, over.start) : text.slice(over.end, word.start)
    if (/[,;:!?]/u.test(between)) return false
    const begins = /(?:^|[.!?,;:(])\s?$/u.test(text.slice(Math.max(0, word.start - 2), word.start))
    if (has(word, "unless") && word.end <= over.start) return begins
    return has(word, "later") && between.length <= (word.end <= over.start ? 16 : 3)
  })

/** "The code 4711 was replaced by 4821": what the reader is asked to use takes the name of what is over. */
const replace = (reading: Reading, over: ReadonlySet<Candidate>): void => {
  const { asked, numbers, phrases } = reading
  for (const number of unnamed(reading)) {
    if (over.has(number) || !asked.has(number)) continue
    const code = phrases.findLast((phrase) => {
      const before = numbers.get(phrase)
      return phrase.of === "code" && phrase.end <= number.start && before !== undefined && over.has(before)
    })
    if (code !== undefined) name(reading, number, code, "joined")
  }
}

/** Whether a number, or the code that names it, is called new. */
const freshIn =
  ({ named, phrases, text, words }: Reading) =>
  (number: Candidate): boolean => {
    const phrase = named.get(number)?.phrase
    if (phrase !== undefined && phrase.of !== "code") return false
    const codes = phrases.filter(({ of }) => of === "code")
    return words.some(
      (word) =>
        has(word, "fresh") &&
        [phrase?.start, number.start].some(
          (at) =>
            at !== undefined &&
            word.end <= at &&
            isShort(text, word.end, at, codes) &&
            !/\d/u.test(text.slice(word.end, at))
        )
    )
  }
