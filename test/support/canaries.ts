/**
 * Planted secrets: each is a random text that occurs nowhere else. A search finds it in every form in which a program may
 * write it.
 */
import { randomBytes } from "node:crypto"

export interface Canary {
  /** The kind of the secret, such as `password`. */
  readonly name: string
  readonly value: string
  /** A part of letters and digits that several secrets share and no other text contains: one search finds them all. */
  readonly mark?: string
}

const mark = randomBytes(6).toString("hex")

/** A text in all the secrets below: where it occurs, a part of a secret has leaked. */
export const part: Canary = { name: "part of a secret", value: mark }

/** A secret of letters, digits and signs that JSON, HTML, addresses and shells escape. */
export const canary = (name: string): Canary => ({
  name,
  value: `Cy"${mark}${randomBytes(6).toString("hex")}&é/${name}`,
  mark
})

/** A secret of letters and digits, for fields that allow nothing else. */
export const plainCanary = (name: string): Canary => ({
  name,
  value: `cy${mark}${randomBytes(7).toString("hex")}`,
  mark
})

/** A secret that is a short code. The search finds it as a whole word only. */
export const codeCanary = (name: string, value: string): Canary => ({ name, value })

/** An output of the system, and its source: the name of a log, a table or an address. */
export interface Evidence {
  readonly channel: string
  readonly bytes: Uint8Array | string
}

export interface Leak {
  readonly channel: string
  readonly canary: string
  readonly form: string
  /** The text before it, which helps to find the place. It contains no part of the secret. */
  readonly before: string
}

/** All places where a canary occurs. */
export const leaksIn = (evidence: Iterable<Evidence>, canaries: ReadonlyArray<Canary>): ReadonlyArray<Leak> => {
  const groups = [...new Set(canaries.map((one) => one.mark))].map((of) => ({
    marks: of === undefined ? null : formsOf({ name: "", value: of }).map(({ pattern }) => pattern),
    wanted: canaries
      .filter((one) => one.mark === of)
      .flatMap((one) => formsOf(one).map((form) => ({ canary: one.name, ...form })))
  }))
  const leaks: Array<Leak> = []
  for (const { bytes, channel } of evidence) {
    const haystack =
      typeof bytes === "string" ? Buffer.from(bytes, "utf8") : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const present = groups.filter(({ marks }) => marks === null || marks.some((one) => haystack.includes(one)))
    for (const { canary: name, form, pattern } of present.flatMap(({ wanted }) => wanted)) {
      const at = haystack.indexOf(pattern)
      if (at < 0) continue
      leaks.push({
        channel,
        canary: name,
        form,
        before: haystack.subarray(Math.max(at - 60, 0), at).toString("latin1")
      })
    }
  }
  return leaks
}

interface Form {
  readonly form: string
  readonly pattern: Buffer
}

const formsOf = ({ value }: Canary): ReadonlyArray<Form> => {
  const utf8 = Buffer.from(value, "utf8")
  const texts: Record<string, string> = {
    plain: value,
    json: JSON.stringify(value).slice(1, -1),
    "json in json": JSON.stringify(JSON.stringify(value)).slice(3, -3),
    "json in ascii": JSON.stringify(value)
      .slice(1, -1)
      .replace(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
    html: value.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`),
    "html by name": value.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
    "part of an address": encodeURIComponent(value),
    form: new URLSearchParams({ "": value }).toString().slice(1),
    hex: utf8.toString("hex"),
    "hex in capitals": utf8.toString("hex").toUpperCase(),
    backwards: [...value].reverse().join("")
  }
  const isCode = /^[\w-]{4,10}$/.test(value)
  const written = Object.entries(texts).map(([form, text]) => ({ form, pattern: Buffer.from(text, "utf8") }))
  if (isCode) {
    // A few digits occur by chance; a written code is between quotes or tags, or is a value.
    const around: ReadonlyArray<readonly [string, string]> = [
      ['"', '"'],
      ['\\"', '\\"'],
      [">", "<"],
      ["=", "&"],
      [": ", "\n"],
      [" ", " "],
      ["'", "'"]
    ]
    return around.map(([left, right]) => ({
      form: `between ${left} and ${right}`,
      pattern: Buffer.from(left + value + right)
    }))
  }
  return dedupe([
    ...written,
    { form: "utf-16", pattern: Buffer.from(value, "utf16le") },
    ...[0, 1, 2].flatMap((shift) =>
      (["base64", "base64url"] as const).map((encoding) => ({
        form: `${encoding} from place ${shift}`,
        pattern: Buffer.from(inside(utf8, shift, encoding))
      }))
    )
  ])
}

/** The base64 letters of a text that do not depend on its surroundings, for each position in a group of three bytes. */
const inside = (bytes: Buffer, shift: number, encoding: "base64" | "base64url"): string => {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString(encoding)
    .replace(/=+$/, "")
  return text.slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === (3 - shift) % 3 ? undefined : -2)
}

const dedupe = (forms: ReadonlyArray<Form>): ReadonlyArray<Form> => [
  ...new Map(forms.map((one) => [one.pattern.toString("latin1"), one])).values()
]
