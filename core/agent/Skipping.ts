/**
 * Whether a node is skipped because the condition under which it is done does not hold.
 */
import { Effect } from "effect"
import * as Comparison from "../workflow/language/graph/Comparison.ts"
import type { Node } from "../workflow/language/graph/Graph.ts"
import * as RunIf from "../workflow/language/graph/RunIf.ts"
import type { Surroundings } from "./Step.ts"
import * as Memory from "./variables/Memory.ts"

export const isSkipped = Effect.fnUntraced(function* (
  node: Node,
  { memory, page }: Pick<Surroundings, "memory" | "page">
) {
  const runIf = RunIf.of(node)
  if (runIf === null) return false
  const isAny = runIf.match === "any"
  for (const { field, operator, value = null } of runIf.conditions) {
    const known = yield* Memory.evaluateExpression(field, memory, page)
    const other = typeof value === "string" ? yield* Memory.evaluate(value, memory, page) : value
    if (Comparison.holdsOfField(operator, known, other) === isAny) return !isAny
  }
  return isAny
})
