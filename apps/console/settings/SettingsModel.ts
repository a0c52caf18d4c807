/** The settings of a workspace as fields of a form, and the changes of a form. */
import type { WorkspaceSettings } from "../../api/workspace/WorkspacesApi.ts"
import type { Json } from "../forms/SchemaModel.ts"
import { duration } from "../kit/Times.ts"

export type Settings = typeof WorkspaceSettings.Type

export const schema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name of the workspace" },
    waiting_ttl_seconds: {
      type: "integer",
      title: "A waiting run is stopped after",
      description: "In seconds, up to a year. If empty, runs wait without limit. Runs that are waiting keep their limit"
    },
    input_required_timeout_seconds: {
      type: "integer",
      title: "A run waits for corrected inputs for",
      description: "In seconds, 5 to 300"
    },
    signed_url_ttl_seconds: {
      type: "integer",
      title: "Links to files, pictures and videos work for",
      description: "In seconds, one hour (3600) to seven days (604800)"
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
  return typeof value === "number" ? duration(value * 1_000) : value
}
