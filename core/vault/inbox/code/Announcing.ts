/**
 * What sentences say about the numbers of other sentences.
 *
 * A number that stands alone in its row, or that the reader is asked to use, belongs to the name of a code before it, as in
 * a sentence above it: the last that has no number yet, at most four rows away. Where there is none, it belongs to the one
 * behind it, at most two rows away. In a table it belongs to the name at the head of its column, and below a row that only
 * names another thing it is the number of that.
 */
import type { Candidate } from "../Candidate.ts"
import type { Name, Numeral, Sentence } from "./Naming.ts"

export interface Row {
  readonly text: string
  readonly sentences: ReadonlyArray<Sentence>
}

/** What a number is said to be. */
export type Meant = Pick<Name, "of" | "sure" | "vague">

/** How far above or below a number the row may be that speaks of it, in rows. */
const reach = { above: 4, below: 2 }

/** How long a row may be that is only the name of something, in characters. */
const caption = { code: 40, other: 60 }

/** A name of a code, or a number, and the index of its row. */
type At<A> = { readonly row: number; readonly sentence: Sentence } & A

/** What the numbers of a message are said to be. The first row is its title. */
export const meantIn = (rows: ReadonlyArray<Row>): ReadonlyMap<Numeral, Meant> => {
  const meant = new Map<Numeral, Meant>()
  const given = new Set<Name>()
  /** The last name of a code, and the last that waits for its number. */
  let last: At<{ readonly name: Name }> | null = null
  let open: At<{ readonly name: Name }> | null = null
  /** The last number that nothing speaks for as yet. */
  let pending: At<{ readonly numeral: Numeral }> | null = null
  /** The row of the last code. */
  let told = Number.NEGATIVE_INFINITY
  /** Captions below a number: each is its name where no other number follows. */
  const captions: Array<() => void> = []
  const give = (numeral: Numeral, { name, row, sentence }: At<{ readonly name: Name }>) => {
    meant.set(numeral, { of: "code", sure: name.sure || sentence.purpose, vague: name.vague })
    given.add(name)
    told = row
  }

  const readNumber = (numeral: Numeral, sentence: Sentence, row: number): void => {
    const [own, above] = [rows[row], row > 1 ? rows[row - 1] : undefined]
    if (own === undefined) return
    const column = numeral.name === null && above !== undefined ? columnOf(above, own, numeral) : null
    const name = column ?? numeral.name
    if (column !== null) meant.set(numeral, column)
    if (name?.of === "code" && numeral.rule !== "near" && !numeral.over) {
      open = null
      told = row
    }
    if (numeral.over || name?.of === "other" || (name !== null && numeral.rule !== "near")) return
    const alone = standsAlone(own, row, numeral)
    const isBelowColon = open?.row === row - 1 && above?.text.endsWith(":") === true && leads(own, numeral)
    if (!alone && numeral.asked === null && !isBelowColon) return
    if (alone && above !== undefined && isNameOfOther(above))
      meant.set(numeral, { of: "other", sure: true, vague: false })
    else if (numeral.fresh && last !== null) give(numeral, { ...last, row })
    else if (open !== null && row - open.row <= reach.above && (!open.name.over || numeral.asked !== null)) {
      give(numeral, { ...open, row })
      open = null
    } else pending = { numeral, sentence, row }
  }

  const readName = (name: Name, sentence: Sentence, row: number): void => {
    if (name.of !== "code") return
    const here = { name, sentence, row }
    last = here
    if (name.numbered) return
    const text = rows[row]?.text ?? ""
    const isCaption = sentence.last === ":" || (text.length <= caption.code && name.end >= text.length - 2)
    const number = pending
    const isBelow = number !== null && row - number.row <= (number.row === 0 ? reach.above : reach.below)
    if (number !== null && isBelow && !name.over) {
      if (!isCaption) {
        pending = null
        give(number.numeral, here)
        return
      }
      captions.push(() => {
        if (!given.has(name) && !meant.has(number.numeral)) give(number.numeral, here)
      })
    }
    // "Do not share this code" below a code speaks of that one.
    if (isCaption || row - told > reach.below || name.over) open = here
  }

  for (const [row, { sentences }] of rows.entries()) {
    for (const sentence of sentences) {
      for (const numeral of sentence.numerals) readNumber(numeral, sentence, row)
      for (const name of sentence.names) readName(name, sentence, row)
    }
    // What the title speaks of may be anywhere, and counts for less.
    if (row === 0) open = null
  }
  for (const settle of captions) settle()
  return meant
}

/** Whether a row is only the name of something that has another number. */
const isNameOfOther = ({ sentences, text }: Row): boolean => {
  if (text.length > caption.other) return false
  const { names = [], numerals = [] } = sentences.at(-1) ?? {}
  const last = names.at(-1)
  return numerals.length === 0 && last?.of === "other" && (last.sure || names.every(({ of }) => of === "other"))
}

/** The name at the head of the column of a number. */
const columnOf = (head: Row, row: Row, numeral: Numeral): Name | null => {
  if (!row.text.includes("\t")) return null
  const cells = (text: string) => text.split("\t").length
  if (cells(head.text) !== cells(row.text) || head.sentences.some(({ numerals }) => numerals.length > 0)) return null
  const column = cells(row.text.slice(0, numeral.start))
  const names = head.sentences.flatMap((sentence) => sentence.names)
  return names.find(({ start }) => cells(head.text.slice(0, start)) === column) ?? null
}

/** Whether a row begins with a number, and has little else. */
const leads = ({ sentences, text }: Row, { end, start }: Candidate): boolean =>
  !/[\p{L}\p{N}]/u.test(text.slice(0, start)) &&
  text.length - end <= 24 &&
  sentences.every(({ names, numerals }) => names.length === 0 && numerals.length <= 1)

/** Whether the row of a number has no other meaningful text. */
export const standsAlone = (row: Row, index: number, candidate: Candidate): boolean =>
  isAlone(row.text, candidate) || (index === 0 && isBrief(row))

const isAlone = (text: string, { end, start }: Candidate): boolean =>
  !/[\p{L}\p{N}]/u.test(text.slice(Math.max(0, start - 60), start) + text.slice(end, end + 60)) && text.length < 60

/** Whether a title has only a number, and a name such as that of the sender. */
const isBrief = ({ sentences, text }: Row): boolean =>
  (text.match(/\p{L}/gu) ?? []).length <= 12 &&
  sentences.flatMap(({ numerals }) => numerals).length === 1 &&
  sentences.every(({ names }) => names.length === 0)
