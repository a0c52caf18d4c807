/**
 * A Chromium without a network, for replays.
 *
 * Every request of every page, frame and worker is answered by the browser itself, before it reaches the network. What is no
 * request, such as the connection of a web socket, goes to a proxy that reaches nothing, and names are not looked up.
 */
import { Effect, Layer, Semaphore } from "effect"
import type { BrowserContext, CDPSession } from "playwright-core"
import { defaultPageLimits, type PageLimits } from "../../core/agent/Limits.ts"
import type { Browser, BrowserSession } from "../../core/browser/Browser.ts"
import { PageFailure } from "../../core/browser/PageFailure.ts"
import { type ApiRequest, RequestFailed } from "../../core/browser/Requests.ts"
import type { Session } from "../../core/browser/Session.ts"
import type { Asked } from "../../core/execution/replay/ReplayAnswers.ts"
import { ReplayBrowser, type ReplayNetwork } from "../../core/execution/replay/ReplayBrowser.ts"
import type { Answer } from "../../core/execution/replay/ReplayRecord.ts"
import * as StandInFiles from "../files/StandInFiles.ts"
import * as LocalChromium from "./LocalChromium.ts"
import * as Opening from "./Opening.ts"
import { ChromiumNotRunnable, confinements } from "./PlaywrightBrowser.ts"
import * as PlaywrightSession from "./PlaywrightSession.ts"
import * as DeadEnd from "./walls/DeadEnd.ts"
import * as SiteWall from "./walls/SiteWall.ts"

export interface Options {
  /** The Chromium program. */
  readonly executablePath: string
  /** The user of the browser, if this process runs as root; `null` for a separate one. */
  readonly user: string | null
  readonly limits: PageLimits
}

export const defaults = { user: null, limits: defaultPageLimits }

/** Timeout for opening or closing a context, in milliseconds. */
const contextMillis = 10_000

/** Starts Chromium, which ends with the layer. Uploads have stand-ins of their files. */
export const layer = (options: Options) => Layer.merge(layerBrowser(options), StandInFiles.layer)

const layerBrowser = ({ executablePath, limits, user }: Options) =>
  Layer.effect(
    ReplayBrowser,
    Effect.gen(function* () {
      const end = yield* DeadEnd.make
      const usable = yield* confinements(executablePath, user)
      const local = yield* Effect.acquireRelease(
        Effect.tryPromise({
          try: () => LocalChromium.start(executablePath, LocalChromium.behind(end.server), usable),
          catch: (error) => ChromiumNotRunnable.of(executablePath, error)
        }),
        (local) => Effect.promise(() => local.close())
      )
      const wall = SiteWall.make(local.chromium)
      const turn = yield* Semaphore.make(1)

      const open = Effect.fnUntraced(function* (network: ReplayNetwork, given: Session) {
        yield* Effect.acquireRelease(turn.take(1), () => turn.release(1))
        const session = { ...given, proxy: null, headers: [] }
        end.refused = network.refused
        const { context, page } = yield* Effect.acquireRelease(
          Effect.tryPromise({
            try: async () => {
              const options = { ...PlaywrightSession.optionsOf(session), serviceWorkers: "block" as const }
              const made = await PlaywrightSession.fresh(local.chromium, options, contextMillis)
              if (made === null) throw new Error("the browser opened no page")
              return made
            },
            catch: (error) => new PageFailure({ kind: "crash", reason: String(error) })
          }),
          ({ context }) => Effect.promise(() => context.close().catch(() => undefined))
        )
        yield* Effect.promise(() => setTime(context, network.at))
        const guard = { ...end, credential: null, refusal: () => null, connect: refuse }
        const opened = yield* Opening.open({ page, wall, lost: () => null, guard, files: local }, session, limits)
        yield* Effect.acquireRelease(
          Effect.promise(() => answering(local.chromium.newBrowserCDPSession(), network)),
          (devTools) => Effect.promise(() => devTools.detach().catch(() => undefined))
        )
        return {
          ...opened,
          navigation: { ...opened.navigation, request: requesting(network) }
        } satisfies BrowserSession
      })

      return ReplayBrowser.of({ on: (network): Browser["Service"] => ({ open: (session) => open(network, session) }) })
    })
  )

const refuse = () => Promise.reject(new Error("a replay has no network"))

/** Pages take this instant for the present, and draw the same random values in each replay. */
const setTime = (context: BrowserContext, at: number): Promise<unknown> =>
  context.addInitScript(
    ([offset]) => {
      const Present = Date
      const now = () => Present.now() + offset
      const Shifted = function (this: unknown, ...given: ReadonlyArray<never>) {
        if (new.target === undefined) return new Present(now()).toString()
        return Reflect.construct(Present, given.length === 0 ? [now()] : given, new.target)
      }
      Object.setPrototypeOf(Shifted, Present)
      Shifted.prototype = Present.prototype
      Object.defineProperty(Shifted, "now", { value: now, configurable: true, writable: true })
      Object.defineProperty(Present.prototype, "constructor", { value: Shifted, configurable: true, writable: true })
      Object.defineProperty(globalThis, "Date", { value: Shifted, configurable: true, writable: true })
      let state = 1
      Math.random = () => {
        state = (state + 0x6d2b79f5) >>> 0
        let mixed = Math.imul(state ^ (state >>> 15), state | 1)
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
      }
    },
    [at - Date.now()] as const
  )

/** Answers the requests of all pages of the browser until the session is detached. */
const answering = async (line: Promise<CDPSession>, network: ReplayNetwork): Promise<CDPSession> => {
  const devTools = await line
  devTools.on("Fetch.requestPaused", ({ request, requestId }) => {
    const { headers, method, url } = request
    const leave = () => {
      if (!/^https?:/i.test(url)) return devTools.send("Fetch.continueRequest", { requestId })
      if (isOwn(url)) return devTools.send("Fetch.failRequest", { requestId, errorReason: "Failed" })
      const allowed = method === "OPTIONS" ? permission(headers) : null
      if (allowed !== null) {
        return devTools.send("Fetch.fulfillRequest", { requestId, responseCode: 204, responseHeaders: allowed })
      }
      return answer(devTools, requestId, network, { method, url, body: bodyOf(request), by: "page" })
    }
    // The page may be gone.
    leave().catch(() => undefined)
  })
  await devTools.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] })
  return devTools
}

/**
 * The answer to the question whether a page may send a request to another site, which the browser asks without the page, and which
 * sessions do not report: it may. The answer to the request says whether the page may read it. `null` for other requests.
 */
const permission = (asked: Readonly<Record<string, string>>): Array<{ name: string; value: string }> | null => {
  const headers = new Map(Object.entries(asked).map(([name, value]) => [name.toLowerCase(), value]))
  const method = headers.get("access-control-request-method")
  if (method === undefined) return null
  return [
    { name: "access-control-allow-origin", value: headers.get("origin") ?? "*" },
    { name: "access-control-allow-methods", value: method },
    { name: "access-control-allow-headers", value: headers.get("access-control-request-headers") ?? "*" },
    { name: "access-control-allow-credentials", value: "true" }
  ]
}

/** The icon of a site, which the browser requests without the page, and which sessions do not report. */
const isOwn = (url: string): boolean => URL.parse(url)?.pathname === "/favicon.ico"

const bodyOf = ({
  postData,
  postDataEntries = []
}: {
  readonly postData?: string
  readonly postDataEntries?: ReadonlyArray<{ readonly bytes?: string }>
}): string | null => {
  if (postDataEntries.length === 0) return postData ?? null
  return Buffer.concat(postDataEntries.map(({ bytes = "" }) => Buffer.from(bytes, "base64"))).toString("utf8")
}

const answer = async (devTools: CDPSession, requestId: string, network: ReplayNetwork, asked: Asked): Promise<void> => {
  const found = network.answer(asked)
  if (found._tag === "Unanswered" || found.answer.status === null) {
    await devTools.send("Fetch.failRequest", { requestId, errorReason: "Failed" })
    return
  }
  const { answer } = found
  await devTools.send("Fetch.fulfillRequest", {
    requestId,
    responseCode: found.answer.status,
    responseHeaders: headersOf(answer, network.at),
    body: Buffer.from(bytesOf(answer)).toString("base64")
  })
}

const bytesOf = ({ body }: Answer): Uint8Array =>
  body === null ? new Uint8Array() : "text" in body ? new TextEncoder().encode(body.text) : body.bytes

/** A header of several lines is one for each of them. */
const headersOf = ({ headers }: Answer, at: number): Array<{ name: string; value: string }> =>
  Object.entries(headers).flatMap(([name, value]) =>
    value.split("\n").map((line) => ({ name, value: /^set-cookie$/i.test(name) ? lasting(line, at) : line }))
  )

/** A cookie that was to end after the run does not end before its replay. */
const lasting = (line: string, at: number): string =>
  line.replace(/;\s*expires=([^;]*)/i, (whole, date) => (Date.parse(String(date)) > at ? "" : whole))

/** Answers the requests that steps send themselves. */
const requesting =
  (network: ReplayNetwork) =>
  ({ body, method, url }: ApiRequest) =>
    Effect.suspend(() => {
      const sent = body === null ? null : new TextDecoder().decode(body)
      const found = network.answer({ method, url, body: sent, by: "step" })
      if (found._tag === "Unanswered" || found.answer.status === null) {
        return Effect.fail(new RequestFailed({ kind: "unreachable", reason: "no recorded answer fits this request" }))
      }
      const { headers, status } = found.answer
      const { "content-location": last = url, ...rest } = headers
      return Effect.succeed({ url: last, status, headers: rest, body: bytesOf(found.answer) })
    })
