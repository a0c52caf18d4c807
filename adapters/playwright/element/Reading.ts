/** Reads the text of an element, or the data of a data model. */
import type { Schema } from "effect"
import type { Frame } from "playwright-core"
import type { ElementQuery } from "../../../core/browser/element/ElementQuery.ts"
import { type ExtractionPlan, severalShow } from "../../../core/browser/element/Extraction.ts"
import * as Selector from "../../../core/browser/element/Selector.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Extracted, Part, Path } from "../injected/read/Extract.ts"
import * as ClosedRoots from "../inpage/ClosedRoots.ts"
import * as World from "../inpage/World.ts"
import { Refused } from "../page/Attempt.ts"
import type { Tab } from "../page/Tabs.ts"
import * as Finder from "./Finder.ts"

/** The interval at which a missing element is searched for, in milliseconds. */
const lookAgainMillis = 100

/** Waits for a match and returns the text of the first one; `null` after the timeout. */
export const read = async (tab: Tab, query: ElementQuery): Promise<string | null> =>
  (await readTexts(tab, query, firstNow))[0] ?? null

/** The same with the different texts of all matches, that of the first one first; none after the timeout. */
export const readEach = (tab: Tab, query: ElementQuery): Promise<ReadonlyArray<string>> =>
  readTexts(tab, query, eachNow)

type ReadNow = (tab: Tab, selector: Selector.Selector) => Promise<ReadonlyArray<string>>

const readTexts = async (
  tab: Tab,
  { selector: text, untilSettled = false, waitMillis }: ElementQuery,
  readNow: ReadNow
): Promise<ReadonlyArray<string>> => {
  const until = performance.now() + waitMillis
  await tab.page.waitForLoadState("domcontentloaded")
  const selector = Selector.parse(text)
  let before = -1
  let quietSince = performance.now()
  while (true) {
    const changes = untilSettled ? await changesOf(tab) : 0
    const found = await readNow(tab, selector)
    if (found.length > 0) return found
    if (performance.now() + lookAgainMillis > until) {
      return (await ClosedRoots.open(tab)) ? readNow(tab, selector) : []
    }
    if (changes !== before || tab.pending.loading(0) > 0 || tab.isDeparting()) quietSince = performance.now()
    before = changes
    if (untilSettled && performance.now() - quietSince >= settledMillis) return []
    await new Promise((resolve) => setTimeout(resolve, lookAgainMillis))
  }
}

/** How long a page must be unchanged to count as settled, in milliseconds. */
const settledMillis = 1_000

/** How often the page and its frames have changed so far, as a number that differs after each change. */
const changesOf = async (tab: Tab): Promise<number> => {
  const frames = await Finder.answering(tab, tab.page.frames())
  const counts = await Promise.all(frames.map((frame) => World.run(tab, frame, "changes", null).catch(() => 0)))
  return counts.reduce((sum, count) => sum + count, frames.length)
}

const firstNow: ReadNow = async (tab, selector) => {
  if (selector.kind !== "xpath") {
    const [place] = (await Finder.look(tab, selector)).places
    return place === undefined ? [] : [await firstIn(tab, selector, place)]
  }
  const part: Part = { kind: "value", path: { query: selector.query }, written: "", type: "string", first: true }
  const [one] = await carryOut(tab, selector, [part])
  return one?.found === true ? [String(one.value)] : []
}

const firstIn = (tab: Tab, selector: Selector.Selector, place: Finder.Place): Promise<string> =>
  World.run(tab, place.frame, "textOf", null, { root: Finder.inPlace(place, selector, "first"), waitMillis: 1_000 })

const eachNow: ReadNow = async (tab, selector) => {
  if (selector.kind !== "xpath") {
    const [place] = (await Finder.look(tab, selector)).places
    if (place === undefined) return []
    if (place.matched === 1) return [await firstIn(tab, selector, place)]
    return World.runOnAll(tab, place.frame, "differentTexts", null, Finder.inPlace(place, selector, "all"))
  }
  const [one] = await carryOut(tab, selector, [{ kind: "texts", path: { query: selector.query } }])
  // The part is one of texts.
  return one?.found === true ? (one.value as ReadonlyArray<string>) : []
}

/**
 * Carries out a plan. Parts without a match in the document are searched for in its frames; the first match is used.
 */
export const extract = async (tab: Tab, plan: ExtractionPlan): Promise<Schema.Json> => {
  await tab.page.waitForLoadState("domcontentloaded")
  const wanted = new Map<ExtractionPlan, { readonly selector: Selector.Selector; readonly part: Part }>()
  collect(plan, wanted)
  const answers = new Map<ExtractionPlan, unknown>()
  // Those of the document itself take one visit together.
  const [plain, crossing] = [[...wanted].filter(isPlain), [...wanted].filter((one) => !isPlain(one))]
  const own = await carryOut(
    tab,
    null,
    plain.map(([, { part }]) => part)
  )
  for (const [at, [one]] of plain.entries()) answers.set(one, soleOf(own[at]))
  for (const [one, { part, selector }] of crossing) answers.set(one, soleOf((await carryOut(tab, selector, [part]))[0]))
  return assembled(plan, answers)
}

/** The value of a part. Fails where a path of one value selects elements that show different texts. */
const soleOf = (answer: Extracted | undefined): unknown => {
  const { clash = null, value = null } = answer ?? {}
  if (clash === null) return value
  const { matched, path: selector, texts } = clash
  throw new PageFailure({ kind: "mismatch", reason: severalShow, selector, matched, texts: [...texts] })
}

const isPlain = ([, { selector }]: readonly [unknown, { readonly selector: Selector.Selector }]): boolean =>
  selector.kind !== "xpath" || selector.frames.length === 0

/** Parts carried out in the documents that a selector may mean, until each is found. */
const carryOut = async (
  tab: Tab,
  selector: Selector.Selector | null,
  parts: ReadonlyArray<Part>
): Promise<ReadonlyArray<Extracted>> => {
  if (parts.length === 0) return []
  const { first, others } = await Finder.scopes(tab, selector ?? nothing)
  const results: Array<Extracted> = parts.map(empty)
  const open = () => [...results.keys()].filter((at) => results[at]?.found !== true)
  const ask = async (frame: Frame): Promise<void> => {
    const left = open()
    if (left.length === 0) return
    const asked = left.flatMap((at) => parts[at] ?? [])
    const answers = await World.run(tab, frame, "extract", asked).catch((error: unknown) => {
      // A removed frame has no match.
      if (frame === first || error instanceof Refused) throw error
      return []
    })
    for (const [index, at] of left.entries()) {
      const answer = answers[index]
      if (answer?.found === true) results[at] = answer
    }
  }
  if (first !== null) await ask(first)
  // Frames often belong to other sites, and must not delay reading the page itself.
  if (others.length > 0 && open().length > 0) for (const frame of await Finder.answering(tab, others)) await ask(frame)
  const isNew = open().length > 0 && (await ClosedRoots.open(tab))
  if (isNew) {
    if (first !== null) await ask(first)
    for (const frame of await Finder.answering(tab, others)) await ask(frame)
  }
  return results
}

const nothing: Selector.Selector = { kind: "named", text: "" }

const empty = (part: Part): Extracted => ({ found: false, value: part.kind === "list" ? [] : null, clash: null })

/** The parts of a plan that are looked for in the document, not in a row. */
const collect = (
  plan: ExtractionPlan,
  wanted: Map<ExtractionPlan, { readonly selector: Selector.Selector; readonly part: Part }>
): void => {
  if (plan.kind === "object") for (const field of Object.values(plan.fields)) collect(field, wanted)
  if (plan.kind !== "list" && plan.kind !== "value") return
  const { path } = plan
  if (path === null) return
  const selector = Selector.parse(path)
  if (selector.kind === "refused") throw new Refused("selector", `${path} cannot be read: ${selector.reason}`)
  const at = placeOf(path)
  const part: Part =
    plan.kind === "value" ? { ...plan, path: at, written: path } : { kind: "list", path: at, item: partOf(plan.item) }
  wanted.set(plan, { selector, part })
}

/** Where a path of a data model is looked for in a document. */
export const placeOf = (path: string): Path => {
  const selector = Selector.parse(path)
  return selector.kind === "xpath" ? { query: selector.query } : pathOf(path)
}

const pathOf = (path: string): Path => {
  if (path.startsWith("css=")) return { css: path.slice(4) }
  if (/^(role|text)=/.test(path)) {
    throw new Refused("selector", `${path} cannot be read in a data model: its paths are XPath or css=`)
  }
  return { query: Selector.query(path.replace(/^xpath=/, "")) }
}

/** A part within a row. */
const partOf = (plan: ExtractionPlan): Part => {
  switch (plan.kind) {
    case "known":
      return plan
    case "object":
      return {
        kind: "object",
        fields: Object.entries(plan.fields).map(([name, field]) => [name, partOf(field)] as const)
      }
    case "list":
      return { kind: "list", path: inRow(plan.path), item: partOf(plan.item) }
    case "value":
      return { ...plan, path: plan.path === null ? null : inRow(plan.path), written: plan.path ?? "" }
  }
}

const inRow = (path: string): Path => {
  const cell = Selector.cellOf(path)
  if (cell === null) return plainInRow(path)
  const { rest, ...counted } = cell
  return { ...plainInRow(path), cell: { ...counted, rest: rest === "" ? null : plainInRow(rest) } }
}

const plainInRow = (path: string): Path =>
  /^(css|role|text)=/.test(path)
    ? pathOf(path)
    : { query: Selector.query(Selector.relative(path.replace(/^xpath=/, ""))) }

const assembled = (plan: ExtractionPlan, answers: ReadonlyMap<ExtractionPlan, unknown>): Schema.Json => {
  // A known value is of the data model, which is JSON.
  if (plan.kind === "known") return plan.value as Schema.Json
  // Answers come from the page as JSON.
  if (plan.kind !== "object") return (answers.get(plan) ?? (plan.kind === "list" ? [] : null)) as Schema.Json
  return Object.fromEntries(Object.entries(plan.fields).map(([name, field]) => [name, assembled(field, answers)]))
}
