/**
 * Reads the cookies that servers set, as browsers do (RFC 6265).
 */

export interface SetCookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly path: string
  readonly expires: number
  readonly httpOnly: boolean
  readonly secure: boolean
  readonly sameSite?: "Strict" | "Lax" | "None"
}

const maxLength = 8_192

/** A cookie of an address; `null` for one that is not for it. `now` in epoch milliseconds. */
export const read = (line: string, { hostname, pathname, protocol }: URL, now: number): SetCookie | null => {
  if (line.length > maxLength) return null
  const [pair = "", ...attributes] = line.split(";")
  const at = pair.indexOf("=")
  const name = at < 0 ? "" : pair.slice(0, at).trim()
  const value = pair.slice(at + 1).trim()
  const given = new Map(
    attributes.map((attribute) => {
      const [key = "", ...rest] = attribute.split("=")
      return [key.trim().toLowerCase(), rest.join("=").trim()] as const
    })
  )
  const domain = (given.get("domain") ?? "").replace(/^\./, "").toLowerCase()
  const host = hostname.toLowerCase()
  if (name === "" || (domain !== "" && domain !== host && !host.endsWith(`.${domain}`))) return null
  const secure = given.has("secure")
  if (secure && protocol !== "https:" && !/^(localhost|127\.|\[::1\])/.test(host)) return null
  const path = given.get("path") ?? ""
  const sameSite = sameSites[(given.get("samesite") ?? "").toLowerCase()]
  return {
    name,
    value,
    domain: domain === "" || domain === host ? (domain === "" ? host : `.${domain}`) : `.${domain}`,
    path: path.startsWith("/") ? path : pathname.slice(0, Math.max(pathname.lastIndexOf("/"), 1)),
    expires: expiryOf(given, now),
    httpOnly: given.has("httponly"),
    secure,
    ...(sameSite === undefined ? {} : { sameSite })
  }
}

const sameSites: Readonly<Record<string, SetCookie["sameSite"]>> = { strict: "Strict", lax: "Lax", none: "None" }

/** In seconds since the epoch; -1 for a cookie that ends with the session. */
const expiryOf = (given: ReadonlyMap<string, string>, now: number): number => {
  const age = given.get("max-age")
  if (age !== undefined && /^-?\d+$/.test(age)) return Math.max(now / 1_000 + Number(age), 1)
  const date = Date.parse(given.get("expires") ?? "")
  return Number.isNaN(date) ? -1 : Math.max(date / 1_000, 1)
}
