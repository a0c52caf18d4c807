/**
 * The agent's browser: a local Chromium driven by Playwright.
 *
 * One browser serves many runs, each in a context of its own. A context is made ahead, so that a run finds one waiting.
 * The browser is driven through a pipe: whatever ends this process, `kill -9` included, closes the pipe and so ends
 * Chromium.
 */
import { Effect, Layer, Option, Ref, Schema, Semaphore } from "effect"
import {
  type BrowserContext,
  type BrowserContextOptions,
  type Browser as Chromium,
  chromium,
  type Page as PlaywrightPage
} from "playwright-core"
import { Browser, PageFailure } from "../../core/agent/Browser.ts"
import type { Session } from "../../core/agent/Session.ts"
import * as Guard from "./Guard.ts"
import * as PlaywrightPages from "./PlaywrightPage.ts"
import * as PlaywrightSession from "./PlaywrightSession.ts"
import * as Tabs from "./Tabs.ts"

export interface Options {
  /** The Chromium program. */
  readonly executablePath: string
  /** Lets pages reach private and loopback addresses. */
  readonly allowPrivateNetworks: boolean
  /** Origins that may be reached although they are private, such as the demo site's. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** A browser is replaced after so many runs, so that what it leaks does not add up. */
  readonly runsPerBrowser: number
}

export const defaults = { allowPrivateNetworks: false, allowedOrigins: [], runsPerBrowser: 100 }

/** Raised at the start when Chromium cannot be run at all. */
export class ChromiumNotRunnable extends Schema.TaggedError<ChromiumNotRunnable>()("ChromiumNotRunnable", {
  executablePath: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot run Chromium at ${this.executablePath}: ${this.reason}. Set SLUICE_CHROMIUM to a Chromium that runs on this machine`
  }
}

/** What no run needs: background traffic, first-run pages, and protocols that would pass the guard by. */
export const switches = [
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--no-default-browser-check",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"
]

/** A running browser and how many runs it has served and serves. */
interface Running {
  readonly chromium: Chromium
  opened: number
  inUse: number
}

interface Ready {
  readonly running: Running
  readonly context: BrowserContext
  readonly page: PlaywrightPage
}

/** Starts Chromium and keeps one running until the layer is released, which leaves no process behind. */
export const layer = (options: Options): Layer.Layer<Browser, ChromiumNotRunnable> =>
  Layer.effect(
    Browser,
    Effect.gen(function* () {
      const { allowPrivateNetworks } = options
      const allowed = new Set(options.allowedOrigins)
      const guard = allowPrivateNetworks ? null : yield* Guard.make({ allowed, allowPrivateNetworks, upstream: null })
      const proxy = guard === null ? [] : [`--proxy-server=${guard.server}`, "--proxy-bypass-list=<-loopback>"]
      const scope = yield* Effect.scope
      const preparing = yield* Semaphore.make(1)
      const current = yield* Ref.make<Running | null>(null)
      const spare = yield* Ref.make<Ready | null>(null)

      const launch = Effect.tryPromise({
        try: () =>
          chromium.launch({
            executablePath: options.executablePath,
            args: [...switches, ...proxy],
            handleSIGHUP: false,
            handleSIGINT: false,
            handleSIGTERM: false
          }),
        catch: (error) =>
          new ChromiumNotRunnable({
            executablePath: options.executablePath,
            reason: (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? ""
          })
      }).pipe(Effect.map((one): Running => ({ chromium: one, opened: 0, inUse: 0 })))

      const close = (running: Running) => Effect.ignore(Effect.tryPromise(() => running.chromium.close()))

      /** The browser for the next run: the present one, unless it is gone or has served its time. */
      const browser = Effect.gen(function* () {
        const running = yield* Ref.get(current)
        if (running?.chromium.isConnected() === true && running.opened < options.runsPerBrowser) return running
        const fresh = yield* launch
        yield* Ref.set(current, fresh)
        if (running !== null && running.inUse === 0) yield* close(running)
        return fresh
      })

      const prepare = (own: BrowserContextOptions) =>
        Effect.gen(function* () {
          const running = yield* browser
          running.opened++
          running.inUse++
          const context = yield* Effect.tryPromise(() => PlaywrightSession.context(running.chromium, own))
          const page = yield* Effect.tryPromise(() => context.newPage())
          return { running, context, page } satisfies Ready
        }).pipe(
          Effect.mapError((error) => new PageFailure({ kind: "crash", reason: error.message })),
          preparing.withPermits(1)
        )

      const discard = ({ context, running }: Ready) =>
        Effect.gen(function* () {
          yield* Effect.ignore(Effect.tryPromise(() => context.close()))
          running.inUse--
          if (running.inUse === 0 && running !== (yield* Ref.get(current))) yield* close(running)
          // The next context is made now, when no run has to share the machine with that.
          yield* Effect.forkIn(refill, scope)
        })

      const refill = Effect.gen(function* () {
        if ((yield* Ref.get(spare)) === null) yield* Ref.set(spare, yield* prepare({}))
      }).pipe(Effect.ignore)

      const take = Effect.gen(function* () {
        const ready = yield* Ref.getAndSet(spare, null)
        if (ready?.running.chromium.isConnected() === true && !ready.page.isClosed()) return ready
        return yield* prepare({})
      })

      const open = Effect.fnUntraced(function* (session: Session) {
        const { proxy: upstream } = session
        // A way out of its own, so that nothing of one session can take the proxy of another.
        const own = upstream === null ? null : yield* Guard.make({ allowed, allowPrivateNetworks, upstream })
        const fresh = prepare(PlaywrightSession.optionsOf(session, own?.server ?? null))
        const ready = PlaywrightSession.needsItsOwn(session) ? fresh : take
        const { page } = yield* Effect.acquireRelease(ready, discard)
        const begun = yield* Effect.tryPromise({
          try: () => PlaywrightSession.begin(page, session),
          catch: () => new PageFailure({ kind: "crash", reason: "the session could not be begun" })
        })
        const way = own ?? guard
        const refusal = (url: URL) =>
          way?.refusal(url.hostname, Number(url.port || (url.protocol === "https:" ? 443 : 80))) ?? null
        return PlaywrightPages.make(Tabs.make(page), {
          refusal,
          remembered: begun.remembered,
          connect: way?.connect ?? null,
          headers: session.headers
        })
      })

      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          const running = yield* Ref.getAndSet(current, null)
          const waiting = yield* Ref.getAndSet(spare, null)
          if (waiting !== null && waiting.running !== running) yield* close(waiting.running)
          if (running !== null) yield* close(running)
        })
      )
      yield* Ref.set(current, yield* launch)
      yield* Effect.forkIn(refill, scope)
      return Browser.of({ open })
    })
  )

/** The first of the programs that Chromium and its kin are usually installed as. */
export const usualPaths = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium"
]

/** The program to use: the named one, or else the first usual one that `exists`. */
export const findExecutable = (
  named: Option.Option<string>,
  exists: (path: string) => boolean
): Option.Option<string> => Option.orElse(named, () => Option.fromUndefinedOr(usualPaths.find(exists)))
