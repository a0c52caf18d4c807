/**
 * The requests of a tab that have not ended, and which of them something is waited for.
 */
import type { Page, Request, Response } from "playwright-core"
import { getDomain } from "tldts"

/** What a wait is about. */
export interface Wait {
  /** Whether what was waited for is there: then requests to other sites, and those that wait for news, matter less. */
  readonly isThere: boolean
  /** The requests that matter; all of them when left out. */
  readonly only?: (request: Request) => boolean
}

export interface Pending {
  /** How many requests have not ended that began since an instant, those of pictures and styles included. */
  readonly loading: (since: number) => number
  /** The requests that are waited for. */
  readonly awaited: (wait: Wait) => ReadonlyArray<Request>
  /** Executed when one begins or ends, once; at the latest after a time in milliseconds. */
  readonly changed: (millis: number) => Promise<void>
  /** A number that grows with each document of the tab. */
  readonly document: () => number
  /** A number that grows with each request that begins or ends and may change what the page shows. */
  readonly version: () => number
  /** The instant at which the last of these ended; 0 where none did since the document was parsed. */
  readonly lastEnd: () => number
  /** When the last answer began, by the clock of the browser, as its documents have it. */
  readonly lastAnswer: () => number
  /** When the last ones ended, by the same clock. */
  readonly answers: () => ReadonlyArray<number>
  /** The instant at which the page last began to listen to a stream; 0 where it does not. */
  readonly lastStream: () => number
  /** Notes that something is being done to the page. What has been under way for long by now was not begun by it. */
  readonly act: () => void
  /** Notes that requests were waited for in vain: those that have been on their way for long are never waited for again. */
  readonly giveUp: () => void
  /** Notes that what the last act began is over. */
  readonly rest: () => void
  /** Whether what the last act began may not be over. */
  readonly isStirred: () => boolean
  /** The instant of the last act; 0 before the first one. */
  readonly lastAct: () => number
}

/**
 * A request that has been on its way for so long when an act begins, or the wait for it ends, waits for news, or hangs; in
 * milliseconds.
 */
const longMillis = 5_000

/** How long a request to another site is waited for once what is wanted is there, in milliseconds. */
const foreignMillis = 5_000

/**
 * How long the browser may take to say that it saves what a navigation got: the navigation is aborted before that, and before
 * its answer is known at times. In milliseconds.
 */
const savingMillis = 2_000

/** The statuses of answers after which the page stays. */
const hasNoContent: ReadonlySet<number> = new Set([204, 205])

/** How many answers are remembered: timers that they begin are waited for. */
const mostAnswers = 50

/** Addresses that answer when there is news. */
const waitsForNews = /(^|[/?&=._-])(long-?poll(ing)?|polling|comet|cometd|socket\.io|sockjs|signalr)([/?&=._-]|$)/i

const counts = /^(document|xhr|fetch|script|stylesheet|image)$/
const matters = /^(document|xhr|fetch|script)$/

/** What is read all the time, and has no end. */
const isStream = (response: Response): boolean =>
  /^(text\/event-stream|multipart\/x-mixed-replace)/i.test(response.headers()["content-type"] ?? "")

interface Entry {
  readonly began: number
  /** Whether it may change what the page shows. It does not where it asks again what was answered since the last act. */
  readonly isAwaited: boolean
}

/** The addresses that never answered, by the context of their session. */
const endless = new WeakMap<object, Set<string>>()

const endlessOf = (page: Page): Set<string> => {
  const known = endless.get(page.context()) ?? new Set<string>()
  endless.set(page.context(), known)
  return known
}

/** Starts to follow a tab. */
export const follow = (page: Page): Pending => {
  const pending = new Map<Request, Entry>()
  const answered = new Set<string>()
  /** The requests whose answer has nothing that the browser could save. */
  const isEmpty = new WeakSet<Request>()
  const never = endlessOf(page)
  let listeners: Array<() => void> = []
  let [documents, version, lastEnd, lastAnswer, lastStream, lastAct] = [0, 0, 0, 0, 0, 0]
  let answers: ReadonlyArray<number> = []
  let isStirred = false
  let asked: Request | null = null

  const tell = (): void => {
    version++
    const all = listeners
    listeners = []
    for (const one of all) one()
  }
  const giveUp = (which: (request: Request) => boolean): void => {
    const now = Date.now()
    for (const [request, { began }] of pending)
      if (now - began >= longMillis && which(request)) never.add(addressOf(request))
  }
  const end = (request: Request): void => {
    const entry = pending.get(request)
    pending.delete(request)
    if (entry?.isAwaited !== true) return
    lastEnd = Date.now()
    const { responseEnd, responseStart, startTime } = request.timing()
    lastAnswer = Math.max(lastAnswer, startTime + Math.max(responseStart, 0))
    answers = [...answers.slice(1 - mostAnswers), startTime + Math.max(responseEnd, 0)]
    tell()
  }
  page.on("request", (request) => {
    const type = request.resourceType()
    if (type === "eventsource") lastStream = Date.now()
    if (!counts.test(type)) return
    const isAwaited = matters.test(type) && !answered.has(keyOf(request))
    pending.set(request, { began: Date.now(), isAwaited })
    if (request.isNavigationRequest() && frameOf(request) === page.mainFrame()) asked = request
    if (isAwaited) tell()
  })
  page.on("websocket", () => {
    lastStream = Date.now()
  })
  page.on("response", (response) => {
    const request = response.request()
    if (isStream(response)) {
      lastStream = Date.now()
      end(request)
    }
    if (hasNoContent.has(response.status())) isEmpty.add(request)
    // What is accepted, or failed, is asked again for good reason.
    if (response.status() < 400 && response.status() !== 202) answered.add(keyOf(request))
  })
  page.on("requestfinished", end)
  page.on("requestfailed", (request) => {
    const isReplaced = asked !== null && asked !== request
    const isAborted = request.isNavigationRequest() && request.failure()?.errorText === "net::ERR_ABORTED"
    if (!isAborted || isReplaced || isEmpty.has(request)) return end(request)
    const over = (): void => {
      clearTimeout(timer)
      page.off("download", over)
      end(request)
    }
    const timer = setTimeout(over, savingMillis)
    page.on("download", over)
  })
  page.on("framenavigated", (frame) => {
    if (frame !== page.mainFrame() || asked === null) return
    // Those of the document before may never be reported to end.
    const began = pending.get(asked)?.began ?? Date.now()
    for (const [request, one] of pending) if (request !== asked && one.began < began) pending.delete(request)
    asked = null
    lastStream = 0
    answered.clear()
    tell()
  })
  // The scripts that the document waits for have run by now.
  page.on("domcontentloaded", () => {
    documents++
    if (lastEnd > 0 && ![...pending.keys()].some((request) => request.resourceType() !== "document")) lastEnd = 0
  })

  return {
    loading: (since) => [...pending.values()].filter(({ began }) => began >= since).length,
    awaited: (wait) => {
      const now = Date.now()
      const left: Array<Request> = []
      for (const [request, { began, isAwaited }] of pending) {
        if (!isAwaited || isGone(request)) continue
        const address = addressOf(request)
        if (never.has(address) || wait.only?.(request) === false) continue
        if (wait.isThere && now - began >= foreignMillis && isForeign(request, page)) continue
        if (wait.isThere && request.method() === "GET" && waitsForNews.test(request.url())) continue
        left.push(request)
      }
      return left
    },
    changed: (millis) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, millis)
        listeners.push(() => {
          clearTimeout(timer)
          resolve()
        })
      }),
    document: () => documents,
    version: () => version,
    lastEnd: () => lastEnd,
    lastAnswer: () => lastAnswer,
    answers: () => answers,
    lastStream: () => lastStream,
    giveUp: () => giveUp(() => true),
    rest: () => {
      isStirred = false
    },
    isStirred: () => isStirred,
    act: () => {
      isStirred = true
      lastAct = Date.now()
      answered.clear()
      giveUp((request) => request.resourceType() !== "document")
    },
    lastAct: () => lastAct
  }
}

/** Equal for requests that ask the same, but for the instant in them. */
const keyOf = (request: Request): string =>
  `${request.method()} ${request.url().replace(/\d{10,}/g, "")} ${request.postData()?.slice(0, 2_000) ?? ""}`

export const addressOf = (request: Request): string => `${request.method()} ${request.url().replace(/[?#].*$/s, "")}`

/** The frame that asks; `null` for one that is not there yet. */
export const frameOf = (request: Request) => {
  try {
    return request.frame()
  } catch {
    return null
  }
}

const isGone = (request: Request): boolean => frameOf(request)?.isDetached() === true

export const siteOf = (url: string): string => {
  const host = URL.parse(url)?.hostname ?? ""
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}

const isForeign = (request: Request, page: Page): boolean => siteOf(request.url()) !== siteOf(page.url())
