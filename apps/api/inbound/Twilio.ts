/** Messages from Twilio, and the check of its signature. */
import { createHmac } from "node:crypto"
import { Redacted } from "effect"
import { isSame } from "./Inbound.ts"

/** The signature of a request to an address with these fields: Base64 of HMAC-SHA1 over both. */
export const signatureOf = (token: Redacted.Redacted<string>, url: string, fields: URLSearchParams): string => {
  const sorted = [...fields].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
  return createHmac("sha1", Redacted.value(token))
    .update(url + sorted.map(([name, value]) => name + value).join(""))
    .digest("base64")
}

export const isSigned = (
  given: string | undefined,
  token: Redacted.Redacted<string>,
  url: string,
  fields: URLSearchParams
): boolean => isSame(given ?? "", signatureOf(token, url, fields))
