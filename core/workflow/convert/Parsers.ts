/** What reads the languages of files that are not JSON. */
import type { Result } from "effect"
import type { LinedJson } from "./LinedJson.ts"
import type { Unreadable } from "./Recording.ts"
import type { ParseScript } from "./ScriptTree.ts"

/** Maximum length of a file in YAML, in characters. */
export const mostYamlCharacters = 1_000_000

/** Reads a text as YAML. Fails with the line of the first error, and with what is too long, too deep or too much. */
export type ParseYaml = (text: string) => Result.Result<LinedJson, Unreadable>

export interface Parsers {
  readonly script: ParseScript
  readonly yaml: ParseYaml
}
