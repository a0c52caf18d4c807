// @ts-check
import { isAbsolute, join, relative } from "node:path"
import { root } from "./run.js"

/** The packages that are bundled. Only what is used of them is, and they have no binary files. Others are loaded when needed. */
const isBundled = (/** @type {string} */ module) => /^(effect|@effect\/[^/]+)(\/|$)/.test(module)

/**
 * Packages that a program loads at their first use: few commands check a schema, an expression or a site, and what describes
 * requests imports all three. Each has a module in its place, which loads it.
 */
const loadedWhenUsed = ["ajv", "jsonata", "tldts"]

/** @param {string} name */
const standInOf = (name) => join(root, "apps", "bootstrap", "standIn", `${name}.js`)

const isOfPackage = (/** @type {string} */ module) => /^[@a-z]/.test(module) && !isAbsolute(module)

/** In a bundle, `import.meta.url` is the place of the bundled file, so each module names its own. */
const marker = "__placeOfModule"
const places = new RegExp(`${marker}\\("([^"]+)"\\)`, "g")

/**
 * Bundles programs of the checkout. Each is a few files instead of a thousand, and starts in about half of the time. Names
 * stay as they are, so that stack traces can be read.
 *
 * @param {Readonly<Record<string, string>>} inputs Modules of the checkout, by the path of their file in the bundle without its ending.
 * @param {object} options
 * @param {string} options.shared The folder in the bundle of what programs have in common; empty for none.
 * @param {(file: string) => string} [options.banner] The first line of a file of the bundle.
 * @param {(text: string) => string} [options.rewrite] Rewrites the text of a module of the checkout.
 * @param {(module: string, file: string) => string} options.placeOf The expression that a module of the checkout, by its path there, has for its `import.meta.url` in a file of the bundle.
 */
export const bundlePrograms = async (inputs, { banner = () => "", placeOf, rewrite = (text) => text, shared }) => {
  const [{ rolldown }, { parseSync }] = await Promise.all([import("rolldown"), import("rolldown/utils")])
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(inputs).map(([name, module]) => [name, join(root, module)])),
    platform: "node",
    external: (module) => isOfPackage(module) && !isBundled(module) && !loadedWhenUsed.includes(module),
    logLevel: "warn",
    plugins: [
      {
        name: "packages that are loaded when they are used",
        resolveId: (module) => (loadedWhenUsed.includes(module) ? standInOf(module) : null)
      },
      {
        name: "places of modules",
        transform: (code, id) => {
          if (id.includes("node_modules") || !code.includes("import.meta.url")) return null
          const module = relative(root, id).split("\\").join("/")
          // Nothing moves to another line, so the source maps stay as they are.
          return { code: rewrite(code).replaceAll("import.meta.url", `${marker}("${module}")`), map: null }
        },
        renderChunk: (code, { fileName }) =>
          code.includes(marker)
            ? { code: code.replace(places, (_, module) => placeOf(module, fileName)), map: null }
            : null
      }
    ]
  })
  const { output } = await build.generate({
    format: "esm",
    sourcemap: true,
    banner: ({ fileName }) => banner(fileName),
    entryFileNames: "[name].js",
    chunkFileNames: `${shared}[name]-[hash].js`,
    sourcemapPathTransform: (path, map) => relative(root, join(map, "..", path))
  })
  await build.close()
  const chunks = output.filter((made) => made.type === "chunk")
  return {
    files: new Map(output.map((made) => [made.fileName, made.type === "chunk" ? made.code : String(made.source)])),
    /** The modules of the checkout that it contains. */
    sources: chunks.flatMap(({ moduleIds }) =>
      moduleIds.flatMap((id) => (isAbsolute(id) && !id.includes("node_modules") ? [relative(root, id)] : []))
    ),
    /** The modules that it loads from elsewhere. */
    outside: new Set(
      chunks.flatMap(({ code, dynamicImports, fileName, moduleIds }) => {
        // The bundler lists the modules that it found, and not those that its own code imports.
        const { staticExports, staticImports } = parseSync(fileName, code).module
        const reexported = staticExports.flatMap(({ entries }) =>
          entries.map((entry) => entry.moduleRequest?.value ?? ".")
        )
        const named = [
          ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
          ...reexported,
          ...dynamicImports,
          ...loadedWhenUsed.filter((name) => moduleIds.includes(standInOf(name)))
        ]
        return named.filter((module) => !module.startsWith(".") && !output.some(({ fileName }) => fileName === module))
      })
    ),
    /** The folders of the packages that it contains. */
    contained: new Set(
      chunks.flatMap(({ moduleIds }) =>
        moduleIds.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [])
      )
    )
  }
}
