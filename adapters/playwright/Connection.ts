/** A connection to a browser of a grid. */
import { type Browser as Chromium, chromium } from "playwright-core"
import { type Endpoint, named } from "./Endpoints.ts"
import * as SiteWall from "./walls/SiteWall.ts"

/** Timeout of a new connection, in milliseconds. */
const connectMillis = 10_000

export interface Connection {
  readonly chromium: Chromium
  readonly wall: SiteWall.SiteWall
}

/** Raised when a browser cannot be reached. `message` gives the reason, without secrets of the address. */
export class NotConnected extends Error {
  /** Whether the browser has another version of the protocol, so that a retry cannot succeed. */
  readonly isOtherVersion: boolean
  constructor(endpoint: Endpoint, reason: string, isOtherVersion: boolean) {
    super(`${named(endpoint)} ${reason}`)
    this.isOtherVersion = isOtherVersion
  }
}

export const connect = async (endpoint: Endpoint): Promise<Connection> => {
  const { kind, url } = endpoint
  const asked = { timeout: connectMillis }
  try {
    const one = kind === "cdp" ? await chromium.connectOverCDP(url, asked) : await chromium.connect(url, asked)
    if (one.browserType().name() !== "chromium") {
      await one.close()
      throw new NotConnected(endpoint, `is ${one.browserType().name()}, and workflows run in Chromium`, true)
    }
    return { chromium: one, wall: SiteWall.make(one) }
  } catch (error) {
    if (error instanceof NotConnected) throw error
    const text = error instanceof Error ? error.message : String(error)
    if (/version mismatch|428 Precondition/i.test(text)) {
      const versions = [...text.matchAll(/\b(server|client) version:\s*v?([\d.]+)/gi)].map(
        ([, who, what]) => `${who} ${what}`
      )
      const suffix = versions.length > 0 ? ` (${versions.join(", ")})` : ""
      throw new NotConnected(endpoint, `runs another version of Playwright than this service${suffix}`, true)
    }
    throw new NotConnected(endpoint, `could not be reached: ${causeOf(text)}`, false)
  }
}

/** The cause of a failure, without addresses. */
const causeOf = (text: string): string => {
  if (/Timeout \d+ms exceeded/.test(text)) return `it did not answer within ${connectMillis} ms`
  const code =
    /\bE[A-Z]{4,}\b/.exec(text)?.[0] ?? /\b(?:HTTP|Unexpected server response:?|status:?) ?\d{3}\b/i.exec(text)?.[0]
  return code ?? "it did not answer as a browser"
}
