/**
 * The isolated world of a page, in which elements are found: the same document with a separate JavaScript environment,
 * which scripts of the page cannot access, and to which the content security policy of the page does not apply.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { BrowserContext, CDPSession, ElementHandle, Frame, Locator, Page } from "playwright-core"
import type { Stirring } from "../../../core/browser/element/Rest.ts"
import { expressionOf } from "../../script/Script.ts"
import { load } from "../driver/Driver.ts"
import type { Job } from "../injected/Engine.ts"
import type { functions, functionsOfAll } from "../injected/Functions.ts"
import { evaluationMillis } from "../injected/find/Limits.ts"
import { Refused } from "../page/Attempt.ts"
import type { Tab } from "../page/Tabs.ts"

/** Maximum time for which a page may block, in milliseconds, unless the limits of its session end earlier. */
const busyMillis = 60_000

const name = "sluice"

/** The engine was registered with Playwright, which is done once. */
let brought: Promise<void> | undefined

/** A name that pages cannot guess, the same for all copies of this module in a process. */
const watcher = `on${createHash("sha256").update(`${process.pid} ${performance.timeOrigin}`).digest("hex")}`

let watching: string | undefined

/** Has every document of a context watched from its beginning. */
export const watch = (context: BrowserContext): Promise<unknown> => {
  watching ??= `${expressionOf(new URL("../settling/Watcher.ts", import.meta.url))}.watch("${watcher}")`
  return context.addInitScript({ content: watching })
}

/**
 * Registers the engine with Playwright, which then has it in the documents of every new context. Only processes that
 * open a browser do so, as linking it takes a while.
 */
export const bring = (): Promise<void> => {
  const engine = () => `${expressionOf(new URL("../injected/Engine.ts", import.meta.url))}.engine("${watcher}")`
  brought ??= load()
    .then(({ selectors }) => selectors.register(name, { content: engine() }, { contentScript: true }))
    .catch((error: Error) => {
      // Another copy of this module has done it.
      if (!error.message.includes("already registered")) throw error
    })
  return brought
}

/** Characters with a meaning in selectors are escaped by their codes. */
const encode = (job: Job): string =>
  `${name}=${JSON.stringify(job).replace(/[>'`]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)}`

/** The elements of a frame that a job asks for. */
export const locator = (frame: Frame, job: Extract<Job, { readonly take: string }>): Locator =>
  frame.locator(encode(job))

/**
 * The element that a function kept in the world of a frame; a lookup gets `gone` if it is no longer in the document.
 */
export const kept = (frame: Frame, name: string): Locator => frame.locator(encode({ kept: name }))

/** Raised when an evaluation was ended because it took too long. */
export const tooSlow = () =>
  new Refused(
    "selector",
    `its evaluation took longer than the limit of ${evaluationMillis} ms for one look at the page`
  )

/** The same element, which a lookup refuses with the signal `special` unless it is a plain field. */
export const plain = (element: Locator): Locator => element.locator(encode({ plain: true }))

/**
 * The element that is pressed for an element, which a lookup waits for while it moves, and refuses with the signal `hover` where
 * the pointer has to be `there` first, and with `area` where it is an area of a picture.
 */
export const pressed = (element: Locator, press: "near" | "there" = "near"): Locator =>
  element.locator(encode({ press }))

/** The tab of a frame. */
type InjectedTab = Pick<Tab, "page" | "devTools">

/** The tab of a page, if only the page is known. */
export const injectedTabOf = (page: Page): InjectedTab => ({ page, devTools: () => page.context().newCDPSession(page) })

/** The subject of a function. */
export interface Subject {
  /** The element to run on, which is waited for. Default: the root of the document. */
  readonly root: Locator
  /** Maximum wait for the element, in milliseconds. */
  readonly waitMillis?: number
}

/** The name of a function of `injected/Functions.ts`. */
export type Name = keyof typeof functions

/** The argument of a function; `null` for one that takes nothing. */
export type Given<N extends Name> = Parameters<(typeof functions)[N]> extends readonly [infer A, ...infer _] ? A : null

export type Answer<N extends Name> = ReturnType<(typeof functions)[N]>

type FunctionsOfAll = typeof functionsOfAll

const jobOf = <N extends Name>(run: N, arg: Given<N>): Job => ({ run, arg })

/** The answer to a job in a frame. */
const answerTo = async <A>(tab: InjectedTab, frame: Frame, job: Job, on?: Subject): Promise<A> => {
  try {
    return await once<A>(frame, job, on)
  } catch (error) {
    if (signalOf(error)?.kind !== "modern") throw toReason(error)
  }
  try {
    await install(tab, frame)
    return await once<A>(frame, job, on)
  } catch (error) {
    throw toReason(error)
  }
}

/**
 * Runs a function of `injected/Functions.ts` in the world of a frame. Elements are kept there under names, for other
 * functions or to act on.
 */
export const run = <N extends Name>(
  tab: InjectedTab,
  frame: Frame,
  act: N,
  arg: Given<N>,
  on?: Subject
): Promise<Answer<N>> => answerTo(tab, frame, jobOf(act, arg), on)

/** Runs a function on an element that Playwright has found, in the world of its frame. */
export const runOn = async <N extends Name>(element: ElementHandle, act: N, arg: Given<N>): Promise<Answer<N>> => {
  const answer = await element.$(encode(jobOf(act, arg)))
  const text = await answer?.textContent()
  await answer?.dispose()
  return read(text)[0]
}

/** The answer of a function, and what was going on in its document. An action that closed its page leaves no answer. */
const read = (answer: string | null | undefined) => JSON.parse(answer || "[null]")

const seen = new WeakMap<Frame, { readonly at: number; readonly stirring: Stirring }>()

/** What was going on in the documents of frames that functions were run in since an instant of the process. */
export const stirringSince = (frames: ReadonlyArray<Frame>, since: number): ReadonlyArray<Stirring> =>
  frames.flatMap((frame) => {
    const one = seen.get(frame)
    return one === undefined || one.at < since ? [] : [one.stirring]
  })

/** Keeps an element that Playwright has found under a name in the world of its frame. */
export const keep = (element: ElementHandle, name: string): Promise<void> => runOn(element, "keep", name)

/** Runs a function on all elements of a frame that there are now, in their order. */
export const runOnAll = async <N extends keyof FunctionsOfAll>(
  tab: InjectedTab,
  frame: Frame,
  act: N,
  arg: Parameters<FunctionsOfAll[N]>[1],
  all: Locator
): Promise<ReturnType<FunctionsOfAll[N]>> => {
  const name = `all ${++gathered}`
  await all.locator(encode({ gather: name })).count()
  return answerTo(tab, frame, { runOnAll: act, arg, gathered: name })
}

let gathered = 0

/** Injects the engine of XPath 3.1 into a document. */
export const install = async (tab: InjectedTab, frame: Frame): Promise<void> => {
  // Opened in advance, because a busy process does not answer a new session.
  if (!lines.has(frame)) lines.set(frame, await lineTo(tab, frame))
  await once(frame, jobOf("install", library()))
}

/** Sessions with the processes of frames that have the engine of XPath 3.1. */
const lines = new WeakMap<Frame, CDPSession>()

const once = async <A>(frame: Frame, wanted: Job, on?: Subject): Promise<A> => {
  const stop = new AbortController()
  const ended: { slow: Promise<void> | null } = { slow: null }
  // The native engine gets only short evaluations, so a page that does not answer is blocked by its own scripts.
  const isBusy = frame.parentFrame() === null && !lines.has(frame)
  const most = (isBusy ? busyMillis : evaluationMillis) + (on?.waitMillis ?? 0)
  const timer = setTimeout(() => {
    stop.abort()
    ended.slow = interrupt(frame)
  }, most + 500)
  try {
    const job = encode(wanted)
    const answer = await (on === undefined ? frame.locator(job) : on.root.locator(job)).textContent({
      timeout: on?.waitMillis ?? most + 5_000,
      signal: stop.signal
    })
    const [result, stirring] = read(answer)
    if (stirring !== undefined) seen.set(frame, { at: performance.now(), stirring })
    return result
  } catch (error) {
    if (ended.slow === null) throw withoutSource(error)
    await ended.slow
    throw tooSlow()
  } finally {
    clearTimeout(timer)
  }
}

/** An error without the function that it names as what was looked for. */
const withoutSource = (error: unknown): unknown => {
  if (error instanceof Error)
    error.message = error.message.replace(/(?<! ) *(?:waiting for )?locator\((['"`]).*$/s, "").trim()
  return error
}

/** Terminates running scripts in the process of a frame, until it answers. */
const interrupt = async (frame: Frame): Promise<void> => {
  const line = lines.get(frame)
  if (line === undefined) return
  let answered = false
  const asked = line.send("Runtime.evaluate", { expression: "1" }).then(
    () => {
      answered = true
    },
    () => undefined
  )
  for (let round = 0; round < 20 && !answered; round++) {
    await line.send("Runtime.terminateExecution").catch(() => undefined)
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 100))])
  }
}

/** A session with the process of a frame, or of the nearest frame around it that has one. */
const lineTo = async (tab: InjectedTab, frame: Frame): Promise<CDPSession> => {
  for (let one: Frame | null = frame; one?.parentFrame() != null; one = one.parentFrame()) {
    try {
      return await tab.page.context().newCDPSession(one)
    } catch {}
  }
  return tab.devTools()
}

/** A signal of the engine in place of elements. */
export interface Signal {
  /**
   * `elsewhere`: nothing in the document, but it has frames, or another window came. `modern`: the engine of XPath 3.1 is needed. `several`: more than
   * one. `gone`: nothing where there was something. `special`: not a plain field. `hover`: what the pointer changes comes first. `area`: of
   * a picture.
   */
  readonly kind: "elsewhere" | "modern" | "several" | "gone" | "special" | "hover" | "area"
}

export const signalOf = (error: unknown): Signal | null => {
  const text = error instanceof Error ? error.message : ""
  const found = /sluice:(elsewhere|modern|several|gone|special|hover|area)/.exec(text)?.[1]
  // The pattern lists the kinds.
  if (found !== undefined) return { kind: found as Signal["kind"] }
  // What the page has put in its place is looked for.
  const isGone = /frame (was|got) detached|Frame has been detached|Element is not attached to the DOM/i.test(text)
  return isGone ? { kind: "gone" } : null
}

/** An error of the engine in words for people. */
export const toReason = (error: unknown): unknown => {
  const text = error instanceof Error ? error.message : ""
  if (text.includes("sluice:slow")) return tooSlow()
  const reason = /sluice:unreadable ([^\n]*)/.exec(text)?.[1]
  return reason === undefined ? error : new Refused("selector", `it cannot be read as a selector: ${reason}`)
}

let source: string | undefined

/** The engine of XPath 3.1 with what it needs, as one expression. */
const library = (): string => {
  if (source !== undefined) return source
  const path = createRequire(import.meta.url).resolve("fontoxpath")
  const beside = createRequire(path)
  const define = (id: string) =>
    `define(${JSON.stringify(id)},(module,exports,require)=>{${readFileSync(id === "fontoxpath" ? path : beside.resolve(id), "utf8")}\n});`
  const modules = ["prsc", "xspattern", "fontoxpath"].map(define).join("")
  source = `(()=>{const loaded={};const define=(id,make)=>{const module={exports:{}};make(module,module.exports,(id)=>loaded[id]);loaded[id]=module.exports};${modules}return loaded.fontoxpath})()`
  return source
}
