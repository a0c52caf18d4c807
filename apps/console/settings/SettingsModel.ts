/** The settings of a workspace as fields of a form, and the changes of a form. */
import type { WorkspaceSettings } from "../../api/workspace/WorkspacesApi.ts"
import type { Json } from "../forms/SchemaModel.ts"
import { secondsOf, spanWords } from "../forms/Span.ts"

export type Settings = typeof WorkspaceSettings.Type

export const schema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name of the workspace" },
    waiting_ttl_seconds: {
      type: "string",
      title: "A waiting run is stopped after",
      description:
        "Such as 12 hours or 3 days, up to 365 days. If empty, runs wait without limit. Runs that are waiting keep their limit"
    },
    input_required_timeout_seconds: {
      type: "string",
      title: "A run waits for corrected inputs for",
      description: "Such as 90 seconds, 5 seconds to 5 minutes"
    },
    signed_url_ttl_seconds: {
      type: "string",
      title: "Links to files, pictures and videos work for",
      description: "Such as 1 day, 1 hour to 7 days"
    },
    phone_number: {
      type: "string",
      title: "Telephone number",
      description: "Runs read one-time codes that are sent to this number by SMS. Such as +15551234567"
    }
  },
  required: ["name", "input_required_timeout_seconds", "signed_url_ttl_seconds"]
} as const

export type FieldName = keyof typeof schema.properties

export const fieldNames = Object.keys(schema.properties) as ReadonlyArray<FieldName>

/** The values of the form: spans of time in words. */
export const formOf = (stored: Settings): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    fieldNames.flatMap((name) => {
      const value = stored[name]
      return value === null ? [] : [[name, typeof value === "number" ? spanWords(value) : value]]
    })
  )

/** What was typed as the interface takes it, and the fields whose spans cannot be read. */
export const readForm = (
  given: Readonly<Record<string, Json>>
): { readonly values: Readonly<Record<string, Json>>; readonly problems: Readonly<Record<string, string>> } => {
  const values: Record<string, Json> = {}
  const problems: Record<string, string> = {}
  for (const name of fieldNames) {
    const text = given[name] ?? null
    const seconds = name.endsWith("_seconds") && typeof text === "string" ? secondsOf(text) : text
    if (seconds === null && text !== null)
      problems[name] = `"${text}" is no span of time: expected one such as 90 seconds or 2 days`
    values[name] = seconds
  }
  return { values, problems }
}

/** The fields whose values differ from the stored ones. An empty optional field is `null`. */
export const changesOf = (
  stored: Settings,
  given: Readonly<Record<string, Json>>
): Partial<Omit<Settings, "workspace_id">> =>
  Object.fromEntries(
    fieldNames.flatMap((name) => {
      const value = given[name] ?? null
      return value === stored[name] ? [] : [[name, value]]
    })
  )

/** The value of a setting in words. */
export const valueWords = (name: FieldName, value: Settings[FieldName]): string => {
  if (value === null) return name === "waiting_ttl_seconds" ? "without limit" : "none"
  return typeof value === "number" ? spanWords(value) : value
}
