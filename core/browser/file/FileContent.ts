/**
 * Whether a file is what its name says, by its content: sites send a page that asks to sign in under the name of an invoice.
 */

/** The bytes at the start of a file of a kind; `*` stands for any byte. */
type Start = ReadonlyArray<number | "*">

const ascii = (text: string): Start => [...text].map((sign) => sign.charCodeAt(0))

const zip: ReadonlyArray<Start> = [
  [...ascii("PK"), 3, 4],
  [...ascii("PK"), 5, 6]
]
/** The compound file of older office programs. */
const compound: Start = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
const tiff: ReadonlyArray<Start> = [
  [...ascii("II"), 0x2a, 0],
  [...ascii("MM"), 0, 0x2a]
]
const any4: Start = ["*", "*", "*", "*"]

/** What files of an extension are, and how their content begins. */
const starts: Readonly<Record<string, readonly [kind: string, starts: ReadonlyArray<Start>]>> = {
  png: ["a PNG picture", [[0x89, ...ascii("PNG")]]],
  jpg: ["a JPEG picture", [[0xff, 0xd8, 0xff]]],
  jpeg: ["a JPEG picture", [[0xff, 0xd8, 0xff]]],
  gif: ["a GIF picture", [ascii("GIF8")]],
  bmp: ["a BMP picture", [ascii("BM")]],
  tif: ["a TIFF picture", tiff],
  tiff: ["a TIFF picture", tiff],
  webp: ["a WebP picture", [[...ascii("RIFF"), ...any4, ...ascii("WEBP")]]],
  zip: ["a zip file", zip],
  docx: ["a Word document", zip],
  xlsx: ["an Excel workbook", [...zip, compound]],
  pptx: ["a PowerPoint presentation", zip],
  odt: ["an OpenDocument text", zip],
  ods: ["an OpenDocument spreadsheet", zip],
  odp: ["an OpenDocument presentation", zip],
  epub: ["an EPUB book", zip],
  doc: ["a Word document", [compound, ascii("{\\rtf"), ...zip]],
  ppt: ["a PowerPoint presentation", [compound, ...zip]],
  rtf: ["a rich text", [ascii("{\\rtf")]],
  gz: ["a gzip file", [[0x1f, 0x8b]]],
  "7z": ["a 7z file", [[...ascii("7z"), 0xbc, 0xaf]]],
  rar: ["a RAR file", [ascii("Rar!")]],
  mp4: ["an MP4 video", [[...any4, ...ascii("ftyp")]]],
  wav: ["a WAV sound", [[...ascii("RIFF"), ...any4, ...ascii("WAVE")]]]
}

/** How much of a file is read to tell what it is, in bytes. A PDF may begin after other bytes. */
const headBytes = 4_096
const pdfBytes = 1_024

/** A JSON file of more bytes is only looked at where it begins. */
const largestJson = 16_777_216

/** Texts that are not documents of the web. */
const texts: Readonly<Record<string, string>> = {
  csv: "a CSV table",
  tsv: "a table of tab-separated values",
  txt: "a plain text",
  log: "a plain text",
  ics: "a calendar",
  vcf: "a contact",
  eml: "a mail",
  xml: "an XML document",
  json: "JSON",
  jsonl: "lines of JSON",
  ndjson: "lines of JSON"
}

/**
 * Why a file is not what its name says, as the end of a sentence about it: `it is empty`, `it is not a PDF document: it
 * is a page of HTML ("Session expired")`. `null` for a file that is, and for kinds that are not known here.
 */
export const objection = (fileName: string, bytes: Uint8Array): string | null => {
  if (bytes.length === 0) return "it is empty (0 bytes)"
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase() ?? ""
  const kind = otherThan(extension, bytes)
  return kind === null ? null : `it is not ${kind}: ${seenIn(bytes)}`
}

/** The kind that a file should be of, and is not; `null` where it is. */
const otherThan = (extension: string, bytes: Uint8Array): string | null => {
  if (extension === "pdf") return latin(bytes, pdfBytes).includes("%PDF-") ? null : "a PDF document"
  if (Object.hasOwn(starts, extension)) {
    const [kind, known] = starts[extension] ?? ["", []]
    return known.some((start) => begins(bytes, start)) ? null : kind
  }
  // Programs of tables write pages of HTML and plain tables under this name.
  if (extension === "xls") {
    const isTable = /<table|<workbook|urn:schemas-microsoft-com:office/i.test(latin(bytes, headBytes * 16))
    const isOther = [compound, ...zip].some((start) => begins(bytes, start)) || isTable || htmlTitle(bytes) === null
    return isOther ? null : "an Excel workbook"
  }
  if (!Object.hasOwn(texts, extension)) return null
  const kind = texts[extension] ?? ""
  if (htmlTitle(bytes) !== null || isBinary(bytes)) return kind
  if (extension === "ics") return /^\s*BEGIN:VCALENDAR/i.test(textOf(bytes, headBytes)) ? null : kind
  if (extension === "xml") return /^\s*</.test(textOf(bytes, headBytes)) ? null : kind
  if (extension === "json") return isJson(bytes) ? null : kind
  return null
}

const begins = (bytes: Uint8Array, start: Start): boolean =>
  bytes.length >= start.length && start.every((byte, at) => byte === "*" || byte === bytes[at])

const latin = (bytes: Uint8Array, length: number): string =>
  String.fromCharCode(...bytes.subarray(0, Math.min(length, bytes.length, 65_536)))

/** The text at the start of a file, without its mark of order. */
const textOf = (bytes: Uint8Array, length: number): string => {
  const head = bytes.subarray(0, length)
  const utf16 =
    head[0] === 0xff && head[1] === 0xfe ? "utf-16le" : head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : null
  return new TextDecoder(utf16 ?? "utf-8").decode(head).replace(/^\ufeff/, "")
}

/** Whether a file has bytes that no text has. */
const isBinary = (bytes: Uint8Array): boolean => textOf(bytes, headBytes).includes("\0")

const isJson = (bytes: Uint8Array): boolean => {
  if (bytes.length > largestJson) return /^\s*[[{"\d-]/.test(textOf(bytes, headBytes))
  try {
    JSON.parse(textOf(bytes, bytes.length))
    return true
  } catch {
    return false
  }
}

/** The title of a page of HTML, or the text that it begins with; `null` for what is no page. */
const htmlTitle = (bytes: Uint8Array): string | null => {
  const text = textOf(bytes, headBytes)
  if (!/^\s*(?:<!--[^>]{0,500}-->\s*)?<(?:!doctype html|html|head|body|script|meta|title|div|p|h1)\b/i.test(text)) {
    return null
  }
  const title = /<(title|h1)[^>]{0,200}>([^<]{1,200})/i.exec(text)?.[2] ?? text.replace(/<[^<>]{0,1000}>/g, " ")
  return title.replace(/\s+/g, " ").trim()
}

/** Maximum length of a text of a file in a message, in characters. */
const longestShown = 80

const seenIn = (bytes: Uint8Array): string => {
  const title = htmlTitle(bytes)
  if (title !== null) return `it is a page of HTML ("${title.slice(0, longestShown)}")`
  const known = Object.values(starts).find(([, all]) => all.some((start) => start.length > 2 && begins(bytes, start)))
  if (known !== undefined) return `it begins as ${known[0]} does`
  if (latin(bytes, pdfBytes).includes("%PDF-")) return "it is a PDF document"
  const text = textOf(bytes, longestShown).replace(/\s+/g, " ").trim()
  const isText = !isBinary(bytes) && !text.includes("\ufffd") && text !== ""
  return isText ? `it begins with ${JSON.stringify(text)}` : `its ${bytes.length} bytes are of another kind`
}
