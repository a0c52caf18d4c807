/**
 * The request body that copies a workflow.
 */

import { Result, Schema } from "effect"
import * as TextLength from "../../window/TextLength.ts"
import * as BodyFields from "../../workspace/request/BodyFields.ts"
import { optional } from "../../workspace/request/ParsedJson.ts"
import * as FieldLimit from "../FieldLimit.ts"
import { problemsOf } from "../language/graph/Paths.ts"
import * as SaveBody from "../SaveBody.ts"
import { InvalidWorkflow } from "../Workflow.ts"
import type { StoredWorkflow } from "../WorkflowStore.ts"

export const ForkBody = Schema.Struct({
  /** The name of the copy; without one, that of the original and "(copy)". */
  name: optional(SaveBody.Text.check(Schema.isNonEmpty({ message: "Expected a name" }), FieldLimit.described("name"))),
  /** Replaces the window of the original; `null` removes it. */
  run_window: Schema.optionalKey(Schema.Json),
  /** The version to copy; without one, the latest. */
  version_number: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 })))
}).annotate({ identifier: "WorkflowFork" })

export interface Fork {
  readonly name: string | null
  readonly window: SaveBody.WindowChange
  readonly versionNumber: number | null
}

const fieldsOf = BodyFields.reader(ForkBody)

/** Reads a request for a copy. Every problem is reported. */
export const read = (body: unknown, now: number): Result.Result<Fork, InvalidWorkflow | FieldLimit.FieldsTooLarge> => {
  const { error, fields: sent } = fieldsOf(body ?? {})
  const window = SaveBody.readWindow(sent.run_window, now)
  const tooLong = FieldLimit.overCharacters({ name: sent.name ?? null })
  if (error !== null || Result.isFailure(window)) {
    return Result.fail(
      new InvalidWorkflow({
        problems: [
          ...(error === null ? [] : problemsOf(error)),
          ...(Result.isFailure(window) ? window.failure : []),
          ...FieldLimit.asProblems(tooLong)
        ]
      })
    )
  }
  return Result.map(FieldLimit.refuse(tooLong), () => ({
    name: sent.name ?? null,
    window: window.success,
    versionNumber: sent.version_number ?? null
  }))
}

/** The copy of a version of a workflow. */
export const draft = ({ gate, version, workflow }: StoredWorkflow, fork: Fork): SaveBody.Draft => ({
  name: fork.name ?? `${TextLength.first(workflow.name, 249)} (copy)`,
  description: workflow.description,
  versionNote: `Forked from version ${version.versionNumber}`,
  content: version.content,
  window:
    fork.window._tag !== "Keep" || gate.runWindow === null ? fork.window : { _tag: "Set", window: gate.runWindow },
  windowRevision: null,
  baseVersionId: null,
  canary: null,
  problems: [],
  tooLong: []
})
