/**
 * The verbs of the agent's page, done by Playwright.
 */
import { Clock, Effect } from "effect"
import type { Locator } from "playwright-core"
import { type Page, PageFailure, type Target } from "../../core/agent/Browser.ts"
import type { Remembered } from "../../core/agent/Session.ts"
import { navigationMillis } from "./Attempt.ts"
import * as Choosing from "./Choosing.ts"
import * as Finder from "./Finder.ts"
import * as InPage from "./InPage.ts"
import * as NetworkWatch from "./NetworkWatch.ts"
import * as Reading from "./Reading.ts"
import * as Snapshot from "./Snapshot.ts"
import type { Tabs } from "./Tabs.ts"
import { strike, type } from "./Typing.ts"

export interface Options {
  /** Why an address could not be reached, or `null`. Asked after a page could not be loaded. */
  readonly refusal: (url: URL) => Pick<PageFailure, "kind" | "reason"> | null
  /** What the session remembers. */
  readonly remembered: (wanted: (origin: string) => boolean) => Promise<Remembered>
}

/** How long a page may take to describe itself, in milliseconds. */
const inspectionMillis = 5_000

const noAnswer = new PageFailure({ kind: "unusable", reason: `it did not answer within ${inspectionMillis} ms` })

const leaving = new PageFailure({ kind: "navigation", reason: "the page is just being left" })

/** How long a page that is on its way somewhere is waited for before another address is opened, in milliseconds. */
const arrivalMillis = 10_000

/** How often it is looked whether it has arrived, in milliseconds. */
const stepMillis = 50

export const make = (tabs: Tabs, options: Options): Page => {
  const { attempt, current } = tabs
  const onOne = (target: Target, act: (element: Locator, timeout: number) => Promise<unknown>) =>
    Finder.onOne(tabs, target, act)

  const arrived = Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + arrivalMillis
    while (current().isDeparting() && (yield* Clock.currentTimeMillis) < until) yield* Effect.sleep(stepMillis)
  })

  const goto = (url: string) =>
    Effect.gen(function* () {
      const parsed = new URL(url)
      if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
        return yield* forbidden(`addresses with ${parsed.protocol} are not allowed, only http: and https:`)
      }
      // A page that is on its way somewhere else, as after a form was sent, arrives there first: what this address does may be
      // done only once, and needs what that page brings.
      yield* arrived
      const response = yield* attempt(null, () =>
        current().page.goto(url, { waitUntil: "domcontentloaded", timeout: navigationMillis })
      ).pipe(
        // It set out at the very moment, and has arrived now.
        Effect.retry({ while: ({ reason }) => reason.includes("interrupted by another navigation"), times: 3 }),
        Effect.mapError((failure) => refusedAs(options.refusal(parsed)) ?? failure)
      )
      const status = response?.status() ?? 200
      const landed = options.refusal(new URL(response?.url() ?? url))
      if (landed !== null && (landed.kind === "forbidden" || status === 502)) return yield* new PageFailure(landed)
      if (status === 404 || status === 410 || status >= 500) {
        return yield* new PageFailure({ kind: "navigation", reason: `the server answered with status ${status}` })
      }
    })

  return {
    goto,
    back: attempt(null, () => current().page.goBack({ waitUntil: "domcontentloaded", timeout: navigationMillis })),
    address: Effect.sync(() => current().page.url()),
    html: ({ sanitized }) =>
      attempt(null, () => (sanitized ? current().page.evaluate(InPage.sanitizedHtml) : current().page.content())),
    click: (target, kind) =>
      onOne(target, (element, timeout) => {
        switch (kind) {
          case "click":
            return element.click({ timeout })
          case "double_click":
            return element.dblclick({ timeout })
          case "right_click":
            return element.click({ button: "right", timeout })
          case "hover":
            return element.hover({ timeout })
        }
      }),
    type: (target, typing) =>
      target === null
        ? attempt(null, () => strike(current().page, typing.strokes, typing))
        : onOne(target, (element, timeout) => type(current().page, element, typing, timeout)),
    select: (target, value, fuzzy) =>
      onOne(target, (element, timeout) => Choosing.choose(current().page, element, { value, fuzzy }, timeout)),
    find: (target) => onOne(target, (element, timeout) => element.waitFor({ state: "attached", timeout })),
    codeField: (selector) =>
      attempt(selector, () => Finder.every(current(), selector).then((all) => all.evaluateAll(InPage.codeField))).pipe(
        Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(leaving) }),
        Effect.mapError((failure) => (failure.kind === "unusable" ? leaving : failure))
      ),
    read: (target) => attempt(target.selector, () => Reading.read(current(), target)),
    extract: (plan) => attempt(null, () => Reading.extract(current(), plan)),
    clearCookies: attempt(null, () => current().page.context().clearCookies()),
    screenshot: ({ fullPage }) =>
      attempt(null, () => current().page.screenshot({ fullPage, type: "jpeg", quality: 80, timeout: 10_000 })).pipe(
        Effect.map((bytes) => ({ bytes: new Uint8Array(bytes), mediaType: "image/jpeg" }))
      ),
    // Asked of the browser itself: Playwright's own waits until nothing is being loaded.
    glimpse: attempt(null, async () => {
      const devTools = await current().devTools()
      return devTools.send("Page.captureScreenshot", { format: "jpeg", quality: 80, optimizeForSpeed: true })
    }).pipe(
      Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(noAnswer) }),
      Effect.map(({ data }) => ({ bytes: new Uint8Array(Buffer.from(data, "base64")), mediaType: "image/jpeg" }))
    ),
    snapshot: ({ maxBytes }) =>
      attempt(null, async () => {
        await current().page.waitForLoadState("domcontentloaded", { timeout: inspectionMillis })
        return Snapshot.take(current().page.mainFrame(), maxBytes)
      }).pipe(
        // A page that is just leaving takes what runs in it with it; the next one is there to be looked at.
        Effect.retry({ while: ({ kind }) => kind === "navigation", times: 2 }),
        Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(noAnswer) })
      ),
    watchNetwork: (tell) => NetworkWatch.watch(current().page.context(), tell),
    remembered: (wanted) =>
      attempt(null, () => options.remembered(wanted)).pipe(
        Effect.timeoutOrElse({ duration: 2 * inspectionMillis, orElse: () => Effect.fail(noAnswer) })
      )
  }
}

const forbidden = (reason: string): PageFailure => new PageFailure({ kind: "forbidden", reason })

const refusedAs = (refusal: ReturnType<Options["refusal"]>): PageFailure | null =>
  refusal === null ? null : new PageFailure(refusal)
