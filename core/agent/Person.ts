/**
 * The person that a run may ask while it is in progress.
 */
import type { Effect, Schema } from "effect"
import type { Shot } from "../browser/vision/Shot.ts"
import type { Box } from "../browser/vision/Sight.ts"
import type { Told } from "../run/interaction/ApprovedAct.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"

/** A question of a step. */
export interface Question {
  readonly node: Node
  /** For the person. */
  readonly message: string
  /** The JSON schema that the answer must satisfy. */
  readonly schema: Schema.JsonObject
  readonly timeoutMillis: number
  /** The screenshot to show to the person, if there is one. */
  readonly shot?: Shot | null
}

/** Why a step failed, where a person may correct it. */
export interface CorrectableFailure {
  readonly node: Node
  readonly message: string
  /** The current inputs of the run. */
  readonly inputs: Schema.JsonObject
  /** Whether an option may be named, because the step chooses one from a list. */
  readonly choosing: boolean
  /** The page, where it can be shown. */
  readonly shot: Shot | null
  /** Set when no option was chosen because several are equally similar to the wanted one. */
  readonly ambiguous?: boolean
  /** The pop-up to decide about, if that is the question. */
  readonly popup?: Popup
}

/** A pop-up of which every option is a decision, so that none is chosen automatically. */
export interface Popup {
  readonly description: string
  readonly subType: "NON_DISMISSIBLE"
  readonly address: string
  /** The options on it. */
  readonly actions: ReadonlyArray<{ readonly id: string; readonly label: string }>
  readonly attempt: number
  readonly maxAttempts: number
}

/** The replacement by a person for a value that a step could not use. */
export type Correction =
  /** All inputs, with the corrected ones in their places. */
  | { readonly _tag: "inputs"; readonly inputs: Schema.JsonObject }
  /** An option; with `save` it is used again when the step asks for the same missing one later in the run. */
  | { readonly _tag: "option"; readonly option: string; readonly save: boolean }
  /** The id of an action of a pop-up; with `save` it is used again when the same pop-up is in the way later in the run. */
  | { readonly _tag: "action"; readonly action: string; readonly save?: boolean }

/** An act that waits for an approval. */
export interface ApprovalRequest {
  readonly node: Node
  readonly by: "Member" | "Owner"
  /** The digest of the act. Only an answer that names it counts. */
  readonly digest: string
  readonly told: Told
  /** What has changed since it was asked before; `null` where it is asked for the first time. */
  readonly change: string | null
  /** The viewport, where it can be shown, and the element in it, as parts of its width and height. */
  readonly shot: Shot | null
  readonly box: Box | null
  readonly timeoutMillis: number
}

/** The answer to a request for an approval. */
export type Verdict =
  | { readonly _tag: "Approved" }
  | { readonly _tag: "Refused"; readonly reason: string | null }
  | { readonly _tag: "Unanswered" }

export interface Person {
  /** The answer to a question, which satisfies its schema; `null` when there is none in time. */
  readonly ask: (question: Question) => Effect.Effect<Schema.JsonObject | null>
  /** The correction of a mistake; `null` if no answer comes in time. */
  readonly correct: (mistake: CorrectableFailure) => Effect.Effect<Correction | null>
  /** Whether an act is approved. Absent where no person can be asked: a step that needs an approval fails then. */
  readonly approve?: (request: ApprovalRequest) => Effect.Effect<Verdict>
}
