/**
 * The cells of a table as inputs of a workflow: each is read as the type that the input schema has for its column.
 */
import { Result, type Schema } from "effect"
import * as InputContract from "../../../core/workflow/contract/InputContract.ts"
import * as Json from "../../../core/workspace/Json.ts"

type InputSchema = Readonly<Record<string, unknown>>

const typesOf = (schema: InputSchema): ReadonlyArray<unknown> =>
  Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]

/** Whether JSON has a number that does not keep its digits. */
const losesDigits = (json: string): boolean => {
  let does = false
  const look = (_: string, value: unknown, { source }: { readonly source?: string }): unknown => {
    if (typeof value === "number" && source !== undefined && !Json.keepsDigits(source)) does = true
    return value
  }
  // Its third parameter is younger than the types of the compiler.
  JSON.parse(json, look as (name: string, value: unknown) => unknown)
  return does
}

const asJson = (text: string, type: string): Result.Result<Schema.Json, string> => {
  const expected = type === "array" ? "a JSON list" : "a JSON object"
  try {
    const value = Json.parse(text)
    const fits = type === "array" ? Array.isArray(value) : Json.isObject(value)
    if (!fits) return Result.fail(expected)
    return losesDigits(text) ? Result.fail("numbers that keep their digits") : Result.succeed(value)
  } catch {
    return Result.fail(expected)
  }
}

const readers: Readonly<Record<string, (text: string) => Result.Result<Schema.Json, string>>> = {
  integer: (text) => (/^-?\d{1,15}$/.test(text.trim()) ? Result.succeed(Number(text)) : Result.fail("a whole number")),
  number: (text) => {
    const written = text.trim()
    if (written === "" || /infinity/i.test(written) || Number.isNaN(Number(written))) return Result.fail("a number")
    return Json.keepsDigits(written) ? Result.succeed(Number(written)) : Result.fail("a number that keeps its digits")
  },
  boolean: (text) =>
    /^(true|false)$/i.test(text.trim())
      ? Result.succeed(text.trim().toLowerCase() === "true")
      : Result.fail("true or false"),
  null: (text) => (text === "" ? Result.succeed(null) : Result.fail("an empty cell")),
  string: Result.succeed,
  array: (text) => asJson(text, "array"),
  object: (text) => asJson(text, "object")
}

/** The value of a cell, or what was expected. Without a type in the schema, a cell is text. */
export const read = (text: string, schema: InputSchema): Result.Result<Schema.Json, string> => {
  const types = typesOf(schema)
  const tried = (types.length === 0 ? ["string"] : types)
    // Every text is a string: the other types are tried first.
    .toSorted((one, other) => Number(one === "string") - Number(other === "string"))
    .map((type) => (readers[String(type)] ?? Result.succeed)(text))
  const found = tried.find(Result.isSuccess)
  if (found === undefined) {
    return Result.fail(tried.flatMap((one) => (Result.isFailure(one) ? [one.failure] : [])).join(" or "))
  }
  const choices = schema.enum
  return Array.isArray(choices) && !choices.includes(found.success)
    ? Result.fail(`one of ${choices.map((one) => JSON.stringify(one)).join(", ")}`)
    : found
}

/** A cell, or a column, that cannot be read. */
export interface BadCell {
  readonly line: number
  readonly column: string
  readonly problem: string
}

/** What stands in a cell, shortened. */
const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)

/** How many problems of one row are kept: a row may have as many cells as a line has commas. */
const mostOfRow = 100

/**
 * Reads rows under the names of the first one, as the inputs of a workflow with this schema. Where a name is wrong, the
 * inputs as a whole are not judged: what they lack would be said again for each row.
 */
export const columns = (head: ReadonlyArray<string>, inputSchema: Schema.JsonObject) => {
  const properties = Json.isObject(inputSchema.properties) ? inputSchema.properties : {}
  const required = new Set(Array.isArray(inputSchema.required) ? inputSchema.required : [])
  const schemaOf = (column: string): InputSchema => {
    const schema = Object.hasOwn(properties, column) ? properties[column] : undefined
    return Json.isObject(schema) ? schema : {}
  }
  const wrong = (column: string, problem: string): BadCell => ({ line: 1, column, problem })
  const names = new Set(head)
  const places = new Map(head.map((column, at) => [column, { at, schema: schemaOf(column) }]))
  const seen = new Set<string>()
  const problems = [
    ...head.flatMap((column, at) => {
      if (column === "") return [wrong(`number ${at + 1}`, "expected the name of an input")]
      if (seen.has(column)) return [wrong(column, "two columns have this name")]
      seen.add(column)
      return inputSchema.additionalProperties === false && !Object.hasOwn(properties, column)
        ? [wrong(column, `the workflow has no such input: it has ${Object.keys(properties).join(", ")}`)]
        : []
    }),
    ...[...required].flatMap((name) =>
      names.has(String(name))
        ? []
        : [wrong(String(name), "the workflow requires this input, and no column has its name")]
    )
  ]
  /** The column that holds the value at a path of the input, such as `lines[0].city`. */
  const columnOf = (path: string): string =>
    head.findLast((column) => path === column || path.startsWith(`${column}.`) || path.startsWith(`${column}[`)) ?? path
  const breaches = (line: number, cells: ReadonlyArray<string>, input: Schema.JsonObject): ReadonlyArray<BadCell> =>
    problems.length > 0 || InputContract.violations(inputSchema, input).length === 0
      ? []
      : InputContract.problems(inputSchema, input).map(({ message, path }): BadCell => {
          const column = columnOf(path)
          const text = cells[places.get(column)?.at ?? -1]
          const problem = column === path ? message : `${path} ${message}`
          return { line, column, problem: text === undefined ? problem : `${problem}, got ${quoted(text)}` }
        })
  /**
   * The input of a row, or all that is wrong with it. An empty cell leaves its input out, unless the workflow requires it
   * as text.
   */
  const input = (
    line: number,
    cells: ReadonlyArray<string>
  ): Result.Result<Schema.JsonObject, ReadonlyArray<BadCell>> => {
    if (cells.length !== head.length) {
      const column = head[Math.min(cells.length, head.length - 1)] ?? ""
      return Result.fail([{ line, column, problem: `expected ${head.length} cells, got ${cells.length}` }])
    }
    const values: Array<readonly [string, Schema.Json]> = []
    const bad: Array<BadCell> = []
    for (const [column, { at, schema }] of places) {
      const text = cells[at] ?? ""
      if (text === "" && !required.has(column)) continue
      // The replacement character stands for bytes that are not UTF-8.
      if (text.includes("\ufffd")) {
        bad.push({ line, column, problem: "expected text in UTF-8, got other bytes" })
        continue
      }
      const value = read(text, schema)
      if (Result.isSuccess(value)) {
        values.push([column, value.success])
        continue
      }
      bad.push({ line, column, problem: `expected ${value.failure}, got ${quoted(text)}` })
    }
    const row = Object.fromEntries(values)
    const all = bad.length > 0 ? bad : breaches(line, cells, row)
    return all.length > 0 ? Result.fail(all.slice(0, mostOfRow)) : Result.succeed(row)
  }
  return { problems, input }
}

/** A bad cell in a line. */
export const sentence = ({ column, line, problem }: BadCell): string => `Row ${line}, column "${column}": ${problem}`
