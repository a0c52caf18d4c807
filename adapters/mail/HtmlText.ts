/** Extracts the visible lines and the links of HTML. Scripts do not run. */
import { Parser } from "htmlparser2"
import { type Body, type Line, type Link, limits } from "../../core/vault/inbox/ReceivedMessage.ts"

/** Maximum number of characters of HTML that are read. */
const maxCharacters = 500_000

const blocks = new Set(
  "address,article,aside,blockquote,body,br,center,dd,div,dl,dt,fieldset,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,html,li,main,nav,ol,p,pre,section,table,tbody,tfoot,thead,tr,ul".split(
    ","
  )
)
const cells = new Set(["td", "th"])
/** Elements whose text is not shown. */
const unseen = new Set([
  "script",
  "style",
  "head",
  "title",
  "template",
  "noscript",
  "svg",
  "math",
  "object",
  "select",
  "textarea",
  // Struck out.
  "s",
  "strike",
  "del"
])
/** Input fields whose value is not text that people read. */
const silent = new Set(["hidden", "submit", "button", "reset", "image", "checkbox", "radio", "password", "file"])
const headings = new Set(["h1", "h2"])
const bold = new Set(["b", "strong", "h3", "h4", "code", "kbd", "big", "mark"])
const voids = new Set("area,base,br,col,embed,hr,img,input,link,meta,source,track,wbr".split(","))

/** The effect of an open element on the text in it. */
interface Open {
  readonly name: string
  readonly hidden: boolean
  readonly unseen: boolean
  readonly weight: 0 | 1 | 2
  readonly inline: boolean
  readonly quoted: boolean
}

/** Levels beyond this depth are not distinguished. */
const maxDepth = 500

const outside: Open = { name: "", hidden: false, unseen: false, weight: 0, inline: false, quoted: false }

/** The body of an HTML text: visible lines, hidden lines, and links with their texts. */
export const htmlBody = (html: string): Body => {
  const lines: Array<Line> = []
  const links: Array<Link> = []
  const stack: Array<Open> = []
  let beyond = 0
  let text = ""
  let weight: Line["weight"] = 0
  let hidden = false
  let quoted = false
  let anchor: { url: string; words: string } | null = null
  let characters = 0

  const top = (): Open => stack[stack.length - 1] ?? outside
  const isFull = () => lines.length >= limits.lines || characters >= limits.characters
  const breakLine = () => {
    if (text.trim() !== "" && !isFull()) {
      lines.push({ text: text.slice(0, limits.lineCharacters), weight, hidden, ...(quoted ? { quoted } : {}) })
      characters += Math.min(text.length, limits.lineCharacters)
    }
    text = ""
    weight = 0
  }
  const endAnchor = () => {
    if (anchor !== null && anchor.url !== "" && links.length < limits.links) {
      links.push({
        url: anchor.url,
        words: anchor.words.trim().slice(0, 300),
        line: Math.max(0, lines.length - (text === "" ? 1 : 0))
      })
    }
    anchor = null
  }

  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        const parent = top()
        const style = (attributes.style ?? "").slice(0, 2_000).toLowerCase().replace(/\s/g, "")
        const inline = parent.inline || /display:inline/.test(style)
        const isBlock = blocks.has(name) && !(name === "div" && /display:inline/.test(style))
        const isHidden = parent.hidden || "hidden" in attributes || hides.test(style)
        const isQuoted = parent.quoted || name === "blockquote" || quotes.test(`${attributes.class} ${attributes.id}`)
        if (isBlock || isHidden !== hidden || isQuoted !== quoted) breakLine()
        hidden = isHidden
        quoted = isQuoted
        if (cells.has(name) && text !== "" && !text.endsWith("\t")) text += "\t"
        if (name === "a") {
          endAnchor()
          if (!isHidden && !parent.unseen)
            anchor = { url: (attributes.href ?? "").trim().slice(0, limits.urlCharacters + 1), words: "" }
        }
        if (name === "img" && anchor !== null) anchor.words += ` ${(attributes.alt ?? "").slice(0, 100)}`
        const value = parent.unseen || isFull() ? "" : valueOf(name, attributes)
        if (value !== "" && text.length < limits.lineCharacters) text += ` ${value} `
        if (voids.has(name)) return
        if (stack.length >= maxDepth) {
          beyond++
          return
        }
        stack.push({
          name,
          hidden: isHidden,
          unseen: parent.unseen || unseen.has(name) || isStruckOut(style),
          weight: heavier(parent.weight, weightOf(name, style)),
          inline,
          quoted: isQuoted
        })
      },
      ontext: (piece) => {
        const { unseen: skipped, weight: own } = top()
        if (skipped || isFull()) return
        // A line break in the source of HTML is a space.
        const read = piece.replace(/[ \t\r\n\f]+/g, " ")
        if (text.length < limits.lineCharacters) text += text === "" ? read.trimStart() : read
        if (read.trim() !== "") weight = heavier(weight, own)
        if (anchor !== null && anchor.words.length < 300) anchor.words += read
      },
      onclosetag: (name) => {
        if (name === "a") endAnchor()
        if (!voids.has(name)) {
          if (beyond > 0) beyond--
          else stack.pop()
        }
        const isHidden = top().hidden
        const isQuoted = top().quoted
        const isBlock = blocks.has(name) && name !== "br" && !(name === "div" && top().inline)
        if (isBlock || isHidden !== hidden || isQuoted !== quoted) breakLine()
        hidden = isHidden
        quoted = isQuoted
      }
    },
    { decodeEntities: true, lowerCaseTags: true }
  )
  parser.write(html.slice(0, maxCharacters))
  parser.end()
  endAnchor()
  breakLine()
  return { lines, links }
}

const hides =
  /display:none|visibility:hidden|(?:^|;)opacity:0(?:\.0+)?(?:;|$|!)|font-size:(?:0|1)(?:px|pt|em|rem|%)?(?:;|$|!)|max-height:0(?:px)?(?:;|$|!)|mso-hide:all|(?:^|;)color:transparent/

/** Names that mail programs give to what a mail answers or forwards. */
const quotes = /(?:^|[\s_-])(?:gmail_quote|yahoo_quoted|moz-cite-prefix|divrplyfwdmsg|protonmail_quote|zmail_extra)/i

/** What people read of an element besides its text: the value of a field, and what is said instead of a picture. */
const valueOf = (name: string, attributes: Readonly<Record<string, string>>): string => {
  if (name === "input") {
    const isText = !silent.has((attributes.type ?? "text").trim().toLowerCase())
    return isText ? (attributes.value ?? "").slice(0, 100) : ""
  }
  if (name !== "img") return ""
  const alt = (attributes.alt ?? "").slice(0, 100)
  const isDot = /^[01](?:px)?$/.test(attributes.width ?? "") || /^[01](?:px)?$/.test(attributes.height ?? "")
  return isDot || !/\d/.test(alt) ? "" : alt
}

/** Whether a style draws a line through its text. */
const isStruckOut = (style: string): boolean =>
  style
    .split(";")
    .some((declaration) => declaration.trim().startsWith("text-decoration") && declaration.includes("line-through"))

const weightOf = (name: string, style: string): Line["weight"] => {
  if (headings.has(name)) return 2
  const size = Number(/font-size:(\d{1,3})(?:\.\d+)?px/.exec(style)?.[1] ?? 0)
  if (size >= 24) return 2
  return bold.has(name) ||
    size >= 18 ||
    /font-weight:(?:bold|[6-9]00)|letter-spacing:(?:[2-9]|\d\d|0?\.[1-9])/.test(style)
    ? 1
    : 0
}

const heavier = (one: Line["weight"], other: Line["weight"]): Line["weight"] => (one > other ? one : other)
