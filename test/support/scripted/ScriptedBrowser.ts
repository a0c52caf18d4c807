/**
 * A browser in memory, on sites that are written down: for testing graphs and the agent without Chromium.
 *
 * A page lists its elements by the very selectors that a graph uses for them; nothing is parsed. It does at once what a
 * real page would do in time, so whoever waits for an element that is not there is refused at once.
 */
import { Clock, Effect, Layer, Option, Ref, type Schema } from "effect"
import { Browser, type Page } from "../../../core/browser/Browser.ts"
import type { Exchange } from "../../../core/browser/Exchange.ts"
import type { ExtractionPlan } from "../../../core/browser/element/Extraction.ts"
import type { Guard, Target } from "../../../core/browser/element/Target.ts"
import { ofStatus, PageFailure } from "../../../core/browser/PageFailure.ts"
import { type ApiAnswer, type ApiRequest, RequestFailed } from "../../../core/browser/Requests.ts"
import type { Remembered, Session, Storage } from "../../../core/browser/Session.ts"
import type { Scroll } from "../../../core/browser/vision/Scrolling.ts"
import type { Sight } from "../../../core/browser/vision/Sight.ts"
import type { Dialog } from "../../../core/browser/Windows.ts"
import * as ScriptedFiles from "./ScriptedFiles.ts"
import * as ScriptedInspection from "./ScriptedInspection.ts"
import * as ScriptedSight from "./ScriptedSight.ts"
import * as ScriptedWindows from "./ScriptedWindows.ts"

export interface ScriptedElement {
  /** The selector that it is found by. Several elements may have the same one. */
  readonly selector: string
  readonly text?: string
  /** What it holds when it is a field. */
  readonly value?: string
  /** When it is a field whose value is not shown. */
  readonly type?: "password"
  /** The values that may be chosen when it is a list. */
  readonly options?: ReadonlyArray<string>
  /** The address that a click leads to. */
  readonly leadsTo?: string
  /** What a click has the browser remember, beside what it did or in its place. */
  readonly leaves?: Partial<Remembered>
  /** When it is a field: the values with which Enter leads to an address. With any other, it is emptied and complained about. */
  readonly takes?: { readonly values: ReadonlyArray<string>; readonly leadsTo: string }
  /** The address that a click opens in a window of its own. */
  readonly opens?: string
  /** Whether a click closes the window that it is in. */
  readonly closes?: boolean
  /** What a click has the site say in a dialog. */
  readonly says?: Omit<Dialog, "entered">
  /** The names and texts of the files that a click has the browser save. A text of `null` never comes to its end. */
  readonly saves?: ReadonlyArray<ScriptedFiles.Saved>
  /** Whether a click opens a file dialog. It is a field for files by itself otherwise. */
  readonly opensDialog?: boolean
  /** How often the wheel must be turned before it is there. */
  readonly afterTicks?: number
  /** When it is a row: the texts of its parts, by their path in the row. */
  readonly parts?: Readonly<Record<string, string>>
  /** What it looks like, beside its text. */
  readonly looks?: ScriptedInspection.Looks
  /** The address of the frame that it stands in. */
  readonly frame?: string
  /** When it lies over the page: what it covers and what is to be pressed on it. */
  readonly over?: ScriptedInspection.Over
  /** The selectors of what goes away when it is clicked. */
  readonly removes?: ReadonlyArray<string>
  /** It is not there before it was looked for so often. */
  readonly late?: number
}

/** Pages by their address. */
export type ScriptedSite = Readonly<Record<string, ReadonlyArray<ScriptedElement>>>

/** What the network of a site does beside showing its pages. */
export interface ScriptedNetwork {
  /** What a page asks for when it is shown, by the address of the page. */
  readonly asked?: Readonly<Record<string, ReadonlyArray<Partial<Exchange> & Pick<Exchange, "url">>>>
  /** What requests of runs are answered. */
  readonly answer?: (asked: ApiRequest) => Partial<Omit<ApiAnswer, "body">> & { readonly body?: string }
}

/** Each session starts on an empty page, with every field as it is written down. */
export const layer = (site: ScriptedSite, network: ScriptedNetwork = {}): Layer.Layer<Browser> =>
  Layer.succeed(
    Browser,
    Browser.of({
      open: ({ cookies, localStorage, sessionStorage }) =>
        Effect.gen(function* () {
          const state = yield* Ref.make(blank)
          const memory = yield* Ref.make<Remembered>({ cookies, localStorage, sessionStorage })
          const windows = yield* ScriptedWindows.make(
            state,
            ({ watchers }) => ({ ...blank, watchers }),
            (to, { watchers }) => ({ ...to, watchers })
          )
          return open(site, state, memory, windows, yield* ScriptedFiles.make, network)
        })
    })
  )

interface State {
  readonly history: ReadonlyArray<string>
  readonly fields: Readonly<Record<string, string>>
  readonly focus: string | null
  readonly refusals: number
  readonly removed: ReadonlyArray<string>
  /** How often an element was looked for in vain. */
  readonly misses: number
  readonly watchers: ReadonlyArray<(exchange: Exchange) => void>
  /** How often the wheel was turned on the page. */
  readonly ticks: number
}

const blank: State = {
  history: [],
  fields: {},
  focus: null,
  refusals: 0,
  removed: [],
  misses: 0,
  watchers: [],
  ticks: 0
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** What a browser would have asked for to show a page. */
const loading = (url: string, startedAt: number, status: number): Exchange => ({
  method: "GET",
  url,
  resourceType: "document",
  startedAt,
  durationMillis: 0,
  status,
  failure: null,
  requestHeaders: {},
  responseHeaders: { "content-type": "text/html" },
  body: null
})

const remember = (before: Remembered, more: Partial<Remembered>): Remembered => {
  const { cookies = [] } = more
  const isReplaced = (one: Session["cookies"][number]) =>
    cookies.some(({ domain, name, path }) => domain === one.domain && name === one.name && path === one.path)
  return {
    cookies: [...before.cookies.filter((one) => !isReplaced(one)), ...cookies],
    localStorage: merged(before.localStorage, more.localStorage),
    sessionStorage: merged(before.sessionStorage, more.sessionStorage)
  }
}

const merged = (before: Storage, more: Storage = {}): Storage => ({
  ...before,
  ...Object.fromEntries(Object.entries(more).map(([origin, stored]) => [origin, { ...before[origin], ...stored }]))
})

const wantedOf = (storage: Storage, wanted: (origin: string) => boolean): Storage =>
  Object.fromEntries(Object.entries(storage).filter(([origin]) => wanted(origin)))

const open = (
  site: ScriptedSite,
  state: Ref.Ref<State>,
  memory: Ref.Ref<Remembered>,
  windows: ScriptedWindows.ScriptedWindows,
  files: Effect.Success<typeof ScriptedFiles.make>,
  network: ScriptedNetwork
): Page => {
  const address = Effect.map(Ref.get(state), ({ history }) => history.at(-1) ?? "about:blank")
  const all = Effect.map(address, (url) => site[url] ?? [])
  const elements = Effect.map(Ref.get(state), ({ history, misses, removed, ticks }) =>
    (site[history.at(-1) ?? "about:blank"] ?? []).filter(
      ({ afterTicks = 0, late = 0, selector }) => afterTicks <= ticks && misses >= late && !removed.includes(selector)
    )
  )

  const goto = Effect.fnUntraced(function* (url: string) {
    const known = Object.hasOwn(site, url)
    const { history, watchers } = yield* Ref.get(state)
    const now = yield* Clock.currentTimeMillis
    for (const tell of watchers) {
      tell(loading(url, now, known ? 200 : 404))
      for (const one of network.asked?.[url] ?? []) tell({ ...loading(url, now, 200), resourceType: "xhr", ...one })
    }
    if (!known) return yield* ofStatus(404)
    yield* Ref.set(state, { ...blank, watchers, history: [...history, url] })
  })

  /** Refuses what a guard does not let be done to an element. */
  const guarded = Effect.fnUntraced(function* (guard: Guard | undefined, element: ScriptedElement | undefined) {
    const reason = guard?.(element?.frame ?? (yield* address)) ?? null
    if (reason !== null) return yield* new PageFailure({ kind: "foreign", reason })
  })

  const one = Effect.fnUntraced(function* ({ guard, selector, waitMillis }: Target) {
    const found = (yield* elements).filter((element) => element.selector === selector)
    const [only] = found
    const cover = (yield* elements).find(({ over }) => over?.covers.includes(selector))
    if (cover !== undefined) {
      const reason = `the element did not become visible, enabled and still within ${waitMillis} ms`
      return yield* new PageFailure({ kind: "unusable", reason, selector, matched: 1 })
    }
    if (only !== undefined && found.length === 1) {
      yield* guarded(guard, only)
      return only
    }
    yield* Ref.update(state, (now) => ({ ...now, misses: now.misses + 1 }))
    return yield* new PageFailure({
      kind: "mismatch",
      reason: `${found.length} elements match after ${waitMillis} ms, expected exactly 1`,
      selector,
      matched: found.length
    })
  })

  const turn = (ticks: number) => Ref.update(state, (now) => ({ ...now, ticks: Math.max(now.ticks + ticks, 0) }))

  /** Turns the wheel until an element is there, where it comes at all. */
  const turnTo = Effect.fnUntraced(function* (selector: string, waitMillis: number) {
    const hidden = (yield* all).find((element) => element.selector === selector)?.afterTicks ?? 0
    yield* turn(Math.max(hidden - (yield* Ref.get(state)).ticks, 0))
    yield* one({ selector, waitMillis })
  })

  const scroll = Effect.fnUntraced(function* (scroll: Scroll, waitMillis: number) {
    switch (scroll.kind) {
      case "ticks":
        return yield* turn(scroll.direction === "up" || scroll.direction === "left" ? -scroll.ticks : scroll.ticks)
      case "element":
        return yield* turnTo(scroll.selector, waitMillis)
      case "find":
        yield* one({ selector: scroll.container, waitMillis })
        return yield* turnTo(scroll.selector, waitMillis)
      case "end":
        yield* one({ selector: scroll.container, waitMillis })
        return yield* turn(Math.max(...(yield* all).map(({ afterTicks = 0 }) => afterTicks)))
    }
  })

  const textOf = (element: ScriptedElement, { fields }: State): string =>
    fields[element.selector] ?? element.value ?? element.text ?? ""

  const setField = (selector: string, change: (before: string) => string, initial = "") =>
    Ref.update(state, (now) => ({
      ...now,
      focus: selector,
      fields: { ...now.fields, [selector]: change(now.fields[selector] ?? initial) }
    }))

  const carryOut = (
    plan: ExtractionPlan,
    all: ReadonlyArray<ScriptedElement>,
    now: State,
    row: ScriptedElement | null
  ): Schema.Json => {
    switch (plan.kind) {
      case "known":
        return plan.value as Schema.Json
      case "object":
        return Object.fromEntries(
          Object.entries(plan.fields).map(([name, field]) => [name, carryOut(field, all, now, row)])
        )
      case "list":
        return all.filter(({ selector }) => selector === plan.path).map((found) => carryOut(plan.item, all, now, found))
      case "value": {
        const found = all.find(({ selector }) => selector === plan.path)
        const own = found === undefined ? undefined : textOf(found, now)
        const text = row === null ? own : plan.path === null ? row.text : row.parts?.[plan.path]
        if (text === undefined) return null
        return plan.type === "number" ? Number(text) : plan.type === "boolean" ? text === "true" : text
      }
    }
  }

  const page: Omit<Page, keyof Sight> = {
    request: (asked) => {
      if (network.answer === undefined) {
        return Effect.fail(new RequestFailed({ kind: "unreachable", reason: "nobody answers" }))
      }
      const { body = "", headers = {}, status = 200, url = asked.url } = network.answer(asked)
      const foreign = asked.guard?.(url) ?? null
      if (foreign !== null) return Effect.fail(new RequestFailed({ kind: "foreign", reason: foreign }))
      const bytes = new TextEncoder().encode(body)
      return bytes.length > asked.maxBytes
        ? Effect.fail(
            new RequestFailed({ kind: "too_large", reason: `its answer is larger than ${asked.maxBytes} bytes` })
          )
        : Effect.succeed({ url, status, headers, body: bytes })
    },
    ...windows,
    forgetDownloads: files.forgetDownloads,
    download: files.download,
    scroll,
    print: Effect.map(elements, (shown) => files.print(shown.map(({ text = "" }) => text).join("\n"))),
    upload: Effect.fnUntraced(function* (target, { fileName }) {
      const selector = target === null ? null : (yield* one(target)).selector
      if (selector !== null) return yield* setField(selector, () => fileName)
      if (yield* files.takesDialog) return yield* setField("", () => fileName)
      return yield* new PageFailure({
        kind: "upload",
        reason: "no file dialog is open: a CLICK before must open one, or selector name the field for files"
      })
    }),
    ...ScriptedInspection.make(elements, address, one),
    goto,
    address,
    back: Ref.update(state, ({ history, watchers }) => ({ ...blank, watchers, history: history.slice(0, -1) })),
    html: () => Effect.map(elements, (shown) => shown.map(({ text = "" }) => text).join("\n")),
    click: Effect.fnUntraced(function* (target) {
      const { closes, leadsTo, leaves, opens, opensDialog, removes, saves, says } = yield* one(target)
      if (removes !== undefined) yield* Ref.update(state, (now) => ({ ...now, removed: [...now.removed, ...removes] }))
      if (says !== undefined) yield* windows.says(says)
      if (saves !== undefined) yield* files.saves(saves)
      if (opensDialog === true) yield* files.opensDialog
      if (closes === true) yield* windows.closeWindow(null)
      if (opens !== undefined) {
        yield* windows.openWindow
        yield* goto(opens)
      }
      if (leaves !== undefined) yield* Ref.update(memory, (before) => remember(before, leaves))
      if (leadsTo !== undefined) yield* goto(leadsTo)
    }),
    type: Effect.fnUntraced(function* (target, { existing, guard, strokes }) {
      const selector = target === null ? (yield* Ref.get(state)).focus : (yield* one(target)).selector
      if (selector === null) return
      yield* guarded(
        guard,
        (yield* elements).find((element) => element.selector === selector)
      )
      const initial = (yield* elements).find((element) => element.selector === selector)?.value
      const typed = strokes.map((stroke) => (typeof stroke === "string" ? stroke : "")).join("")
      yield* setField(selector, (before) => (existing === "keep" ? before + typed : typed), initial)
      const { takes } = (yield* elements).find((element) => element.selector === selector) ?? {}
      if (takes === undefined || !strokes.some((stroke) => typeof stroke !== "string" && stroke.key === "Enter")) return
      if (takes.values.includes((yield* Ref.get(state)).fields[selector] ?? "")) return yield* goto(takes.leadsTo)
      yield* Ref.update(state, (now) => ({
        ...now,
        fields: { ...now.fields, [selector]: "" },
        refusals: now.refusals + 1
      }))
    }),
    select: Effect.fnUntraced(function* (target, value) {
      const { options = [], selector } = yield* one(target)
      if (options.includes(value)) return yield* setField(selector, () => value)
      return yield* new PageFailure({ kind: "option", reason: "no option has this value or text", selector })
    }),
    find: (target) => Effect.asVoid(one(target)),
    codeField: (selector) =>
      Effect.gen(function* () {
        const now = yield* Ref.get(state)
        const found = (yield* elements).filter((element) => element.selector === selector)
        const [first] = found
        return {
          matched: found.length,
          split: false,
          shown: first !== undefined,
          empty: first === undefined || textOf(first, now) === "",
          complaint: now.refusals === 0 ? "" : `Wrong code ${now.refusals}`,
          document: String(now.history.length),
          loading: false
        }
      }),
    read: ({ selector }) =>
      Effect.gen(function* () {
        const found = (yield* elements).find((element) => element.selector === selector)
        return found === undefined ? null : textOf(found, yield* Ref.get(state))
      }),
    extract: (plan) =>
      Effect.gen(function* () {
        return carryOut(plan, yield* elements, yield* Ref.get(state), null)
      }),
    clearCookies: Ref.update(memory, (before) => ({ ...before, cookies: [] })),
    screenshot: ({ target }) =>
      Effect.as(target === undefined ? Effect.void : one(target), {
        bytes: new Uint8Array([0xff, 0xd8]),
        mediaType: "image/jpeg"
      }),
    glimpse: Effect.succeed({ bytes: new Uint8Array([0xff, 0xd8]), mediaType: "image/jpeg" }),
    snapshot: ({ maxBytes }) =>
      Effect.gen(function* () {
        const now = yield* Ref.get(state)
        const all = (yield* elements).map((element) => `<p>${escape(textOf(element, now))}</p>`).join("")
        return `<!doctype html><html><head><base href="${escape(yield* address)}"></head><body>${all}</body></html>`.slice(
          0,
          maxBytes
        )
      }),
    gesture: () => Effect.void,
    letGo: Effect.void,
    screencast: (_options, show) => show(new Uint8Array([0xff, 0xd8])),
    record: () => Effect.succeed(Option.none()),
    watchNetwork: (tell) =>
      Effect.gen(function* () {
        yield* Ref.update(state, (now) => ({ ...now, watchers: [...now.watchers, tell] }))
        yield* Effect.addFinalizer(() =>
          Ref.update(state, (now) => ({ ...now, watchers: now.watchers.filter((one) => one !== tell) }))
        )
      }),
    remembered: (wanted) =>
      Effect.map(Ref.get(memory), ({ cookies, localStorage, sessionStorage }) => ({
        cookies,
        localStorage: wantedOf(localStorage, wanted),
        sessionStorage: wantedOf(sessionStorage, wanted)
      }))
  }
  return {
    ...page,
    ...ScriptedSight.make({
      ...page,
      elements,
      textOf: (element) => Effect.map(Ref.get(state), (now) => textOf(element, now)),
      visited: Effect.map(Ref.get(state), ({ history }) => new Set(history.map((url) => new URL(url).host)))
    })
  }
}
