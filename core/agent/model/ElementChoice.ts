/**
 * Asks the model which of a few candidates is the element that a lost selector meant: for recovery, when nothing else is
 * certain enough.
 */
import { Effect, Result } from "effect"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import type { StepFailed } from "../Failure.ts"
import * as ModelRequest from "./ModelRequest.ts"
import * as Prompts from "./Prompts.ts"

/** An element that may be the lost one. */
export interface Candidate {
  /** By which it is chosen: any text, unique among the candidates. */
  readonly ref: string
  /**
   * The description of the element as the page shows it: role, name, text, stable attributes. The model gets it as data
   * of the page.
   */
  readonly description: string
}

export interface LostElement {
  readonly node: Node
  /** The known facts about the element: its selector, and what it was like when it was last found. */
  readonly description: string
  readonly candidates: ReadonlyArray<Candidate>
  readonly secrets: Secrets
}

/**
 * The `ref` of the candidate that the model takes for the lost element; `null` when the model chooses no candidate, or
 * there are none. Fails when no model is configured, the budget of the run is spent, or no useful answer came.
 */
export const locate = Effect.fnUntraced(function* ({
  candidates,
  description,
  node,
  secrets
}: LostElement): Effect.fn.Return<string | null, StepFailed> {
  if (candidates.length === 0) return null
  const refs = candidates.map(({ ref }) => ref)
  return yield* ModelRequest.ask({
    node,
    secrets,
    purpose: "locate",
    model: null,
    instructions: Prompts.locating,
    request: `The step "${node.name}" does not find its element. What that was like comes first, then the candidates.`,
    // The known facts about the element were read from a page as well.
    page: [
      `The element: ${description}`,
      ...candidates.map((candidate) => `${candidate.ref}: ${candidate.description}`)
    ].join("\n"),
    shot: null,
    form: { _tag: "Choice", tools: [Prompts.chooseElement(refs), Prompts.notFound] },
    judge: (said) => Effect.succeed(judge(said, refs))
  })
})

const judge = (
  said: ModelRequest.ModelAnswer,
  refs: ReadonlyArray<string>
): Result.Result<ModelRequest.Verdict<string | null>, string> => {
  if (said._tag !== "Called") return Result.fail("Expected a call of a tool")
  if (said.tool === "not_found") return Result.succeed({ value: null, did: "none of the candidates" })
  const ref = refs.find((known) => known === said.parameters.element)
  return ref === undefined
    ? Result.fail("There is no such candidate")
    : Result.succeed({ value: ref, did: `candidate ${ref}` })
}
