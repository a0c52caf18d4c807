/**
 * Removes from recorded texts what looks like a secret and is none of the credentials, such as the token of a session.
 *
 * The same function changes what a replay asks for, so that both are still equal. Short values under suspicious names
 * stay: pages name products `code` and positions `pin`.
 */
import { hidden, isToken, secretName } from "../../browser/Exchange.ts"

/** Whether the value of a field is that of a secret. */
const isSecret = (name: string, value: string): boolean =>
  secretName.test(name) ? value.length >= 16 && !/\s/.test(value) : isToken(value) && !value.includes("/")

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

/** The pairs of a query or a form, with the values of secrets replaced. */
export const pairs = (text: string): string =>
  text
    .split("&")
    .map((pair) => {
      const at = pair.indexOf("=")
      if (at < 0) return isToken(decoded(pair)) ? hidden : pair
      return isSecret(decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))) ? `${pair.slice(0, at)}=${hidden}` : pair
    })
    .join("&")

/** An address without its fragment, its user and the secrets of its query. */
export const address = (url: string): string => reference(url.replace(/#.*$/s, ""))

/** A reference to an address, with its fragment. */
const reference = (url: string): string =>
  url
    .replace(/^([a-z][\w+.-]*:\/\/)[^/?#]*@/i, "$1")
    .replace(/\?([^#]*)/, (_whole, query) => `?${pairs(String(query))}`)

const jwt = /(?<![\w-])eyJ[\w-]{10,2048}\.[\w-]{4,}(\.[\w-]*)?/g

/** A body of JSON, HTML or plain text. Its length in lines, and the syntax of JSON, stay. */
export const body = (text: string): string =>
  text
    .replace(/("((?:[^"\\]|\\.){1,80})"\s*:\s*)"((?:[^"\\]|\\.)*)"/g, (whole, head, name, value) =>
      secretName.test(String(name)) && isSecret(String(name), String(value)) ? `${head}"${hidden}"` : whole
    )
    .replace(/<input\b(?:"[^"]*"|'[^']*'|[^"'<>])*/gi, (tag) => {
      const name = /\bname\s*=\s*["']?([\w.[\]-]+)/i.exec(tag)?.[1] ?? ""
      const isPassword = /type\s*=\s*["']?password/i.test(tag)
      return tag.replace(/(\bvalue\s*=\s*)(["'])(.*?)\2/gi, (whole, head, quote, value) =>
        value !== "" && (isPassword || (secretName.test(name) && isSecret(name, String(value))))
          ? `${head}${quote}${hidden}${quote}`
          : whole
      )
    })
    .replace(jwt, hidden)

/** What was sent: a form, or another text. */
export const sent = (text: string): string => (/^[^\s={}<>]{1,200}=/.test(text) ? pairs(text) : body(text))

/** The lines of `Set-Cookie`, with values that a script cannot read or that look like a token replaced. */
export const cookies = (lines: string): string =>
  lines
    .split("\n")
    .map((line) => {
      const [, name = "", value = "", rest = ""] = /^([^=;]*)=([^;]*)(.*)$/s.exec(line) ?? []
      const isHidden = value !== "" && (/;\s*httponly/i.test(rest) || isSecret(name, value))
      return isHidden ? `${name}=${hidden}${rest}` : line
    })
    .join("\n")

/** What a page of the replay receives otherwise: the body has another length, and is not packed. */
const left =
  /^(content-(length|encoding)|transfer-encoding|connection|keep-alive|trailer|alt-svc|strict-transport-security|report-to|nel|:.*)$/i

/** The headers of an answer as they are recorded. */
export const headers = (all: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => {
      if (left.test(name)) return []
      if (/^set-cookie$/i.test(name)) return [[name, cookies(value)]]
      if (/^(location|content-location|refresh|link)$/i.test(name)) return [[name, reference(value)]]
      return [[name, secretName.test(name) && isSecret(name, value) ? hidden : value]]
    })
  )

/** A value of the storage of a page. */
export const stored = (name: string, value: string): string => (isSecret(name, value) ? hidden : body(value))

/** The instructions of a question to a model, without the mark that is drawn for each. */
export const question = (instructions: string): string => instructions.replace(/\b[1-7][0-9a-f]{7}\b/g, "<mark>")
