/** The condition of a node. If it does not hold, the node is skipped and the run continues. */
import { Result, Schema } from "effect"
import * as Expression from "../expression/Expression.ts"
import * as Template from "../expression/Template.ts"
import { operators } from "../parameters/Control.ts"
import type { ActionName } from "./Action.ts"
import type { Node } from "./Graph.ts"

/** The actions that may have a condition. */
const conditional = [
  "CLICK",
  "DRAG",
  "INPUT_TEXT",
  "INPUT_SELECT",
  "EXTRACT_DATAMODEL",
  "EXTRACT_NETWORK",
  "SCREENSHOT",
  "TFA",
  "FILE_DOWNLOAD",
  "API_FLOW"
] as const satisfies ReadonlyArray<ActionName>
export type Conditional = (typeof conditional)[number]

export const allowed: ReadonlySet<string> = new Set(conditional)

/** A path into the context, such as `context.orders[0].id`. */
const Field = Schema.String.check(
  Schema.makeFilter((field) => {
    const compiled = Expression.compile(field.trim())
    if (Result.isFailure(compiled)) return `Cannot read the field: ${compiled.failure}`
    const [first] = Template.reads(compiled.success)
    return Template.isPath(compiled.success) && first?.[0] === "context" && first.length > 1
      ? undefined
      : 'Expected a field of the context, such as "context.status"'
  })
)

/** A comparison of a field of the context. */
export const FieldComparison = Schema.Struct({
  field: Field,
  operator: Schema.Literals(operators),
  value: Schema.optionalKey(Schema.Json)
})

export const RunIf = Schema.Struct({
  match: Schema.optionalKey(Schema.NullOr(Schema.Literals(["all", "any"]))),
  conditions: Schema.Array(FieldComparison).check(Schema.isMinLength(1), Schema.isMaxLength(50))
}).annotate({ identifier: "RunIf" })
export type RunIf = typeof RunIf.Type

export const decode = Schema.decodeUnknownResult(RunIf, { errors: "all" })

/** The condition of a node; `null` for a node that always runs. */
export const of = ({ parameters }: Node): RunIf | null =>
  // The condition is among the parameters of a node, but not in their schema.
  "run_if" in parameters ? ((parameters as { readonly run_if?: RunIf | null }).run_if ?? null) : null
