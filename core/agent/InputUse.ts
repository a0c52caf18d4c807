/** Which inputs of a run the expressions of a node read. */
import type { Node } from "../workflow/Graph.ts"
import * as Template from "../workflow/Template.ts"

/** The names of the inputs, each once; an empty name where an expression reads all of them. */
export const of = ({ parameters }: Pick<Node, "parameters">): ReadonlyArray<string> => {
  const found = new Set<string>()
  const pending: Array<unknown> = [parameters]
  for (const value of pending) {
    if (typeof value === "object" && value !== null) pending.push(...Object.values(value))
    else if (typeof value === "string" && Template.isTemplate(value)) {
      for (const part of Template.parse(value).template.parts) {
        if (typeof part === "string") continue
        for (const [root, name, input] of Template.reads(part)) {
          if (root === "context" && name === "inputs") found.add(String(input ?? ""))
        }
      }
    }
  }
  return [...found]
}
