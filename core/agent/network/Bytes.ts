/**
 * Bodies of requests and answers as bytes.
 */
import type { Schema } from "effect"
import * as Comparison from "../../workflow/language/graph/Comparison.ts"

export const asText = (value: Schema.Json): string => Comparison.asText(value)

export const ofText = (text: string): Uint8Array => new TextEncoder().encode(text)

/** `null` for what is not base64. */
export const ofBase64 = (text: string): Uint8Array | null => {
  try {
    const raw = atob(text.replace(/^data:[^,]*;base64,/, "").replace(/\s+/g, ""))
    return Uint8Array.from(raw, (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

/** The text of an answer, in the encoding that its type names. */
export const toText = (bytes: Uint8Array, contentType: string): string => {
  const named = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1] ?? "utf-8"
  try {
    return new TextDecoder(named).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

export interface Part {
  readonly name: string
  readonly fileName: string | null
  readonly type: string | null
  readonly bytes: Uint8Array
}

/** A multipart body; no part contains the boundary. */
export const multipart = (parts: ReadonlyArray<Part>): { readonly type: string; readonly bytes: Uint8Array } => {
  const texts = parts.map(({ bytes }) => new TextDecoder("latin1").decode(bytes))
  let number = 0
  while (texts.some((text) => text.includes(boundaryOf(number)))) number++
  const boundary = boundaryOf(number)
  const pieces = parts.flatMap(({ bytes, fileName, name, type }) => {
    const file = fileName === null ? "" : `; filename="${quoted(fileName)}"`
    const kind = type ?? (fileName === null ? null : "application/octet-stream")
    const ofType = kind === null ? "" : `content-type: ${kind.replace(/[\r\n]/g, "")}\r\n`
    return [
      ofText(`--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${file}\r\n${ofType}\r\n`),
      bytes,
      ofText("\r\n")
    ]
  })
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: joined([...pieces, ofText(`--${boundary}--\r\n`)])
  }
}

const boundaryOf = (number: number): string => `----part-of-form-${number}`

const quoted = (text: string): string =>
  text.replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`)

const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((total, { length }) => total + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
