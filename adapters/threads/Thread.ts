/**
 * A thread of the sandbox.
 */
import { converting, operations } from "../../core/workflow/sandbox/Operations.ts"
import * as YamlText from "../json/YamlText.ts"
import * as BabelScript from "../script/BabelScript.ts"
import { serve } from "./Serving.ts"

// The pool sends each operation the input of its type, as JSON in pieces. No type reaches across threads.
const all = { ...operations, convert: converting({ script: BabelScript.parse, yaml: YamlText.parse }) }
const byName = all as unknown as Readonly<Record<string, (asked: unknown) => unknown>>

serve((name, asked) => {
  const operation = byName[name]
  if (operation === undefined) throw new Error(`The sandbox has no operation ${name}`)
  // As above: `ThreadSandbox` sends the input as pieces of JSON text.
  return operation(JSON.parse((asked as ReadonlyArray<string>).join("")))
})
