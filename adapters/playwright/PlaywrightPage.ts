/**
 * The verbs of the agent's page, done by Playwright.
 */
import { Clock, Effect, type Schema } from "effect"
import {
  type CDPSession,
  errors,
  type Frame,
  type Locator,
  type Page as PlaywrightPage,
  type Request
} from "playwright-core"
import { type Page, PageFailure, type Target, type Typing } from "../../core/agent/Browser.ts"
import type { Remembered } from "../../core/agent/Session.ts"
import * as InPage from "./InPage.ts"
import * as NetworkWatch from "./NetworkWatch.ts"
import * as Snapshot from "./Snapshot.ts"

export interface Options {
  /** Why an address could not be reached, or `null`. Asked after a page could not be loaded. */
  readonly refusal: (url: URL) => Pick<PageFailure, "kind" | "reason"> | null
  /** What the session remembers. */
  readonly remembered: (wanted: (origin: string) => boolean) => Promise<Remembered>
}

/** How long an address may take to load, in milliseconds. */
const navigationMillis = 30_000

/** How long a page may take to describe itself, in milliseconds. */
const inspectionMillis = 5_000

const noAnswer = new PageFailure({ kind: "unusable", reason: `it did not answer within ${inspectionMillis} ms` })

const leaving = new PageFailure({ kind: "navigation", reason: "the page is just being left" })

/** How long a page that is on its way somewhere is waited for before another address is opened, in milliseconds. */
const arrivalMillis = 10_000

/** How often a selector that matches several elements is looked at again, in milliseconds. */
const lookAgainMillis = 100

export const make = (page: PlaywrightPage, options: Options): Page => {
  let crashed = false
  let devTools: Promise<CDPSession> | undefined
  const isDeparting = departures(page)
  page.on("crash", () => {
    crashed = true
  })

  const attempt = <A>(selector: string | null, act: () => Promise<A>): Effect.Effect<A, PageFailure> =>
    Effect.tryPromise({ try: act, catch: (error) => toFailure(error, selector, crashed || page.isClosed()) })

  /**
   * Acts on the one element that matches. While several do, as on a page that is still being built, it waits for the
   * others to go; how many matched in the end is counted only when it fails.
   */
  const onOne = (target: Target, act: (element: Locator, timeout: number) => Promise<unknown>) =>
    Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const all = locate(page, target.selector)
      const element = target.first === true ? all.first() : all
      while (true) {
        const left = Math.max(began + target.waitMillis - (yield* Clock.currentTimeMillis), 1)
        const done = yield* Effect.result(attempt(target.selector, () => act(element, left)))
        if (done._tag === "Success") return
        if (done.failure.kind !== "mismatch") return yield* done.failure
        if ((yield* Clock.currentTimeMillis) - began + lookAgainMillis > target.waitMillis) {
          // Counting also tells a selector that cannot be read from one that matches nothing.
          return yield* mismatch(target, yield* attempt(target.selector, () => element.count()))
        }
        yield* Effect.sleep(lookAgainMillis)
      }
    })

  const arrived = Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + arrivalMillis
    while (isDeparting() && (yield* Clock.currentTimeMillis) < until) yield* Effect.sleep(lookAgainMillis / 2)
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
        page.goto(url, { waitUntil: "domcontentloaded", timeout: navigationMillis })
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
    back: attempt(null, () => page.goBack({ waitUntil: "domcontentloaded", timeout: navigationMillis })),
    address: Effect.sync(() => page.url()),
    html: ({ sanitized }) => attempt(null, () => (sanitized ? page.evaluate(InPage.sanitizedHtml) : page.content())),
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
        ? attempt(null, () => strike(page, typing.strokes, typing))
        : onOne(target, (element, timeout) => type(page, element, typing, timeout)),
    select: (target, value, fuzzy) =>
      onOne(target, async (element, timeout) => {
        const index = await element.evaluate(InPage.chooseOption, { value, fuzzy }, { timeout })
        if (index === null) throw new NoOption("no option has this value or text")
        await element.selectOption({ index }, { timeout })
      }),
    find: (target) => onOne(target, (element, timeout) => element.waitFor({ state: "attached", timeout })),
    codeField: (selector) =>
      attempt(selector, () => locate(page, selector).evaluateAll(InPage.codeField)).pipe(
        Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(leaving) }),
        Effect.mapError((failure) => (failure.kind === "unusable" ? leaving : failure))
      ),
    read: ({ selector, waitMillis }) =>
      attempt(selector, async () => {
        await page.waitForLoadState("domcontentloaded")
        const found = await page.evaluate(InPage.read, selector)
        if (found !== null || waitMillis === 0) return found
        await locate(page, selector)
          .first()
          .waitFor({ state: "attached", timeout: waitMillis })
          .catch(() => undefined)
        return page.evaluate(InPage.read, selector)
      }),
    extract: (plan) =>
      attempt(null, async () => {
        await page.waitForLoadState("domcontentloaded")
        return (await page.evaluate(InPage.extract, plan)) as Schema.Json
      }),
    clearCookies: attempt(null, () => page.context().clearCookies()),
    screenshot: ({ fullPage }) =>
      attempt(null, () => page.screenshot({ fullPage, type: "jpeg", quality: 80, timeout: 10_000 })).pipe(
        Effect.map((bytes) => ({ bytes: new Uint8Array(bytes), mediaType: "image/jpeg" }))
      ),
    // Asked of the browser itself: Playwright's own waits until nothing is being loaded.
    glimpse: attempt(null, async () => {
      devTools ??= page.context().newCDPSession(page)
      return (await devTools).send("Page.captureScreenshot", { format: "jpeg", quality: 80, optimizeForSpeed: true })
    }).pipe(
      Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(noAnswer) }),
      Effect.map(({ data }) => ({ bytes: new Uint8Array(Buffer.from(data, "base64")), mediaType: "image/jpeg" }))
    ),
    snapshot: ({ maxBytes }) =>
      attempt(null, async () => {
        await page.waitForLoadState("domcontentloaded", { timeout: inspectionMillis })
        return page.evaluate(Snapshot.serialize, maxBytes)
      }).pipe(
        // A page that is just leaving takes what runs in it with it; the next one is there to be looked at.
        Effect.retry({ while: ({ kind }) => kind === "navigation", times: 2 }),
        Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(noAnswer) })
      ),
    watchNetwork: (tell) => NetworkWatch.watch(page.context(), tell),
    remembered: (wanted) =>
      attempt(null, () => options.remembered(wanted)).pipe(
        Effect.timeoutOrElse({ duration: 2 * inspectionMillis, orElse: () => Effect.fail(noAnswer) })
      )
  }
}

/** A selector in Playwright's words: those without a prefix are XPath. */
const locate = (page: PlaywrightPage, selector: string): Locator =>
  page.locator(/^(css|role|text|xpath)=/.test(selector) ? selector : `xpath=${selector}`)

const type = async (page: PlaywrightPage, element: Locator, typing: Typing, timeout: number): Promise<void> => {
  const [first, ...rest] = typing.strokes
  const atOnce = typing.existing === "replace" && typing.delayMillis === 0 && !typing.paste
  if (atOnce && (first === undefined || typeof first === "string")) {
    await element.fill(first ?? "", { timeout })
    if (rest.length > 0) await strike(page, rest, typing)
    return
  }
  if (typing.existing === "replace") await element.fill("", { timeout })
  else await element.focus({ timeout })
  if (typing.existing === "erase") {
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.press("Backspace")
  }
  if (typing.existing === "keep") await page.keyboard.press("End")
  await strike(page, typing.strokes, typing)
}

const strike = async (page: PlaywrightPage, strokes: Typing["strokes"], typing: Typing): Promise<void> => {
  for (const stroke of strokes) {
    if (typeof stroke !== "string") await page.keyboard.press(stroke.key)
    else if (typing.paste) await page.keyboard.insertText(stroke)
    else await page.keyboard.type(stroke, { delay: typing.delayMillis })
  }
}

class NoOption extends Error {}

const forbidden = (reason: string): PageFailure => new PageFailure({ kind: "forbidden", reason })

const refusedAs = (refusal: ReturnType<Options["refusal"]>): PageFailure | null =>
  refusal === null ? null : new PageFailure(refusal)

const mismatch = (target: Target, matched: number): PageFailure =>
  new PageFailure({
    kind: matched === 1 ? "unusable" : "mismatch",
    reason:
      matched === 1
        ? `the element did not become visible, enabled and still within ${target.waitMillis} ms`
        : `${matched} elements match after ${target.waitMillis} ms, expected exactly 1`,
    selector: target.selector,
    matched
  })

const toFailure = (error: unknown, selector: string | null, gone: boolean): PageFailure => {
  const text = error instanceof Error ? error.message : String(error)
  const of = selector === null ? {} : { selector }
  const firstLine = (text.split("\n")[0] ?? "").replace(/^[\w.]+: /, "")
  if (gone || /Target (page|crashed|closed)|has been closed|crashed/i.test(text)) {
    return new PageFailure({ kind: "crash", reason: "the page or its browser went away", ...of })
  }
  if (error instanceof NoOption) return new PageFailure({ kind: "option", reason: text, ...of })
  if (
    /not a valid (XPath|selector)|Failed to execute 'evaluate'|Unexpected token|Unknown engine|while parsing/i.test(
      text
    )
  ) {
    return new PageFailure({ kind: "selector", reason: `it cannot be read as a selector: ${firstLine}`, ...of })
  }
  if (selector !== null && (error instanceof errors.TimeoutError || text.includes("strict mode violation"))) {
    return new PageFailure({ kind: "mismatch", reason: firstLine, ...of })
  }
  if (selector === null) {
    const reason = error instanceof errors.TimeoutError ? `it did not load within ${navigationMillis} ms` : firstLine
    return new PageFailure({ kind: "navigation", reason })
  }
  return new PageFailure({ kind: "unusable", reason: firstLine, ...of })
}

/** Watches a page, and tells whether it has asked for another document and has not arrived there yet. */
const departures = (page: PlaywrightPage): (() => boolean) => {
  let asked: Request | null = null
  const answered = (request: Request) => {
    if (request === asked) asked = null
  }
  page.on("request", (request) => {
    if (request.isNavigationRequest() && frameOf(request) === page.mainFrame()) asked = request
  })
  page.on("requestfinished", answered)
  page.on("requestfailed", answered)
  page.on("framenavigated", (frame) => {
    if (frame === page.mainFrame()) asked = null
  })
  return () => asked !== null && !page.isClosed()
}

/** The frame that asks; `null` for one that is not there yet. */
const frameOf = (request: Request): Frame | null => {
  try {
    return request.frame()
  } catch {
    return null
  }
}
