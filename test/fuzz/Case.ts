/**
 * A request as data: it can be sent, shrunk, printed and read again.
 *
 * Names in braces such as `{workflow_id}` stand for things that exist when the request is sent, so that the same case
 * can be sent to another service.
 */

export type Body = { readonly json: unknown } | { readonly text: string } | { readonly base64: string }

export interface Case {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Body | null
}

/** The values for the names in braces. */
export type Things = Readonly<Record<string, string>>

/** A case with everything in place, ready to be sent. */
export interface Filled {
  readonly method: string
  readonly path: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer | null
}

const named = /\{(\w+)\}/g

export const fillText = (text: string, things: Things): string =>
  text.replace(named, (whole, name: string) => (Object.hasOwn(things, name) ? String(things[name]) : whole))

export const fill = ({ body, headers, method, path }: Case, things: Things): Filled => ({
  method,
  path: fillText(path, things),
  headers: headers.map(([name, value]) => [name, fillText(value, things)]),
  body: body === null ? null : bytesOf(body, things)
})

const bytesOf = (body: Body, things: Things): Buffer => {
  if ("base64" in body) return Buffer.from(body.base64, "base64")
  return Buffer.from(fillText("text" in body ? body.text : (JSON.stringify(body.json) ?? "null"), things))
}

/** A case in one word, for a command line. */
export const encode = (one: Case): string => Buffer.from(JSON.stringify(one)).toString("base64url")

/** The case that `encode` wrote. Fails with an `Error` that says what is expected. */
export const decode = (word: string): Case => {
  try {
    const one: unknown = JSON.parse(Buffer.from(word, "base64url").toString())
    if (typeof one === "object" && one !== null && "method" in one && "path" in one) return one as Case
  } catch {
    // A body that is no JSON is shown below.
  }
  throw new Error("--replay expects the word that a finding of npm run fuzz has printed")
}

/** A short text that shows a case to a person. */
export const show = ({ body, headers, method, path }: Case): string => {
  const shown = body === null ? "" : "json" in body ? JSON.stringify(body.json) : JSON.stringify(body)
  const sent = headers.map(([name, value]) => `${name}: ${value.slice(0, 60)}`).join(", ")
  return `${method} ${path.slice(0, 200)}${sent === "" ? "" : ` [${sent}]`} ${shown.slice(0, 400)}`.trim()
}
