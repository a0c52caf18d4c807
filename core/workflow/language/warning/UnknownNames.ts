/** Warnings about fields of nodes that no action reads: misspelt fields, and fields of older workflows. */
import { Schema } from "effect"
import { nearest, suggestion } from "../../../window/NearestName.ts"
import * as UnknownFields from "../../../window/UnknownFields.ts"
import * as Json from "../../../workspace/Json.ts"
import * as Instances from "../../component/Instances.ts"
import type { Problem } from "../../Workflow.ts"
import { type ActionName, isServed, parameters } from "../graph/Action.ts"
import * as Expect from "../graph/Expect.ts"
import * as RunIf from "../graph/RunIf.ts"

/** The fields of every node. The position belongs to editors. */
const fields: ReadonlySet<string> = new Set([
  "id",
  "name",
  "action",
  "parameters",
  "description",
  "position",
  Instances.instanceField,
  Instances.nodeField
])

/** Fields in nodes of older workflows that have no effect. */
const olderFields: ReadonlySet<string> = new Set([
  "use_native_actions",
  "popup_xpaths",
  "take_snapshot",
  "errored",
  "previous_node_errored",
  "session_retries",
  "session_id"
])

/** Parameters of older workflows that have no effect, with their replacements. */
const olderParameters: { readonly [A in ActionName]?: Readonly<Record<string, string>> } = {
  CLICK: { max_retries_with_reload: "the max_retries of the workflow" },
  TFA: { code: "the credential", tfa_url: "a NAVIGATE before it" },
  BOOL_CONDITION: { condition: "prompt, or the comparison", decision: "its edges" },
  LOOP: { over: "variable_over", current_item: "variable_current_item", current_index: "variable_current_index" },
  USER_INTERACTION: { missing_properties: "expected_datamodel" }
}

/** Keywords of JSON Schema that a data model may have beside its own. */
const schemaKeywords: ReadonlySet<string> = new Set(
  "$schema $id $comment title default example examples enum const required additionalProperties pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties readOnly writeOnly deprecated nullable".split(
    " "
  )
)

const runIf = Schema.Struct({ run_if: Schema.optionalKey(Schema.NullOr(RunIf.RunIf)) })
const expect = Schema.Struct({ expect: Schema.optionalKey(Schema.NullOr(Expect.Expect)) })

/** A warning for each field of the nodes of a workflow that has no effect, at its path. */
export const warnings = (nodes: unknown): ReadonlyArray<Problem> =>
  (Array.isArray(nodes) ? nodes : []).flatMap((node: unknown, index) => {
    if (!Json.isObject(node) || typeof node.action !== "string" || !isServed(node.action)) return []
    const path = `nodes[${index}]`
    return [
      ...ofNode(node, path),
      ...ofParameters(node.action, node.parameters, `${path}.parameters`, String(node.name))
    ]
  })

const ofNode = (node: Readonly<Record<string, unknown>>, path: string): ReadonlyArray<Problem> =>
  Object.entries(node).flatMap(([field, value]) => {
    if (fields.has(field) || value === null || value === false || isEmpty(value)) return []
    const at = `${path}.${field.slice(0, 80)}`
    if (olderFields.has(field)) return [{ path: at, message: `${field} of a node has no effect any more` }]
    // A parameter beside `parameters` instead of inside is a common mistake.
    const { action } = node
    const isParameter =
      typeof action === "string" &&
      isServed(action) &&
      (field === "expect" || Object.hasOwn(parameters[action].fields, field))
    const hint = isParameter ? "move it into parameters" : suggestion(field, fields)
    return [{ path: at, message: `A node has no field ${field.slice(0, 80)}, so it has no effect: ${hint}` }]
  })

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const ofParameters = (action: ActionName, sent: unknown, path: string, name: string): ReadonlyArray<Problem> => {
  if (!Json.isObject(sent)) return []
  const own: Schema.Top = parameters[action]
  const known = Object.keys(parameters[action].fields)
  const also = RunIf.allowed.has(action) ? ["run_if", "expect"] : ["expect"]
  const older = olderParameters[action] ?? {}
  return [
    ...UnknownFields.of(own, sent, { path, also }),
    ...(sent.run_if == null ? [] : UnknownFields.of(runIf, { run_if: sent.run_if }, { path })),
    ...(sent.expect == null ? [] : UnknownFields.of(expect, { expect: sent.expect }, { path }))
  ].flatMap((unknown): ReadonlyArray<Problem> => {
    if (unknown.path.includes(".extract_data_model.") && schemaKeywords.has(unknown.name)) return []
    const isOwn = unknown.path === `${path}.${unknown.name}`
    const instead = isOwn && Object.hasOwn(older, unknown.name) ? older[unknown.name] : undefined
    const meant = isOwn ? nearest(unknown.name, [...known, ...also]) : null
    const hint =
      instead !== undefined
        ? `use ${instead}`
        : meant === null && isOwn
          ? `${action} has ${[...known, ...also].join(", ") || "no parameters"}`
          : unknown.message
    return [
      {
        path: unknown.path,
        message: `${unknown.name.slice(0, 80)} of node "${name}" has no effect: ${hint}`
      }
    ]
  })
}
