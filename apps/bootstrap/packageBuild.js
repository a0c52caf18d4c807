// @ts-check
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { dirname, join, posix, relative } from "node:path"
import { parseSync } from "rolldown/utils"
import { pagesIn } from "./docsPages.js"
import { packages as checkoutPackages } from "./packages.js"
import { bundlePrograms } from "./programBundle.js"
import { root } from "./run.js"

/** @typedef {import("./packages.js").Package} Package */
/** @typedef {(module: string) => string | null} NameOf */

/** The part of `package.json` that the packages inherit. */
const checkout = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** The commit that packages are made from: that of the checkout, or `SOURCE_COMMIT` where the sources lie without it. */
const commit = commitFrom(
  spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).stdout,
  process.env.SOURCE_COMMIT
)

/** @param {ReadonlyArray<string | null | undefined>} places */
function commitFrom(...places) {
  return places.map((text) => (text ?? "").trim()).find((text) => /^[0-9a-f]{40,64}$/.test(text)) ?? null
}

/**
 * Builds packages, each into its folder in `output`, from the sources of the checkout. It does not check types: `npm run
 * check` does.
 *
 * @param {string} output
 * @param {ReadonlyArray<Package>} packages
 */
export const buildPackages = async (output, packages) => {
  mkdirSync(join(root, ".cache"), { recursive: true })
  const folder = mkdtempSync(join(root, ".cache", "built-"))
  try {
    compile(folder, "scripts", {
      include: ["core", "adapters", "apps/api", "apps/cli", "test/kit", "apps/demo"].map((name) => join(root, name)),
      // The service takes the paths and the links of its guide from the bootstrap, which is JavaScript.
      compilerOptions: { allowJs: true, sourceMap: true, inlineSources: true }
    })
    const entries = packages.flatMap(({ entries }) => Object.values(entries))
    if (entries.length > 0) {
      compile(folder, "types", {
        files: entries.map((file) => join(root, file)),
        compilerOptions: { declaration: true, emitDeclarationOnly: true }
      })
    }
    // Those that import from another one say which of its modules they need.
    const borrowing = await Promise.all(
      packages.filter(({ on }) => on !== null).map((one) => contentsOf(one, folder, []))
    )
    const others = packages.filter(({ on }) => on === null)
    const lent = (/** @type {Package} */ { name }) =>
      borrowing.filter(({ one }) => one.on === name).flatMap(({ borrowed }) => [...borrowed])
    const lending = await Promise.all(others.map((one) => contentsOf(one, folder, lent(one))))
    return [...lending, ...borrowing].map((made) => write(made, join(output, made.one.folder)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {{ readonly compilerOptions: object, readonly include?: ReadonlyArray<string>, readonly files?: ReadonlyArray<string> }} what
 */
const compile = (folder, name, what) => {
  const config = join(folder, `${name}.json`)
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    allowJs: false,
    checkJs: false,
    incremental: false,
    tsBuildInfoFile: null,
    rewriteRelativeImportExtensions: true,
    rootDir: root,
    outDir: join(folder, name),
    typeRoots: [join(root, "node_modules", "@types")],
    ...what.compilerOptions
  }
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), ...what, compilerOptions }))
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc")
  // With several threads, the compiler meets types in a varying order and writes unions into declarations in that
  // order:
  // the same sources would give different packages.
  const { status } = spawnSync(process.execPath, [compiler, "-p", config, "--singleThreaded"], {
    cwd: root,
    // Fewer garbage collections save a fifth of the compiler's processor time.
    env: { GOGC: "800", ...process.env },
    stdio: ["ignore", 2, 2]
  })
  if (status !== 0) throw new Error("The packages could not be compiled: the output above says why")
}

/**
 * The files of a package, and the modules of another one that they import.
 *
 * @param {Package} one
 * @param {string} built
 * @param {ReadonlyArray<string>} lent Modules that other packages import from this one.
 */
const contentsOf = async (one, built, lent) => {
  /** @type {Set<string>} */
  const borrowed = new Set()
  const lender = checkoutPackages.find(({ name }) => name === one.on)
  /** The name of a module that another package has; `null` for one that this package has. @type {NameOf} */
  const nameOf = (module) => {
    if (lender === undefined || !module.startsWith(`${lender.folder}/`)) return null
    borrowed.add(module)
    return posix.join(lender.name, subpathOf(lender, module))
  }
  const internal = lent.filter((module) => !Object.values(one.entries).includes(module))
  const modules = [...Object.values(one.entries), ...internal]
  const scripts = await scriptsOf(one, modules, join(built, "scripts"), nameOf)
  const types = closure(join(built, "types"), modules, ".d.ts", nameOf)
  const files = new Map([...scripts.files, ...types.files])
  const manifest = manifestOf(one, internal, new Set([...scripts.outside, ...types.outside]))
  files.set("package.json", `${JSON.stringify(manifest, null, 2)}\n`)
  files.set("README.md", `# ${one.name}\n\n${one.readme}\n`)
  files.set("LICENSE", readFileSync(join(root, "LICENSE"), "utf8"))
  return { one, borrowed, files, version: manifest.version }
}

/**
 * The subpath by which a module of a package is imported: an entry, or one of those that only our own packages import.
 *
 * @param {Package} one
 * @param {string} module
 */
const subpathOf = ({ entries, folder }, module) =>
  Object.entries(entries).find(([, file]) => file === module)?.[0] ??
  `./internal/${module.slice(`${folder}/`.length).replace(/\.ts$/, "")}`

/**
 * @param {{ readonly one: Package, readonly files: ReadonlyMap<string, string>, readonly version: string }} made
 * @param {string} target
 */
const write = ({ files, one, version }, target) => {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const [path, text] of files) {
    const file = join(target, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  // `apps/api/console/Pages.ts` serves the console from this folder.
  if (one.bin.sluice !== undefined) {
    cpSync(join(root, ".cache", "console"), join(target, ".cache", "console"), { recursive: true })
    // `apps/api/GuideTwins.ts` serves the pages from this folder.
    for (const page of pagesIn(root)) cpSync(join(root, page), join(target, ".cache", "pages", page))
  }
  return { name: one.name, version, files: files.size }
}

/**
 * The scripts of a package, and the modules that they import from elsewhere.
 *
 * @param {Package} one
 * @param {ReadonlyArray<string>} modules
 * @param {string} folder The compiled sources.
 * @param {NameOf} nameOf
 */
const scriptsOf = async (one, modules, folder, nameOf) => {
  if (one.bundled === "client" || one.bundled === "plain") return bundle(one)
  if (one.bundled === "programs") return programsOf(one, folder)
  const programs = Object.entries(one.bin)
  const scripts = closure(folder, [...modules, ...programs.map(([, module]) => module)], ".js", nameOf)
  for (const [name, program] of programs) {
    scripts.files.set(`bin/${name}.js`, `#!/usr/bin/env node\nimport "../${program.replace(/\.ts$/, ".js")}"\n`)
  }
  return scripts
}

/** Modules that a program starts in a thread, by their URL. */
const threads = ["adapters/embedded/DatabaseProcess.ts", "adapters/mail/MailReader.ts", "adapters/threads/Thread.ts"]

/** Modules that a program gives to pages, by their text. */
const ofPages = [
  "adapters/playwright/injected/Engine.ts",
  "adapters/playwright/settling/Watcher.ts",
  "apps/api/live/page/Main.ts"
]

/**
 * The bundled programs of a package, with what they find by its URL: threads at the places of their modules, and the
 * modules of pages as they are.
 *
 * @param {Package} one
 * @param {string} folder The compiled sources.
 */
const programsOf = async ({ bin }, folder) => {
  const withoutEnding = (/** @type {string} */ module) => module.replace(/\.ts$/, "")
  const started = Object.fromEntries(Object.entries(bin).map(([name, module]) => [`bin/${name}.js`, module]))
  const { contained, files, outside } = await bundlePrograms(
    {
      ...Object.fromEntries(Object.entries(bin).map(([name, module]) => [`bin/${name}`, module])),
      ...Object.fromEntries(threads.map((module) => [withoutEnding(module), module]))
    },
    {
      shared: "bin/shared/",
      banner: (file) => (file in started ? "#!/usr/bin/env node" : ""),
      rewrite: compiledPlaces,
      placeOf: (module, file) =>
        `new URL("${posix.relative(posix.dirname(file), `${withoutEnding(module)}.js`)}", import.meta.url).href`
    }
  )
  files.set("LICENSES.md", licensesOf(contained))
  const pages = closure(folder, ofPages, ".js")
  // What programs read of packages by `createRequire` is not among the imports of a bundle.
  const read = closure(folder, Object.values(bin), ".js").read
  return { files: new Map([...pages.files, ...files]), outside: new Set([...outside, ...pages.outside, ...read]) }
}

/**
 * The licenses of the packages in a bundle.
 *
 * @param {Iterable<string>} folders
 */
const licensesOf = (folders) =>
  [...folders]
    .map((folder) => {
      const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      const file = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
      const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8")
      return `# ${name} ${version}\n\n${license}\n\n${text.trim()}\n`
    })
    .sort()
    .join("\n")

/** Imports of a declaration: the text before the name, and the name. */
const imported = /(\bfrom\s*|\bimport\s*\(?\s*)"([@.\w][@.\w/:-]*)"/g

/**
 * The modules that a built file imports, and where each name stands with its quotes. A script is read with a parser: texts in
 * it may hold programs.
 *
 * @param {string} path
 * @param {string} text
 */
const importsOf = (path, text) => {
  if (path.endsWith(".d.ts")) {
    const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => " ".repeat(comment.length))
    return [...code.matchAll(imported)].map(({ 0: whole, 1: before = "", 2: module = "", index }) => ({
      module,
      start: index + before.length,
      end: index + whole.length
    }))
  }
  const { module } = parseSync(path, text)
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest ?? [])),
    ...module.dynamicImports.map(({ moduleRequest }) => moduleRequest)
  ]
  const places = new Map(requests.map(({ end, start }) => [start, end]))
  return [...places].flatMap(([start, end]) => {
    const [, , name] = /^(["'])(.*)\1$/.exec(text.slice(start, end)) ?? []
    return name === undefined ? [] : [{ module: name, start, end }]
  })
}

/** Names modules by the URL of their compiled file where they are named by a URL, such as those of threads. @param {string} text */
const compiledPlaces = (text) => text.replace(/(new URL\()"(\.[^"\n]+)\.ts"(, import\.meta\.url\))/g, '$1"$2.js"$3')

/**
 * The built files that entries need, with relative imports that end in `.js`, and the packages that they import, or whose
 * files they read.
 *
 * @param {string} folder
 * @param {ReadonlyArray<string>} entries
 * @param {".js" | ".d.ts"} ending
 * @param {NameOf} [nameOf] The names of the modules of another package.
 */
const closure = (folder, entries, ending, nameOf = () => null) => {
  /** @type {Map<string, string>} */
  const files = new Map()
  /** @type {Set<string>} */
  const outside = new Set()
  /** @type {Set<string>} */
  const read = new Set()
  const open = entries.map((file) => file.replace(/\.ts$/, ending))
  for (const path of open) {
    if (files.has(path)) continue
    let text = readFileSync(join(folder, path), "utf8")
    // From the last one on, so that the places of the others stay as they are.
    for (const { end, module, start } of importsOf(path, text).toSorted((one, other) => other.start - one.start)) {
      const place = posix.join(posix.dirname(path), module)
      const name = module.startsWith(".") ? nameOf(place.replace(/\.js$/, ".ts")) : module
      if (name === null) open.push(place.replace(/\.(js|ts)$/, ending))
      else outside.add(name)
      text = `${text.slice(0, start)}"${name ?? module.replace(/\.ts$/, ".js")}"${text.slice(end)}`
    }
    text = compiledPlaces(text)
    files.set(path, text)
    if (ending === ".js") {
      const map = `${path}.map`
      files.set(map, readFileSync(join(folder, map), "utf8"))
    }
    // A package whose files are read instead of imported.
    for (const [, module = ""] of text.matchAll(/createRequire\(import\.meta\.url\)\.resolve\("([^"\n]+)"\)/g)) {
      read.add(module)
    }
  }
  return { files, outside: new Set([...outside, ...read]), read }
}

/**
 * Packages that check requests, which the service does. A client leaves them out.
 */
const absent = ["jsonata", "ajv", "tldts"]

const standIn = `
const asked = () => { throw new Error("The client does not check what only the service can") }
export default function absent() { return asked() }
export class Ajv { constructor() { this.compile = asked; this.addKeyword = this.addFormat = () => this } }
export const parse = asked, getDomain = asked, getPublicSuffix = asked, getHostname = asked
`

/**
 * Modules of the checkout that a client leaves out, each with its replacement. A client does not write the OpenAPI
 * description, and the service checks the cost of regular expressions.
 */
const withoutInClient = {
  "apps/api/Description.ts": "export const complete = () => (description) => description",
  "core/workflow/language/expression/SafePattern.ts": `
const asked = () => { throw new Error("The client does not check what only the service can") }
export const check = () => null
export { asked as textLimit, asked as compile, asked as note, asked as isKnown, asked as costOf }
`
}

/**
 * Modules of Effect whose functions only make values: the bundler may drop unused calls at the top level of a module.
 */
const making = [
  ...["Array", "Brand", "Context", "Data", "Duration", "Effect", "Equal", "Layer", "Option", "Order", "Predicate"],
  ...["Record", "Redacted", "References", "Result", "Schedule", "Schema", "SchemaGetter", "SchemaIssue"],
  ...["SchemaTransformation", "Stream", "String", "Struct"],
  ...["HttpApiEndpoint", "HttpApiError", "HttpApiGroup", "HttpApiSchema", "OpenApi"]
]

/**
 * What takes the place of modules in the bundle of a client.
 *
 * @type {import("rolldown").Plugin}
 */
const ofClient = {
  name: "absent packages",
  resolveId: (id) => (absent.includes(id) ? "\0absent" : null),
  load: (id) => {
    if (id === "\0absent") return standIn
    const path = relative(root, id).split("\\").join("/")
    return Object.entries(withoutInClient).find(([module]) => module === path)?.[1] ?? null
  }
}

/**
 * What takes the place of Effect in a bundle without it.
 *
 * @type {import("rolldown").Plugin}
 */
const withoutEffect = {
  name: "plain Effect",
  resolveId: (id) => (id === "effect" ? join(root, "apps/bootstrap/plainEffect.js") : null)
}

/**
 * The entries of a package, each as one file, with shared files for what they have in common.
 *
 * @param {Pick<Package, "bundled" | "entries">} one
 */
export const bundle = async ({ bundled, entries }) => {
  const { rolldown } = await import("rolldown")
  const build = await rolldown({
    input: Object.fromEntries(Object.values(entries).map((file) => [file.replace(/\.ts$/, ""), join(root, file)])),
    platform: "neutral",
    external: (id) => bundled === "client" && /^[^./\0]/.test(id) && !absent.includes(id),
    treeshake: { moduleSideEffects: false, manualPureFunctions: making },
    logLevel: "warn",
    plugins: [bundled === "plain" ? withoutEffect : ofClient]
  })
  const { output } = await build.generate({
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name].js",
    sourcemapPathTransform: (path, map) => relative(root, join(dirname(map), path))
  })
  await build.close()
  return {
    files: new Map(output.map((made) => [made.fileName, made.type === "chunk" ? made.code : String(made.source)])),
    outside: new Set(
      output
        .flatMap((made) => (made.type === "chunk" ? [...made.imports, ...made.dynamicImports] : []))
        .filter((id) => !output.some(({ fileName }) => fileName === id))
    )
  }
}

/**
 * The package of a module; `null` for a module of the runtime.
 *
 * @param {string} module
 */
const packageOf = (module) =>
  module.startsWith("node:") || builtinModules.includes(module)
    ? null
    : module
        .split("/")
        .slice(0, module.startsWith("@") ? 2 : 1)
        .join("/")

/**
 * The version of a package that bundled packages import: it is not among the dependencies of the checkout.
 *
 * @param {string} one
 * @returns {string | undefined}
 */
const installedVersionOf = (one) => {
  const file = join(root, "node_modules", one, "package.json")
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined
}

/**
 * @param {Package} one
 * @param {ReadonlyArray<string>} internal Modules that only our own packages import.
 * @param {ReadonlySet<string>} modules What its files import from elsewhere.
 */
const manifestOf = (one, internal, modules) => {
  const { bin, bundled, description, entries, name, on, peers } = one
  const needed = [...new Set([...modules].map(packageOf))].filter((one) => one !== null).sort()
  const versionOf = (/** @type {string} */ one) => {
    if (one === on) return checkout.version
    const version = checkout.dependencies[one] ?? (bundled === "programs" ? installedVersionOf(one) : undefined)
    if (version === undefined) throw new Error(`${name} imports "${one}", which is no dependency of the checkout`)
    return version
  }
  // Modules of Effect other than its root may change in any minor release.
  const bound = [...modules].some((module) => module.startsWith("effect/")) ? "~" : "^"
  const own = needed.filter((one) => !peers.includes(one))
  const named = [...Object.entries(entries), ...internal.map((module) => [subpathOf(one, module), module]).sort()]
  const exported = named.map(([subpath = "", file = ""]) => {
    const path = `./${file.replace(/\.ts$/, "")}`
    return [subpath, { types: `${path}.d.ts`, default: `${path}.js` }]
  })
  return {
    name,
    version: checkout.version,
    ...(commit === null ? {} : { gitHead: commit }),
    description,
    license: checkout.license,
    type: "module",
    sideEffects: Object.keys(bin).length > 0,
    engines: checkout.engines,
    exports: { ...Object.fromEntries(exported), "./package.json": "./package.json" },
    ...(Object.keys(bin).length === 0
      ? {}
      : { bin: Object.fromEntries(Object.keys(bin).map((one) => [one, `bin/${one}.js`])) }),
    publishConfig: { access: "public", provenance: true },
    dependencies: Object.fromEntries(own.map((one) => [one, versionOf(one)])),
    ...(peers.length === 0
      ? {}
      : {
          peerDependencies: Object.fromEntries(
            peers.map((one) => [one, one === on ? versionOf(one) : `${bound}${versionOf(one)}`])
          )
        })
  }
}
