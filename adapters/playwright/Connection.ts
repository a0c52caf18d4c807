/** A connection to a browser of a grid. */
import { connect as open } from "node:net"
import type { Browser as Chromium } from "playwright-core"
import { isLoaded, load } from "./driver/Driver.ts"
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

/**
 * Opens a connection to the port of an endpoint and closes it. Fails as Playwright would where nothing answers there, so
 * that Playwright is loaded only for a browser. It is not tried where a proxy may lead to the endpoint.
 */
const probe = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port, protocol } = new URL(url)
    const usual = /^(https|wss):$/.test(protocol) ? 443 : 80
    const socket = open({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || usual) })
    socket.setTimeout(connectMillis, () => socket.destroy(new Error(`Timeout ${connectMillis}ms exceeded`)))
    socket.once("connect", () => {
      socket.destroy()
      resolve()
    })
    socket.once("error", reject)
  })

/** The settings of the system by which Playwright finds a proxy. */
const proxySettings = ["all_proxy", "http_proxy", "https_proxy", "ws_proxy", "wss_proxy"]

const mayUseProxy = (): boolean =>
  proxySettings.some((name) => Boolean(process.env[name] || process.env[name.toUpperCase()]))

export const connect = async (endpoint: Endpoint): Promise<Connection> => {
  const { kind, url } = endpoint
  const asked = { timeout: connectMillis }
  try {
    if (!isLoaded() && !mayUseProxy()) await probe(url)
    const { chromium } = await load()
    const browser = kind === "cdp" ? await chromium.connectOverCDP(url, asked) : await chromium.connect(url, asked)
    if (browser.browserType().name() !== "chromium") {
      await browser.close()
      throw new NotConnected(endpoint, `is ${browser.browserType().name()}, and workflows run in Chromium`, true)
    }
    return { chromium: browser, wall: SiteWall.make(browser) }
  } catch (error) {
    if (error instanceof NotConnected) throw error
    const text = textOf(error)
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

/** The text of a failure. That of all addresses of a name has only a code. */
const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.message === "" && "code" in error ? String(error.code) : error.message
}

/** The cause of a failure, without addresses. */
const causeOf = (text: string): string => {
  if (/Timeout \d+ms exceeded/.test(text)) return `it did not answer within ${connectMillis} ms`
  const code =
    /\bE[A-Z]{4,}\b/.exec(text)?.[0] ?? /\b(?:HTTP|Unexpected server response:?|status:?) ?\d{3}\b/i.exec(text)?.[0]
  return code ?? "it did not answer as a browser"
}
