/**
 * What the types of `ReadNames` and `StepTypes` find in the parameters of a step, found while a program runs: so that
 * code that is written for a graph compiles.
 */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import type { NodeMove } from "./Move.ts"

/** Every name, where only a run knows which. */
const any = "*"

const root = "context."

/** The names that an expression reads. */
const inExpression = (source: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let rest = source, at = rest.indexOf(root); at >= 0; at = rest.indexOf(root)) {
    const isName = at === 0 || !/[\w$.]/.test(rest.charAt(at - 1))
    rest = rest.slice(at + root.length)
    const [place = "", name = ""] = /^(?:(?:inputs|runtime)\.)?([\w$]*)/.exec(rest) ?? []
    if (isName && name !== "" && place !== "inputs" && place !== "runtime") found.push(place)
  }
  return found
}

/** The names that the expressions of a text read. */
const inText = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let from = text.indexOf("{{"); from >= 0; ) {
    const to = text.indexOf("}}", from + 2)
    if (to < 0) break
    found.push(...inExpression(text.slice(from + 2, to)))
    from = text.indexOf("{{", to + 2)
  }
  return found
}

/** The names that the texts of a value read; those of members with one of the `bare` names are expressions. */
const inValue = (value: Schema.Json, isBare: boolean, bare: ReadonlySet<string>): ReadonlyArray<string> => {
  if (typeof value === "string") return isBare ? inExpression(value) : inText(value)
  if (Array.isArray(value)) return value.flatMap((one: Schema.Json) => inValue(one, isBare, bare))
  return Object.entries(Json.objectOf(value)).flatMap(([name, member]) =>
    inValue(member, isBare || bare.has(name), bare)
  )
}

const none: ReadonlySet<string> = new Set()
const bareNames: Readonly<Record<string, ReadonlySet<string>>> = {
  run_if: new Set(["field"]),
  expect: new Set(["field"]),
  operations: new Set(["value"])
}

/** The names that the types want to be known before a step. */
export const readBy = (move: NodeMove): ReadonlyArray<string> => {
  const own = new Set(setBy(move))
  return Object.entries(move.parameters).flatMap(([name, value]) => {
    const reads = inValue(value, name === "field_json_map", bareNames[name] ?? none)
    return name === "expect" || name === "operations" ? reads.filter((one) => !own.has(one) && !own.has(any)) : reads
  })
}

const firstName = (place: string): string => place.replace(/^context\./, "").split(".")[0] ?? ""

const propertiesOf = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  Object.keys(Json.objectOf(Json.objectOf(value).properties))

const textsOf = (...values: ReadonlyArray<Schema.Json | undefined>): ReadonlyArray<string> =>
  values.filter((value) => typeof value === "string")

/** The names that the types know after a step. */
export const setBy = (move: NodeMove): ReadonlyArray<string> => {
  const { parameters } = move
  if (move._tag === "Each") {
    return textsOf(parameters.variable_current_item, parameters.variable_current_index).map((name) => `runtime.${name}`)
  }
  if (move._tag === "When") return []
  switch (move.action) {
    case "START":
      return Object.keys(Json.objectOf(parameters.input_variables)).map((name) => `inputs.${name.replace(/^\$/, "")}`)
    case "CLICK":
      return textsOf(parameters.copied_as)
    case "USER_INTERACTION":
      return propertiesOf(parameters.expected_datamodel)
    case "EXTRACT_DATAMODEL":
    case "EXTRACT_NETWORK":
      return propertiesOf(parameters.extract_data_model)
    case "API_FLOW":
      return typeof parameters.field_json_map === "string"
        ? [any]
        : Object.keys(Json.objectOf(parameters.field_json_map)).map(firstName)
    case "TRANSFORM":
      return (Array.isArray(parameters.operations) ? parameters.operations : []).flatMap((operation: Schema.Json) =>
        textsOf(Json.objectOf(operation).target).map(firstName)
      )
    default:
      return []
  }
}

/** The names of the inputs, as the types know them. */
export const ofInputs = (schema: Schema.JsonObject, aliases: Iterable<string>): ReadonlyArray<string> => {
  const isOpen = !Json.isObject(schema.properties) && schema.additionalProperties !== false
  return [
    ...(isOpen ? [`inputs.${any}`] : propertiesOf(schema).map((name) => `inputs.${name}`)),
    ...[...aliases].map((alias) => `inputs.${alias}`)
  ]
}

/** Whether a name is among known ones. */
export const isKnown = (name: string, known: ReadonlySet<string>): boolean =>
  known.has(name) || known.has(any) || (name.startsWith("inputs.") && known.has(`inputs.${any}`))
