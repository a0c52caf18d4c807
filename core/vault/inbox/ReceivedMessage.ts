/**
 * A mail or an SMS that arrived, reduced to what a person would read of it.
 */

/** One line of text, as displayed. */
export interface Line {
  readonly text: string
  /** Its prominence: 0 for plain text, 1 for bold or larger letters, 2 for a heading. */
  readonly weight: 0 | 1 | 2
  /** Whether it is invisible, as in the preview text that some mails hide. It may confirm what is seen elsewhere. */
  readonly hidden: boolean
  /** Whether it is set off as a quotation, such as of the message that this one answers. */
  readonly quoted?: boolean
}

/** A link, and the words that it is under. Without words, such as around a picture, they are empty. */
export interface Link {
  readonly url: string
  readonly words: string
  /** The line that contains it, as an index of the lines. */
  readonly line: number
}

/** The text of a message. Some mails bring it in several forms, such as HTML and plain text. */
export interface Body {
  readonly lines: ReadonlyArray<Line>
  readonly links: ReadonlyArray<Link>
}

export interface Message {
  readonly from: string
  readonly subject: string
  /** The same text in each of its forms, the one that people see first. An SMS has one. */
  readonly bodies: ReadonlyArray<Body>
}

/** How much of a text is looked at: more than this is nothing that a code is sent in. */
export const limits = { lines: 1_000, lineCharacters: 1_000, characters: 40_000, links: 200, urlCharacters: 4_096 }

const address = /https?:\/\/[^\s<>"'`|\\^{}\u3000-\u303f\uff00-\uffef]{1,4096}/gi

/** The body of a plain text: its lines, and the addresses that stand in it. */
export const plainBody = (text: string): Body => {
  const lines: Array<Line> = []
  const links: Array<Link> = []
  for (const written of text.slice(0, limits.characters).split(/\r\n|\r|\n/, limits.lines)) {
    const line = written.slice(0, limits.lineCharacters + limits.urlCharacters)
    for (const [found] of line.matchAll(address)) {
      if (links.length < limits.links) links.push({ url: withoutTrail(found), words: "", line: lines.length })
    }
    lines.push({
      text: line.replace(address, " ").slice(0, limits.lineCharacters),
      weight: 0,
      hidden: false
    })
  }
  return { lines, links }
}

/** An address in a sentence, without the sentence's punctuation at its end. */
const withoutTrail = (url: string): string => {
  let end = url.length
  while (end > 0 && ".,;:!?)]*_".includes(url.charAt(end - 1))) {
    // A bracket that was opened within the address belongs to it.
    if (url.charAt(end - 1) === ")" && url.slice(0, end).includes("(")) break
    end--
  }
  return url.slice(0, end)
}
