/**
 * A browser in memory, on sites that are written down: for testing graphs and the agent without Chromium. It keeps the
 * promises of `BrowserContract`, as Chromium does.
 *
 * A page lists its elements by the same selectors as the graph; selectors are not parsed. An operation waits for an
 * element that the script lets appear in time, and fails immediately for any other.
 */
import { Clock, Deferred, Effect, Layer, Option, Redacted, Ref, type Schema } from "effect"
import { Browser, type BrowserSession } from "../../../core/browser/Browser.ts"
import type { Elements } from "../../../core/browser/Elements.ts"
import type { Exchange } from "../../../core/browser/Exchange.ts"
import { changeOf, type ElementFacts } from "../../../core/browser/element/ElementFacts.ts"
import type { ElementQuery, Guard } from "../../../core/browser/element/ElementQuery.ts"
import { type ElementState, nothing } from "../../../core/browser/element/ElementState.ts"
import { type ExtractionPlan, severalShow } from "../../../core/browser/element/Extraction.ts"
import * as Options from "../../../core/browser/element/Options.ts"
import * as Selector from "../../../core/browser/element/Selector.ts"
import type { Settles, Settling } from "../../../core/browser/element/Settling.ts"
import type { HttpCredential } from "../../../core/browser/Navigation.ts"
import { ofStatus, PageFailure } from "../../../core/browser/PageFailure.ts"
import { type ApiAnswer, type ApiRequest, RequestFailed } from "../../../core/browser/Requests.ts"
import type { Session, Storage, StoredState } from "../../../core/browser/Session.ts"
import type { HeldKey } from "../../../core/browser/vision/Dragging.ts"
import { type Direction, wheelPixels } from "../../../core/browser/vision/Scrolling.ts"
import { maxCopied } from "../../../core/browser/vision/Typing.ts"
import type { Passkey } from "../../../core/vault/passkey/Passkey.ts"
import * as ScriptedFiles from "./ScriptedFiles.ts"
import * as ScriptedInspection from "./ScriptedInspection.ts"
import * as ScriptedPicture from "./ScriptedPicture.ts"
import * as ScriptedSight from "./ScriptedSight.ts"
import * as ScriptedTabs from "./ScriptedTabs.ts"

export type { Saved } from "./ScriptedFiles.ts"
export type { ScriptedAppearance, ScriptedOverlay } from "./ScriptedInspection.ts"
export type { ScriptedDialog } from "./ScriptedTabs.ts"

/** An event for a script of a page, by its name in browsers. */
export interface PageEvent {
  readonly type:
    | "click"
    | "dblclick"
    | "auxclick"
    | "contextmenu"
    | "mousedown"
    | "mouseup"
    | "mouseenter"
    | "mousemove"
    | "wheel"
    | "drop"
    | "select"
    | "keydown"
    | "input"
    | "passkey"
  /** The element that it happened to; `null` where none did. */
  readonly selector: string | null
  /** The name of the key. */
  readonly key?: string
  /**
   * The value of the field at that time; of a drop, the selector of the dropped element; of a selection, its text; of a
   * passkey, `made`, `used` or `refused`.
   */
  readonly value?: string
  /** How far the pointer was moved with the button held, or the wheel was turned. */
  readonly by?: { readonly x: number; readonly y: number }
  /** The keys that were held. */
  readonly keys?: ReadonlyArray<HeldKey>
}

export interface ScriptedElement {
  /** The selector of the element. Several elements may have the same selector. */
  readonly selector: string
  /** The text, which may depend on the events of the page so far. */
  readonly text?: string | ((events: ReadonlyArray<PageEvent>) => string)
  /** It is in the document, and not to be seen. */
  readonly hidden?: true
  readonly disabled?: true
  /** The value of a field. */
  readonly value?: string
  /** When it is a field whose value is not shown. */
  readonly type?: "password"
  /** The options of a list: the value that is also the text, or both. */
  readonly options?: ReadonlyArray<string | Options.Option>
  /** The address that a click leads to. */
  readonly leadsTo?: string
  /** The browser state that a click leaves, beside its other effect or in place of it. */
  readonly leaves?: Partial<StoredState>
  /**
   * When it is a field: the values with which Enter leads to an address, or `any` for every value. With another value, it
   * is emptied and complained about.
   */
  readonly takes?: { readonly values: ReadonlyArray<string> | "any"; readonly leadsTo: string }
  /** Whether it takes a file that is dropped on it. */
  readonly takesDrop?: true
  /** The text that a click copies. */
  readonly copies?: string
  /** The host whose passkey a click requests. */
  readonly asksPasskey?: string
  /** The passkey that a click registers. */
  readonly makesPasskey?: Passkey
  /** The address that a click opens in a separate window. */
  readonly opens?: string
  /** Whether a click closes the tab of the element. */
  readonly closes?: boolean
  /** The dialog that a click opens. */
  readonly says?: ScriptedTabs.ScriptedDialog
  /** The names and texts of the files that a click has the browser save. A text of `null` never comes to its end. */
  readonly saves?: ReadonlyArray<ScriptedFiles.Saved>
  /** Whether a click opens a file dialog. It is a field for files otherwise. */
  readonly opensDialog?: boolean
  /** How often the wheel must be turned before it is there. */
  readonly afterTicks?: number
  /** When it is a row: the texts of its parts, by their path in the row. */
  readonly parts?: Readonly<Record<string, string>>
  /** The appearance, beside the text. */
  readonly looks?: ScriptedInspection.ScriptedAppearance
  /** Its attributes, beside those that follow from its other fields. */
  readonly attributes?: Readonly<Record<string, string>>
  /** The form that it belongs to: elements of one form have the same address and method. */
  readonly form?: { readonly address: string; readonly method?: string }
  /** The address of the frame that contains the element. */
  readonly frame?: string
  /** When it lies over the page: the element it covers, and its buttons. */
  readonly over?: ScriptedInspection.ScriptedOverlay
  /** The selectors of elements that a click removes. */
  readonly removes?: ReadonlyArray<string>
  /** The number of lookups before the element appears. */
  readonly late?: number
  /** The time after the page is shown at which the element appears, in milliseconds. */
  readonly appearsAfter?: number
  /** Whether it comes then with the answer to a request of the page, which reads of a settled page wait for. */
  readonly isLoaded?: true
}

/** Pages by their address. */
export type ScriptedSite = Readonly<Record<string, ReadonlyArray<ScriptedElement>>>

/** The network of a site beside its pages. */
export interface ScriptedNetwork {
  /** The addresses that cannot be loaded, with the status of the answer or another failure. */
  readonly failing?: Readonly<Record<string, number | PageFailure>>
  /** The addresses that ask for HTTP authentication, with the name and the password that they accept. */
  readonly signIns?: Readonly<Record<string, { readonly userName: string; readonly password: string }>>
  /** The requests of a page when it is shown, by the address of the page. */
  readonly asked?: Readonly<Record<string, ReadonlyArray<Partial<Exchange> & Pick<Exchange, "url">>>>
  /** The answers to requests of runs. */
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
          const memory = yield* Ref.make<StoredState>({ cookies, localStorage, sessionStorage })
          const windows = yield* ScriptedTabs.make(
            state,
            ({ watchers }) => ({ ...blank, watchers }),
            (to, { watchers }) => ({ ...to, watchers })
          )
          const visited = new Set<string>()
          const authenticator = yield* Ref.make<Held | null>(null)
          const files = yield* ScriptedFiles.make
          const credentials = new Map<string, HttpCredential>()
          return assembled({ site, network, state, memory, windows, files, visited, authenticator, credentials })
        })
    })
  )

type Watcher = Parameters<BrowserSession["observation"]["watchNetwork"]>

interface State {
  readonly history: ReadonlyArray<string>
  /** The instant at which the page was shown. */
  readonly since: number
  readonly events: ReadonlyArray<PageEvent>
  readonly fields: Readonly<Record<string, string>>
  readonly focus: string | null
  readonly refusals: number
  readonly removed: ReadonlyArray<string>
  /** The number of searches for an element that found none. */
  readonly misses: number
  readonly watchers: ReadonlyArray<Watcher>
  /** The number of turns of the wheel on the page. */
  readonly ticks: number
  /** Whether the page was not shown because it asks for HTTP authentication. */
  readonly asksSignIn: boolean
}

const blank: State = {
  history: [],
  since: 0,
  events: [],
  fields: {},
  focus: null,
  refusals: 0,
  removed: [],
  misses: 0,
  watchers: [],
  ticks: 0,
  asksSignIn: false
}

/** The passkey of an authenticator, and its uses by pages. */
interface Held {
  readonly passkey: Passkey | null
  readonly signed: Deferred.Deferred<void>
  readonly made: Deferred.Deferred<Passkey>
}

/** The parts of a session. */
interface Parts {
  readonly site: ScriptedSite
  readonly network: ScriptedNetwork
  readonly state: Ref.Ref<State>
  readonly memory: Ref.Ref<StoredState>
  readonly windows: ScriptedTabs.ScriptedTabs
  readonly files: Effect.Success<typeof ScriptedFiles.make>
  /** The hosts that were visited. */
  readonly visited: Set<string>
  /** The authenticator that is open. */
  readonly authenticator: Ref.Ref<Held | null>
  /** The credentials for HTTP authentication, by their origin. */
  readonly credentials: Map<string, HttpCredential>
}

/** An element as it is at a moment. */
interface Shown extends Omit<ScriptedElement, "text"> {
  readonly text?: string
}

const addressOf = ({ history }: State): string => history.at(-1) ?? "about:blank"

/** The elements of the page of a state. One that asks for HTTP authentication has none. */
const elementsOf = (site: ScriptedSite, at: State): ReadonlyArray<ScriptedElement> =>
  at.asksSignIn ? [] : (site[addressOf(at)] ?? [])

const heldBy = ({ selector, text = "", value }: Omit<Shown, "options">, { fields }: State): string =>
  fields[selector] ?? value ?? text

/** What is read of an element. A field that hides what it holds tells only that it holds something. */
const textOf = (element: Omit<Shown, "options">, state: State): string => {
  const held = heldBy(element, state)
  return element.type === "password" && held !== "" ? "[secret]" : held
}

/** What an act on an element would do. */
const factsIn = (element: Shown, all: ReadonlyArray<Shown>, state: State): ElementFacts => {
  const { attributes = {}, form, frame, leadsTo, looks, opens, options, text = "", type, value } = element
  const isField = value !== undefined || options !== undefined
  const others = all.filter((one) => form !== undefined && one.form?.address === form.address)
  return {
    address: frame ?? addressOf(state),
    tag: looks?.tag ?? (isField ? "input" : leadsTo === undefined ? "button" : "a"),
    text: isField ? "" : text,
    attributes: Object.entries({ ...(type === undefined ? {} : { type }), ...attributes })
      .map(([name, value]) => ({ name, value }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    link:
      leadsTo === undefined && opens === undefined
        ? null
        : { address: leadsTo ?? opens ?? "", window: opens === undefined ? "" : "_blank" },
    form:
      form === undefined
        ? null
        : {
            address: form.address,
            method: form.method ?? "post",
            window: "",
            fields: others.flatMap((one) => {
              if (one.value === undefined && one.options === undefined) return []
              const kind = one.type === "password" ? "secret" : one.hidden === true ? "hidden" : "shown"
              return [{ name: one.selector, value: heldBy(one, state), kind } as const]
            })
          }
  }
}

const escape = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** The request of a browser that shows a page. */
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

const inBytes = (exchange: Exchange): Exchange => ({
  ...exchange,
  body: null,
  bytes: exchange.bytes ?? (exchange.body === null ? null : new TextEncoder().encode(exchange.body))
})

const remember = (before: StoredState, more: Partial<StoredState>): StoredState => {
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

/** Opens addresses, and reports the requests to network observers. */
const going = ({ credentials, network, site, state, visited }: Parts) => {
  const tell = (watchers: ReadonlyArray<Watcher>, exchange: Exchange): void => {
    for (const [ended, { begun, bytes = false } = {}] of watchers) {
      begun?.(exchange)
      ended(bytes ? inBytes(exchange) : exchange)
    }
  }
  const show = Effect.fnUntraced(function* (history: ReadonlyArray<string>) {
    const since = yield* Clock.currentTimeMillis
    yield* Ref.update(state, ({ watchers }) => ({ ...blank, watchers, history, since }))
  })
  const isLetIn = (url: string): boolean => {
    const wanted = network.signIns?.[url]
    const given = credentials.get(new URL(url).origin)
    if (wanted === undefined) return true
    return (
      given !== undefined &&
      Redacted.value(given.userName) === wanted.userName &&
      Redacted.value(given.password) === wanted.password
    )
  }
  return {
    goto: Effect.fnUntraced(function* (url: string) {
      if (!/^https?:/.test(url)) {
        const reason = `addresses with ${new URL(url).protocol} are not allowed, only http: and https:`
        return yield* new PageFailure({ kind: "forbidden", reason })
      }
      const failing = network.failing?.[url] ?? (Object.hasOwn(site, url) ? null : 404)
      const { history, watchers } = yield* Ref.get(state)
      const now = yield* Clock.currentTimeMillis
      if (!isLetIn(url)) {
        tell(watchers, loading(url, now, 401))
        yield* show([...history, url])
        yield* Ref.update(state, (shown) => ({ ...shown, asksSignIn: true }))
        return yield* new PageFailure({ kind: "auth", reason: "the site asks for a name and a password" })
      }
      if (failing === null || typeof failing === "number") tell(watchers, loading(url, now, failing ?? 200))
      else tell(watchers, { ...loading(url, now, 0), status: null, failure: failing.reason })
      for (const one of network.asked?.[url] ?? []) {
        tell(watchers, { ...loading(url, now, 200), resourceType: "xhr", ...one })
      }
      if (failing !== null) return yield* typeof failing === "number" ? ofStatus(failing) : failing
      visited.add(new URL(url).host)
      yield* show([...history, url])
    }),
    back: Effect.flatMap(Ref.get(state), ({ history }) => show(history.slice(0, -1)))
  }
}

/** Finds elements, as those who look for them would. */
const finding = ({ site, state }: Parts) => {
  const now = Effect.zip(Ref.get(state), Clock.currentTimeMillis)
  const all = Effect.map(Ref.get(state), (at) => elementsOf(site, at))
  const elements: Effect.Effect<ReadonlyArray<Shown>> = Effect.map(now, ([at, instant]) =>
    elementsOf(site, at)
      .filter(
        ({ afterTicks = 0, appearsAfter = 0, late = 0, selector }) =>
          afterTicks <= at.ticks &&
          at.misses >= late &&
          instant >= at.since + appearsAfter &&
          !at.removed.includes(selector)
      )
      .map(({ text, ...element }) =>
        text === undefined ? element : { ...element, text: typeof text === "string" ? text : text(at.events) }
      )
  )
  const visible = Effect.map(elements, (there) => there.filter(({ hidden }) => hidden !== true))

  /** How long it takes until another element appears that a selector means; `null` when none will. */
  const comingIn = Effect.fnUntraced(function* (selector: string) {
    const [{ since }, instant] = yield* now
    const coming = (yield* all).flatMap((one) =>
      one.selector === selector && (one.appearsAfter ?? 0) + since > instant ? [(one.appearsAfter ?? 0) + since] : []
    )
    return coming.length === 0 ? null : Math.min(...coming) - instant
  })

  /** Fails if a guard refuses the site of an element. */
  const guarded = Effect.fnUntraced(function* (guard: Guard | undefined, element: Shown | undefined) {
    const isShown = guard?.hiddenOnly !== undefined && element?.type !== "password"
    const foreign = guard?.(element?.frame ?? addressOf(yield* Ref.get(state))) ?? null
    const reason = foreign ?? (isShown ? (guard?.hiddenOnly ?? null) : null)
    if (reason !== null) return yield* new PageFailure({ kind: "foreign", reason })
  })

  const factsOf = Effect.fnUntraced(function* (element: Shown) {
    return factsIn(element, yield* elements, yield* Ref.get(state))
  })

  /** The single matching element, also if it is hidden. */
  const present = Effect.fnUntraced(function* ({ first, guard, selector, unchanged, waitMillis }: ElementQuery) {
    const parsed = Selector.parse(selector)
    if (parsed.kind === "refused") {
      const reason = `it cannot be read as a selector: ${parsed.reason}`
      return yield* new PageFailure({ kind: "selector", reason, selector })
    }
    for (let left = waitMillis; ; ) {
      // Asked first, so that an element that appears in between is found.
      const coming = yield* comingIn(selector)
      const there = yield* elements
      const found = there.filter((element) => element.selector === selector)
      const [only] = found
      if (only !== undefined && (found.length === 1 || first === true)) {
        yield* guarded(guard, only)
        // One look at the page: nothing changes between the comparison and the act.
        const change = unchanged === undefined ? null : changeOf(unchanged, factsIn(only, there, yield* Ref.get(state)))
        if (change !== null) {
          return yield* new PageFailure({ kind: "changed", reason: `${change} has changed`, selector })
        }
        return only
      }
      if (coming === null || coming > left) {
        yield* Ref.update(state, (before) => ({ ...before, misses: before.misses + 1 }))
        const reason = `${found.length} elements match after ${waitMillis} ms, expected exactly 1`
        return yield* new PageFailure({ kind: "mismatch", reason, selector, matched: found.length })
      }
      left -= coming
      yield* Effect.sleep(Math.max(1, coming))
    }
  })

  /** The same, which must be of use: to be seen, enabled, and under nothing else. */
  const usable = Effect.fnUntraced(function* (query: ElementQuery) {
    const { selector, waitMillis } = query
    const isCovered = (yield* visible).some(({ over }) => over?.covers.includes(selector) === true)
    const element = isCovered ? null : yield* present(query)
    if (element !== null && element.hidden !== true && element.disabled !== true) return element
    const reason = `the element did not become visible, enabled and still within ${waitMillis} ms`
    return yield* new PageFailure({ kind: "unusable", reason, selector, matched: 1 })
  })

  return { all, comingIn, elements, factsOf, guarded, present, usable, visible }
}

type Finding = ReturnType<typeof finding>

const happens = (state: Ref.Ref<State>, ...events: ReadonlyArray<PageEvent>) =>
  Ref.update(state, (now) => ({ ...now, events: [...now.events, ...events] }))

/** Drags elements. */
const dragging = ({ state }: Parts, { present, usable }: Finding) =>
  ({
    drag: Effect.fnUntraced(function* (query, { keys, to }) {
      const target = to.kind === "element" ? yield* present(to.query) : null
      const { selector, text = "" } = yield* usable(query)
      switch (to.kind) {
        case "element":
          return yield* happens(state, { type: "drop", selector: target?.selector ?? null, value: selector, keys })
        case "path": {
          const moves = to.points.map((by) => ({ type: "mousemove", selector, by, keys }) as const)
          return yield* happens(state, { type: "mousedown", selector }, ...moves, { type: "mouseup", selector })
        }
        case "text":
          if (text.includes(to.text)) return yield* happens(state, { type: "select", selector, value: to.text })
          return yield* new PageFailure({
            kind: "unusable",
            reason: "the element does not show the text to select",
            selector
          })
      }
    })
  }) satisfies Partial<Elements>

/** The events that each kind of click sends to its element. */
const eventsOf = {
  click: ["click"],
  double_click: ["click", "click", "dblclick"],
  triple_click: ["click", "click", "dblclick", "click"],
  right_click: ["contextmenu"],
  middle_click: ["mousedown", "mouseup", "auxclick"],
  hover: [],
  press: ["mousedown"],
  release: ["mouseup"]
} as const

/** Follows a link, also to a page that requires HTTP authentication. */
const follow = (parts: Parts, url: string) =>
  going(parts)
    .goto(url)
    .pipe(
      Effect.catchIf(
        ({ kind }) => kind === "auth" && parts.network.signIns?.[url] !== undefined,
        () => Effect.void
      ),
      Effect.mapError((failure) => new PageFailure({ ...failure, acted: true }))
    )

/** Answers the passkey request of an element with the open authenticator. */
const usePasskey = Effect.fnUntraced(function* (
  { authenticator, state }: Parts,
  { asksPasskey, makesPasskey, selector }: Shown
) {
  const held = yield* Ref.get(authenticator)
  if (held === null) return
  const says = (value: "made" | "used" | "refused") => happens(state, { type: "passkey", selector, value })
  if (asksPasskey !== undefined) {
    const isHeld = held.passkey?.rpId === asksPasskey
    if (isHeld) yield* Deferred.succeed(held.signed, undefined)
    yield* says(isHeld ? "used" : "refused")
  }
  if (makesPasskey !== undefined && held.passkey === null) {
    yield* Deferred.succeed(held.made, makesPasskey)
    yield* says("made")
  }
})

/** Clicks, types, chooses and uploads. */
const acting = (parts: Parts, { elements, guarded, present, usable }: Finding) => {
  const { files, memory, state, windows } = parts
  const { goto } = going(parts)

  const setField = (selector: string, change: (before: string) => string, initial = "") =>
    Ref.update(state, (now) => {
      const value = change(now.fields[selector] ?? initial)
      const event = { type: "input", selector, value } as const
      return { ...now, focus: selector, events: [...now.events, event], fields: { ...now.fields, [selector]: value } }
    })

  /** Applies the effects of a click. */
  const clicked = Effect.fnUntraced(function* (element: Shown) {
    const { closes, leadsTo, leaves, opens, opensDialog, removes, saves, says, selector, value } = element
    if (value !== undefined) yield* Ref.update(state, (now) => ({ ...now, focus: selector }))
    if (removes !== undefined) yield* Ref.update(state, (now) => ({ ...now, removed: [...now.removed, ...removes] }))
    if (says !== undefined) yield* windows.says(says)
    if (saves !== undefined) yield* files.saves(saves)
    yield* usePasskey(parts, element)
    if (opensDialog === true) yield* files.opensDialog
    if (closes === true) yield* windows.closeTab(null)
    if (opens !== undefined) {
      yield* windows.openTab
      yield* goto(opens)
    }
    if (leaves !== undefined) yield* Ref.update(memory, (before) => remember(before, leaves))
    if (leadsTo !== undefined) yield* follow(parts, leadsTo)
  })

  const click: Elements["click"] = Effect.fnUntraced(function* (query, kind, gesture, aim) {
    const element = yield* usable(query)
    const { selector } = element
    for (const _ of gesture?.moves ?? []) yield* happens(state, { type: "mousemove", selector: null })
    yield* happens(
      state,
      { type: "mouseenter", selector },
      ...eventsOf[kind].map((type) => ({ type, selector, keys: aim?.keys ?? [] }))
    )
    if (kind === "click" || kind === "double_click") yield* clicked(element)
  })

  return {
    click,
    clickToCopy: Effect.fnUntraced(function* (query, kind, gesture, aim) {
      const { copies, selector } = yield* usable(query)
      yield* click(query, kind, gesture, aim)
      if (copies !== undefined && copies.length <= maxCopied) return copies
      const reason =
        copies === undefined
          ? `the page copied nothing within ${query.waitMillis} ms after the click`
          : `the page copied ${copies.length} characters: at most ${maxCopied} are taken`
      return yield* new PageFailure({ kind: "unusable", reason, selector, acted: true })
    }),
    type: Effect.fnUntraced(function* (query, { existing, guard, strokes }) {
      const selector = query === null ? (yield* Ref.get(state)).focus : (yield* usable(query)).selector
      if (selector === null) return
      const field = (yield* elements).find((element) => element.selector === selector)
      yield* guarded(guard, field)
      const typed = strokes.map((stroke) => (typeof stroke === "string" ? stroke : "")).join("")
      yield* setField(selector, (before) => (existing === "keep" ? before + typed : typed), field?.value)
      const keys = strokes.flatMap((stroke) => (typeof stroke === "string" ? [] : [stroke.key]))
      yield* happens(state, ...keys.map((key) => ({ type: "keydown", selector, key }) as const))
      if (field?.takes === undefined || !keys.includes("Enter")) return
      const { leadsTo, values } = field.takes
      if (values === "any" || values.includes((yield* Ref.get(state)).fields[selector] ?? ""))
        return yield* goto(leadsTo)
      yield* Ref.update(state, (now) => ({
        ...now,
        fields: { ...now.fields, [selector]: "" },
        refusals: now.refusals + 1
      }))
    }),
    check: (query, checked) =>
      Effect.flatMap(usable(query), ({ selector }) => setField(selector, () => String(checked))),
    select: Effect.fnUntraced(function* (query, value, fuzzy, by) {
      const { options = [], selector } = yield* usable(query)
      const all = options.map((one) => (typeof one === "string" ? { value: one, text: one, disabled: false } : one))
      const choice = Options.choose(all, value, { by, fuzzy, merges: true })
      if (choice._tag === "Several") {
        const { indexes } = choice
        const reason = Options.several(all, indexes)
        return yield* new PageFailure({ kind: "option", reason, selector, alike: indexes.length })
      }
      const chosen = choice._tag === "None" ? undefined : all[choice.index]
      if (choice._tag === "Found") return yield* setField(selector, () => chosen?.value ?? "")
      const alike = fuzzy ? Options.alikeIn(all, value) : 0
      return yield* new PageFailure({
        kind: "option",
        reason: chosen === undefined ? Options.missing(all, value, fuzzy) : `the option "${chosen.text}" is disabled`,
        selector,
        ...(alike > 1 ? { alike } : {})
      })
    }),
    dropFile: Effect.fnUntraced(function* (query, { fileName }, how = "drop") {
      const { selector, takesDrop } = yield* usable(query)
      if (takesDrop === true) return yield* setField(selector, () => fileName)
      return yield* new PageFailure({
        kind: "upload",
        reason: `the page takes no file that is ${how === "drop" ? "dropped" : "pasted"} there`,
        selector
      })
    }),
    upload: Effect.fnUntraced(function* (query, { fileName }) {
      const selector = query === null ? null : (yield* present(query)).selector
      if (selector !== null) return yield* setField(selector, () => fileName)
      if (yield* files.takesDialog) return yield* setField("", () => fileName)
      return yield* new PageFailure({
        kind: "upload",
        reason:
          "no file dialog is open: expected a CLICK before it that opens one, or the selector of the field for files"
      })
    })
  } satisfies Partial<Elements>
}

const carryOut = (plan: ExtractionPlan, all: ReadonlyArray<Shown>, now: State, row: Shown | null): Schema.Json => {
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
      const text = row === null ? own : plan.path === null || plan.path === "." ? row.text : row.parts?.[plan.path]
      if (text === undefined) return null
      return plan.type === "string" ? text : { text, lang: "", struck: "none" }
    }
  }
}

/** The state of a selector. The text of `//body` is that of the whole page. */
const stateOf = (selector: string, all: ReadonlyArray<Shown>, now: State): ElementState => {
  const found = all.filter((element) => element.selector === selector)
  const shown = found.filter(({ hidden }) => hidden !== true)
  const first = shown[0] ?? found[0]
  if (first === undefined && selector === "//body") {
    const text = all.flatMap((one) => (one.hidden === true ? [] : [one.text ?? ""])).join("\n")
    return { ...nothing, matched: 1, visible: 1, text }
  }
  if (first === undefined) return nothing
  const isField = first.value !== undefined || first.options !== undefined || Object.hasOwn(now.fields, selector)
  const text = heldBy(first, now)
  const option = first.options?.find((one) => typeof one !== "string" && one.value === text)
  return {
    matched: found.length,
    visible: shown.length,
    text: isField ? "" : text,
    otherTexts: isField ? [] : shown.slice(1).map((one) => heldBy(one, now)),
    values: [...(typeof option === "object" ? [option.text] : []), ...(isField ? [text] : [])],
    isSecret: first.type === "password"
  }
}

/** Reads once everything that the page loads is there. */
const settling = ({ state }: Parts, { all }: Finding): Settles => ({
  over: () => Effect.void,
  settled: Effect.fnUntraced(function* <A>(read: Effect.Effect<A, PageFailure>, { isThere, waitMillis }: Settling<A>) {
    const until = (yield* Clock.currentTimeMillis) + waitMillis
    while (true) {
      const now = yield* Clock.currentTimeMillis
      const { since } = yield* Ref.get(state)
      const coming = (yield* all)
        .filter(({ appearsAfter = 0, isLoaded }) => isLoaded === true && since + appearsAfter > now)
        .map(({ appearsAfter = 0 }) => since + appearsAfter)
      const isOver = now >= until
      if (coming.length === 0 || isOver) {
        const found = yield* read
        return { found, unsure: coming.length > 0 && isThere(found) !== "all", declared: null }
      }
      yield* Effect.sleep(Math.max(1, Math.min(until, ...coming) - now))
    }
  })
})

/** The failure of a path of one value outside of a list that selects elements with different texts. */
const severalIn = (plan: ExtractionPlan, all: ReadonlyArray<Shown>, now: State): PageFailure | null => {
  if (plan.kind === "object") {
    const failures = Object.values(plan.fields).map((field) => severalIn(field, all, now))
    return failures.find((failure) => failure !== null) ?? null
  }
  if (plan.kind !== "value" || plan.first === true || plan.path === null) return null
  const selector = plan.path
  const shown = all.filter((element) => element.selector === selector).map((element) => textOf(element, now))
  const other = shown.find((text) => text !== shown[0])
  if (other === undefined) return null
  const texts = [shown[0] ?? "", other]
  return new PageFailure({ kind: "mismatch", reason: severalShow, selector, matched: shown.length, texts })
}

/** Reads the content of elements. */
const reading = ({ state }: Parts, { comingIn, elements, visible }: Finding) => {
  const readEach = Effect.fnUntraced(function* ({ selector, waitMillis }: ElementQuery) {
    for (let left = waitMillis; ; ) {
      // Asked first, so that an element that appears in between is found.
      const coming = yield* comingIn(selector)
      const found = (yield* elements).filter((element) => element.selector === selector)
      const seen = found[0]?.hidden === true ? found : found.filter(({ hidden }) => hidden !== true)
      const now = yield* Ref.get(state)
      if (found.length > 0) return [...new Set(seen.map((element) => textOf(element, now)))]
      if (coming === null || coming > left) return []
      left -= coming
      // A timer may end slightly early by the clock: then sleep again.
      yield* Effect.sleep(Math.max(1, coming))
    }
  })
  return {
    readEach,
    read: (query: ElementQuery) => Effect.map(readEach(query), ([first]) => first ?? null),
    extract: (plan: ExtractionPlan) =>
      Effect.flatMap(Effect.zip(elements, Ref.get(state)), ([all, now]) => {
        const several = severalIn(plan, all, now)
        return several === null ? Effect.succeed(carryOut(plan, all, now, null)) : Effect.fail(several)
      }),
    readable: (selector: string | null, { maxCharacters }: Parameters<Elements["readable"]>[1]) =>
      Effect.map(Effect.zip(visible, Ref.get(state)), ([all, now]) => {
        const shown = all.filter((element) => selector === null || element.selector === selector)
        const html = shown.flatMap((one) => (one.type === "password" ? [] : [`<p>${textOf(one, now)}</p>`])).join("")
        return { html: html.slice(0, maxCharacters), cut: html.length > maxCharacters }
      }),
    states: Effect.fnUntraced(function* (selectors: ReadonlyArray<string>) {
      const all = yield* elements
      const now = yield* Ref.get(state)
      return yield* Effect.forEach(selectors, (selector) => {
        const parsed = Selector.parse(selector)
        if (parsed.kind !== "refused") return Effect.succeed(stateOf(selector, all, now))
        const reason = `it cannot be read as a selector: ${parsed.reason}`
        return Effect.fail(new PageFailure({ kind: "selector", reason, selector }))
      })
    }),
    inspect: (selector: string) =>
      Effect.map(Effect.zip(elements, Ref.get(state)), ([all, now]) => {
        const found = all.filter((element) => element.selector === selector)
        const [first] = found
        return {
          matched: found.length,
          split: false,
          shown: first !== undefined && first.hidden !== true && first.disabled !== true,
          empty: first === undefined || textOf(first, now) === "",
          complaint: now.refusals === 0 ? "" : `Wrong code ${now.refusals}`,
          document: String(now.history.length),
          loading: false
        }
      })
  }
}

const wheelOf = (direction: Direction) => {
  const distance = direction === "up" || direction === "left" ? -wheelPixels : wheelPixels
  return direction === "up" || direction === "down" ? { x: 0, y: distance } : { x: distance, y: 0 }
}

/** Turns the wheel. */
const scrolling = ({ state }: Parts, { all, present }: Finding) => {
  const turn = (ticks: number) => Ref.update(state, (now) => ({ ...now, ticks: Math.max(now.ticks + ticks, 0) }))
  const end = Effect.map(all, (elements) => Math.max(0, ...elements.map(({ afterTicks = 0 }) => afterTicks)))

  /** Turns the wheel until an element appears, if it ever does. */
  const turnTo = Effect.fnUntraced(function* (selector: string, waitMillis: number) {
    const hidden = (yield* all).find((element) => element.selector === selector)?.afterTicks ?? 0
    yield* turn(Math.max(hidden - (yield* Ref.get(state)).ticks, 0))
    yield* present({ selector, waitMillis })
  })

  return {
    scroll: Effect.fnUntraced(function* (scroll, waitMillis) {
      switch (scroll.kind) {
        case "wheel": {
          const { selector } = yield* present({ selector: scroll.selector, waitMillis })
          const by = wheelOf(scroll.direction)
          const turns = Array.from({ length: scroll.ticks }, () => ({ type: "wheel", selector, by }) as const)
          return yield* happens(state, ...turns)
        }
        case "ticks":
          return yield* turn(scroll.direction === "up" || scroll.direction === "left" ? -scroll.ticks : scroll.ticks)
        case "element":
          return yield* turnTo(scroll.selector, waitMillis)
        case "find":
          yield* present({ selector: scroll.container, waitMillis })
          return yield* turnTo(scroll.selector, waitMillis)
        case "end":
          yield* present({ selector: scroll.container, waitMillis })
          return yield* turn(yield* end)
      }
    }),
    turn: Effect.fnUntraced(function* (direction) {
      const before = (yield* Ref.get(state)).ticks
      const after = Math.min(Math.max(before + (direction === "up" ? -1 : 1), 0), yield* end)
      yield* turn(after - before)
      return after !== before
    })
  } satisfies Partial<Elements>
}

/** Requests that a run makes itself. */
const requesting =
  ({ network }: Parts): BrowserSession["navigation"]["request"] =>
  (asked) => {
    if (network.answer === undefined) {
      return Effect.fail(new RequestFailed({ kind: "unreachable", reason: "no server answers at this address" }))
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
  }

const assembled = (parts: Parts): BrowserSession => {
  const { files, memory, state, visited, windows } = parts
  const { says: _says, ...tabs } = windows
  const found = finding(parts)
  const { all, elements, present, usable, visible } = found
  const address = Effect.map(Ref.get(state), addressOf)
  const { candidates, ...inspecting } = ScriptedInspection.make(elements, visible, address, present)
  const text = Effect.map(visible, (shown) => shown.map(({ text = "" }) => text).join("\n"))
  const { height, width } = ScriptedSight.window
  const picture = ScriptedPicture.jpeg(width, height)
  const verbs: Elements = {
    ...acting(parts, found),
    ...dragging(parts, found),
    ...reading(parts, found),
    ...scrolling(parts, found),
    ...inspecting,
    find: (query) => Effect.asVoid(present(query)),
    facts: Effect.fnUntraced(function* (query) {
      const element = yield* present(query)
      const line = (yield* visible).findIndex(({ selector }) => selector === element.selector)
      const share = ScriptedSight.lineHeight / height
      const box = line < 0 ? null : { x: 0, y: line * share, width: 1, height: share }
      return { facts: yield* found.factsOf(element), box }
    }),
    screenshot: (query, { fullPage, margin = 0 }) =>
      Effect.gen(function* () {
        const { lineHeight } = ScriptedSight
        if (query !== null) {
          yield* usable(query)
          return ScriptedPicture.jpeg(width, lineHeight + 2 * margin)
        }
        // A page is longer by a window for each time that the wheel can be turned on it.
        const ticks = Math.max(0, ...(yield* all).map(({ afterTicks = 0 }) => afterTicks))
        const whole = Math.max(height * (1 + ticks), (yield* visible).length * lineHeight)
        return fullPage ? ScriptedPicture.jpeg(width, whole) : picture
      })
  }
  const sight: ScriptedSight.Scripted = {
    navigation: { address },
    elements: verbs,
    shown: visible,
    focus: Effect.map(Ref.get(state), ({ focus }) => focus),
    textOf: (element) => Effect.map(Ref.get(state), (now) => textOf(element, now))
  }
  return {
    navigation: {
      ...going(parts),
      ...settling(parts, finding(parts)),
      ...tabs,
      address,
      challenge: Effect.map(Ref.get(state), (now) => (now.asksSignIn ? addressOf(now) : null)),
      authenticate: (credential) => Effect.sync(() => void parts.credentials.set(credential.origin, credential)),
      authenticator: (passkey) =>
        Effect.gen(function* () {
          const held = { passkey, signed: yield* Deferred.make<void>(), made: yield* Deferred.make<Passkey>() }
          yield* Ref.set(parts.authenticator, held)
          yield* Effect.addFinalizer(() => Ref.set(parts.authenticator, null))
          return { signed: Deferred.await(held.signed), made: Deferred.await(held.made) }
        }),
      html: () => text,
      clearCookies: Ref.update(memory, (before) => ({ ...before, cookies: [] })),
      visited: Effect.sync(() => new Set(visited)),
      remarks: Effect.succeed([]),
      forgetDownloads: files.forgetDownloads,
      downloadable: files.downloadable,
      download: files.download,
      print: Effect.map(text, files.print),
      request: requesting(parts)
    },
    elements: verbs,
    vision: ScriptedSight.make(sight),
    observation: {
      ...ScriptedSight.hand(sight),
      candidates,
      glimpse: () => Effect.succeed(picture),
      snapshot: ({ maxBytes }) =>
        Effect.gen(function* () {
          const now = yield* Ref.get(state)
          const shown = (yield* visible).map((one) => (one.type === "password" ? "" : textOf(one, now)))
          const all = shown.map((one) => `<p>${escape(one)}</p>`).join("")
          const base = `<base href="${escape(addressOf(now))}">`
          return `<!doctype html><html><head>${base}</head><body>${all}</body></html>`.slice(0, maxBytes)
        }),
      screencast: (_options, show) => show(picture.bytes),
      record: () => Effect.succeed(Option.none()),
      watchNetwork: (...watcher) =>
        Effect.gen(function* () {
          yield* Ref.update(state, (now) => ({ ...now, watchers: [...now.watchers, watcher] }))
          yield* Effect.addFinalizer(() =>
            Ref.update(state, (now) => ({ ...now, watchers: now.watchers.filter((one) => one !== watcher) }))
          )
        }),
      remembered: (wanted) =>
        Effect.map(Ref.get(memory), ({ cookies, localStorage, sessionStorage }) => ({
          cookies,
          localStorage: wantedOf(localStorage, wanted),
          sessionStorage: wantedOf(sessionStorage, wanted)
        }))
    }
  }
}
