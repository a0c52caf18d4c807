/**
 * The advisor that chooses the wanted element among several, if rules cannot decide.
 */
import { Context, Effect } from "effect"
import type { Appearance } from "../../browser/element/Appearance.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"

/** The question to the advisor. Nothing in it is secret. */
export interface AdvisorQuestion {
  readonly node: Node
  readonly wanted: Appearance
  /** The most like first. */
  readonly candidates: ReadonlyArray<Appearance>
}

export interface Advice {
  /** The position among the candidates. */
  readonly choice: number
  /** Why, in a sentence. */
  readonly reason: string
}

export interface ElementAdvisor {
  /** The candidate that is the wanted element; `null` if none is, or it is unknown. */
  readonly choose: (lineup: AdvisorQuestion) => Effect.Effect<Advice | null>
}

/** Default: no advisor. */
export const Advisor = Context.Reference<ElementAdvisor>("sluice/core/agent/recovery/Advisor", {
  defaultValue: () => ({ choose: () => Effect.succeed(null) })
})
