/**
 * The verbs of the agent's page, done by Playwright.
 */
import { Clock, Effect, Schedule } from "effect"
import type { Frame, Locator } from "playwright-core"
import { defaultPageLimits } from "../../../core/agent/Limits.ts"
import type { Page } from "../../../core/browser/Browser.ts"
import type { Target } from "../../../core/browser/element/Target.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Remembered } from "../../../core/browser/Session.ts"
import * as Candidates from "../element/Candidates.ts"
import * as Choosing from "../element/Choosing.ts"
import * as Finder from "../element/Finder.ts"
import * as Reading from "../element/Reading.ts"
import { strike, type } from "../element/Typing.ts"
import type * as Downloads from "../file/Downloads.ts"
import * as Transfers from "../file/Transfers.ts"
import * as Snapshot from "../inpage/Snapshot.ts"
import * as World from "../inpage/World.ts"
import * as Recorder from "../recording/Recorder.ts"
import * as Screencast from "../recording/Screencast.ts"
import * as Pictures from "../vision/Pictures.ts"
import * as Pointer from "../vision/Pointer.ts"
import * as RemoteHand from "../vision/RemoteHand.ts"
import * as Scrolling from "../vision/Scrolling.ts"
import * as Sight from "../vision/Sight.ts"
import * as Guarded from "./Guarded.ts"
import * as NetworkWatch from "./NetworkWatch.ts"
import * as Requesting from "./Requesting.ts"
import type { Tabs } from "./Tabs.ts"
import * as Traffic from "./Traffic.ts"
import * as Windows from "./Windows.ts"

export interface Options extends Pick<Requesting.Way, "connect" | "headers"> {
  /** Why an address could not be reached, or `null`. Asked after a page could not be loaded. */
  readonly refusal: (url: URL) => Pick<PageFailure, "kind" | "reason"> | null
  /** How long an address may take to load, in milliseconds. */
  readonly navigationMillis: number
  /** What the session remembers. */
  readonly remembered: (wanted: (origin: string) => boolean) => Promise<Remembered>
  /** Where downloads go, and how far. */
  readonly downloads?: Downloads.Options
}

/** How long a page may take to describe itself, in milliseconds. */
const inspectionMillis = 5_000

const noAnswer = new PageFailure({ kind: "unusable", reason: `it did not answer within ${inspectionMillis} ms` })

const notLetIn = new PageFailure({
  kind: "navigation",
  reason: "the site asks for a name and a password by HTTP authentication, which was not given"
})

/** A window that another was put in front of a moment ago has no picture. */
const isNotDrawn = ({ reason }: PageFailure): boolean => reason.includes("Unable to capture screenshot")

const leaving = new PageFailure({ kind: "navigation", reason: "the page is being replaced by another one" })

/** How long a page that is on its way somewhere is waited for before another address is opened, in milliseconds. */
const arrivalMillis = 10_000

/** How often it is looked whether it has arrived, in milliseconds. */
const stepMillis = 50

export const make = (tabs: Tabs, options: Options): Page => {
  const { attempt, current, observe } = tabs
  const { navigationMillis } = options
  const traffic = Traffic.make(current().page)
  const onOne = (target: Target, act: (element: Locator, timeout: number, frame: Frame) => Promise<unknown>) =>
    tabs.following(Finder.onOne(tabs, target, act))
  const scrolling = Scrolling.make(tabs)

  /** Checks the document of an element once that is there. */
  const guarded = async ({ guard }: Target, element: Locator, timeout: number, frame: Frame) => {
    if (guard === undefined) return
    await element.waitFor({ state: "attached", timeout })
    await Guarded.check(current(), frame, guard)
  }

  const captured = (toFront: boolean) =>
    observe(null, async () => {
      const { devTools, page } = current()
      if (toFront) await page.bringToFront()
      const line = await devTools()
      return line.send("Page.captureScreenshot", { format: "jpeg", quality: 80, optimizeForSpeed: true })
    })

  const arrived = Effect.gen(function* () {
    // What the browser told before it answers this has been heard then: a form that was sent a moment ago, for one.
    yield* attempt(null, () => current().page.context().cookies("http://localhost"))
    const until = (yield* Clock.currentTimeMillis) + arrivalMillis
    while (current().isDeparting() && (yield* Clock.currentTimeMillis) < until) yield* Effect.sleep(stepMillis)
  })

  /** A server error without a page is reported with its status. */
  const unanswered = (failure: PageFailure) =>
    Effect.gen(function* () {
      if (!failure.reason.includes("ERR_HTTP_RESPONSE_CODE_FAILURE")) return yield* failure
      const status = yield* Effect.promise(() => traffic.lastStatus(current().page))
      if (status === null) return yield* failure
      return yield* new PageFailure({ kind: "navigation", reason: `the server answered with status ${status}`, status })
    })

  /** Why the address could not be reached that another one led to. */
  const refusedOnTheWay = (): PageFailure | null => {
    const led = traffic.lastAddress(current().page)
    return led === null || !/^https?:/.test(led) ? null : refusedAs(options.refusal(new URL(led)))
  }

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
        // Retry: another navigation started at the same moment.
        Effect.retry({ while: ({ reason }) => reason.includes("interrupted by another navigation"), times: 3 }),
        // What it leads to is saved instead of shown: that is all there is to arrive at.
        Effect.catchIf(
          ({ reason }) => reason.startsWith("Download is starting"),
          () => Effect.succeed(null)
        ),
        Effect.mapError((failure) => (failure.reason.includes("ERR_INVALID_AUTH_CREDENTIALS") ? notLetIn : failure)),
        Effect.catch((failure) => unanswered(failure)),
        Effect.mapError((failure) => refusedAs(options.refusal(parsed)) ?? refusedOnTheWay() ?? failure)
      )
      const status = response?.status() ?? 200
      const landed = options.refusal(new URL(response?.url() ?? url))
      if (landed !== null && (landed.kind === "forbidden" || status === 502)) return yield* new PageFailure(landed)
      if (status === 404 || status === 410 || status === 429 || status >= 500) {
        return yield* new PageFailure({
          kind: "navigation",
          reason: `the server answered with status ${status}`,
          status
        })
      }
    })

  return {
    ...Requesting.make(() => current().page, options),
    ...Windows.make(tabs),
    ...Transfers.make(tabs, options.downloads),
    ...scrolling,
    ...Pictures.make(tabs, scrolling),
    ...Candidates.make(tabs, traffic, (options.downloads?.limits ?? defaultPageLimits).unresponsiveMillis),
    ...RemoteHand.make(tabs),
    screencast: (how, show) => Screencast.screencast(tabs, how, show),
    record: (how) => Recorder.record(tabs, how),
    ...Sight.make(tabs),
    goto,
    back: attempt(null, () => current().page.goBack({ waitUntil: "domcontentloaded", timeout: navigationMillis })),
    address: Effect.sync(() => current().page.url()),
    html: ({ sanitized }) =>
      attempt(null, () =>
        sanitized ? World.run(current(), current().page.mainFrame(), "sanitizedHtml", null) : current().page.content()
      ),
    click: (target, kind, gesture) =>
      onOne(target, (element, timeout, frame) => Pointer.press(current(), frame, element, kind, timeout, gesture)),
    type: (target, typing) =>
      target === null
        ? attempt(null, () => strike(current(), typing.strokes, typing))
        : onOne(target, (element, timeout, frame) =>
            Guarded.onField(current(), frame, element, target.guard, timeout, (field) =>
              type(current(), field, typing, timeout)
            )
          ),
    select: (target, value, fuzzy) =>
      onOne(target, async (element, timeout, frame) => {
        await guarded(target, element, timeout, frame)
        return Choosing.choose(current(), frame, element, { value, fuzzy }, timeout, () =>
          Finder.nativeOptions(current(), frame, target.selector)
        )
      }),
    find: (target) =>
      onOne(target, async (element, timeout, frame) => {
        await element.waitFor({ state: "attached", timeout })
        await guarded(target, element, timeout, frame)
      }),
    codeField: (selector) =>
      attempt(selector, () => Finder.onEvery(current(), selector, "codeField", null)).pipe(
        Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(leaving) }),
        Effect.mapError((failure) => (failure.kind === "unusable" ? leaving : failure))
      ),
    read: (target) => attempt(target.selector, () => Reading.read(current(), target)),
    extract: (plan) => attempt(null, () => Reading.extract(current(), plan)),
    clearCookies: attempt(null, () => current().page.context().clearCookies()),
    // Asked of the browser itself: Playwright's own waits until nothing is being loaded.
    glimpse: captured(false).pipe(
      Effect.catchIf(isNotDrawn, () =>
        Effect.retry(captured(true), { while: isNotDrawn, schedule: Schedule.spaced(stepMillis) })
      ),
      Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(noAnswer) }),
      Effect.map(({ data }) => ({ bytes: new Uint8Array(Buffer.from(data, "base64")), mediaType: "image/jpeg" }))
    ),
    snapshot: ({ maxBytes }) =>
      observe(null, async () => {
        await current().page.waitForLoadState("domcontentloaded", { timeout: inspectionMillis })
        return Snapshot.take(current(), maxBytes)
      }).pipe(
        // A page that is just leaving takes what runs in it with it; the next one is there to be looked at.
        Effect.retry({ while: ({ kind }) => kind === "navigation", times: 2 }),
        Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(noAnswer) })
      ),
    watchNetwork: (tell, options) => NetworkWatch.watch(current().page.context(), tell, options),
    remembered: (wanted) =>
      observe(null, () => options.remembered(wanted)).pipe(
        Effect.timeoutOrElse({ duration: 2 * inspectionMillis, orElse: () => Effect.fail(noAnswer) })
      )
  }
}

const forbidden = (reason: string): PageFailure => new PageFailure({ kind: "forbidden", reason })

const refusedAs = (refusal: ReturnType<Options["refusal"]>): PageFailure | null =>
  refusal === null ? null : new PageFailure(refusal)
