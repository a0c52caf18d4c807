/** Opens the session of a run in a context, and enforces its limits. */
import { Effect, Exit, type Scope } from "effect"
import type { Page as PlaywrightPage } from "playwright-core"
import type { PageLimits } from "../../core/agent/Limits.ts"
import type { BrowserSession } from "../../core/browser/Browser.ts"
import { PageFailure } from "../../core/browser/PageFailure.ts"
import type { Session } from "../../core/browser/Session.ts"
import * as AllowedSites from "../../core/workflow/AllowedSites.ts"
import * as Downloads from "./file/Downloads.ts"
import type { LocalChromium } from "./LocalChromium.ts"
import * as PlaywrightSession from "./PlaywrightSession.ts"
import * as PlaywrightPages from "./page/PlaywrightPage.ts"
import * as Tabs from "./page/Tabs.ts"
import * as Writes from "./page/Writes.ts"
import * as Bounds from "./walls/Bounds.ts"
import type { Guard } from "./walls/Guard.ts"
import type { SiteWall } from "./walls/SiteWall.ts"

/** An empty page in a separate context. */
export interface Ready {
  readonly page: PlaywrightPage
  readonly wall: SiteWall
  /** The reason why a page of this browser was lost a moment ago, if known. */
  readonly lost: () => PageFailure | null
  /** The guard of the traffic of the context; `null` when it may reach everything. */
  readonly guard: Guard | null
  /** The folders that the browser exchanges files through; `null` when it is not on this machine. */
  readonly files: Pick<LocalChromium, "downloads" | "uploads"> | null
  /** The browser's own folder of downloads, where its files are read through it; absent where they are not. */
  readonly remote?: Downloads.Remote | null
}

/**
 * Begins a session in it. Operations of `page` are bounded by the session and its limits until the scope closes. A scope
 * that closes with success waits for requests of the last five seconds that change something at a site.
 */
export const open = (
  { files, guard, lost, page, remote = null, wall }: Ready,
  session: Session,
  limits: PageLimits
): Effect.Effect<BrowserSession, PageFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const bounds = Bounds.make(limits)
    const { allowedSites } = session
    const follow = (window: PlaywrightPage): void => {
      window.on("crash", () => {
        const why = lost()
        if (why !== null) bounds.pass(why)
      })
    }
    follow(page)
    page.context().on("page", (window) => {
      follow(window)
    })
    const begun = yield* Effect.tryPromise({
      try: () => PlaywrightSession.begin(page, session),
      catch: () => new PageFailure({ kind: "crash", reason: "the browser session could not be opened" })
    })
    if (allowedSites.length > 0) {
      const refused = (address: string) => bounds.pass(forbidden(AllowedSites.refusal(allowedSites, address)))
      const hold = Effect.tryPromise({
        try: () => wall.hold(page, allowedSites, refused),
        catch: () =>
          new PageFailure({ kind: "crash", reason: "the browser session could not be restricted to its allowed sites" })
      })
      yield* Effect.acquireRelease(hold, (release) => Effect.ignore(Effect.tryPromise(release)))
    }
    // What a run did last is not cut off. One that is cancelled ends at once.
    const written = Writes.follow(page.context())
    yield* Effect.addFinalizer((exit) => (Exit.isSuccess(exit) ? Effect.promise(written) : Effect.void))
    const refusal = (url: URL) => {
      if (!AllowedSites.permits(allowedSites, url.href)) return forbidden(AllowedSites.refusal(allowedSites, url.href))
      const port = Number(url.port || (url.protocol === "https:" ? 443 : 80))
      return guard?.refusal(url.hostname, port) ?? null
    }
    return PlaywrightPages.make(Tabs.make(page, { bounds, limits }), {
      refusal,
      connect: guard?.connect ?? null,
      headers: session.headers,
      navigationMillis: limits.navigationMillis,
      remembered: begun.remembered,
      downloads: {
        ...Downloads.defaults,
        bounds,
        limits,
        folder: files?.downloads ?? null,
        remote,
        uploads: files?.uploads ?? null
      }
    })
  })

const forbidden = (reason: string): PageFailure => new PageFailure({ kind: "forbidden", reason })
