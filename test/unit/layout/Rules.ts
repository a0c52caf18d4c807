/**
 * The rules of the house. Each is a function from sources to what breaks it, so that it can be shown to catch what it is
 * there for.
 */
import { codeOf, importsOf, type Source } from "../../support/Source.ts"

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

const corePackages = new Set(["ajv", "jsonata", "otpauth", "tldts"])

/** Packages that one module of core stands for: programs that do not import that module do without them. */
const packagesOfOneModule: Readonly<Record<string, string>> = {
  "@js-temporal/polyfill": "core/window/exchange/WindowTemporal.ts",
  "@noble/hashes/sha2.js": "core/run/interaction/ApprovedAct.ts",
  "@noble/hashes/utils.js": "core/run/interaction/ApprovedAct.ts"
}

/** The stable modules of Effect only: its others may change in any minor release. */
const coreMayImport = (module: string, path: string): boolean =>
  isOurs(module) || module === "effect" || corePackages.has(module) || packagesOfOneModule[module] === path

/** The folders of the console that views share. Every other one holds a view; the shell shows them. */
const consoleShared = new Set(["kit", "data", "forms", "shell"])

/** No view of the console imports another one: what two of them need stands in a folder that they share. */
export const viewsStandAlone: Rule = (sources) =>
  sources.flatMap((source) => {
    const viewOf = (path: string) => /^apps\/console\/([^/]+)\//.exec(path)?.[1]
    const own = viewOf(source.path)
    if (own === undefined || own === "shell") return []
    return importsOf(source)
      .filter((module) => {
        const other = viewOf(module)
        return other !== undefined && other !== own && (other === "shell" || !consoleShared.has(other))
      })
      .map((module) => `${source.path} imports ${module}`)
  })

/** Core imports itself, the root of Effect, and the few libraries of its list. So does the kit that tests its ports. */
export const coreStaysInItsList: Rule = (sources) =>
  [...inCore(sources), ...inKit(sources)].flatMap((source) =>
    importsOf(source)
      .filter((module) => !coreMayImport(module, source.path))
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

/**
 * Core reads no clock, draws no randomness, knows no host: these come as arguments or from services. The kit that tests its
 * ports runs wherever core does.
 */
export const coreTouchesNoWorld: Rule = (sources) =>
  [...inCore(sources), ...inKit(sources)].flatMap((source) => {
    const code = codeOf(source.text)
    return ambient.filter(([pattern]) => pattern.test(code)).map(([, name]) => `${source.path} uses ${name}`)
  })

/** `URL.canParse` of Node 22 answers false for addresses with letters such as ü once it was called some thousand times. */
export const nothingAsksCanParse: Rule = (sources) =>
  sources
    .filter(({ text }) => /\bcanParse\b/.test(codeOf(text)))
    .map(({ path }) => `${path} uses URL.canParse: take URL.parse, which answers null`)

/** A store of somebody else fails with classes of its own, or with those of another copy of the package. */
export const failuresAreToldByTheirTag: Rule = (sources) => {
  const tagged = new Set(
    [...inCore(sources), ...inKit(sources)].flatMap(({ text }) =>
      [...text.matchAll(/\bclass (\w+) extends (?:Schema|Data)\.TaggedError\b/g)].map(([, name]) => name)
    )
  )
  return sources
    .filter(({ path }) => /^(core|apps|test\/kit)\//.test(path))
    .flatMap(({ path, text }) =>
      [...codeOf(text).matchAll(/\binstanceof (?:\w+\.)?(\w+)/g)]
        .filter(([, name]) => tagged.has(name))
        .map(([, name]) => `${path} tells ${name} by its class: take its tag`)
    )
}

/** The kit is published: it stands on core, and what asks a server from outside stands on nothing of ours. */
export const kitStandsOnCore: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith("test/kit/"))
    .flatMap((source) => {
      const mayImport = isConformance(source.path)
        ? isConformance
        : (module: string) => /^(core|test\/kit)\//.test(module) && !isConformance(module)
      return importsOf(source)
        .filter((module) => isOurs(module) && !mayImport(module))
        .map((module) => `${source.path} imports ${module}`)
    })

/** The rooms of core, from the ground up. A room imports itself and those that stand before it. */
export const rooms = [
  "window",
  "runtime",
  "workspace",
  "gate",
  "workflow",
  "vault",
  "event",
  "redaction",
  "browser",
  "run",
  "schedule",
  "agent",
  "execution",
  "builder"
]

const roomOf = (path: string): string => path.split("/")[1] ?? ""

/** The root of the published core, which names modules of every room; nothing imports it. */
const rootOfCore = "core/Core.ts"

/** The rooms of core build on each other in one order, without exception. */
export const roomsKeepTheirOrder: Rule = (sources) =>
  inCore(sources).flatMap((source) => {
    if (source.path === rootOfCore) return []
    const floor = rooms.indexOf(roomOf(source.path))
    if (floor < 0) return [`${source.path} stands in no room of the order`]
    return importsOf(source)
      .filter(
        (module) => module === rootOfCore || (module.startsWith("core/") && rooms.indexOf(roomOf(module)) > floor)
      )
      .map((module) => `${source.path} imports ${module}`)
  })

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

/** Folders of one file that are left. A change there moves the file to the folder above, or gives the folder a second one. */
export const foldersOfOne: ReadonlySet<string> = new Set([
  "adapters/archive",
  "adapters/memory/list",
  "adapters/memory/schedule",
  "adapters/memory/start",
  "apps/api/describing",
  "apps/api/log",
  "apps/cli/handlers/workspaces",
  "apps/console/keys",
  "core/workspace/invitation",
  "core/workspace/retention"
])

/** A folder holds several files or folders: one file needs no folder to be found. */
export const foldersHoldSeveral: Rule = (sources) => {
  const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"))
  const folders = new Map<string, Array<string>>()
  for (const { path } of sources) folders.set(folderOf(path), [...(folders.get(folderOf(path)) ?? []), path])
  const outer = new Set([...folders.keys()].map(folderOf))
  return [...folders].flatMap(([folder, files]) =>
    files.length > 1 || outer.has(folder) || foldersOfOne.has(folder) ? [] : [`${files[0]} is alone in its folder`]
  )
}

/** No two files of core and its kit have the same name: in a stack trace, a search or an import it means one thing. */
export const coreNamesAreUnique: Rule = (sources) => {
  const paths = [...inCore(sources), ...inKit(sources)].map(({ path }) => path)
  const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
  const first = new Map(paths.toReversed().map((path) => [nameOf(path), path]))
  return paths.flatMap((path) => {
    const other = first.get(nameOf(path))
    return other === undefined || other === path ? [] : [`${path} has the name of ${other}`]
  })
}

const inCore = (sources: ReadonlyArray<Source>) => sources.filter(({ path }) => path.startsWith("core/"))

const isConformance = (path: string): boolean => path.startsWith("test/kit/conformance/")

const inKit = (sources: ReadonlyArray<Source>) =>
  sources.filter(({ path }) => path.startsWith("test/kit/") && !isConformance(path))
