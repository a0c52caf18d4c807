/**
 * The cells of a table as inputs of a workflow: each is read as the type that the input schema has for its column.
 */
import { Result, type Schema } from "effect"
import * as Json from "../../../core/workspace/Json.ts"

type InputSchema = Readonly<Record<string, unknown>>

const typesOf = (schema: InputSchema): ReadonlyArray<unknown> =>
  Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]

const asJson = (text: string, type: string): Result.Result<Schema.Json, string> => {
  const expected = type === "array" ? "a JSON list" : "a JSON object"
  try {
    const value = Json.parse(text)
    const fits = type === "array" ? Array.isArray(value) : Json.isObject(value)
    return fits ? Result.succeed(value) : Result.fail(expected)
  } catch {
    return Result.fail(expected)
  }
}

const readers: Readonly<Record<string, (text: string) => Result.Result<Schema.Json, string>>> = {
  integer: (text) => (/^-?\d{1,15}$/.test(text.trim()) ? Result.succeed(Number(text)) : Result.fail("a whole number")),
  number: (text) =>
    text.trim() !== "" && Number.isFinite(Number(text)) ? Result.succeed(Number(text)) : Result.fail("a number"),
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

/** Reads rows under the names of the first one. */
export const columns = (head: ReadonlyArray<string>, inputSchema: InputSchema) => {
  const properties = Json.isObject(inputSchema.properties) ? inputSchema.properties : {}
  const required: ReadonlyArray<unknown> = Array.isArray(inputSchema.required) ? inputSchema.required : []
  const schemaOf = (column: string): InputSchema => {
    const schema = Object.hasOwn(properties, column) ? properties[column] : undefined
    return Json.isObject(schema) ? schema : {}
  }
  const wrong = (column: string, problem: string): BadCell => ({ line: 1, column, problem })
  const problems = [
    ...head.flatMap((column, at) => {
      if (column === "") return [wrong(`number ${at + 1}`, "expected the name of an input")]
      if (head.indexOf(column) < at) return [wrong(column, "two columns have this name")]
      return inputSchema.additionalProperties === false && !Object.hasOwn(properties, column)
        ? [wrong(column, `the workflow has no such input: it has ${Object.keys(properties).join(", ")}`)]
        : []
    }),
    ...required.flatMap((name) =>
      head.includes(String(name))
        ? []
        : [wrong(String(name), "the workflow requires this input, and no column has its name")]
    )
  ]
  /** The input of a row. An empty cell leaves its input out, unless the workflow requires it as text. */
  const input = (line: number, cells: ReadonlyArray<string>): Result.Result<Schema.JsonObject, BadCell> => {
    if (cells.length !== head.length) {
      const column = head[Math.min(cells.length, head.length - 1)] ?? ""
      return Result.fail({ line, column, problem: `expected ${head.length} cells, got ${cells.length}` })
    }
    const values: Array<readonly [string, Schema.Json]> = []
    for (const [at, column] of head.entries()) {
      const text = cells[at] ?? ""
      if (text === "" && !required.includes(column)) continue
      // The replacement character stands for bytes that are not UTF-8.
      if (text.includes("\ufffd")) {
        return Result.fail({ line, column, problem: "expected text in UTF-8, got other bytes" })
      }
      const value = read(text, schemaOf(column))
      if (Result.isFailure(value)) {
        const got = text.length > 60 ? `${text.slice(0, 60)}…` : text
        return Result.fail({ line, column, problem: `expected ${value.failure}, got ${JSON.stringify(got)}` })
      }
      values.push([column, value.success])
    }
    return Result.succeed(Object.fromEntries(values))
  }
  return { problems, input }
}

/** A bad cell in a line. */
export const sentence = ({ column, line, problem }: BadCell): string => `Row ${line}, column "${column}": ${problem}`
