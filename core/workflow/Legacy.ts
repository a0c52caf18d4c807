/**
 * The oldest form of the graph language, read as the present one: `{$NAME}` placeholders, and input schemas whose
 * properties are siblings of `required` or are only the names of types.
 */
import type { Schema } from "effect"
import * as Json from "../workspace/Json.ts"
import type { Settings } from "./Workflow.ts"

/**
 * Rewrites every `{$NAME}` in the nodes of a workflow to `{{context.inputs.NAME}}`. Expressions are not changed: the
 * oldest form has none, and in an expression `{$NAME}` is the body of a function, as in `$map(context.rows,
 * function($row){$row})`.
 */
export const placeholders = (nodes: Schema.Json): Schema.Json => {
  const text = JSON.stringify(nodes)
  if (!text.includes("{$")) return nodes
  return Array.isArray(nodes) ? nodes.map((node) => (isNewer(node) ? node : rewritten(node))) : rewritten(nodes)
}

/** Actions that the oldest form does not have. Their expressions have no braces. */
const newer = new Set<unknown>(["TRANSFORM", "API_FLOW", "EXTRACT_NETWORK"])

const isNewer = (node: Schema.Json): boolean => Json.isObject(node) && newer.has(node.action)

/**
 * Moves the properties of a flat input schema into `properties`, removes the `$` before their names, and writes
 * `"string"` as `{ "type": "string" }`.
 */
export const inputSchema = (schema: Schema.JsonObject): Schema.JsonObject => longhand(nested(schema))

const nested = (schema: Schema.JsonObject): Schema.JsonObject => {
  const flat = Object.entries(schema).filter(([key]) => key.startsWith("$") && !keywords.has(key))
  if (flat.length === 0 || "properties" in schema) return schema
  const rest = Object.entries(schema).filter(([key]) => !key.startsWith("$") || keywords.has(key))
  const { required } = schema
  return {
    type: "object",
    ...Object.fromEntries(rest),
    properties: Object.fromEntries(flat.map(([key, property]) => [key.slice(1), property])),
    ...(Array.isArray(required)
      ? { required: required.map((name) => (typeof name === "string" ? name.replace(/^\$/, "") : name)) }
      : {})
  }
}

/** Writes a property that is a type name, or a list of them, as `{ "type": … }`. */
const longhand = (schema: Schema.JsonObject): Schema.JsonObject => {
  const { properties } = schema
  if (!Json.isObject(properties)) return schema
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, typed(property)]))
  }
}

const typed = (property: Schema.Json): Schema.Json => {
  if (typeof property === "string") return { type: property }
  if (Array.isArray(property) && property.every((type) => typeof type === "string")) return { type: property }
  return Json.isObject(property) ? longhand(property) : property
}

/** The parameters of the START node, in which older workflows have their settings; empty without such a node. */
const startOf = (nodes: unknown): Schema.JsonObject => {
  const start = (Array.isArray(nodes) ? nodes : []).find((node) => Json.isObject(node) && node.action === "START")
  // The nodes were parsed from JSON text.
  return Json.isObject(start) ? Json.objectOf(start.parameters as Schema.Json) : {}
}

/** The settings in the START node that the workflow does not have itself. */
export const settings = (
  nodes: unknown,
  own: Readonly<Record<string, unknown>>
): Pick<
  Settings,
  "video_record_session" | "popup_xpaths" | "extract_network_urls" | "enable_popup_handling" | "enable_network_listener"
> => {
  const { extract_network_urls, popup_xpaths, video_record_session } = startOf(nodes)
  const isMissing = (name: string) => own[name] === undefined || own[name] === null
  const urls = isMissing("extract_network_urls") ? textsOf(extract_network_urls) : []
  const popups = isMissing("popup_xpaths") ? textsOf(popup_xpaths) : []
  return {
    ...(video_record_session === true && isMissing("video_record_session") ? { video_record_session } : {}),
    ...(popups.length > 0 ? { popup_xpaths: popups } : {}),
    ...(popups.length > 0 && isMissing("enable_popup_handling") ? { enable_popup_handling: true } : {}),
    ...(urls.length > 0 ? { extract_network_urls: urls } : {}),
    ...(urls.length > 0 && isMissing("enable_network_listener") ? { enable_network_listener: true } : {})
  }
}

const textsOf = (value: Schema.Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string") && value.length <= 1_000 ? value : []

/** Whether runs store the files that they download. They do, unless the START node disables it. */
export const storesFiles = (nodes: unknown): boolean => startOf(nodes).store_downloaded_files !== false

/** The default inputs in the START node of a workflow, for runs without these inputs. */
export const defaultInputs = (nodes: unknown): Schema.JsonObject => withoutSigns(startOf(nodes).input_variables)

/** Inputs by their names, without the leading `$` of the oldest form. */
const withoutSigns = (inputs: Schema.Json | undefined): Schema.JsonObject =>
  Object.fromEntries(Object.entries(Json.objectOf(inputs)).map(([name, value]) => [name.replace(/^\$/, ""), value]))

const keywords = new Set(["$schema", "$id", "$ref", "$comment", "$defs"])

const rewritten = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") {
    return value.replaceAll(
      /\{\{(?:(?!\{\{)[\s\S])*?\}\}|\{\$([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?)\}/g,
      (found, name: string | undefined) => (name === undefined ? found : `{{context.inputs.${name}}}`)
    )
  }
  if (Array.isArray(value)) return value.map(rewritten)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, rewritten(field)]))
}
