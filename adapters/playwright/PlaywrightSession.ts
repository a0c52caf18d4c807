/** Sets the initial state of a session in a browser context, and reads its final state. */
import type { BrowserContext, BrowserContextOptions, CDPSession, Browser as Chromium, Page } from "playwright-core"
import type { Cookie, Session, SiteHeaders, Storage, StoredState } from "../../core/browser/Session.ts"
import * as PrintCalls from "./file/PrintCalls.ts"
import type { storageOf } from "./injected/read/Storage.ts"
import * as World from "./inpage/World.ts"
import { within } from "./TimeLimit.ts"
import type { Guard } from "./walls/Guard.ts"

/** Whether a session needs a new context instead of the prepared one. */
export const needsItsOwn = ({ place, proxy, userAgent }: Session): boolean =>
  proxy !== null || userAgent !== null || Object.values(place).some((part) => part !== null)

/** The options of the context of a session, without its way out. */
export const optionsOf = ({ place, userAgent }: Session): BrowserContextOptions => ({
  ...(userAgent === null ? {} : { userAgent }),
  ...(place.locale === null ? {} : { locale: place.locale }),
  ...(place.timeZone === null ? {} : { timezoneId: place.timeZone }),
  ...(place.geolocation === null ? {} : { geolocation: place.geolocation, permissions: ["geolocation"] })
})

/** The options that route all traffic of a context through a guard, if given. */
export const wayOf = (guard: Pick<Guard, "server" | "credential"> | null): BrowserContextOptions =>
  guard === null ? {} : { proxy: { server: guard.server, bypass: "<-loopback>", ...guard.credential } }

const context = async (chromium: Chromium, options: BrowserContextOptions): Promise<BrowserContext> => {
  await World.bring()
  const made = await chromium.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  await Promise.all([World.watch(made), PrintCalls.prepare(made)])
  return made
}

/** An empty page in a separate context; `null` if it is not open in time. A page that opens later is closed. */
export const fresh = async (
  chromium: Chromium,
  options: BrowserContextOptions,
  millis: number
): Promise<{ readonly context: BrowserContext; readonly page: Page } | null> => {
  const making = context(chromium, options)
  const made = await unlessLost(chromium, within(millis, making))
  const page = made === null ? null : await unlessLost(chromium, within(millis, made.newPage()))
  if (made !== null && page !== null) return { context: made, page }
  making.then((late) => late.close()).catch(() => undefined)
  return null
}

/** The result of some work; `null` once the browser is lost. A page that a lost browser was opening is never answered. */
const unlessLost = async <A>(chromium: Chromium, work: Promise<A | null>): Promise<A | null> => {
  let tell = (): void => {}
  const lost = new Promise<null>((resolve) => {
    tell = () => resolve(null)
  })
  chromium.once("disconnected", tell)
  return Promise.race([work, lost]).finally(() => chromium.off("disconnected", tell))
}

/** A started session. */
export interface StartedSession {
  /** The cookies, and the storage of the wanted origins. */
  readonly remembered: (wanted: (origin: string) => boolean) => Promise<StoredState>
}

/** Starts a session on an empty page, without network requests. The page is empty afterwards. */
export const begin = async (page: Page, session: Session): Promise<StartedSession> => {
  const origins = new Set([session.localStorage, session.sessionStorage].flatMap(Object.keys))
  if (session.cookies.length > 0) await setCookies(page.context(), session.cookies)
  if (origins.size > 0) await store(page, session, origins)
  if (session.headers.length > 0) {
    page.context().on("page", (popup) => void sendHeaders(popup, session.headers).catch(() => undefined))
    await sendHeaders(page, session.headers)
  }
  const follow = (page: Page): void => {
    page.on("framenavigated", (frame) => {
      const origin = frame === page.mainFrame() ? originOf(frame.url()) : null
      if (origin !== null) origins.add(origin)
    })
  }
  follow(page)
  page.context().on("page", follow)
  return { remembered: (wanted) => remembered(page, [...origins].filter(wanted)) }
}

const originOf = (url: string): string | null => (/^https?:/.test(url) ? (URL.parse(url)?.origin ?? null) : null)

const asPlaywright = ({ expires, sameSite, ...cookie }: Cookie) => ({
  ...cookie,
  ...(expires === null ? {} : { expires }),
  ...(sameSite === null ? {} : { sameSite })
})

/** The browser accepts all cookies or none, so if it refuses, they are set one by one. */
const setCookies = async (to: BrowserContext, cookies: ReadonlyArray<Cookie>): Promise<void> => {
  const all = cookies.map(asPlaywright)
  await to.addCookies(all).catch(async () => {
    for (const one of all) await to.addCookies([one]).catch(() => undefined)
  })
}

/** Storage is accessible from pages of its origin, so an empty page of that origin is served without the network. */
const onBlank = async <A>(page: Page, act: (visit: (origin: string) => Promise<void>) => Promise<A>): Promise<A> => {
  const blank = (route: { readonly fulfill: (answer: object) => Promise<void> }) =>
    // The browser may be gone by then; its own handler reports that.
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title></title>" }).catch(() => undefined)
  await page.route("**/*", blank)
  try {
    return await act(async (origin) => void (await page.goto(`${origin}/`)))
  } finally {
    await page.unroute("**/*", blank).catch(() => undefined)
  }
}

const store = async (page: Page, session: Session, origins: ReadonlySet<string>): Promise<void> => {
  await onBlank(page, async (visit) => {
    for (const origin of origins) {
      await visit(origin)
      const local = session.localStorage[origin] ?? {}
      await page.evaluate(write, [local, session.sessionStorage[origin] ?? {}] as const)
    }
  })
  await page.goto("about:blank")
  const devTools = await page.context().newCDPSession(page)
  await devTools.send("Page.resetNavigationHistory")
  await devTools.detach()
}

/** Runs in the page. Values beyond the quota are left out. */
const write = (stored: readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>]): void => {
  for (const [index, storage] of [localStorage, sessionStorage].entries()) {
    for (const [key, value] of Object.entries(stored[index] ?? {})) {
      try {
        storage.setItem(key, value)
      } catch {}
    }
  }
}

const readOf = (page: Page) => World.run(World.injectedTabOf(page), page.mainFrame(), "storageOf", null)

const remembered = async (first: Page, origins: ReadonlyArray<string>): Promise<StoredState> => {
  // The tab that it began with may have been closed since.
  const page = first.isClosed() ? (first.context().pages().at(-1) ?? (await first.context().newPage())) : first
  const devTools = await page.context().newCDPSession(page)
  const cookies = await cookiesOf(devTools)
  const local: Record<string, Readonly<Record<string, string>>> = {}
  const session: Record<string, Readonly<Record<string, string>>> = {}
  const keep = (found: ReturnType<typeof storageOf>): void => {
    local[found.origin] = Object.fromEntries(found.local)
    session[found.origin] = Object.fromEntries(found.session)
  }
  const here = originOf(page.url())
  const shown = here !== null && origins.includes(here) ? await readOf(page).catch(() => null) : null
  if (shown !== null && shown.origin === here) keep(shown)
  const others = origins.filter((origin) => !Object.hasOwn(local, origin))
  if (others.length > 0) {
    // Otherwise a service worker of the site could answer.
    await devTools.send("Network.enable")
    await devTools.send("Network.setBypassServiceWorker", { bypass: true })
    await onBlank(page, async (visit) => {
      for (const origin of others) {
        await visit(origin)
        keep(await readOf(page))
      }
    })
  }
  return { cookies, localStorage: local satisfies Storage, sessionStorage: session satisfies Storage }
}

/** Read over DevTools, because Playwright does not distinguish `SameSite=Lax` from an absent attribute. */
const cookiesOf = async (devTools: CDPSession): Promise<ReadonlyArray<Cookie>> => {
  const { cookies } = await devTools.send("Network.getAllCookies")
  const found = new Map<string, Cookie>()
  // Of two cookies that differ only in their partition, the one without a partition is used.
  for (const cookie of cookies.sort((one, other) => Number("partitionKey" in other) - Number("partitionKey" in one))) {
    found.set(JSON.stringify([cookie.domain, cookie.path, cookie.name]), {
      name: cookie.name,
      value: cookie.value,
      domain: cookie.domain,
      path: cookie.path,
      expires: cookie.session || cookie.expires < 0 ? null : cookie.expires,
      httpOnly: cookie.httpOnly,
      secure: cookie.secure,
      sameSite: cookie.sameSite ?? null
    })
  }
  return [...found.values()]
}

/**
 * Sends headers only to their origins. Every request is intercepted, because the browser keeps added headers after a
 * redirect to another origin, where they must be removed.
 */
const sendHeaders = async (page: Page, all: ReadonlyArray<SiteHeaders>): Promise<void> => {
  const devTools = await page.context().newCDPSession(page)
  const names = new Set(all.flatMap(({ headers }) => headers.map(({ name }) => name.toLowerCase())))
  devTools.on("Fetch.requestPaused", ({ request, requestId }) => {
    const origin = originOf(request.url)
    const own = all
      .filter(({ origins }) => origin !== null && origins.includes(origin))
      .flatMap(({ headers }) => headers)
    const replaced = new Set(own.map(({ name }) => name.toLowerCase()))
    const kept = Object.entries(request.headers).filter(([name, value]) => {
      const lower = name.toLowerCase()
      if (replaced.has(lower)) return false
      return !names.has(lower) || !all.some(({ headers }) => headers.some((header) => header.value === value))
    })
    const headers = [...kept.map(([name, value]) => ({ name, value })), ...own]
    devTools.send("Fetch.continueRequest", { requestId, headers }).catch(() => undefined)
  })
  await devTools.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] })
}
