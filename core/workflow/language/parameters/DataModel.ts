/** Data models: JSON schemas whose leaves name the source of their values. */
import { Schema } from "effect"
import { optional } from "../../../workspace/request/ParsedJson.ts"
import { ValueFormat, wrongFor } from "../format/ValueFormat.ts"
import { text } from "./Fields.ts"

export interface DataModel {
  readonly type?: string | ReadonlyArray<string> | null
  readonly properties?: Readonly<Record<string, Field>> | null
  readonly items?: Field | null
  readonly path?: string | null
  readonly mode?: "xpath" | null
  readonly selected?: boolean | null
  /** Whether the first of several elements that a path selects has the value. */
  readonly first?: boolean | null
  readonly description?: string | null
  /** How the site writes the value; a text is a note for readers. */
  readonly format?: ValueFormat | string | null
  readonly overwriteArrayKeys?: ReadonlyArray<string> | null
}

/** A property in full, or only its type, or a list of types. */
export type Field = DataModel | string | ReadonlyArray<string>

const Type = Schema.Literals(["string", "number", "integer", "boolean", "object", "array", "null"])
const Types = Schema.Union([Type, Schema.Array(Type).check(Schema.isMinLength(1))])

const Field: Schema.Codec<Field> = Schema.Union([Types, Schema.suspend((): Schema.Codec<DataModel> => DataModel)])

export const DataModel: Schema.Codec<DataModel> = Schema.Struct({
  type: optional(Types),
  properties: optional(Schema.Record(text, Field)),
  items: optional(Field),
  path: optional(text),
  mode: optional(Schema.Literals(["xpath"])),
  selected: optional(Schema.Boolean),
  first: optional(Schema.Boolean),
  description: optional(text),
  format: optional(Schema.Union([text, ValueFormat])),
  overwriteArrayKeys: optional(Schema.Array(text))
})
  .check(
    Schema.makeFilter(({ format, type }) => {
      if (typeof format !== "object" || format === null) return undefined
      const issue = wrongFor(format, [type ?? "string"].flat())
      return issue === null ? undefined : { path: ["format"], issue }
    })
  )
  .annotate({ identifier: "DataModel" })

/** The model of one extraction. It is an object, because its properties become variables of the context. */
export const RootModel = DataModel.check(
  Schema.makeFilter((model) => {
    const isObject = [model.type ?? "object"].flat().includes("object") && (model.items ?? null) === null
    return isObject && (model.properties ?? null) !== null
      ? listsIn(model, []).map((path) => ({
          path,
          issue: "Expected the properties of a list's elements within its items"
        }))
      : "Expected an object with properties, each of which becomes a variable"
  })
)

/** The paths of lists whose elements are described outside of `items`. */
const listsIn = (model: DataModel, path: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const isList = [model.type ?? ""].flat().includes("array")
  if (isList && (model.items ?? null) === null) return (model.properties ?? null) === null ? [] : [[...path, "items"]]
  const within = Object.entries(model.properties ?? {}).flatMap(([name, field]) =>
    listsIn(modelOf(field), [...path, "properties", name])
  )
  return (model.items ?? null) === null
    ? within
    : [...within, ...listsIn(modelOf(model.items ?? {}), [...path, "items"])]
}

/** A field in its long form. */
export const modelOf = (field: Field): DataModel =>
  // A short form is a type or a list of types.
  typeof field === "object" && !Array.isArray(field) ? (field as DataModel) : { type: field as string }

/** The properties that a model extracts, without those that are left out. */
export const names = ({ properties }: DataModel): ReadonlyArray<string> =>
  Object.entries(properties ?? {}).flatMap(([name, field]) => (modelOf(field).selected === false ? [] : [name]))

/**
 * The paths of lists that the next extraction replaces instead of appending to them, such as `orders` or `user.orders`.
 */
export const overwritten = (model: DataModel, prefix = ""): ReadonlyArray<string> => [
  ...(model.overwriteArrayKeys ?? []).map((name) => prefix + name),
  ...Object.entries(model.properties ?? {}).flatMap(([name, field]) => overwritten(modelOf(field), `${prefix}${name}.`))
]

/** Every path of a model, and its position. */
export const paths = (model: DataModel, at: string): ReadonlyArray<{ readonly at: string; readonly path: string }> => [
  ...(typeof model.path === "string" ? [{ at: `${at}.path`, path: model.path }] : []),
  ...(model.items === undefined || model.items === null ? [] : paths(modelOf(model.items), `${at}.items`)),
  ...Object.entries(model.properties ?? {}).flatMap(([name, field]) =>
    paths(modelOf(field), `${at}.properties.${name}`)
  )
]
