/**
 * Has a model say whether something holds, for what the page shows or for what the run knows.
 */
import { Effect, Result } from "effect"
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
}

const verdict = {
  type: "object",
  properties: { holds: { type: "boolean" }, reason: { type: "string", maxLength: 2_000 } },
  required: ["holds", "reason"],
  additionalProperties: false
}

export const holds = (statement: Statement): Effect.Effect<boolean, StepFailed> =>
  ModelRequest.ask({
    ...statement,
    purpose: "judge",
    instructions: Prompts.judging,
    request: statement.prompt,
    form: { _tag: "Object", name: "verdict", schema: verdict },
    judge: (said) =>
      Effect.sync(() => {
        const value = said._tag === "Object" ? said.value : {}
        if (typeof value.holds !== "boolean") return Result.fail('Expected "holds" to be true or false')
        return Result.succeed({ value: value.holds, did: value.holds ? "it holds" : "it does not hold" })
      })
  })
