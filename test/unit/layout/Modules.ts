/**
 * The imports of files when they run, read with a parser: imports of types alone are left out.
 */
import { dirname, join, normalize } from "node:path"
import { parseSync } from "rolldown/utils"
import type { Source } from "../../support/Source.ts"

/** The modules that a file loads, those of the project as paths in the checkout. */
export const loadedBy = ({ path, text }: Source): ReadonlyArray<string> => {
  const { module } = parseSync(path, text)
  const imported = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value)
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ isType, moduleRequest }) => (isType || !moduleRequest ? [] : [moduleRequest.value]))
  )
  const dynamic = module.dynamicImports.flatMap(({ moduleRequest }) => {
    const literal = /^(["'])(.*)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))
    return literal?.[2] === undefined ? [] : [literal[2]]
  })
  return [...imported, ...exported, ...dynamic].map((name) =>
    name.startsWith(".") ? normalize(join(dirname(path), name)) : name
  )
}

/** What files load, so that several rules about the same files parse each once. */
const known = new WeakMap<Source, ReadonlyArray<string>>()

const modulesOf = (source: Source): ReadonlyArray<string> => {
  const found = known.get(source) ?? loadedBy(source)
  known.set(source, found)
  return found
}

/** For each file, a chain of imports from it to the first module that `matches`, or `null`. */
export const chainsTo = (sources: ReadonlyArray<Source>, matches: (module: string) => boolean) => {
  const graph = new Map(sources.map((source) => [source.path, modulesOf(source)]))
  return (path: string): ReadonlyArray<string> | null => {
    const seen = new Set([path])
    const open: Array<ReadonlyArray<string>> = [[path]]
    for (const chain of open) {
      for (const next of graph.get(chain.at(-1) ?? "") ?? []) {
        if (matches(next)) return [...chain, next]
        if (!seen.has(next)) open.push([...chain, next])
        seen.add(next)
      }
    }
    return null
  }
}
