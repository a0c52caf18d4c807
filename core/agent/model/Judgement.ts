/**
 * Has a model say whether something holds, for what the page shows or for what the run knows.
 */
import { Effect, Result, type Schema } from "effect"
import type { Shot } from "../../browser/vision/Shot.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import type { StepFailed } from "../Failure.ts"
import * as ModelRequest from "./ModelRequest.ts"
import * as Prompts from "./Prompts.ts"

export interface Statement {
  readonly node: Node
  readonly secrets: Secrets
  readonly prompt: string
  readonly model: string | null
  /** The part of the page it is about; `null` when it is about the context alone. */
  readonly page: string | null
  readonly shot: Shot | null
  /** What the model is asked to say it decides by: a text of the page, or an expression over the context. */
  readonly plainly: "text" | "expression" | null
}

export interface Verdict {
  readonly holds: boolean
  /** What the model says it decided by, unchecked; `null` where it says nothing. */
  readonly plain: Schema.Json
}

const schemaOf = (plain: Schema.JsonObject | null) => ({
  type: "object",
  properties: {
    holds: { type: "boolean" },
    reason: { type: "string", maxLength: 2_000 },
    ...(plain === null ? {} : { plain })
  },
  required: ["holds", "reason", ...(plain === null ? [] : ["plain"])],
  additionalProperties: false
})

export const judge = (statement: Statement): Effect.Effect<Verdict, StepFailed> =>
  ModelRequest.ask({
    ...statement,
    purpose: "judge",
    instructions: Prompts.judging(statement.plainly),
    request: statement.prompt,
    form: {
      _tag: "Object",
      name: "verdict",
      schema: schemaOf(statement.plainly === null ? null : Prompts.plainReason[statement.plainly])
    },
    judge: (said) =>
      Effect.sync(() => {
        const value = said._tag === "Object" ? said.value : {}
        if (typeof value.holds !== "boolean") return Result.fail('Expected "holds" to be true or false')
        const { holds, plain = null } = value
        return Result.succeed({ value: { holds, plain }, did: holds ? "it holds" : "it does not hold" })
      })
  })
