/**
 * The paths that may read what a model has read.
 *
 * A value is looked for on the page as it stands. A path to it is taken only where the page calls it what the data model
 * calls it, so that a value that is the same by chance is not read the next time. A list is taken whole or not at all.
 */
import { Effect, type Schema } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import { typeOf } from "../../browser/element/Extraction.ts"
import * as ReadValue from "../../browser/element/ReadValue.ts"
import * as Template from "../../workflow/language/expression/Template.ts"
import { seen } from "../../workflow/language/format/SeenText.ts"
import { type DataModel, modelOf } from "../../workflow/language/parameters/DataModel.ts"
import * as Json from "../../workspace/Json.ts"
import { isWithin, longestText, type PageTree, positionOf, read, type TreeElement, within } from "./PageTree.ts"
import { shareWord } from "./PromptWords.ts"

/** The data model with a path for each value; `null` where one of them has none that is certain. */
export const modelFor = (html: string, model: DataModel, found: Schema.JsonObject): DataModel | null =>
  objectFor(read(html), model, found, "")

/** Whether a data model has a list in it. */
export const hasList = (model: DataModel): boolean =>
  typeOf(model) === "array" ||
  (model.items ?? null) !== null ||
  Object.values(model.properties ?? {}).some((field) => hasList(modelOf(field)))

/** The paths of a data model each of which leads to one element only: those of its values, and to what holds its rows. */
export const solePaths = (model: DataModel): ReadonlyArray<string> => {
  const { path } = model
  if ((model.items ?? null) !== null) return typeof path === "string" ? [path.replace(/\/[^/]*$/, "")] : []
  const within = Object.values(model.properties ?? {})
    .map(modelOf)
    .filter(({ selected }) => selected !== false)
  return [...(typeof path === "string" && !Template.isTemplate(path) ? [path] : []), ...within.flatMap(solePaths)]
}

/** Whether each of these paths leads to one element now. */
export const isSole = (model: DataModel, { elements }: SessionParts<"elements">): Effect.Effect<boolean> =>
  elements.states(solePaths(model)).pipe(
    Effect.map((states) => states.every(({ matched }) => matched === 1)),
    Effect.orElseSucceed(() => false)
  )

/** A data model as parameters have it. */
export const asJson = (model: DataModel): Schema.JsonObject => Json.objectOf(Json.parse(JSON.stringify(model)))

/** The path to the only element that shows a text, as long as it does; `null` where there is none, or the text is a value. */
export const pathToText = (html: string, text: string): string | null => {
  const places = placesOf(read(html).all, text, "string")
  const [place] = places
  return place !== undefined && places.length === 1 && isName(place.text)
    ? `//${place.tag}[normalize-space()="${place.text}"]`
    : null
}

/** The path to the element that shows a text now, by what the page calls it; `null` where that is not in `about`. */
export const pathToValue = (html: string, text: string, about: string): string | null => {
  const tree = read(html)
  const keys = placesOf(tree.all, text, "string").map((place) => keysOf(tree, place))
  const named = keys.flatMap((of) => of.find(({ said }) => shareWord(said, about)) ?? [])
  return named.length === 1 ? (named[0]?.path ?? null) : null
}

type Elements = ReadonlyArray<TreeElement>

const objectFor = (tree: PageTree, model: DataModel, found: Schema.JsonObject, about: string): DataModel | null => {
  const properties: Array<readonly [string, DataModel]> = []
  for (const [name, given] of Object.entries(model.properties ?? {})) {
    const field = modelOf(given)
    const isKnown = typeof field.path === "string" && Template.isTemplate(field.path)
    const plain =
      field.selected === false || isKnown
        ? field
        : Template.isTemplate(name)
          ? null
          : fieldFor(tree, field, found[name] ?? null, `${about} ${name} ${field.description ?? ""}`)
    if (plain === null) return null
    properties.push([name, plain])
  }
  return { ...model, properties: Object.fromEntries(properties) }
}

const fieldFor = (tree: PageTree, field: DataModel, value: Schema.Json, about: string): DataModel | null => {
  if ((field.items ?? null) !== null || typeOf(field) === "array") return listFor(tree, field, value)
  if ((field.properties ?? null) !== null) return Json.isObject(value) ? objectFor(tree, field, value, about) : null
  const path = pathFor(tree, value, typeOf(field), about)
  return path === null ? null : { ...field, path }
}

/** Whether a text is how a page shows a value. The page itself is asked in the end. */
const shows = (text: string, value: Schema.Json, type: string | undefined): boolean => {
  if (text === "" || value === null || typeof value === "boolean") return false
  if (type !== "number" && type !== "integer") return typeof value === "string" && seen(text) === seen(value)
  return (
    text.length <= 60 && (ReadValue.ofJson(text, type, undefined).value === value || figures(text) === String(value))
  )
}

/** The digits of an amount, whatever separates them. */
const figures = (text: string): string => {
  const [whole = "", decimals = ""] = text.replace(/[^\d.,-]/g, "").split(/[.,](?=\d{1,2}$)/)
  return String(Number(`${whole.replace(/[.,]/g, "")}.${decimals}`))
}

/** The innermost elements that show a value. */
const placesOf = (elements: Elements, value: Schema.Json, type: string | undefined): Elements => {
  const all = elements.filter(({ text }) => shows(text, value, type))
  const around = new Set(all.map(({ parent }) => parent))
  return all.filter((element) => !around.has(element))
}

/** The least length of a text that is not the same as another one by chance. */
const distinctive = 6

const pathFor = (tree: PageTree, value: Schema.Json, type: string | undefined, about: string): string | null => {
  const places = placesOf(tree.all, value, type)
  const named = places.flatMap((place) => keysOf(tree, place).find(({ said }) => shareWord(said, about)) ?? [])
  const [only] = named
  if (only !== undefined) return named.length === 1 ? only.path : null
  const [place] = places
  if (place === undefined || places.length > 1) return null
  if (typeof value !== "string" || value.length < distinctive || isInRow(place)) return null
  return keysOf(tree, place).find(({ isLabel }) => !isLabel)?.path ?? null
}

const isInRow = (element: TreeElement): boolean => {
  for (let at: TreeElement | null = element; at !== null; at = at.parent) {
    if (/^(tr|li|dd|article|option)$/.test(at.tag)) return true
  }
  return false
}

/** A path to an element, and what the page calls it there. */
interface Key {
  readonly path: string
  readonly said: string
  readonly isLabel: boolean
}

const naming = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa", "id", "itemprop", "name", "class"]

/** Whether a text can stand in a path, and is a name and no value. */
const isName = (text: string): boolean => text !== "" && text.length <= longestText && !/["{}<>]|\d\d/.test(text)

const keysOf = (tree: PageTree, place: TreeElement): ReadonlyArray<Key> => {
  const keys: Array<Key> = []
  // What is around a value and shows nothing else stands for it.
  for (let at: TreeElement | null = place; at !== null && at.text === place.text; at = at.parent) {
    const label = labelOf(tree, at)
    keys.push(...namesOf(tree, at), ...(label === null ? [] : [label]))
  }
  return keys
}

/** The paths to an element by attributes that no other one has. */
const namesOf = (tree: PageTree, { attributes, tag }: TreeElement): ReadonlyArray<Key> =>
  naming.flatMap((name) => {
    const value = attributes.get(name) ?? ""
    const isOnly = isName(value) && tree.sameAttribute(tag, name, value) === 1
    return !isOnly ? [] : [{ path: `//${tag}[@${name}="${value}"]`, said: value, isLabel: false }]
  })

/** The path from the text directly before an element, where only one element has that text. */
const labelOf = (tree: PageTree, element: TreeElement): Key | null => {
  const siblings = element.parent?.children ?? []
  const before = siblings[siblings.indexOf(element) - 1]
  if (before === undefined || !isName(before.text)) return null
  if (tree.sameText(before.tag, before.text) > 1) return null
  const path = `//${before.tag}[normalize-space()="${before.text}"]/following-sibling::*[1][self::${element.tag}]`
  return { path, said: before.text, isLabel: true }
}

// --- lists

/** Elements that are rows of one list, and the path to them. */
interface Rows {
  readonly path: string
  readonly elements: Elements
}

const listFor = (tree: PageTree, field: DataModel, value: Schema.Json): DataModel | null => {
  const item = modelOf(field.items ?? "string")
  // A description may say which rows are wanted; whether that is all of them the next time is not known.
  const described = [field, item].some(({ description }) => (description ?? "").trim() !== "")
  if (!Array.isArray(value) || value.length === 0 || described) return null
  const read = rowsIn(tree, value.length).flatMap((rows) => {
    const items = itemFor(tree, rows, item, value)
    return items === null ? [] : [{ rows, items }]
  })
  const [outer, ...others] = read
  if (outer === undefined) return null
  // What is around rows may count as rows too.
  const isOne = others.every(({ rows }) =>
    rows.elements.every((row, at) => isWithin(row, outer.rows.elements[at] ?? row))
  )
  const best = others.at(-1) ?? outer
  return isOne ? { ...field, path: best.rows.path, items: best.items } : null
}

/** All lists with so many rows. */
const rowsIn = (tree: PageTree, count: number): ReadonlyArray<Rows> =>
  tree.all.flatMap((outer) =>
    [...new Set(outer.children.map(({ tag }) => tag))].flatMap((tag): ReadonlyArray<Rows> => {
      const all = outer.children.filter((child) => child.tag === tag)
      const hasCells = ({ children }: TreeElement) => children.some((cell) => cell.tag === "td")
      const elements = tag === "tr" ? all.filter(hasCells) : all
      const place = elements.length === count ? placeOf(tree, outer) : null
      return place === null ? [] : [{ path: `${place}/${tag === "tr" ? "tr[td]" : tag}`, elements }]
    })
  )

/** The path to what holds rows: by its name, that of its table, or from the nearest element around it that has one. */
const placeOf = (tree: PageTree, element: TreeElement): string | null => {
  const test = element.tag === "table" ? headingTest(element) : ""
  const [named] = namesOf(tree, element)
  if (named !== undefined) return named.path + test
  if (test !== "") return `//table${test}`
  const outer = element.parent
  const isSole = outer?.children.filter(({ tag }) => tag === element.tag).length === 1
  const place = outer === null || !isSole ? null : placeOf(tree, outer)
  return place === null ? null : `${place}/${element.tag}`
}

/** The test that a table has each of its headings over the same column; empty where it has none. */
const headingTest = (table: TreeElement): string => {
  const headings = headingsIn(table).map((text, at) => ({ text, at: at + 1 }))
  const tests = headings
    .filter(({ text }) => isName(text))
    .map(({ at, text }) => `[th[${at}][normalize-space()="${text}"]]`)
  return tests.length === 0 ? "" : `[.//tr${tests.join("")}]`
}

const itemFor = (tree: PageTree, rows: Rows, item: DataModel, values: ReadonlyArray<Schema.Json>): DataModel | null => {
  if ((item.properties ?? null) === null) {
    const path = columnFor(tree, rows, values, typeOf(item), null)
    return path === null ? null : { ...item, path }
  }
  const properties: Array<readonly [string, DataModel]> = []
  for (const [name, given] of Object.entries(item.properties ?? {})) {
    const field = modelOf(given)
    const isLeaf = (field.properties ?? field.items ?? null) === null && typeOf(field) !== "array"
    const column = values.map((row) => (Json.isObject(row) ? (row[name] ?? null) : null))
    const path = isLeaf ? columnFor(tree, rows, column, typeOf(field), `${name} ${field.description ?? ""}`) : null
    if (path === null || Template.isTemplate(name)) return null
    properties.push([name, { ...field, path }])
  }
  return { ...item, properties: Object.fromEntries(properties) }
}

/** The path within each row to the values of one column; `null` where there is none, or more than one. */
const columnFor = (
  tree: PageTree,
  { elements: rows }: Rows,
  values: ReadonlyArray<Schema.Json>,
  type: string | undefined,
  about: string | null
): string | null => {
  const [first] = rows
  const [value = null] = values
  if (first === undefined) return null
  const columns = placesOf(within(tree, first), value, type).flatMap((place) => {
    const way = waysTo(place, first).find(({ path, test }) =>
      rows.every((row, at) => {
        const found = within(tree, row).filter((element) => test(element, row))
        return found.length === 1 && path !== "" && shows(found[0]?.text ?? "", values[at] ?? null, type)
      })
    )
    return way === undefined ? [] : [{ way, said: `${headingOf(place)} ${place.attributes.get("class") ?? ""}` }]
  })
  const named = about === null ? columns : columns.filter(({ said }) => shareWord(said, about))
  const [column, ...others] = columns.length > 1 ? named : columns
  const isSure = named.length === 1 || new Set(values.map((one) => JSON.stringify(one))).size > 1
  return column === undefined || others.length > 0 || !isSure ? null : column.way.path
}

interface Way {
  readonly path: string
  readonly test: (element: TreeElement, row: TreeElement) => boolean
}

/** The ways from a row to an element in it: none of them leads to something else when another part comes before it. */
const waysTo = (place: TreeElement, row: TreeElement): ReadonlyArray<Way> => {
  if (place === row) return [{ path: ".", test: (element, outer) => element === outer }]
  const { tag } = place
  const name = place.attributes.get("class") ?? ""
  const byClass: Way = {
    path: `.//${tag}[@class="${name}"]`,
    test: (element) => element.tag === tag && element.attributes.get("class") === name
  }
  const byTag: Way = { path: `.//${tag}`, test: (element) => element.tag === tag }
  const cell = cellOf(place)
  const column = positionOf(cell ?? place)
  const inside = cell === place ? "" : `//${tag}`
  const byColumn: Way = {
    path: `./td[${column}]${inside}`,
    test: (element, outer) => {
      const own = cellOf(element)
      return (
        own?.parent === outer && positionOf(own) === column && (inside === "" ? own === element : element.tag === tag)
      )
    }
  }
  if (cell !== null && headingOf(place) !== "") return [byColumn]
  return [...(isName(name) ? [byClass] : []), ...(cell === null ? [byTag] : [])]
}

const cellOf = (place: TreeElement): TreeElement | null => {
  let cell: TreeElement | null = place
  while (cell !== null && cell.tag !== "td") cell = cell.parent
  return cell
}

/** The heading of the column that an element is in; empty where it has none. */
const headingOf = (place: TreeElement): string => {
  const cell = cellOf(place)
  const row = cell?.parent ?? null
  if (cell === null || row === null) return ""
  let table: TreeElement | null = row
  while (table !== null && table.tag !== "table") table = table.parent
  const headings = table === null ? [] : headingsIn(table)
  return headings[row.children.indexOf(cell)] ?? ""
}

const headingsIn = (table: TreeElement): ReadonlyArray<string> => {
  const pending = [table]
  for (const one of pending) {
    if (one.tag === "tr") return one.children.filter(({ tag }) => tag === "th").map(({ text }) => text)
    pending.push(...one.children)
  }
  return []
}
