/** Error codes as fields of a form, and their actions in words. */
import type { ErrorCodeRecord } from "../../api/error-code/ErrorCodesApi.ts"
import type { Json } from "../forms/SchemaModel.ts"
import { duration } from "../kit/Times.ts"

export type Code = typeof ErrorCodeRecord.Type

const actions = ["alert", "cancel", "pause", "retry", "input_required"] as const

export const schema = {
  type: "object",
  properties: {
    error_code: {
      type: "string",
      title: "Name",
      description: "Such as LOGIN_FAILED. Case does not matter"
    },
    description: { type: "string", title: "Description", description: "What it means, for people" },
    error_action: {
      type: "string",
      title: "When a run fails with it",
      enum: actions,
      description:
        "alert and cancel end the run; pause also pauses the workflow; retry tries the run again; input_required ends it like alert",
      default: "alert"
    },
    retries: {
      type: "integer",
      title: "Retries",
      description: "0 to 100, for the action retry. If empty, as many as the workflow allows"
    },
    retry_after: {
      type: "number",
      title: "Seconds before a retry",
      description: "0 to 86400. If empty, the service decides"
    }
  },
  required: ["error_code", "error_action"]
} as const

export const fieldNames = Object.keys(schema.properties) as ReadonlyArray<keyof typeof schema.properties>

export interface Fields {
  readonly error_code: string
  readonly description: string
  readonly error_action: (typeof actions)[number]
  readonly retries: number | null
  readonly retry_after: number | null
}

/** The body of a filled form. Fields without a value become empty. */
export const fieldsOf = (given: Readonly<Record<string, Json>>): Fields => ({
  error_code: String(given.error_code ?? "").trim(),
  description: String(given.description ?? ""),
  error_action: actions.find((action) => action === given.error_action) ?? "alert",
  retries: typeof given.retries === "number" ? given.retries : null,
  retry_after: typeof given.retry_after === "number" ? given.retry_after : null
})

/** What the service does when a run fails with a code. */
export const actionWords = ({
  error_action,
  retries,
  retry_after
}: Pick<Code, "error_action" | "retries" | "retry_after">): string => {
  switch (error_action) {
    case "pause":
      return "The run ends, and its workflow is paused until a person ends the pause"
    case "retry": {
      const often = retries === null ? "as often as the workflow allows" : retries === 1 ? "once" : `${retries} times`
      return `The run is tried again ${often}${retry_after === null ? "" : `, each after ${duration(retry_after * 1_000)}`}`
    }
    default:
      return "The run ends"
  }
}
