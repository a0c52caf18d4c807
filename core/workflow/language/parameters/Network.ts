/** The parameters of EXTRACT_NETWORK: the network response to read, and the values to extract from it. */
import { Result, Schema } from "effect"
import * as Expression from "../expression/Expression.ts"
import * as SafePattern from "../expression/SafePattern.ts"
import { paths, RootModel } from "./DataModel.ts"
import { filled } from "./Fields.ts"

/** The prefix of an address that is a pattern. */
export const regexPrefix = "regex:"

/** An address, a part of one, one with `*` in it, or a pattern after `regex:`. */
export const UrlPattern = filled.check(
  Schema.makeFilter((url) => {
    if (!url.startsWith(regexPrefix) || url.includes("{{")) return undefined
    return SafePattern.check(url.slice(regexPrefix.length)) ?? undefined
  })
)

/** Converts `$`, `$.a.b` and `$[0]` to an expression over the response. Any other path is already an expression. */
export const expressionOf = (path: string): string => {
  const trimmed = path.trim()
  if (!/^\$(?=$|[.[])/.test(trimmed)) return trimmed
  return trimmed.replace(/\.\.([A-Za-z_*])/g, ".**.$1").replace(/\[\*\]/g, "")
}

const wrongIn = (path: string): string | undefined => {
  if (path.includes("{{")) return undefined
  const compiled = Expression.compile(expressionOf(path))
  return Result.isFailure(compiled) ? `Cannot read the path ${path.slice(0, 100)}: ${compiled.failure}` : undefined
}

/** A data model whose paths are JSONata, or begin with `$`. */
export const NetworkModel = RootModel.check(
  Schema.makeFilter((model) =>
    paths(model, "").flatMap(({ at, path }) => {
      const issue = wrongIn(path)
      return issue === undefined ? [] : [{ path: at.split(".").slice(1), issue }]
    })
  )
)
