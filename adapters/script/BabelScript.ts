/** Parses scripts by the parser of Babel. */
import { type ParserOptions, parse as parseScript } from "@babel/parser"
import { Result } from "effect"
import { mostScriptCharacters, type ParseScript, type Tree } from "../../core/workflow/convert/ScriptTree.ts"

const options: ParserOptions = {
  sourceType: "unambiguous",
  plugins: ["typescript", "jsx"],
  attachComment: false,
  // What only breaks a rule, such as a name that is declared twice, can be read all the same.
  errorRecovery: true,
  allowAwaitOutsideFunction: true,
  allowReturnOutsideFunction: true
}

export const parse: ParseScript = (text) => {
  const refused = (message: string) => Result.fail({ path: "", message })
  if (text.length > mostScriptCharacters) {
    return refused(`The script has ${text.length} characters: expected at most ${mostScriptCharacters}`)
  }
  try {
    // Every node of the tree has a type.
    return Result.succeed(parseScript(text, options) as unknown as Tree)
  } catch (error) {
    if (error instanceof RangeError) return refused("The script is nested too deeply to be read")
    if (!(error instanceof SyntaxError)) throw error
    return refused(`Cannot read the script: ${error.message.replace(/\((\d+):\d+\)$/, "at line $1").slice(0, 300)}`)
  }
}
