/**
 * The network requests of a page with their responses, and their form in network logs: without secrets, bounded in size.
 */
import { Effect } from "effect"
import type { Secrets } from "../redaction/Secrets.ts"

/** One request and its answer as a browser saw them. Instants are epoch milliseconds. */
export interface Exchange {
  readonly method: string
  readonly url: string
  /** The resource type, such as `document`, `xhr`, `fetch`, `script`, `image`. */
  readonly resourceType: string
  readonly startedAt: number
  /** `null` for a request without an end. */
  readonly durationMillis: number | null
  /** `null` without an answer. */
  readonly status: number | null
  /** Why there was no answer. */
  readonly failure: string | null
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly responseHeaders: Readonly<Record<string, string>>
  /** The text of the response, where its type is one that is stored. */
  readonly body: string | null
  /** The request body, if it is known and is text. */
  readonly requestBody?: string | null
  /** The whole body of the response, of any type; present where it was asked for, `null` where it could not be read. */
  readonly bytes?: Uint8Array | null
}

/** A request that was made. */
export type StartedRequest = Pick<Exchange, "url" | "resourceType" | "startedAt">

/** An exchange in a network log: redacted, and bounded in size. */
export interface RecordedExchange
  extends Pick<
    Exchange,
    | "method"
    | "url"
    | "resourceType"
    | "startedAt"
    | "durationMillis"
    | "status"
    | "failure"
    | "requestHeaders"
    | "responseHeaders"
  > {
  /** Unique within the log. */
  readonly id: string
  readonly responseBody: string | null
  /** The body was longer than the part that is kept. */
  readonly responseBodyTruncated: boolean
}

/** The stored maximum of characters of an address, of a header and of a body. */
const maxUrl = 4_096
const maxHeader = 2_048
export const maxBody = 65_536

export const hidden = "REDACTED"

/**
 * Redacts an exchange and cuts what is too long, in turns. `bodyLeft` is how many characters of bodies may still be
 * kept. Known secrets of the run, and values that look secret, are hidden everywhere in it.
 */
export const record = Effect.fnUntraced(function* (
  id: string,
  exchange: Exchange,
  bodyLeft: number,
  secrets: Secrets
): Effect.fn.Return<RecordedExchange> {
  const room = Math.max(Math.min(maxBody, bodyLeft), 0)
  const { body } = exchange
  const requestHeaders = yield* withoutKnown(exchange.requestHeaders, secrets)
  const responseHeaders = yield* withoutKnown(exchange.responseHeaders, secrets)
  const kept = body === null ? null : yield* secrets.hideLong(body, room)
  return {
    id,
    method: exchange.method,
    url: redactUrl(secrets.hideWithin(exchange.url, maxUrl)),
    status: exchange.status,
    resourceType: exchange.resourceType,
    startedAt: Math.trunc(exchange.startedAt),
    durationMillis: exchange.durationMillis === null ? null : Math.max(Math.round(exchange.durationMillis), 0),
    failure: exchange.failure === null ? null : secrets.hide(exchange.failure),
    requestHeaders: redactHeaders(requestHeaders),
    responseHeaders: redactHeaders(responseHeaders),
    responseBody: kept === null ? null : redactBody(kept).slice(0, room),
    responseBodyTruncated: body !== null && body.length > room
  }
})

const withoutKnown = (headers: Readonly<Record<string, string>>, secrets: Secrets) =>
  Effect.map(
    Effect.forEach(Object.entries(headers), ([name, value]) =>
      Effect.map(secrets.hideLong(value, maxHeader), (hidden) => [name, hidden] as const)
    ),
    Object.fromEntries<string>
  )

/** Returns whether a body of this type is stored: JSON, XML, forms and plain or marked-up text. */
export const isText = (contentType: string): boolean =>
  /^(text\/(?!css|javascript|event-stream)|application\/([\w.+-]+\+)?(json|xml|x-www-form-urlencoded))/i.test(
    contentType
  )

/** Names of headers, parameters and fields whose values are credentials. */
export const secretName =
  /(pass(wor[dt]|wd|phrase|code)?$|^pwd$|secret|token|authori[sz]ation|cookie|api[-_]?key|access[-_]?key|csrf|xsrf|jwt|signature|^sig$|credential|session[-_]?(id|key)?$|^sid$|^auth$|^otp$|^pin$|^code$|assertion|samlresponse|x-amz-)/i

/** Values that look like a token, under any name: a JWT, or a long run of mixed letters and digits. */
export const isToken = (value: string): boolean =>
  /(?<![\w-])eyJ[\w-]{10,2048}\.[\w-]{4,}/.test(value) ||
  (/^[\w.~+/=-]{24,}$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value) && !uuid.test(value))

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An address without its credentials and without the values of parameters that are, or look, secret. */
export const redactUrl = (url: string): string => {
  const bare = url.slice(0, maxUrl).replace(/^([a-z][\w+.-]*:\/\/)[^/?#]*@/i, "$1")
  const [path = "", ...rest] = bare.split(/(?=[?#])/)
  return (path + rest.map(redactPart).join("")).slice(0, maxUrl)
}

const redactPart = (part: string): string =>
  part.slice(0, 1) +
  part
    .slice(1)
    .split("&")
    .map((pair) => {
      const at = pair.indexOf("=")
      if (at < 0) return isToken(plain(pair)) ? hidden : pair
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
      return value !== "" && (secretName.test(plain(name)) || isToken(plain(value))) ? `${name}=${hidden}` : pair
    })
    .join("&")

const plain = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

/** Headers with the values of those that are secret replaced, and the addresses in the others redacted. */
export const redactHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (secretName.test(name)) return [name, hidden]
      const isAddress = /^(referer|location|content-location|origin|refresh|link)$/i.test(name) || name.startsWith(":")
      return [name, (isAddress ? redactUrl(value) : value).slice(0, maxHeader)]
    })
  )

/** A text with the values of secret JSON fields, of password fields and of form parameters replaced, and of tokens in it. */
export const redactBody = (body: string): string =>
  body
    .replace(/("((?:[^"\\]|\\.){1,80})"\s*:\s*)("(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*)/g, (whole, head, name) =>
      secretName.test(String(name)) ? `${head}"${hidden}"` : whole
    )
    .replace(/<input\b(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^"'<>])*/gi, (tag) =>
      /type\s*=\s*["']?password/i.test(tag) || secretName.test(/\bname\s*=\s*["']?([\w.[\]-]+)/i.exec(tag)?.[1] ?? "")
        ? tag.replace(/(\bvalue\s*=\s*)("[^"]*"?|'[^']*'?|[^\s>]+)/gi, `$1"${hidden}"`)
        : tag
    )
    .replace(/(?<![\w-])eyJ[\w-]{10,2048}\.[\w-]{4,}(\.[\w-]*)?/g, hidden)

const noiseTypes = new Set([
  "image",
  "font",
  "stylesheet",
  "media",
  "manifest",
  "texttrack",
  "ping",
  "cspviolationreport"
])

/** Hosts of analytics, which serve no content of a page. */
const noiseHosts =
  /(^|\.)(google-analytics\.com|googletagmanager\.com|analytics\.google\.com|doubleclick\.net|googlesyndication\.com|facebook\.net|hotjar\.com|hotjar\.io|segment\.(io|com)|mixpanel\.com|amplitude\.com|fullstory\.com|clarity\.ms|newrelic\.com|nr-data\.net|sentry\.io|datadoghq\.com|datadoghq-browser-agent\.com|browser-intake-datadoghq\.com|intercom\.io|heap(analytics)?\.(io|com)|optimizely\.com|bat\.bing\.com|matomo\.cloud|plausible\.io|cloudflareinsights\.com|quantserve\.com|scorecardresearch\.com|criteo\.(com|net)|bugsnag\.com|logrocket\.(io|com)|pendo\.io|branch\.io)$/i

/** Returns whether an exchange is irrelevant for what a page does: pictures, fonts, styles, media and analytics. */
export const isNoise = ({ resourceType, url }: Pick<RecordedExchange, "resourceType" | "url">): boolean =>
  noiseTypes.has(resourceType) || (URL.parse(url) !== null && noiseHosts.test(new URL(url).hostname))
