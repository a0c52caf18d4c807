/**
 * A thread of the sandbox.
 */
import { operations } from "../../core/workflow/sandbox/Operations.ts"
import { serve } from "./Serving.ts"

// The pool sends each operation the input of its type, as JSON in pieces; across threads no type says so.
const byName = operations as unknown as Readonly<Record<string, (asked: unknown) => unknown>>

serve((name, asked) => {
  const operation = byName[name]
  if (operation === undefined) throw new Error(`The sandbox has no operation ${name}`)
  return operation(JSON.parse((asked as ReadonlyArray<string>).join("")))
})
