/**
 * Finds the code of a message, and refuses numbers that only look like one.
 *
 * Each candidate gets points for its form, for the words beside it, for standing out and for being repeated; numbers of
 * orders, invoices and the like lose some. Only what has enough is a code. It takes time in proportion to the length of
 * the message, of which no more than its limits is looked at.
 */
import { type Candidate, candidatesIn, type Form, originBound } from "./Candidate.ts"
import { plain } from "./PlainText.ts"
import { type Body, limits, type Message } from "./ReceivedMessage.ts"
import * as Wording from "./Wording.ts"

export interface FoundCode {
  readonly code: string
  readonly score: number
}

/** A candidate with fewer points is no code. */
const enough = 8

/** So many candidates of a message are judged. */
const maxCandidates = 200

interface Span {
  readonly start: number
  readonly end: number
}

/** The words of a row that say what a number in it, or beside it, is. */
interface Words {
  readonly strong: ReadonlyArray<Span>
  readonly weak: ReadonlyArray<Span>
  readonly foreign: ReadonlyArray<Span>
}

interface Row {
  readonly text: string
  readonly weight: number
  readonly hidden: boolean
  readonly quoted: boolean
  readonly words: () => Words
}

const none: Words = { strong: [], weak: [], foreign: [] }

/** So many candidates of a message without a likely code are given to a person. */
const maxUncertain = 5

/** The codes of a message, the likeliest first; none where nothing is likely enough. */
export const codesIn = (message: Message): ReadonlyArray<FoundCode> =>
  firstOf(message, (found) => found.filter(({ score }) => score >= enough))

/** What may be a code in a message without a likely one, the likeliest first and at most five. A person may choose. */
export const uncertainCodesIn = (message: Message): ReadonlyArray<FoundCode> =>
  firstOf(message, (found) => found.slice(0, maxUncertain))

/** The chosen codes of the first form of a message that has any. */
const firstOf = (
  { bodies, subject }: Message,
  choose: (ranked: ReadonlyArray<FoundCode>) => ReadonlyArray<FoundCode>
): ReadonlyArray<FoundCode> => {
  for (const body of bodies.length === 0 ? [{ lines: [], links: [] }] : bodies) {
    const found = choose(rankedCodes(subject, body))
    if (found.length > 0) return found
  }
  return []
}

/** All candidates, the likeliest first. */
const rankedCodes = (subject: string, body: Body): ReadonlyArray<FoundCode> => {
  const title = rowOf(subject, 1, false)
  const rows = rowsOf(body)
  for (const { text } of rows) {
    const bound = originBound(text)
    if (bound !== null) return [{ code: bound, score: Number.MAX_SAFE_INTEGER }]
  }

  const whole = [title, ...rows].map(({ text }) => text.toLowerCase()).join("\n")
  const about = whole.slice(0, limits.characters / 2)
  const [authentic, commerce] = [distinct(about, Wording.authentic), distinct(about, Wording.commerce)]
  const mood =
    (authentic > 0 ? 1.5 : 0) +
    (rows.length <= 4 ? 1.5 : 0) -
    (commerce >= 2 ? (commerce > authentic ? 5 : 1) : 0) -
    (commerce >= 4 && commerce > authentic ? 2 : 0)

  const scores = new Map<string, { score: number; order: number }>()
  const counts = new Map<string, number>()
  let order = 0
  for (const [index, row] of [title, ...rows].entries()) {
    for (const candidate of candidatesIn(row.text)) {
      counts.set(candidate.code, (counts.get(candidate.code) ?? 0) + (index === 0 ? 2 : 1))
      if (row.hidden || order >= maxCandidates) continue
      order++
      const context = index === 0 ? inRow(row, candidate) : contextOf(title, rows, index - 1, candidate)
      const score =
        points[candidate.form](candidate.code) + context + standing(row, candidate, index === 0) + mood - order * 0.05
      const before = scores.get(candidate.code)
      if (before === undefined || before.score < score) scores.set(candidate.code, { score, order })
    }
  }
  return [...scores]
    .map(([code, { score }]) => ({ code, score: score + Math.min((counts.get(code) ?? 1) - 1, 3) }))
    .sort((one, other) => other.score - one.score)
}

const points: Readonly<Record<Form, (code: string) => number>> = {
  prefixed: () => 3.5,
  grouped: (code) => (code.length === 6 ? 3 : 2),
  digits: (code) => {
    if (code.length === 6) return 3
    if (/^(?:19|20)\d\d$/u.test(code)) return -1
    return code.length <= 8 ? 2 : 1
  },
  mixed: (code) => (code === code.toUpperCase() ? 2 : 1),
  letters: () => 0.5
}

/** The evidence for a candidate by its position. */
const standing = ({ quoted, text, weight }: Row, candidate: Candidate, isTitle: boolean): number => {
  const alone = isAlone(text, candidate)
  return (
    (alone && !isTitle ? 2.5 : 0) +
    (isTitle ? 1 : weight) -
    (quoted ? 1 : 0) +
    (candidate.start === 0 && !alone ? 1 : 0) -
    (text.charAt(candidate.start - 1) === "#" ? 4 : 0)
  )
}

/** Whether the row has no other meaningful text. */
const isAlone = (text: string, { end, start }: Candidate): boolean =>
  !/[\p{L}\p{N}]/u.test(text.slice(Math.max(0, start - 60), start) + text.slice(end, end + 60)) && text.length < 60

/** How near to a candidate a word of its row must be to speak of it, in characters. */
const near = 100

/** The evidence of the words of its row: 0 where they say nothing. */
const inRow = (row: Row, candidate: Candidate): number => {
  const { foreign, strong, weak } = row.words()
  const before = (spans: ReadonlyArray<Span>) =>
    Math.min(...spans.filter(({ end }) => end <= candidate.start).map(({ end }) => candidate.start - end))
  const after = (spans: ReadonlyArray<Span>) =>
    Math.min(...spans.filter(({ start }) => start >= candidate.end).map(({ start }) => start - candidate.end))
  const strongBefore = before(strong)
  const weakBefore = before(weak)
  const code = Math.min(strongBefore, weakBefore)
  const other = before(foreign)
  if (other <= 30 && other < code) return -7
  const joined = code <= 20 && isJoint(row.text.slice(candidate.start - code, candidate.start)) ? 1 : 0
  if (strongBefore <= near) return 6 + joined
  // A number that something else says what it is, right after it, is that.
  const [codeAfter, otherAfter] = [Math.min(after(strong), after(weak)), after(foreign)]
  if (weakBefore === Infinity && otherAfter <= 25 && otherAfter < codeAfter) return -5
  if (after(strong) <= near) return 5
  if (weakBefore <= near) return 4 + joined
  if (after(weak) <= near) return 3
  return isGiven(row.text, candidate) ? 5 : 0
}

/** Whether its sentence asks to give it in order to sign in, without a word for a code. */
const isGiven = (text: string, { end, start }: Candidate): boolean => {
  const before = text.slice(Math.max(0, start - near), start).toLowerCase()
  const after = text.slice(end, end + near).toLowerCase()
  const { giving } = Wording
  return (
    (giving.before.test(before) || giving.after.test(after)) &&
    (giving.purpose.test(before) || giving.purpose.test(after))
  )
}

/** Whether the text between a word and a number only joins them. */
const isJoint = (between: string): boolean =>
  /^[\s:：=>"'«“(\t-]{0,200}(?:(?:is|ist|lautet|est|es|è|é|jest|to|:|是|为|為|は|는|은)[\s:：=>"'«“(\t-]{0,200})?$/iu.test(
    between
  )

/** How many rows above and below a number may tell what it is. */
const reach = { above: 4, below: 2 }

const contextOf = (title: Row, rows: ReadonlyArray<Row>, index: number, candidate: Candidate): number => {
  const row = rows[index]
  if (row === undefined) return 0
  const own = inRow(row, candidate)
  if (own !== 0) return own
  const alone = isAlone(row.text, candidate)
  // A number within a whole sentence is unlikely to be what another row refers to.
  const distant = alone ? 0 : -2.5
  let seen = 0
  for (let above = index - 1; above >= 0 && seen < reach.above; above--) {
    const other = rows[above]
    if (other === undefined || other.hidden) continue
    const { foreign, strong, weak } = other.words()
    const label = Math.max(-1, ...foreign.map(({ end }) => end))
    const code = Math.max(-1, ...[...strong, ...weak].map(({ end }) => end))
    if (label > code && alone && seen === 0 && other.text.length <= 60) return -6
    if (strong.length > 0) return 5.5 + distant - seen * 0.5
    if (weak.length > 0) return 3.5 + distant - seen * 0.5
    seen++
  }
  seen = 0
  for (let below = index + 1; below < rows.length && seen < reach.below; below++) {
    const other = rows[below]
    if (other === undefined || other.hidden) continue
    const { strong, weak } = other.words()
    if (strong.length > 0) return 3.5 + distant
    if (weak.length > 0) return 2 + distant
    seen++
  }
  const { strong, weak } = title.words()
  if (strong.length > 0) return alone ? 4 : 0.5
  return weak.length > 0 && alone ? 2.5 : 0
}

const rowsOf = ({ lines }: Body): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let characters = 0
  let single = ""
  let singleWeight = 0
  const flush = () => {
    if (single !== "") rows.push(rowOf(single, singleWeight, false))
    single = ""
  }
  for (const { hidden, text, weight } of lines.slice(0, limits.lines)) {
    const read = plain(text.slice(0, limits.lineCharacters))
    characters += read.length
    if (characters > limits.characters) break
    if (read === "") continue
    // Digits that stand one to a line are one number.
    if (!hidden && /^[A-Z0-9]$/u.test(read)) {
      single += read
      singleWeight = weight
      continue
    }
    flush()
    rows.push(rowOf(read, weight, hidden))
  }
  flush()
  return rows
}

const rowOf = (written: string, weight: number, hidden: boolean): Row => {
  const read = plain(written.slice(0, limits.lineCharacters))
  const text = read.replace(/^(?:[>|] ?){1,20}/u, "")
  let known: Words | null = null
  const words = () => {
    known ??= /\p{L}/u.test(text) ? wordsOf(text.toLowerCase()) : none
    return known
  }
  return { text, weight, hidden, quoted: text !== read, words }
}

const wordsOf = (text: string): Words => {
  const foreign = spansOf(text, Wording.foreign)
  const apart = (spans: ReadonlyArray<Span>) =>
    spans.filter(({ end, start }) => !foreign.some((other) => start < other.end && other.start < end))
  return { foreign, strong: apart(spansOf(text, Wording.strong)), weak: apart(spansOf(text, Wording.weak)) }
}

const spansOf = (text: string, pattern: RegExp): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  for (const match of text.matchAll(pattern)) {
    spans.push({ start: match.index, end: match.index + match[0].length })
    if (spans.length === 30) break
  }
  return spans
}

/** How many different ones of the words a text has, up to 8. */
const distinct = (text: string, pattern: RegExp): number => {
  const seen = new Set<string>()
  for (const [word] of text.matchAll(pattern)) {
    seen.add(word.slice(0, 6))
    if (seen.size === 8) break
  }
  return seen.size
}
