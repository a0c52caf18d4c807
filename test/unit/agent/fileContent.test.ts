import { assert, describe, it } from "@effect/vitest"
import { objection } from "../../../core/browser/file/FileContent.ts"

const text = (of: string): Uint8Array => new TextEncoder().encode(of)
const bytes = (...of: ReadonlyArray<number>): Uint8Array => new Uint8Array([...of, ...Array(20).fill(0)])
const zip = bytes(0x50, 0x4b, 3, 4)
const compound = bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)
const expired = text("<!DOCTYPE html><html><head><title>Session expired</title></head><body>Sign in</body></html>")
const utf16 = (of: string) => new Uint8Array([0xff, 0xfe, ...[...of].flatMap((sign) => [sign.charCodeAt(0), 0])])

describe("the content of a file", () => {
  for (const [name, content] of [
    ["inv.pdf", text("%PDF-1.7\n")],
    ["inv.PDF", text("\r\n\r\n%PDF-1.4")],
    ["a.png", bytes(0x89, 0x50, 0x4e, 0x47)],
    ["a.jpg", bytes(0xff, 0xd8, 0xff, 0xe0)],
    ["a.jpeg", bytes(0xff, 0xd8, 0xff, 0xe1)],
    ["a.gif", text("GIF89a")],
    ["a.webp", text("RIFF____WEBPVP8 ")],
    ["a.tiff", bytes(0x49, 0x49, 0x2a, 0)],
    ["a.zip", zip],
    ["empty.zip", bytes(0x50, 0x4b, 5, 6)],
    ["a.docx", zip],
    ["a.xlsx", zip],
    ["locked.xlsx", compound],
    ["a.pptx", zip],
    ["a.ods", zip],
    ["a.doc", compound],
    ["a.doc", text("{\\rtf1")],
    ["a.xls", compound],
    ["a.xls", text("<html><body><table><tr><td>1</td></tr></table></body></html>")],
    ["a.xls", text("Name\tAmount\nAda\t1")],
    ["a.gz", bytes(0x1f, 0x8b)],
    ["a.csv", text("name;amount\nAda;1")],
    ["a.csv", text("<b>;1")],
    ["a.csv", utf16("name,amount")],
    ["a.csv", new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0x2c])],
    ["a.json", text('{"a": 1}')],
    ["a.json", text("\ufeff[]")],
    ["a.json", text("null")],
    ["a.xml", text("<?xml version='1.0'?><invoice/>")],
    ["a.ics", text("BEGIN:VCALENDAR\r\n")],
    ["a.txt", text("Session expired")],
    ["a.html", expired],
    ["a", expired],
    ["a.bin", bytes(1, 2, 3)],
    ["constructor", text("x")]
  ] as const) {
    it(`of ${name} as ${JSON.stringify(String.fromCharCode(...content.subarray(0, 12)))} is what its name says`, () => {
      assert.isNull(objection(name, content))
    })
  }

  for (const [name, content, saying] of [
    ["inv.pdf", text(""), "it is empty (0 bytes)"],
    ["a.txt", text(""), "it is empty (0 bytes)"],
    ["a", text(""), "it is empty (0 bytes)"],
    ["inv.pdf", expired, 'it is not a PDF document: it is a page of HTML ("Session expired")'],
    ["inv.pdf", text("Not found"), 'it is not a PDF document: it begins with "Not found"'],
    ["inv.pdf", zip, "it is not a PDF document: it begins as a zip file does"],
    ["inv.pdf", bytes(1, 2, 3), "it is not a PDF document: its 23 bytes are of another kind"],
    ["a.png", bytes(0xff, 0xd8, 0xff), "it is not a PNG picture: it begins as a JPEG picture does"],
    ["a.zip", expired, 'it is not a zip file: it is a page of HTML ("Session expired")'],
    ["a.xlsx", text("a;b"), 'it is not an Excel workbook: it begins with "a;b"'],
    ["a.xls", expired, 'it is not an Excel workbook: it is a page of HTML ("Session expired")'],
    ["a.docx", text("%PDF-1.4"), "it is not a Word document: it is a PDF document"],
    ["a.csv", expired, 'it is not a CSV table: it is a page of HTML ("Session expired")'],
    ["a.csv", text("<html><p>Please  sign in</p>"), 'it is not a CSV table: it is a page of HTML ("Please sign in")'],
    ["a.csv", zip, "it is not a CSV table: it begins as a zip file does"],
    ["a.txt", expired, 'it is not a plain text: it is a page of HTML ("Session expired")'],
    ["a.json", text('{"a": 1'), 'it is not JSON: it begins with "{\\"a\\": 1"'],
    ["a.json", expired, 'it is not JSON: it is a page of HTML ("Session expired")'],
    ["a.xml", expired, 'it is not an XML document: it is a page of HTML ("Session expired")'],
    ["a.ics", text("DTSTART"), 'it is not a calendar: it begins with "DTSTART"']
  ] as const) {
    it(`of ${name} is refused: ${saying}`, () => assert.strictEqual(objection(name, content), saying))
  }
})
