/**
 * The oldest form of the graph language, read as the present one: `{$NAME}` placeholders, and input schemas whose
 * properties stand beside `required`.
 */
import type { Schema } from "effect"

/** Rewrites every `{$NAME}` in a JSON value to `{{context.inputs["NAME"]}}`. */
export const placeholders = (value: Schema.Json): Schema.Json => {
  const text = JSON.stringify(value)
  return text.includes("{$") ? rewritten(value) : value
}

/** Gives a flat input schema its `properties`, and drops the `$` before their names. Any other schema is returned as it is. */
export const inputSchema = (schema: Schema.JsonObject): Schema.JsonObject => {
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

const keywords = new Set(["$schema", "$id", "$ref", "$comment", "$defs"])

const rewritten = (value: Schema.Json): Schema.Json => {
  if (typeof value === "string") {
    return value.replaceAll(/\{\$([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => `{{context.inputs.${name}}}`)
  }
  if (Array.isArray(value)) return value.map(rewritten)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, rewritten(field)]))
}
