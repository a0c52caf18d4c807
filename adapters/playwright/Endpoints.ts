/** The browsers of a grid: their addresses, their capacity, and the choice of one for the next session. */
import { Result } from "effect"

/** The protocol of an endpoint: Playwright's own, of the same version, or the DevTools protocol of Chromium. */
export type Kind = "playwright" | "cdp"

export interface Endpoint {
  /** The address, which may contain a token. */
  readonly url: string
  readonly kind: Kind
  /** Maximum number of concurrent sessions. */
  readonly capacity: number
  /** Whether the endpoint gets no new sessions. */
  readonly draining: boolean
  /** With `cdp`: the folder of downloads on the machine of the browser. By default, Playwright chooses one. */
  readonly downloads?: string
}

const defaultCapacity = 4

const maxCapacity = 1_000

const example = "ws://playwright.internal:3000#capacity=4 or http://chromium.internal:9222#capacity=2"

/**
 * Parses endpoints separated by commas or whitespace; a line that begins with `#` is a comment. The fragment of an
 * address gives its `capacity` (default 4), its `kind`, the folder of its `downloads`, and `drain`. Error messages do
 * not contain the addresses, which may contain tokens.
 */
export const parse = (written: string): Result.Result<ReadonlyArray<Endpoint>, ReadonlyArray<string>> => {
  const texts = written
    .split("\n")
    .filter((line) => !line.trim().startsWith("#"))
    .flatMap((line) => line.split(/[\s,]+/))
    .filter((text) => text !== "")
  const problems: Array<string> = []
  const endpoints = texts.flatMap((text, index) => {
    const read = one(text)
    if (Result.isSuccess(read)) return [read.success]
    problems.push(`endpoint ${index + 1}: ${read.failure}`)
    return []
  })
  if (texts.length === 0) problems.push(`expected endpoints such as ${example}`)
  const known = new Set<string>()
  for (const [index, { url }] of endpoints.entries()) {
    if (known.has(url)) problems.push(`endpoint ${index + 1}: it is named twice`)
    known.add(url)
  }
  return problems.length === 0 ? Result.succeed(endpoints) : Result.fail(problems)
}

const one = (text: string): Result.Result<Endpoint, string> => {
  const [address = "", fragment = ""] = text.split("#", 2)
  const url = URL.parse(address)
  if (url === null || !/^(wss?|https?):$/.test(url.protocol) || url.hostname === "") {
    return Result.fail(`expected an address such as ${example}`)
  }
  const said = new Map(
    fragment
      .split("&")
      .filter((part) => part !== "")
      .map((part): readonly [string, string | undefined] => {
        const [name = "", value] = part.split("=", 2)
        return [name, value]
      })
  )
  const unknown = [...said.keys()].find((name) => !["capacity", "kind", "drain", "downloads"].includes(name))
  if (unknown !== undefined) {
    return Result.fail(`expected capacity, kind, downloads or drain after the #, not ${unknown}`)
  }
  const capacity = said.get("capacity") ?? String(defaultCapacity)
  if (!/^[1-9]\d{0,3}$/.test(capacity) || Number(capacity) > maxCapacity) {
    return Result.fail(`expected a capacity from 1 to ${maxCapacity}`)
  }
  const kind = said.get("kind") ?? kindOf(url)
  if (kind !== "playwright" && kind !== "cdp") return Result.fail("expected the kind playwright or cdp")
  if (kind === "playwright" && url.protocol.startsWith("http")) {
    return Result.fail("expected ws:// or wss:// for a Playwright server")
  }
  const downloads = said.get("downloads")
  if (said.has("downloads") && (kind !== "cdp" || downloads === undefined || !/^(\/|[a-z]:[\\/])/i.test(downloads))) {
    return Result.fail("expected the whole path of a folder as downloads, of a browser of the kind cdp")
  }
  const folder = downloads === undefined ? {} : { downloads }
  return Result.succeed({ ...folder, url: address, kind, capacity: Number(capacity), draining: said.has("drain") })
}

const kindOf = ({ pathname, protocol }: URL): Kind =>
  protocol.startsWith("http") || pathname.startsWith("/devtools/") ? "cdp" : "playwright"

/** The printable name of an endpoint: its address without possible secrets. */
export const named = ({ url }: Pick<Endpoint, "url">): string => {
  const { host, protocol } = new URL(url)
  return `${protocol}//${host}`
}

/** Returns whether an endpoint is on this machine. */
export const isHere = ({ url }: Pick<Endpoint, "url">): boolean => {
  const { hostname } = new URL(url)
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname)
}

/** The state of an endpoint. */
export interface EndpointState {
  readonly endpoint: Endpoint
  /** The number of its sessions. */
  readonly inUse: number
  /** Whether it can be reached. */
  readonly up: boolean
}

const hasRoom = ({ endpoint, inUse, up }: EndpointState): boolean =>
  up && !endpoint.draining && inUse < endpoint.capacity

/** The endpoint for the next session: the first of the least loaded ones with free capacity. */
export const choose = <S extends EndpointState>(all: ReadonlyArray<S>): S | null =>
  all.filter(hasRoom).reduce<S | null>((best, next) => (best === null || load(next) < load(best) ? next : best), null)

const load = ({ endpoint, inUse }: EndpointState): number => inUse / endpoint.capacity

/** The total capacity of the endpoints that can be reached and are not draining. */
export const capacity = (all: ReadonlyArray<EndpointState>): number =>
  all.reduce((sum, { endpoint, up }) => sum + (up && !endpoint.draining ? endpoint.capacity : 0), 0)

/** The pause before the next connection attempt after a number of failures, in milliseconds. */
export const pauseMillis = (failures: number): number => Math.min(500 * 2 ** Math.max(failures - 1, 0), 30_000)
