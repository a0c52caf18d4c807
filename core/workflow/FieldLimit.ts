/**
 * The maximum sizes of the fields of a workflow and of a submission.
 */

import { Result, Schema } from "effect"
import * as TextLength from "../window/TextLength.ts"
import type { Content, Problem } from "./Workflow.ts"
import type { StoredSizes } from "./WorkflowStore.ts"

/** A field over its limit, as the interface reports it. */
export const FieldTooLarge = Schema.Struct({
  code: Schema.String,
  field: Schema.String,
  message: Schema.String,
  limit_bytes: Schema.optionalKey(Schema.Int),
  limit_chars: Schema.optionalKey(Schema.Int),
  actual_chars: Schema.optionalKey(Schema.Int)
})
export type FieldTooLarge = typeof FieldTooLarge.Type

/** Raised when fields exceed their limits, and nothing else is wrong. */
export class FieldsTooLarge extends Schema.TaggedError<FieldsTooLarge>()("FieldsTooLarge", {
  fields: Schema.NonEmptyArray(FieldTooLarge)
}) {
  override get message() {
    return this.fields.map((field) => field.message).join("; ")
  }
}

const bytes = {
  nodes: { limit: 2_097_152, code: "WORKFLOW_NODES_TOO_LARGE" },
  edges: { limit: 524_288, code: "WORKFLOW_EDGES_TOO_LARGE" },
  input_schema: { limit: 262_144, code: "INPUT_SCHEMA_TOO_LARGE" },
  output_schema: { limit: 131_072, code: "OUTPUT_SCHEMA_TOO_LARGE" },
  vault_schema: { limit: 32_768, code: "VAULT_SCHEMA_TOO_LARGE" },
  "dry_run.add_to_output": { limit: 4_096, code: "DRY_RUN_OUTPUT_TOO_LARGE" }
} as const

const characters = {
  name: { limit: 256, code: "WORKFLOW_NAME_TOO_LONG" },
  description: { limit: 4_096, code: "WORKFLOW_DESCRIPTION_TOO_LONG" },
  version_note: { limit: 2_048, code: "VERSION_NOTE_TOO_LONG" }
} as const

/** The fields whose stored size, in bytes, is over its limit. */
export const overBytes = (sizes: Partial<Record<keyof typeof bytes, number>>): ReadonlyArray<FieldTooLarge> =>
  entries(bytes).flatMap(([field, { code, limit }]) => {
    const size = sizes[field] ?? 0
    return size <= limit
      ? []
      : [{ code, field, message: `${field} takes ${size} bytes: at most ${limit} are allowed`, limit_bytes: limit }]
  })

/** The sizes that the fields of a workflow have as JSON text, in UTF-8. */
export const rawSizes = (content: Pick<Content, keyof StoredSizes>): StoredSizes => ({
  nodes: sizeOf(content.nodes),
  edges: sizeOf(content.edges),
  input_schema: sizeOf(content.input_schema),
  output_schema: sizeOf(content.output_schema),
  vault_schema: sizeOf(content.vault_schema)
})

const sizeOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length

/** A text over its limit, for texts that have limits elsewhere. */
export const overLength = (field: string, text: string, limit: number, code: string): ReadonlyArray<FieldTooLarge> =>
  TextLength.fits(text, limit)
    ? []
    : [
        {
          code,
          field,
          message: `${field} has ${TextLength.of(text)} characters: at most ${limit} are allowed`,
          limit_chars: limit,
          actual_chars: TextLength.of(text)
        }
      ]

/** The limit of a text, for its description: what exceeds it is refused by its code. */
export const described = (field: keyof typeof characters) => TextLength.judgedElsewhere(characters[field].limit)

/** The texts that have more characters than allowed. */
export const overCharacters = (
  texts: Partial<Record<keyof typeof characters, string | null>>
): ReadonlyArray<FieldTooLarge> =>
  entries(characters).flatMap(([field, { code, limit }]) => overLength(field, texts[field] ?? "", limit, code))

/** Refuses if any field is too large. */
export const refuse = (fields: ReadonlyArray<FieldTooLarge>): Result.Result<void, FieldsTooLarge> => {
  const [first, ...rest] = fields
  return first === undefined ? Result.void : Result.fail(new FieldsTooLarge({ fields: [first, ...rest] }))
}

/** The fields over their limits as problems, for an answer that also lists other problems. */
export const asProblems = (fields: ReadonlyArray<FieldTooLarge>): ReadonlyArray<Problem> =>
  fields.map(({ field, message }) => ({ path: field, message }))

/** The entries of a record whose keys are all known, which the type of `Object.keys` does not say. */
const entries = <K extends string, V>(record: Readonly<Record<K, V>>): ReadonlyArray<readonly [K, V]> =>
  (Object.keys(record) as Array<K>).map((key) => [key, record[key]])
