/**
 * A form with a file, `multipart/form-data` by RFC 7578, as the JSON body that it stands for: `file_name` and `content`. It
 * becomes that while it arrives.
 */
import { MultipartParser } from "effect/http"
import * as Errors from "../Errors.ts"
import * as Utf8 from "./Utf8.ts"

type Refusal = Errors.BadRequest

export interface FormBody {
  /** The bytes of the JSON body that the next bytes of the form make. */
  readonly add: (bytes: Uint8Array) => Uint8Array | Refusal
  /** The last bytes of the JSON body. */
  readonly end: () => Uint8Array | Refusal
}

export const isForm = (contentType: string | undefined): boolean =>
  /^\s*multipart\/form-data\s*(;|$)/i.test(contentType ?? "")

/** The field that has the file. */
const field = "file"

/** A form at its beginning. Only the field `file` is taken, and once. */
export const begin = (contentType: string): FormBody => {
  let made = ""
  let refusal: Refusal | null = null
  let files = 0
  const refuse = (refused: Refusal): void => {
    refusal ??= refused
  }
  const parser = MultipartParser.make({
    headers: { "content-type": contentType },
    isFile: () => true,
    onField: () => undefined,
    onFile: ({ filename, name }) => {
      files += 1
      if (name !== field) {
        refuse(Errors.invalidAt(name.slice(0, 80), `Expected no other field than ${field} in the form`))
      } else if (files > 1) refuse(Errors.invalidAt(field, "Expected one file in the form, got more"))
      const decoder = Utf8.make()
      made += `{${filename === undefined ? "" : `"file_name":${JSON.stringify(filename)},`}"content":"`
      return (chunk) => {
        const text = chunk === null ? "" : decoder.add(chunk)
        if (text === null || (chunk === null && !decoder.isComplete())) refuse(notText)
        made += chunk === null ? '"}' : JSON.stringify(text ?? "").slice(1, -1)
      }
    },
    onError: ({ _tag }) => refuse(Errors.badRequest(wrong[_tag])),
    onDone: () => undefined
  })
  const taken = (): Uint8Array | Refusal => {
    if (refusal !== null) return refusal
    const bytes = Buffer.from(made)
    made = ""
    return bytes
  }
  return {
    add: (bytes) => {
      // The parser keeps parts of what it is given.
      if (refusal === null) parser.write(Uint8Array.from(bytes))
      return taken()
    },
    end: () => {
      if (refusal === null) parser.end()
      if (files === 0) refuse(Errors.invalidAt(field, `Expected a file in the field ${field} of the form`))
      return taken()
    }
  }
}

const notText = Errors.invalidAt(
  field,
  "Expected a text in UTF-8, got other bytes, such as those of an archive or a picture"
)

const wrong: Readonly<Record<MultipartParser.MultipartError["_tag"], string>> = {
  InvalidBoundary: "Expected a boundary in the Content-Type of a form",
  BadHeaders: "The form has a part whose headers cannot be read",
  InvalidDisposition: "Expected a Content-Disposition with a name in each part of the form",
  ReachedLimit: "The form has a part that is too large",
  EndNotReached: "The form ended before it was complete"
}
