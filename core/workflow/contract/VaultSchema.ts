/** The credentials that a workflow needs: an alias for each, with its site. */
import { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import * as WellFormed from "../../workspace/WellFormed.ts"
import type { Problem } from "../Workflow.ts"

/** The problems of a vault schema, each at its alias. */
export const problems = (vaultSchema: Schema.JsonObject): ReadonlyArray<Problem> =>
  Object.entries(vaultSchema).flatMap(([alias, entry]) => {
    const messages = [
      ...(WellFormed.is(alias) ? [] : [WellFormed.expected]),
      ...(isEntry(entry) ? [] : ['Expected an object with the type "credential" and a domain'])
    ]
    return messages.map((message) => ({ path: `vault_schema.${alias}`, message }))
  })

const isEntry = Schema.is(
  Schema.Struct({
    type: Schema.Literal("credential"),
    domain: Schema.String,
    example: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

/** The placeholder of a credential that is not given, such as `<bank>`. */
export const placeholder = (alias: string): string => `<${alias.toLowerCase()}>`

/** Returns whether a value given for a credential is such a placeholder, or a list of them. */
export const isPlaceholder = (value: Schema.Json | undefined): boolean =>
  Array.isArray(value)
    ? value.length > 0 && value.every((one) => isPlaceholder(one))
    : typeof value === "string" && /^<[^<>]+>$/.test(value)

/** Each alias with an example of its value in a run. */
export const withExamples = (vaultSchema: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(vaultSchema).map(([alias, entry]) => {
      const fields = Json.objectOf(entry)
      return [alias, { ...fields, example: fields.example ?? placeholder(alias) }]
    })
  )
