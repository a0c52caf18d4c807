/**
 * Reads the lists that keep only the rows in view. Once such a list was scrolled to its end, all of its rows are read, while
 * it is scrolled again.
 */
import { isDeepStrictEqual } from "node:util"
import type { Schema } from "effect"
import type { Frame } from "playwright-core"
import type { ExtractionPlan } from "../../../core/browser/element/Extraction.ts"
import * as Json from "../../../core/workspace/Json.ts"
import * as Reading from "../element/Reading.ts"
import * as World from "../inpage/World.ts"
import { Refused } from "../page/Attempt.ts"
import type { Tab } from "../page/Tabs.ts"
import { merged, type Row, sharedBy } from "./RowWindows.ts"
import { drawn } from "./Settling.ts"

/** How long it may take to read all rows, in milliseconds. */
const longestMillis = 60_000

/** How long a part of a list may take to show its rows, in milliseconds, and how often it is looked at in any case. */
const partMillis = 3_000
const partLooks = 20

/** How long the same rows are taken for those of the part before, in milliseconds. */
const sameMillis = 1_000

interface Scrolled {
  readonly frame: Frame
  readonly document: number
  /** What was read of it last, and all rows that belong to that. */
  last?: { readonly shown: Schema.Json; readonly whole: Schema.Json }
}

const scrolled = new WeakMap<Tab, Scrolled>()

/** Notes that the container that is kept as `scroller` in a frame was scrolled to its end. */
export const note = async (tab: Tab, frame: Frame): Promise<void> => {
  await World.run(tab, frame, "keepScrolled", null)
  scrolled.set(tab, { frame, document: tab.pending.document() })
}

/** Carries out a plan, with all rows of a list that was scrolled to its end. */
export const extract = async (tab: Tab, plan: ExtractionPlan): Promise<Schema.Json> => {
  const shown = await Reading.extract(tab, plan)
  const list = scrolled.get(tab)
  if (list === undefined || list.document !== tab.pending.document() || listsOf(plan).length === 0) return shown
  if (list.last !== undefined && isDeepStrictEqual(list.last.shown, shown)) return list.last.whole
  const whole = await walked(tab, list.frame, plan, shown)
  list.last = { shown: await Reading.extract(tab, plan), whole }
  return whole
}

type ListPlan = Extract<ExtractionPlan, { readonly kind: "list" }>

/** The lists of a plan that are not within the rows of another one, with the names that lead to them. */
const listsOf = (
  plan: ExtractionPlan,
  at: ReadonlyArray<string> = []
): ReadonlyArray<{ readonly at: ReadonlyArray<string>; readonly list: ListPlan }> =>
  plan.kind === "list"
    ? [{ at, list: plan }]
    : plan.kind === "object"
      ? Object.entries(plan.fields).flatMap(([name, field]) => listsOf(field, [...at, name]))
      : []

/** The attributes in which pages number their rows. */
const numbers = ["@aria-rowindex", "@aria-posinset", "@data-index", "@data-row-index", "@data-item-index"]

/** The same plan, whose rows come with their numbers. */
const numbered = (plan: ExtractionPlan): ExtractionPlan => {
  if (plan.kind === "object") {
    return {
      kind: "object",
      fields: Object.fromEntries(Object.entries(plan.fields).map(([name, field]) => [name, numbered(field)]))
    }
  }
  if (plan.kind !== "list") return plan
  const fields = numbers.map((path) => [path, { kind: "value", path, type: "string" }] as const)
  return {
    kind: "list",
    path: plan.path,
    item: { kind: "object", fields: { value: plan.item, ...Object.fromEntries(fields) } }
  }
}

const at = (found: Schema.Json, names: ReadonlyArray<string>): Schema.Json =>
  names.reduce<Schema.Json>((one, name) => (Json.isObject(one) ? (one[name] ?? null) : null), found)

const none: Schema.JsonObject = {}

const rowsOf = (found: Schema.Json, tops: ReadonlyArray<number>): ReadonlyArray<Row> => {
  const rows = Array.isArray(found) ? found : []
  return rows.map((row, place) => {
    const fields = Json.isObject(row) ? row : none
    const number = numbers.map((name) => fields[name]).find((text) => typeof text === "string" && /^\d+$/.test(text))
    return {
      value: fields.value ?? null,
      index: number === undefined ? null : Number(number),
      top: tops.length === rows.length ? (tops[place] ?? null) : null
    }
  })
}

const walked = async (tab: Tab, frame: Frame, plan: ExtractionPlan, shown: Schema.Json): Promise<Schema.Json> => {
  const until = performance.now() + longestMillis
  const lists = listsOf(plan)
  if (!(await World.run(tab, frame, "scrollBackToStart", null))) return shown
  const topsOf = () =>
    Promise.all(lists.map(({ list }) => World.run(tab, frame, "rowTops", Reading.placeOf(list.path)).catch(() => [])))
  const read = async (): Promise<Lists | null> => {
    const tops = await topsOf()
    const found = await Reading.extract(tab, numbered(plan))
    if (!isDeepStrictEqual(await topsOf(), tops)) return null
    return lists.map((list, place) => rowsOf(at(found, list.at), tops[place] ?? []))
  }
  const parts = [await still(tab, frame, read, null)]
  const isWhole = lists.every((list, place) =>
    isDeepStrictEqual(
      parts[0]?.[place]?.map(({ value }) => value),
      at(shown, list.at)
    )
  )
  const toEnd = () => World.run(tab, frame, "moveBy", ["y", Number.MAX_SAFE_INTEGER] as const)
  if (isWhole) {
    await toEnd()
    await drawn(tab)
    return shown
  }
  while (true) {
    const { at: place, extent, view } = await World.run(tab, frame, "measure", "y")
    if (place + view >= extent - 2) break
    if (performance.now() > until) {
      throw new Refused(
        "unusable",
        `the rows of the list could not be read within ${longestMillis} ms, of which ${parts.length} parts were`
      )
    }
    await World.run(tab, frame, "moveBy", ["y", stepOf(view, parts.at(-1) ?? [])] as const)
    parts.push(await still(tab, frame, read, parts.at(-1) ?? null))
  }
  return lists.reduce(
    (found, one, place) =>
      put(found, one.at, merged(parts.map((lists) => lists[place] ?? [])) as ReadonlyArray<Schema.Json>),
    shown
  )
}

/** How far a list is scrolled for its next part, in pixels: two of its rows stay in view where that is more than half of it. */
const stepOf = (view: number, lists: Lists): number => {
  const heights = lists.flatMap((rows) => rows.map(({ top }, at) => (top ?? 0) - (rows[at - 1]?.top ?? top ?? 0)))
  return Math.max(Math.round(Math.max(view / 2, view - 2 * Math.max(0, ...heights))) - 1, 20)
}

const put = (found: Schema.Json, names: ReadonlyArray<string>, rows: ReadonlyArray<Schema.Json>): Schema.Json => {
  const [name, ...rest] = names
  if (name === undefined) return [...rows]
  return Json.isObject(found) ? { ...found, [name]: put(found[name] ?? null, rest, rows) } : found
}

type Lists = ReadonlyArray<ReadonlyArray<Row>>

/**
 * The rows in view once they are the same twice: other ones than those of the part before, of which some are still there.
 * `read` answers `null` where the list was drawn again meanwhile: those rows would have the places of other ones.
 */
const still = async (
  tab: Tab,
  frame: Frame,
  read: () => Promise<Lists | null>,
  before: Lists | null
): Promise<Lists> => {
  const began = performance.now()
  await drawn(tab)
  let rows = await read()
  for (let looks = 0; looks < partLooks || performance.now() - began < partMillis; looks++) {
    if (tab.pending.awaited({ isThere: true }).length > 0) await tab.pending.changed(250)
    await drawn(tab)
    const again = await read()
    const isSame = rows !== null && again !== null && isDeepStrictEqual(values(rows), values(again))
    rows = again
    if (again === null) continue
    const isNew = before === null || !isDeepStrictEqual(values(before), values(again))
    const isNext = before === null || again.every((list, place) => isJoined(before[place] ?? [], list))
    const { at: place, view } = await World.run(tab, frame, "measure", "y")
    const isInView = ({ top }: Row) => top === null || (top > place - view && top < place + view)
    // Rows that are drawn late still stand where they were.
    if (!again.every((list) => list.length === 0 || list.some(isInView))) continue
    const isLong = looks >= partLooks / 2 && performance.now() - began >= sameMillis
    if (isSame && ((isNew && isNext) || isLong)) break
  }
  if (rows === null) throw new Refused("unusable", `the rows of the list did not stay for ${partMillis} ms`)
  return rows
}

const values = (lists: Lists) => lists.map((rows) => rows.map(({ value }) => value))

const isJoined = (before: ReadonlyArray<Row>, rows: ReadonlyArray<Row>): boolean =>
  rows.length === 0 || rows.some(({ index }) => index !== null) || sharedBy(before, rows) > 0
