/**
 * Values that a user writes at the command line or in files.
 */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import * as Json from "../../../core/workspace/Json.ts"
import * as Text from "../../api/http/body/Text.ts"
import { refused } from "./Ending.ts"

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** The text of a file; standard input for `-`. */
export const fileText = (path: string) =>
  Effect.try({
    try: () => readFileSync(path === "-" ? 0 : path, "utf8"),
    catch: (cause) => refused("wrong", `Cannot read the file ${path}: ${reasonOf(cause)}`)
  })

/** JSON of this name. What cannot be kept as it is written is refused at its path, as the service does for a body. */
export const jsonOf = Effect.fnUntraced(function* (name: string, text: string) {
  const value = yield* Effect.try({
    try: () => Json.parse(text),
    catch: (cause) => refused("wrong", `${name} is not JSON: ${reasonOf(cause)}`)
  })
  const problems = Text.isSuspicious("", text) ? yield* Text.problemsOf([text]) : []
  if (problems.length === 0) return value
  const lines = problems.map(({ message, path }) => `\n  ${path === "" ? message : `${path}: ${message}`}`)
  return yield* refused("wrong", `${name} has values that cannot be kept as they are written:${lines.join("")}`)
})

/** A JSON object, written itself, or as the name of a file behind @. */
export const jsonObjectOf = Effect.fnUntraced(function* (name: string, written: string) {
  const text = written.startsWith("@") ? yield* fileText(written.slice(1)) : written
  const value = yield* jsonOf(name, text)
  if (!Json.isObject(value)) {
    return yield* refused("wrong", `${name}: expected a JSON object such as {"month": "2026-10"}, or @ and a file`)
  }
  return value
})

/** The JSON of a file. */
export const jsonFile = (path: string) => Effect.flatMap(fileText(path), (text) => jsonOf(path, text))
