/**
 * Finds the elements that selectors match, in the document, its shadow roots and its frames, and acts on the single
 * match.
 *
 * The document alone comes first. Only if nothing matches there, shadow roots and frames are searched, including nested
 * ones and those of other origins, and exactly one element of all of them must match. A path may also lead into a frame
 * or a shadow root directly, as if their content were in their place: `//iframe[@id='a']//button`, `//x-card/button`.
 */
import { Clock, Effect } from "effect"
import type { Frame, Locator } from "playwright-core"
import type { ElementQuery } from "../../../core/browser/element/ElementQuery.ts"
import * as Selector from "../../../core/browser/element/Selector.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import * as ClosedRoots from "../inpage/ClosedRoots.ts"
import * as World from "../inpage/World.ts"
import { liesOver, Refused } from "../page/Attempt.ts"
import type { Tab, Tabs } from "../page/Tabs.ts"
import * as Parsing from "./Parsing.ts"

/** The pauses between attempts while nothing is found, in milliseconds; the last one is repeated. */
const pauses = [20, 50, 100, 100, 200]

/** How long several elements must match on an idle page before the selector counts as ambiguous, in milliseconds. */
const settledMillis = 2_000

/** Minimum time for an action on a found element, in milliseconds. */
const shortestAct = 1_000

/** Timeout of a frame that does not answer, in milliseconds. */
const frameMillis = 2_000

/** Maximum number of searched frames of a page. */
const mostFrames = 200

/** A document in which something is found. */
export interface Place {
  readonly frame: Frame
  /** `own`: the document alone; `whole`: with its shadow roots. */
  readonly where: "own" | "whole"
  readonly matched: number
}

/** The place where a selector was found. */
export interface Sight {
  readonly selector: Selector.Selector
  readonly places: ReadonlyArray<Place>
}

/** All current matches of a selector, in the first scope with a match. */
export const every = async (tab: Tab, text: string): Promise<{ readonly frame: Frame; readonly all: Locator }> => {
  const selector = Selector.parse(text)
  const [place] = (await look(tab, selector)).places
  const { frame, where } = place ?? ({ frame: tab.page.mainFrame(), where: "own" } as const)
  return { frame, all: inPlace({ frame, where }, selector, "all") }
}

/** The result of a function on all elements that a selector matches now, in the first scope with a match. */
export const onEvery = async <N extends Parameters<typeof World.runOnAll>[2]>(
  tab: Tab,
  text: string,
  act: N,
  arg: Parameters<typeof World.runOnAll<N>>[3]
) => {
  const { all, frame } = await every(tab, text)
  return World.runOnAll(tab, frame, act, arg, all)
}

/** The matches of a selector in one scope. */
export const inPlace = (
  { frame, where }: Pick<Place, "frame" | "where">,
  selector: Selector.Selector,
  take: "one" | "first" | "all"
): Locator => {
  if (selector.kind === "xpath") return World.locator(frame, { query: selector.query, where, take })
  const all = frame.locator(selector.kind === "named" ? selector.text : "xpath=/..")
  return take === "first" ? all.first() : all
}

/**
 * Acts on the single match. Waits while no or several elements match, as on a page that is still loading. A failure
 * names the scopes of the matches.
 */
export const onOne = (
  { attempt, current, onTurn }: Tabs,
  target: ElementQuery,
  act: (element: Locator, timeout: number, frame: Frame) => Promise<unknown>
) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const until = began + target.waitMillis
    const several = new Several()
    const selector = Selector.parse(target.selector)
    const take = target.first === true ? "first" : "one"
    const first = current()
    // A separate search would delay those below, which take long in a large document.
    let isMissing = false
    const stopOpening = ClosedRoots.openWhile(current, async (tab) =>
      direct ? total(await look(tab, selector)) === 0 : isMissing
    )
    yield* Effect.addFinalizer(() => Effect.sync(stopOpening))
    let isClosedSearched = false
    let isLastTried = false
    let cover: string | null = null
    // For a plain path in a document without frames, the engine itself waits: one call finds the element.
    let direct =
      selector.kind === "xpath" &&
      selector.frames.length === 0 &&
      selector.query.weight === 0 &&
      target.waitMillis >= shortestAct
    let round = 0
    while (true) {
      const tab = current()
      let place: Place | null = null
      let seen: Sight | null = null
      let isLost = false
      if (!direct) {
        seen = yield* attempt(target.selector, () => look(tab, selector))
        place = theOne(seen, target)
        isMissing = total(seen) === 0
        // Another tab that opened while this one was searched may also be an advertisement.
        if (total(seen) === 0 && tab !== first && !first.isGone()) {
          const before = yield* attempt(target.selector, () => soon(look(first, selector)))
          if (before !== null) place = theOne(before, target)
        }
      }
      if (direct || place !== null) {
        const left = until - (yield* Clock.currentTimeMillis)
        const frame = place?.frame ?? tab.page.mainFrame()
        const visit = ++visits
        const element =
          place !== null || selector.kind !== "xpath"
            ? inPlace(place ?? { frame, where: "own" }, selector, take)
            : World.locator(frame, { query: selector.query, where: "top", take, visit })
        const stop = onTurn(() => void World.run(tab, frame, "leave", visit).catch(() => undefined))
        const done = yield* Effect.result(
          attempt(target.selector, async () => {
            const waited = place === null ? 0 : await Parsing.parsed(frame, left)
            const timeout = Math.max(left - waited, place === null ? 1 : shortestAct)
            return acting(
              keptOnce(tab, frame, selector, element, timeout).then((locator) => act(locator, timeout, frame))
            )
          })
        ).pipe(Effect.ensuring(Effect.sync(stop)))
        if (done._tag === "Failure") {
          if (done.failure.kind !== "mismatch") return yield* done.failure
          if (done.failure.reason.endsWith(liesOver)) cover = done.failure.reason
        }
        // An action that closed its tab is done, and has no result.
        if (done._tag === "Success" && (done.success ?? null) === null) return
        const signal = done._tag === "Success" ? done.success?.kind : undefined
        const wasDirect = direct
        direct = false
        isLost = signal !== undefined
        if (wasDirect && (signal === "elsewhere" || signal === "modern")) continue
      }
      const pause = pauses[Math.min(round++, pauses.length - 1)] ?? 0
      const now = yield* Clock.currentTimeMillis
      if (seen !== null && several.haveSettled(seen, tab, now)) {
        return yield* mismatch({ ...target, waitMillis: now - began }, tab, seen, cover)
      }
      if (now + pause > until) {
        // The element may have come, or have been replaced, at the last moment.
        if (seen === null || (isLost && !isLastTried)) {
          isLastTried = true
          continue
        }
        const isLast = isClosedSearched || total(seen) > 0
        isClosedSearched = true
        if (isLast || !(yield* attempt(target.selector, () => ClosedRoots.open(tab)))) {
          return yield* mismatch(target, tab, seen, cover)
        }
        continue
      }
      yield* Effect.sleep(pause)
    }
  }).pipe(Effect.scoped)

/**
 * Selectors that are looked for by the texts or names of all elements, which takes long in a large document. One that leads into
 * a frame ends in another document than it begins in.
 */
const isCostly = (selector: Selector.Selector): boolean =>
  selector.kind === "named" && /(^|>>)\s*(text|role)=/.test(selector.text) && !selector.text.includes("enter-frame")

let keptElements = 0

/** The element that a locator finds, found once for all that an act asks about it where that takes long. */
const keptOnce = async (
  tab: Tab,
  frame: Frame,
  selector: Selector.Selector,
  element: Locator,
  timeout: number
): Promise<Locator> => {
  if (!isCostly(selector)) return element
  const name = `found ${++keptElements % mostKept}`
  await World.run(tab, frame, "keep", name, { root: element, waitMillis: timeout })
  return World.kept(frame, name)
}

/** How many found elements are kept at a time: each is used by one act. */
const mostKept = 100

/** Detects that several elements stay on an idle page, so that further waiting is useless. */
class Several {
  #matched = 0
  #since = 0

  readonly haveSettled = (seen: Sight, tab: Tab, now: number): boolean => {
    const matched = total(seen)
    const isQuiet = matched > 1 && matched === this.#matched && !tab.isDeparting() && tab.pending.loading(0) === 0
    if (!isQuiet) this.#since = now
    this.#matched = matched
    return isQuiet && now - this.#since >= settledMillis
  }
}

/** The result from an inactive tab; `null` if it does not answer in time. */
const soon = <A>(act: Promise<A>): Promise<A | null> => within(frameMillis, act).catch(() => null)

let visits = 0

/**
 * The options in the one list of a frame that a path matches; `null` if the document alone does not have exactly
 * one, or the selector is not a path.
 */
export const nativeOptions = async (tab: Tab, frame: Frame, text: string) => {
  const selector = Selector.parse(text)
  return selector.kind === "xpath" ? World.run(tab, frame, "nativeOptionsOf", selector.query) : null
}

/** The result of an action: nothing, or a signal to find the element again. */
const acting = (act: Promise<unknown>): Promise<World.Signal | null> =>
  act.then(
    () => null,
    (error: unknown) => {
      const signal = World.signalOf(error)
      if (signal === null) throw World.toReason(error)
      return signal
    }
  )

/** How many elements match in all places together. */
export const total = ({ places }: Sight): number => places.reduce((sum, { matched }) => sum + matched, 0)

const theOne = (seen: Sight, { first }: ElementQuery): Place | null =>
  (first === true ? seen.places[0] : total(seen) === 1 ? seen.places[0] : undefined) ?? null

/** The documents that a selector may match in: only the first if it has a match, or else all of them. */
export const scopes = async (
  tab: Tab,
  selector: Selector.Selector
): Promise<{ readonly first: Frame | null; readonly others: ReadonlyArray<Frame> }> => {
  if (selector.kind === "refused") throw new Refused("selector", `it cannot be read as a selector: ${selector.reason}`)
  const main = tab.page.mainFrame()
  const inside = tab.page.frames().filter((frame) => frame !== main)
  if (selector.kind === "named" || selector.frames.length === 0) return { first: main, others: inside }
  const [way, ...rest] = selector.frames
  let frames = await framesOf(tab, main, way)
  if (frames.length === 0) {
    frames = (await Promise.all(inside.slice(0, mostFrames).map((frame) => framesOf(tab, frame, way)))).flat()
  }
  for (const step of rest) frames = (await Promise.all(frames.map((frame) => framesOf(tab, frame, step)))).flat()
  return { first: null, others: frames }
}

/** Every scope in which a selector matches now. */
export const look = async (tab: Tab, selector: Selector.Selector): Promise<Sight> => {
  const { first, others } = await scopes(tab, selector)
  const count = async (frame: Frame): Promise<{ readonly own: number; readonly whole: number }> => {
    if (selector.kind !== "xpath") {
      const matched = await inPlace({ frame, where: "own" }, selector, "all").count()
      return { own: matched, whole: matched }
    }
    return World.run(tab, frame, "counted", selector.query)
  }
  const top = first === null ? { own: 0, whole: 0 } : await count(first)
  const places = first === null ? [] : placesOf(first, top)
  return { selector, places: top.own > 0 ? places : [...places, ...(await inFrames(others, count))] }
}

const placesOf = (
  frame: Frame,
  { own, whole }: { readonly own: number; readonly whole: number }
): ReadonlyArray<Place> =>
  own > 0 ? [{ frame, where: "own", matched: own }] : whole > 0 ? [{ frame, where: "whole", matched: whole }] : []

const inFrames = async (
  frames: ReadonlyArray<Frame>,
  count: (frame: Frame) => Promise<{ readonly own: number; readonly whole: number }>
): Promise<ReadonlyArray<Place>> => {
  const found = await Promise.all(
    frames.slice(0, mostFrames).map(async (frame) => {
      try {
        return placesOf(frame, await within(frameMillis, count(frame)))
      } catch (error) {
        if (error instanceof Refused) throw error
        // The frame is gone, or does not answer.
        return []
      }
    })
  )
  return found.flat()
}

/** The frames that answer. A request to a busy frame would not return. */
export const answering = async (
  tab: Tab,
  frames: ReadonlyArray<Frame>,
  millis = frameMillis
): Promise<ReadonlyArray<Frame>> => {
  const few = frames.slice(0, mostFrames)
  const answers = await Promise.all(
    few.map((frame) => within(millis, World.run(tab, frame, "answers", null)).catch(() => false))
  )
  return few.filter((_, at) => answers[at] === true)
}

/** The results that arrive in time. */
export const within = async <A>(millis: number, act: Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("late")), millis)
  })
  try {
    return await Promise.race([act, late])
  } finally {
    clearTimeout(timer)
    act.catch(() => undefined)
  }
}

/** The frames that a path leads to. */
const framesOf = async (tab: Tab, frame: Frame, query: Selector.Query | undefined): Promise<ReadonlyArray<Frame>> => {
  if (query === undefined || frame.isDetached()) return []
  const looked = World.run(tab, frame, "counted", query)
  const isMain = frame.parentFrame() === null
  const seen = await (isMain ? looked : within(frameMillis, looked)).catch((error: unknown) => {
    if (error instanceof Refused) throw error
    return { own: 0, whole: 0 }
  })
  const [place] = placesOf(frame, seen)
  if (place === undefined) return []
  const elements = await World.locator(frame, { query, where: place.where, take: "all" }).elementHandles()
  const found = await Promise.all(
    elements.map(async (element) => {
      const inner = await element.contentFrame().catch(() => null)
      await element.dispose()
      return inner
    })
  )
  return found.filter((frame) => frame !== null)
}

const mismatch = (target: ElementQuery, tab: Tab, seen: Sight, cover: string | null): PageFailure => {
  const matched = total(seen)
  const isFound = matched === 1 || (matched > 1 && target.first === true)
  const millis = (target.waitedMillis ?? 0) + target.waitMillis
  const main = tab.page.mainFrame()
  const isElsewhere = seen.places.some(({ frame, where }) => frame !== main || where === "whole")
  const where = seen.places.map(({ frame, matched, where }) => {
    const inside = frame === main ? "the page" : `the frame ${nameOf(frame)}`
    return `${matched} in ${where === "whole" ? `shadow roots of ${inside}` : inside}`
  })
  const more = where.length > 5 ? [...where.slice(0, 5), `and in ${where.length - 5} more`] : where
  return new PageFailure({
    kind: isFound ? "unusable" : "mismatch",
    reason: isFound
      ? `the element did not become visible, enabled and still within ${millis} ms${cover === null ? "" : `: ${cover}`}`
      : `${matched} elements match after ${millis} ms${isElsewhere ? ` (${more.join(", ")})` : ""}, expected exactly 1`,
    selector: target.selector,
    matched
  })
}

/** The name of a frame for messages: its name, or its address without secrets. */
const nameOf = (frame: Frame): string => {
  const address = frame.url().replace(/[?#].*$/s, "")
  return frame.name() === "" ? address : `"${frame.name()}" (${address})`
}
