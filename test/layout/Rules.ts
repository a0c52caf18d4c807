/**
 * The rules of the house. Each is a function from sources to what breaks it, so that it can be shown to catch what it is
 * there for.
 */
import { codeOf, importsOf, type Source } from "./Source.ts"

export type Rule = (sources: ReadonlyArray<Source>) => ReadonlyArray<string>

const layerOf = (path: string): string => path.split("/")[0] ?? ""

const allowed: Readonly<Record<string, ReadonlySet<string>>> = {
  core: new Set(["core"]),
  adapters: new Set(["core", "adapters"]),
  apps: new Set(["core", "adapters", "apps"])
}

const isOurs = (module: string): boolean => /^(core|adapters|apps|test)\//.test(module)

/** `apps -> adapters -> core`, never back; and nothing that ships imports a test. */
export const layersPointDown: Rule = (sources) =>
  sources.flatMap((source) =>
    importsOf(source)
      .filter((module) => isOurs(module) && !allowed[layerOf(source.path)]?.has(layerOf(module)))
      .map((module) => `${source.path} imports ${module}`)
  )

const corePackages = new Set(["@js-temporal/polyfill", "ajv", "jsonata", "otpauth", "tldts"])

/** The stable modules of Effect only: its others may change in any minor release. */
const coreMayImport = (module: string): boolean => isOurs(module) || module === "effect" || corePackages.has(module)

/** Core imports itself, the root of Effect, and the few libraries of its list. */
export const coreStaysInItsList: Rule = (sources) =>
  inCore(sources).flatMap((source) =>
    importsOf(source)
      .filter((module) => !coreMayImport(module))
      .map((module) => `${source.path} imports ${module}`)
  )

const ambient: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bDate\.now\s*\(/, "Date.now"],
  [/\bnew Date\s*\(\s*\)/, "new Date()"],
  [/\bMath\.random\b/, "Math.random"],
  [/\bperformance\./, "performance"],
  [/\b(setTimeout|setInterval|setImmediate)\s*\(/, "a timer"],
  [/\bprocess\./, "process"],
  [/\bDeno\./, "Deno"],
  [/\bcrypto\./, "crypto"],
  [/\bfetch\s*\(/, "fetch"]
]

/** Core reads no clock, draws no randomness, knows no host: these come as arguments or from services. */
export const coreTouchesNoWorld: Rule = (sources) =>
  inCore(sources).flatMap((source) => {
    const code = codeOf(source.text)
    return ambient.filter(([pattern]) => pattern.test(code)).map(([, name]) => `${source.path} uses ${name}`)
  })

/** What each folder of core must not know of. */
const ignorant: Readonly<Record<string, ReadonlyArray<string>>> = {
  "core/window/": ["gate", "run", "workflow", "agent", "event", "workspace"],
  "core/gate/": ["run", "agent"],
  "core/workflow/": ["run", "agent"],
  "core/agent/": ["run", "gate", "interaction"],
  "core/run/": ["interaction"]
}

/** The concepts of core build on each other in one order. */
export const conceptsKeepTheirOrder: Rule = (sources) =>
  sources.flatMap((source) =>
    Object.entries(ignorant)
      .filter(([folder]) => source.path.startsWith(folder))
      .flatMap(([, others]) => others)
      .flatMap((other) => importsOf(source).filter((module) => module.startsWith(`core/${other}/`)))
      .map((module) => `${source.path} imports ${module}`)
  )

/** No file imports itself by way of others. */
export const noCycles: Rule = (sources) => {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source).filter(isOurs)]))
  const done = new Set<string>()
  const found: Array<string> = []
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path].join(" -> "))
      return
    }
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}

/** Files are named after what they hold. */
export const filesAreNamedAfterAnIdea: Rule = (sources) =>
  sources
    .filter(({ path }) => /\/(utils?|helpers?|common|misc|index|mod)\.ts$/i.test(path))
    .map(({ path }) => `${path} is named after no idea`)

const inCore = (sources: ReadonlyArray<Source>) => sources.filter(({ path }) => path.startsWith("core/"))
