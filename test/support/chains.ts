/** Workflows with a long chain of nodes. */
import { randomUUID } from "node:crypto"

interface Step {
  readonly action: string
  readonly parameters: object
}

/** The nodes and edges of a chain between START and END. */
export const chain = (count: number, stepAt: (index: number) => Step) => {
  const ids = Array.from({ length: count + 2 }, () => randomUUID())
  const start = { action: "START", parameters: { url: "https://site.test" } }
  const end = { action: "END", parameters: {} }
  return {
    name: "Chain",
    nodes: ids.map((id, index) => ({
      id,
      name: `Step ${index}`,
      ...(index === 0 ? start : index === count + 1 ? end : stepAt(index - 1))
    })),
    edges: Object.fromEntries(ids.slice(0, -1).map((id, index) => [id, { to: ids[index + 1] }]))
  }
}

/** A step that sets a variable of the context to the value of an expression. */
export const setting = (value: string, name = "x"): Step => ({
  action: "TRANSFORM",
  parameters: { operations: [{ type: "SET", target: `context.${name}`, value }] }
})
