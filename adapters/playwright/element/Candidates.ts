/** The page operations of recoveries, with Playwright. They include frames, also those of other origins. */
import { Effect } from "effect"
import type { Frame } from "playwright-core"
import type { Elements } from "../../../core/browser/Elements.ts"
import type { Appearance } from "../../../core/browser/element/Appearance.ts"
import type { Candidate } from "../../../core/browser/element/Likeness.ts"
import * as Selector from "../../../core/browser/element/Selector.ts"
import type { FieldState, Overlay } from "../../../core/browser/element/Survey.ts"
import type { Observation } from "../../../core/browser/Observation.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Field } from "../injected/look/Complaints.ts"
import type { Inner } from "../injected/look/Frames.ts"
import type { CoveringOverlay } from "../injected/look/Overlays.ts"
import type { SurveyResult as SurveyedDocument } from "../injected/look/Survey.ts"
import * as World from "../inpage/World.ts"
import type { Tab, Tabs } from "../page/Tabs.ts"
import type { Traffic } from "../page/Traffic.ts"
import * as Finder from "./Finder.ts"
import * as Focus from "./Focus.ts"
import { isShown } from "./Visible.ts"

/** Timeout of the check which of a few elements are visible, before each step, in milliseconds. */
const glanceMillis = 5_000

/** Timeout of one frame, in milliseconds: before each step, and for the survey after a failed step. */
const frameMillis = 2_000
const patientMillis = 8_000

/** How often a document is surveyed at most while elements come and go. */
const mostSurveys = 5

/** Maximum number of elements of a document that are examined. */
const mostCandidates = 1_500

/** Maximum number of frames of a page that are examined. */
const mostFrames = 20

/** Maximum number of frames that overlay it, and of nested frames. */
const mostCovering = 5
const deepest = 4

const noAnswer = (millis: number) =>
  new PageFailure({ kind: "unusable", reason: `it did not answer within ${millis} ms` })

/** A page that is examined more closely has `lookMillis` to answer. */
export const make = (
  tabs: Tabs,
  { inProgress }: Traffic,
  lookMillis: number
): Pick<Elements, "describe" | "seen" | "survey"> & Pick<Observation, "candidates"> => {
  const { attempt, current } = tabs
  const bounded = <A>(effect: Effect.Effect<A, PageFailure>, millis = lookMillis): Effect.Effect<A, PageFailure> =>
    Effect.timeoutOrElse(effect, { duration: millis, orElse: () => Effect.fail(noAnswer(millis)) })

  return {
    seen: (selectors) =>
      bounded(
        attempt(null, () => seen(current(), selectors)),
        glanceMillis
      ),
    survey: ({ fields, target }) =>
      bounded(
        attempt(null, async () => {
          const tab = current()
          const survey = await atOnce(tab, target, fields, () => inProgress(tab.page))
          const filled = await fieldsOf(tab, fields)
          const alerts = [...new Set([...survey.alerts, ...filled.alerts])]
          return { ...survey, fields: filled.states, alerts, address: tab.page.url() }
        })
      ),
    describe: (target) =>
      Effect.suspend(() => {
        let appearance: Appearance | null = null
        return Finder.onOne(tabs, target, async (root, waitMillis, frame) => {
          appearance = await World.run(current(), frame, "describe", null, { root, waitMillis })
        }).pipe(
          Effect.flatMap(() =>
            appearance === null ? Effect.fail(noAnswer(target.waitMillis)) : Effect.succeed(appearance)
          )
        )
      }),
    candidates: ({ tag }) => bounded(attempt(null, () => candidates(current(), tag)))
  }
}

const soon = <A>(act: Promise<A>, millis = frameMillis): Promise<A | null> =>
  Finder.within(millis, act).catch(() => null)

const innerFrames = ({ page }: Tab): ReadonlyArray<Frame> =>
  page
    .frames()
    .filter((frame) => frame !== page.mainFrame())
    .slice(0, mostFrames)

/** A selector that leads through a frame; `null` if the two cannot be combined. */
const across = (frame: string, selector: string): string | null =>
  frame === "" ? selector : frame.startsWith("/") && selector.startsWith("/") ? frame + selector : null

/**
 * The selectors with a visible match, in the document that the finder would use: one call for the page, and one per
 * frame for selectors without a match in the document.
 */
const seen = async (tab: Tab, selectors: ReadonlyArray<string>): Promise<ReadonlyArray<number>> => {
  const main = tab.page.mainFrame()
  const frames = innerFrames(tab)
  const found = new Set<number>()
  const parsed = selectors.map((selector) => Selector.parse(selector))
  const paths = parsed.flatMap((selector, index) =>
    selector.kind === "xpath" && selector.frames.length === 0 ? [{ index, query: selector.query }] : []
  )
  const look = async (frame: Frame, among: typeof paths): Promise<ReadonlyArray<0 | 1 | 2>> => {
    if (among.length === 0) return []
    const queries = among.map(({ query }) => query)
    return World.run(tab, frame, "seen", queries)
  }
  const own = await look(main, paths)
  for (const [at, { index }] of paths.entries()) if (own[at] === 2) found.add(index)
  const open = paths.filter((_, at) => own[at] === 0)
  const inside = open.length === 0 ? [] : await Promise.all(frames.map((frame) => soon(look(frame, open))))
  for (const [at, { index }] of open.entries()) {
    // The first frame with a match decides, whether it is visible or not.
    const first = frames[inside.findIndex((states) => (states?.[at] ?? 0) > 0)]
    const isSeen = first !== undefined && inside[frames.indexOf(first)]?.[at] === 2
    if (isSeen && (await soon(isShown(first))) === true) found.add(index)
  }
  for (const [index, selector] of parsed.entries()) {
    if (selector.kind === "refused" || paths.some((path) => path.index === index)) continue
    if (selector.kind === "xpath" && frames.length === 0) continue
    const [place] = (await soon(Finder.look(tab, selector)))?.places ?? []
    if (place === undefined) continue
    const on = { root: Finder.inPlace(place, selector, "first"), waitMillis: frameMillis }
    const isSeen = await soon(World.run(tab, place.frame, "isVisible", null, on))
    if (isSeen === true && (await soon(isShown(place.frame))) === true) found.add(index)
  }
  return [...found].sort((a, b) => a - b)
}

/**
 * The state of the document, with the number of elements that match in that state: when one came or went while the
 * document was surveyed, it is surveyed again. Otherwise a page that was busy a moment ago would look as if it were at
 * rest without the element.
 */
const atOnce = async (tab: Tab, target: string | null, used: ReadonlyArray<string>, inProgress: () => number) => {
  const look = async (): Promise<Finder.Sight | null> =>
    target === null ? null : Finder.look(tab, Selector.parse(target)).catch(() => null)
  const count = (sight: Finder.Sight | null): number => (sight === null ? 0 : Finder.total(sight))
  let sight = await look()
  for (let round = 1; ; round++) {
    const matched = count(sight)
    const survey = await surveyed(tab, matched === 1 ? sight : null, used).catch((error: unknown) => {
      if (World.signalOf(error)?.kind === "gone" && round < mostSurveys) return null
      throw error
    })
    const requests = inProgress()
    const next = survey !== null && matched === 1 ? sight : await look()
    if (survey !== null && (count(next) === matched || round === mostSurveys)) return { ...survey, matched, requests }
    sight = next
  }
}

type Surveyed = Omit<SurveyedDocument["survey"], "overlays"> & { readonly overlays: ReadonlyArray<Overlay> }

/** Surveys the document, and each frame on the path to the sought element. */
const surveyed = async (tab: Tab, sight: Finder.Sight | null, used: ReadonlyArray<string>): Promise<Surveyed> => {
  const main = tab.page.mainFrame()
  const [place] = sight?.places ?? []
  const own = used.flatMap((text) => {
    const selector = Selector.parse(text)
    return selector.kind === "xpath" && selector.frames.length === 0 ? [selector.query] : []
  })
  const nothing = { isSought: false, within: null, own }
  if (sight === null || place === undefined) {
    const { survey } = await World.run(tab, main, "survey", nothing)
    return { ...survey, overlays: await withFrames(tab, main, survey.overlays) }
  }
  const root = Finder.inPlace(place, sight.selector, "one")
  const on = { root, waitMillis: glanceMillis }
  const sought = { isSought: true, own }
  let { middle, survey } = await World.run(tab, place.frame, "survey", { ...sought, within: null }, on)
  const overlays = [...(await withFrames(tab, place.frame, survey.overlays))]
  for (let frame = place.frame, around = frame.parentFrame(); around !== null; around = frame.parentFrame()) {
    const owner = await frame.frameElement()
    await World.keep(owner, "around")
    await owner.dispose()
    const next = { ...sought, within: middle }
    const outer = await World.run(tab, around, "survey", next, { root: World.kept(around, "around") })
    middle = outer.middle
    survey = outer.survey
    const way = await World.run(tab, around, "wayTo", "around")
    const inner = overlays.splice(0).map((overlay) => throughFrame(way?.selector ?? "css=iframe", overlay))
    overlays.push(...(await withFrames(tab, around, survey.overlays)), ...inner)
    frame = around
  }
  return { ...survey, overlays }
}

interface Filled {
  readonly states: ReadonlyArray<FieldState>
  /** Complaints outside of fields in frames. */
  readonly alerts: ReadonlyArray<string>
}

/**
 * Complaints about fields, each in the document that the finder would take it from: one visit to the page, and one to
 * each frame for what is not in the document itself.
 */
const fieldsOf = async (tab: Tab, selectors: ReadonlyArray<string>): Promise<Filled> => {
  const main = tab.page.mainFrame()
  const states: Array<FieldState> = selectors.map(() => ({ shown: false, complaint: "" }))
  const alerts: Array<string> = []
  const parsed = selectors.map((selector) => Selector.parse(selector))
  const paths = parsed.flatMap((selector, index) =>
    selector.kind === "xpath" && selector.frames.length === 0 ? [{ index, query: selector.query }] : []
  )
  const look = (frame: Frame, among: typeof paths) =>
    World.run(tab, frame, "fields", { queries: among.map(({ query }) => query) })
  const keep = async (
    index: number,
    frame: Frame,
    field: Field | undefined,
    beside: ReadonlyArray<string>
  ): Promise<void> => {
    if (field?.shown !== true || (frame !== main && (await soon(isShown(frame))) !== true)) return
    states[index] = { shown: true, complaint: field.complaint }
    if (frame !== main) alerts.push(...beside)
  }

  const own = paths.length === 0 ? null : await look(main, paths)
  for (const [at, { index }] of paths.entries()) await keep(index, main, own?.states[at], [])
  const open = paths.filter((_, at) => own?.states[at]?.matched === 0)
  const frames = open.length === 0 ? [] : innerFrames(tab)
  const inside = await Promise.all(frames.map((frame) => soon(look(frame, open))))
  for (const [at, { index }] of open.entries()) {
    const having = [...inside.keys()].filter((number) => (inside[number]?.states[at]?.matched ?? 0) > 0)
    const [number = -1] = having
    const [frame, answer] = [frames[number], inside[number]]
    if (having.length === 1 && frame !== undefined && answer != null) {
      await keep(index, frame, answer.states[at], answer.alerts)
    }
  }
  const others = parsed.map(async (selector, index) => {
    if (selector.kind === "refused" || paths.some((path) => path.index === index)) return
    const sight = await soon(Finder.look(tab, selector))
    const [place] = sight?.places ?? []
    if (sight === null || place === undefined || Finder.total(sight) !== 1) return
    const on = { root: Finder.inPlace(place, selector, "one"), waitMillis: frameMillis }
    const answer = await soon(World.run(tab, place.frame, "fields", { queries: null }, on))
    await keep(index, place.frame, answer?.states[0], answer?.alerts ?? [])
  })
  await Promise.all(others)
  return { states, alerts }
}

/** An overlay in a frame, with selectors from the parent document. */
const throughFrame = (way: string, overlay: Overlay): Overlay => ({
  ...overlay,
  signature: `${way} ${overlay.signature}`,
  coversPage: false,
  buttons: overlay.buttons.flatMap((button) => {
    const selector = across(way, button.selector)
    return selector === null ? [] : [{ ...button, selector }]
  })
})

/** The overlays of a document, with the texts and buttons of the frames in them. */
const withFrames = async (
  tab: Tab,
  frame: Frame,
  overlays: ReadonlyArray<CoveringOverlay>
): Promise<ReadonlyArray<Overlay>> => {
  let asked = 0
  const whole = await Promise.all(
    overlays.map(async ({ frames, ...overlay }): Promise<Overlay> => {
      const few = frames.slice(0, Math.max(mostCovering - asked, 0))
      asked += few.length
      const inside = await Promise.all(few.map((inner) => soon(insideOf(tab, frame, inner), patientMillis)))
      const known = inside.filter((one) => one !== null)
      return {
        ...overlay,
        text: [overlay.text, ...known.map(({ text }) => text)].join(" ").trim().slice(0, 1_000),
        buttons: [...overlay.buttons, ...known.flatMap(({ buttons }) => buttons)].slice(0, 20),
        isUnread: inside.some((one) => one === null || (one.text === "" && one.buttons.length === 0))
      }
    })
  )
  return whole.filter(
    ({ buttons, coversPage, coversTarget, isDialog }) => coversTarget || isDialog || coversPage || buttons.length > 0
  )
}

const insideOf = async (tab: Tab, around: Frame, { name, selector: way }: Inner) => {
  const frame = await Focus.frameIn(around, name)
  if (frame === null) return null
  const { buttons, text } = await World.run(tab, frame, "inOverlay", null)
  const usable = buttons.flatMap(({ label, selector }) => {
    const whole = across(way, selector)
    return whole === null ? [] : [{ label, selector: whole }]
  })
  return { text, buttons: usable }
}

/** The usable elements of the document and of its frames, each with a selector that leads there through the frames. */
const candidates = async (tab: Tab, tag: string): Promise<ReadonlyArray<Candidate>> => {
  let room = mostFrames
  const lookInto = async (frame: Frame, way: string, depth: number): Promise<ReadonlyArray<Candidate>> => {
    const found = await World.run(tab, frame, "candidates", { tag, most: mostCandidates })
    const own = found.candidates.flatMap(({ appearance, selector }) => {
      const whole = across(way, selector)
      return whole === null ? [] : [{ selector: whole, appearance, frame: way === "" ? null : Focus.addressOf(frame) }]
    })
    const frames = depth < deepest ? found.frames.slice(0, room) : []
    room -= frames.length
    const inner = await Promise.all(
      frames.map(async ({ name, selector }) => {
        const next = across(way, selector)
        const inside = next === null ? null : await soon(Focus.frameIn(frame, name), patientMillis)
        if (next === null || inside === null || !next.startsWith("/")) return []
        return (await soon(lookInto(inside, next, depth + 1), patientMillis)) ?? []
      })
    )
    return [...own, ...inner.flat()]
  }
  return lookInto(tab.page.mainFrame(), "", 0)
}
