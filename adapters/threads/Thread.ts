/**
 * A thread of the sandbox.
 */
import { operations } from "../../core/workflow/sandbox/Operations.ts"
import { serve } from "./Serving.ts"

// The pool sends each operation the input of its type, as JSON in pieces. No type reaches across threads.
const byName = operations as unknown as Readonly<Record<string, (asked: unknown) => unknown>>

serve((name, asked) => {
  const operation = byName[name]
  if (operation === undefined) throw new Error(`The sandbox has no operation ${name}`)
  // As above: `ThreadSandbox` sends the input as pieces of JSON text.
  return operation(JSON.parse((asked as ReadonlyArray<string>).join("")))
})
