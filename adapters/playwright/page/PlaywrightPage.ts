/**
 * The verbs of the agent's page, done by Playwright.
 */
import { Effect, Redacted, Schedule } from "effect"
import type { Frame, Locator } from "playwright-core"
import { defaultPageLimits } from "../../../core/agent/Limits.ts"
import type { BrowserSession } from "../../../core/browser/Browser.ts"
import type { Elements } from "../../../core/browser/Elements.ts"
import type { ElementQuery } from "../../../core/browser/element/ElementQuery.ts"
import { type HttpCredential, maxHtml, type Navigation } from "../../../core/browser/Navigation.ts"
import type { Observation } from "../../../core/browser/Observation.ts"
import { isErrorStatus, isNavigation, ofStatus, PageFailure } from "../../../core/browser/PageFailure.ts"
import type { StoredState } from "../../../core/browser/Session.ts"
import type { Typing } from "../../../core/browser/vision/Typing.ts"
import * as Candidates from "../element/Candidates.ts"
import * as Checking from "../element/Checking.ts"
import * as Fills from "../element/Fills.ts"
import * as Finder from "../element/Finder.ts"
import * as OptionChoice from "../element/OptionChoice.ts"
import * as Reading from "../element/Reading.ts"
import * as States from "../element/States.ts"
import { type Entered, keepCopied, type, typeFocused } from "../element/Typing.ts"
import * as Unchanged from "../element/Unchanged.ts"
import type * as Downloads from "../file/Downloads.ts"
import * as Transfers from "../file/Transfers.ts"
import type { TooLong } from "../injected/read/Whole.ts"
import * as Snapshot from "../inpage/Snapshot.ts"
import * as World from "../inpage/World.ts"
import * as Recorder from "../recording/Recorder.ts"
import * as Screencast from "../recording/Screencast.ts"
import * as Acts from "../settling/Acts.ts"
import * as Effects from "../settling/Effects.ts"
import * as Settling from "../settling/Settling.ts"
import * as VirtualLists from "../settling/VirtualLists.ts"
import { within } from "../TimeLimit.ts"
import * as Copying from "../vision/Copying.ts"
import * as Dragging from "../vision/Dragging.ts"
import * as Pictures from "../vision/Pictures.ts"
import * as Pointer from "../vision/Pointer.ts"
import * as RemoteHand from "../vision/RemoteHand.ts"
import * as Scrolling from "../vision/Scrolling.ts"
import * as Sight from "../vision/Sight.ts"
import { arrival, errorPage, stop } from "./Arrival.ts"
import { isTimeout, notLetIn } from "./Attempt.ts"
import * as Authenticator from "./Authenticator.ts"
import * as GuardedAction from "./GuardedAction.ts"
import * as NetworkWatch from "./NetworkWatch.ts"
import * as Requesting from "./Requesting.ts"
import type { Tabs } from "./Tabs.ts"
import * as TabsPort from "./TabsPort.ts"
import * as Traffic from "./Traffic.ts"

export interface Options extends Pick<Requesting.NetworkRoute, "connect" | "headers"> {
  /** Why an address could not be reached, or `null`. Asked after a page could not be loaded. */
  readonly refusal: (url: URL) => Pick<PageFailure, "kind" | "reason"> | null
  /** How long an address may take to load, in milliseconds. */
  readonly navigationMillis: number
  /** The state of the session. */
  readonly remembered: (wanted: (origin: string) => boolean) => Promise<StoredState>
  /** The folders of downloads, and their bounds. */
  readonly downloads?: Downloads.Options
}

/** How long a page may take to describe itself, in milliseconds. */
const inspectionMillis = 5_000

/** The failure to read a document that is too long. */
const tooLong = ({ characters }: TooLong) =>
  new PageFailure({
    kind: "unusable",
    reason: `the document has ${characters} characters as HTML: at most ${maxHtml} are read`
  })

/** The least time that a page gets to copy something after a click, in milliseconds. */
const shortestCopy = 1_000

const noAnswer = new PageFailure({ kind: "unusable", reason: `it did not answer within ${inspectionMillis} ms` })

/** How long a list may take to say what it has, in milliseconds. */
const heldMillis = 1_000

/** How soon it is asked for a picture again, in milliseconds. */
const pictureMillis = 50

/** A tab that another was put in front of a moment ago has no picture. */
const isNotDrawn = ({ reason }: PageFailure): boolean => reason.includes("Unable to capture screenshot")

const leaving = new PageFailure({ kind: "replaced", reason: "the page is being replaced by another one" })

/** How long a page that is on its way somewhere is waited for before another address is opened, in milliseconds. */
const arrivalMillis = 10_000

/** How long the page for an error may take to be shown, in milliseconds. */
const errorPageMillis = 1_000

export const make = (tabs: Tabs, options: Options): BrowserSession => {
  const traffic = Traffic.make(tabs.current().page)
  const inspecting = Candidates.make(tabs, traffic, (options.downloads?.limits ?? defaultPageLimits).unresponsiveMillis)
  const sight = Sight.make(tabs)
  const acts = Acts.make(tabs, traffic)
  const transfers = Transfers.make(tabs, options.downloads)
  const { look, outline, show, spot, targets, texts } = sight
  return {
    navigation: {
      ...navigation(tabs, traffic, options, acts),
      ...TabsPort.make(tabs, acts.leaving),
      ...Settling.make(tabs, acts.ledTo),
      ...Requesting.make(() => tabs.current().page, options),
      forgetDownloads: transfers.forgetDownloads,
      downloadable: transfers.downloadable,
      download: transfers.download,
      print: transfers.print,
      visited: sight.visited,
      remarks: Effect.sync(() => tabs.all().flatMap(Fills.remarks))
    },
    elements: {
      ...elements(tabs, acts),
      upload: (query, file) => acts.act(transfers.upload(query, file), waitOf(query)),
      dropFile: (query, file, how) => acts.act(transfers.dropFile(query, file, how), waitOf(query)),
      readable: sight.readable,
      turn: sight.turn,
      describe: inspecting.describe,
      seen: inspecting.seen,
      survey: inspecting.survey
    },
    vision: {
      ...{ look, outline, show, spot, targets, texts },
      clickAt: (...given) => acts.act(changing(tabs, sight.clickAt(...given))),
      dragAt: (...given) => acts.act(changing(tabs, sight.dragAt(...given))),
      typeAt: (...given) => acts.act(changing(tabs, sight.typeAt(...given)))
    },
    observation: { ...observation(tabs, options), ...RemoteHand.make(tabs), candidates: inspecting.candidates }
  }
}

/** Going to addresses, and what the page there holds as a whole. */
const navigation = (tabs: Tabs, traffic: Traffic.Traffic, options: Options, acts: Acts.Acts) => {
  const { attempt, current } = tabs
  const { navigationMillis } = options

  const arrived = attempt(null, () => arrival(current(), arrivalMillis))

  /** Loads an address. Answers nothing where it is saved instead of shown: that is all there is to arrive at. */
  const load = async (url: string) => {
    const { page } = current()
    const instead = errorPage(page)
    try {
      return await page.goto(url, { waitUntil: "domcontentloaded", timeout: navigationMillis })
    } catch (error) {
      const said = error instanceof Error ? error.message : ""
      if (/^page\.goto: Download is starting/.test(said)) return null
      if (isTimeout(error)) await stop(current())
      // The page for the error comes after the failure: the next address would be interrupted by it.
      if (/^page\.goto: net::ERR_(?!ABORTED)/.test(said)) await within(errorPageMillis, instead.shown)
      // An error without a page: the browser reports its status apart from the failure.
      const status = /^page\.goto: net::ERR_HTTP_RESPONSE_CODE_FAILURE/.test(said)
        ? await traffic.lastStatus(page)
        : null
      throw status === null ? error : ofStatus(status)
    } finally {
      instead.stop()
    }
  }

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
      // A page that is on its way somewhere else, as after a form was sent, arrives there first: the effect of this
      // address may happen only once, and needs the content of that page.
      yield* arrived
      yield* acts.leaving(current())
      acts.begin()
      const response = yield* attempt(null, () => load(url)).pipe(
        // Retry: another navigation started at the same moment.
        Effect.retry({ while: ({ kind }) => kind === "replaced", times: 3 }),
        Effect.mapError((failure) => {
          const refused = refusedAs(options.refusal(parsed)) ?? refusedOnTheWay()
          // An address that took too long was reached, even if other requests of it failed.
          return refused === null || (failure.kind === "timeout" && isNavigation(refused)) ? failure : refused
        })
      )
      const status = response?.status() ?? 200
      const landed = options.refusal(new URL(response?.url() ?? url))
      if (landed !== null && (landed.kind === "forbidden" || status === 502)) return yield* new PageFailure(landed)
      // Chrome's headless shell shows what came with the question.
      if (Traffic.isChallenge(status, response?.headers() ?? {}))
        return yield* new PageFailure({ kind: "auth", reason: notLetIn })
      if (isErrorStatus(status)) return yield* ofStatus(status)
    })

  const credentials = new Map<string, HttpCredential>()

  return {
    goto,
    challenge: Effect.sync(() => traffic.challenge(current().page)),
    authenticate: (credential) =>
      attempt(null, () => {
        credentials.set(credential.origin, credential)
        const all = [...credentials.values()].map(({ origin, password, userName }) => ({
          origin,
          username: Redacted.value(userName),
          password: Redacted.value(password)
        }))
        return current().page.context().setHTTPCredentials(all)
      }),
    authenticator: (passkey) => Authenticator.open(tabs, passkey),
    back: Effect.asVoid(
      Effect.andThen(
        Effect.suspend(() => acts.leaving(current())),
        attempt(null, () => {
          acts.begin()
          return current().page.goBack({ waitUntil: "domcontentloaded", timeout: navigationMillis })
        })
      )
    ),
    address: Effect.sync(() => current().page.url()),
    html: ({ sanitized }) =>
      attempt(null, () =>
        World.run(current(), current().page.mainFrame(), sanitized ? "sanitizedHtml" : "wholeHtml", maxHtml)
      ).pipe(Effect.flatMap((html) => (typeof html === "string" ? Effect.succeed(html) : Effect.fail(tooLong(html))))),
    clearCookies: attempt(null, () => current().page.context().clearCookies())
  } satisfies Partial<Navigation>
}

const waitOf = (query: ElementQuery | null): Acts.ActOptions => (query === null ? {} : { waitMillis: query.waitMillis })

/** Notes what stands in fields and lists. */
const noting = (current: Tabs["current"]) => {
  /** Notes a text that stands in a field, to be read again before it is sent. */
  const noteFill = (
    { guard, selector }: ElementQuery,
    typing: Typing,
    frame: Frame,
    field: Locator,
    name: string,
    { editor, text }: Entered
  ): void => {
    const tab = current()
    const address = (editor?.frame ?? frame).url()
    const same: Typing = { ...typing, strokes: [text], existing: "replace" }
    const again = (timeout: number) =>
      GuardedAction.onField(tab, frame, field, guard, timeout, async (field) => {
        await type(tab, frame, field, same, timeout)
      })
    const kind = editor === null ? "text" : "editor"
    const { existing } = typing
    Fills.note(tab, { kind, frame, address, name, selector, field, text, guard, again, editor, existing })
  }

  /** The same for a choice, if the page has not taken it back at once, as menus do that act on it. */
  const noteChoice = async (
    { guard, selector }: ElementQuery,
    frame: Frame,
    field: Locator,
    { kind, name, text }: OptionChoice.Chosen
  ) => {
    const tab = current()
    const list = GuardedAction.fieldOf(tab, frame, field)
    const wasHeld = () => World.run(tab, frame, "heldAfterChange", null, { root: field, waitMillis: heldMillis })
    if (name === null) {
      const now = await list.held({ timeout: heldMillis }).catch(() => null)
      if (now?.value !== text && (await wasHeld().catch(() => null)) !== text) return
    }
    const again = () => Promise.resolve()
    const [address, editor, existing] = [frame.url(), null, "replace"] as const
    const kept = name ?? list.name
    Fills.note(tab, { kind, frame, address, name: kept, selector, field, text, guard, again, editor, existing })
  }

  return { noteChoice, noteFill }
}

/** An act that may change on purpose what was typed before. */
const changing = <A, E>(tabs: Tabs, act: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    Fills.outdate(tabs.current())
    return act
  })

/** Verbs on elements that the finder finds. */
const elements = (tabs: Tabs, { act }: Acts.Acts) => {
  const { attempt, current } = tabs
  const scrolling = Scrolling.make(tabs)
  const dragging = Dragging.make(tabs)
  const onOne = (query: ElementQuery, act: (element: Locator, timeout: number, frame: Frame) => Promise<unknown>) =>
    tabs.following(Finder.onOne(tabs, query, act))

  const { noteChoice, noteFill } = noting(current)

  /** Checks the document of an element once that is there. */
  const guarded = async ({ guard }: ElementQuery, element: Locator, timeout: number, frame: Frame) => {
    if (guard === undefined) return
    await element.waitFor({ state: "attached", timeout })
    await GuardedAction.check(current(), frame, guard)
  }

  return {
    ...scrolling,
    ...Pictures.make(tabs, scrolling),
    click: (target, kind, gesture, aim) =>
      act(
        onOne(target, async (element, timeout, frame) => {
          await guarded(target, element, timeout, frame)
          const tab = current()
          if (kind === "click" || kind === "double_click") await Fills.before(tab, frame, element, { timeout })
          const before = Effects.seen(tab)
          await Unchanged.during(tab, frame, element, target.unchanged, timeout, () =>
            Pointer.press(tab, frame, element, kind, timeout, gesture, aim)
          )
          if (kind === "click" && (await Effects.isWithout(tab, frame, before))) {
            Fills.noteEffectless(tab, target.selector)
          }
        }),
        waitOf(target)
      ),
    clickToCopy: (target, kind, gesture, aim) =>
      Effect.suspend(() => {
        let copied = ""
        const copying = onOne(target, async (element, timeout, frame) => {
          await guarded(target, element, timeout, frame)
          copied = await Copying.during(current(), Math.max(target.waitMillis, shortestCopy), () =>
            Unchanged.during(current(), frame, element, target.unchanged, timeout, () =>
              Pointer.press(current(), frame, element, kind, timeout, gesture, aim)
            )
          )
          keepCopied(current(), copied)
        })
        return Effect.map(act(copying, waitOf(target)), () => copied)
      }),
    drag: (target, drag) => act(changing(tabs, dragging(target, drag)), waitOf(target)),
    type: (target, typing) =>
      act(
        target === null
          ? changing(
              tabs,
              attempt(null, () => typeFocused(current(), typing))
            )
          : onOne(target, (element, timeout, frame) =>
              GuardedAction.onField(current(), frame, element, target.guard, timeout, async (field) => {
                await Unchanged.check(current(), frame, element, target.unchanged, timeout)
                const typed = await type(current(), frame, field, typing, timeout)
                if (typed !== null) noteFill(target, typing, frame, element, field.name, typed)
              })
            ),
        {
          ...waitOf(target),
          leads: typing.strokes.some((stroke) => typeof stroke !== "string" && stroke.key === "Enter")
        }
      ),
    check: (target, checked) =>
      act(
        onOne(target, async (element, timeout, frame) => {
          await guarded(target, element, timeout, frame)
          Fills.outdate(current())
          return Unchanged.during(current(), frame, element, target.unchanged, timeout, () =>
            Checking.set(current(), frame, element, checked, timeout)
          )
        })
      ),
    select: (target, value, fuzzy, by) =>
      act(
        onOne(target, async (element, timeout, frame) => {
          await guarded(target, element, timeout, frame)
          Fills.outdate(current())
          await Unchanged.check(current(), frame, element, target.unchanged, timeout)
          const chosen = await OptionChoice.choose(current(), frame, element, { value, fuzzy, by }, timeout, () =>
            Finder.nativeOptions(current(), frame, target.selector)
          )
          if (chosen !== null) await noteChoice(target, frame, element, chosen)
        }),
        { ...waitOf(target), leads: true }
      ),
    facts: (target) =>
      Effect.flatMap(tabs.following(Unchanged.factsOf(tabs, target)), (located) =>
        located === null ? Effect.fail(leaving) : Effect.succeed(located)
      ),
    find: (target) =>
      onOne(target, async (element, timeout, frame) => {
        // Waits until the element is there in one message, and learns from it whether the page is at rest.
        await World.run(current(), frame, "answers", null, { root: element, waitMillis: timeout })
        await guarded(target, element, timeout, frame)
      }),
    inspect: (selector) =>
      attempt(selector, () => Finder.onEvery(current(), selector, "codeField", null)).pipe(
        Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(leaving) }),
        Effect.mapError((failure) => (failure.kind === "unusable" ? leaving : failure))
      ),
    states: (selectors) =>
      attempt(null, () => States.of(current(), selectors)).pipe(
        Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(noAnswer) })
      ),
    read: (target) => attempt(target.selector, () => Reading.read(current(), target)),
    readEach: (target) => attempt(target.selector, () => Reading.readEach(current(), target)),
    extract: (plan) => attempt(null, () => VirtualLists.extract(current(), plan))
  } satisfies Partial<Elements>
}

/** Watching the session, and what it has in the end. */
const observation = (tabs: Tabs, options: Options) => {
  const { current, observe } = tabs

  const captured = (toFront: boolean) =>
    observe(null, async () => {
      const { devTools, page } = current()
      if (toFront) await page.bringToFront()
      const line = await devTools()
      return line.send("Page.captureScreenshot", { format: "jpeg", quality: 80, optimizeForSpeed: true })
    })

  return {
    screencast: (how, show) => Screencast.screencast(tabs, how, show),
    record: (how) => Recorder.record(tabs, how),
    // Asked of the browser itself: Playwright's own waits until nothing is being loaded.
    glimpse: (covered) =>
      Sight.covering(
        tabs,
        covered,
        false,
        Effect.catchIf(captured(false), isNotDrawn, () =>
          Effect.retry(captured(true), { while: isNotDrawn, schedule: Schedule.spaced(pictureMillis) })
        )
      ).pipe(
        // A page that is just leaving takes the covers with it.
        Effect.retry({ while: isNavigation, times: 2 }),
        Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(noAnswer) }),
        Effect.map(({ data }) => ({ bytes: new Uint8Array(Buffer.from(data, "base64")), mediaType: "image/jpeg" }))
      ),
    snapshot: ({ maxBytes }) =>
      observe(null, async () => {
        await current().page.waitForLoadState("domcontentloaded", { timeout: inspectionMillis })
        return Snapshot.take(current(), maxBytes)
      }).pipe(
        // A page that is just leaving takes what runs in it with it; the next one is there to be looked at.
        Effect.retry({ while: isNavigation, times: 2 }),
        Effect.timeoutOrElse({ duration: inspectionMillis, orElse: () => Effect.fail(noAnswer) })
      ),
    watchNetwork: (tell, options) => NetworkWatch.watch(current().page.context(), tell, options),
    remembered: (wanted) =>
      observe(null, () => options.remembered(wanted)).pipe(
        Effect.timeoutOrElse({ duration: 2 * inspectionMillis, orElse: () => Effect.fail(noAnswer) })
      )
  } satisfies Partial<Observation>
}

const forbidden = (reason: string): PageFailure => new PageFailure({ kind: "forbidden", reason })

const refusedAs = (refusal: ReturnType<Options["refusal"]>): PageFailure | null =>
  refusal === null ? null : new PageFailure(refusal)
