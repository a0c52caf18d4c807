// @ts-check
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { root } from "./run.js"

/** Where the process looks for the console; `apps/api/console/Pages.ts` serves it. */
const output = join(root, ".cache", "console")

/** The folders that the page may take modules from, and what decides the versions of packages. */
const sources = ["apps/console", "apps/api", "core", "adapters/crypto"]
const alsoRead = ["package-lock.json", "apps/bootstrap/console.js"]

/**
 * Packages that check what the service receives. The page only sends it, so it does without them: they are two thirds of
 * what its client would load.
 */
const absent = ["jsonata", "ajv", "tldts", "@js-temporal/polyfill"]

/** Stands for an absent package. It can be imported and made, and fails when it is asked something. */
const standIn = `
const asked = (name) => () => { throw new Error(name + " is not part of the console") }
export default function absent() { return asked("A checker of the service") }
export class Ajv { constructor() { this.compile = asked("ajv"); this.addKeyword = this.addFormat = () => this } }
export const Temporal = globalThis.Temporal, parse = asked("tldts"), getDomain = parse, getPublicSuffix = parse, getHostname = parse
`

/** @returns {string} a hash of everything that the console is built from */
const stampOf = () => {
  const hash = createHash("sha256")
  for (const folder of sources) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    for (const name of names.filter((one) => /\.(tsx?|css|svg)$/.test(one)).sort()) {
      hash.update(name).update(readFileSync(join(root, folder, name)))
    }
  }
  for (const name of alsoRead) hash.update(readFileSync(join(root, name)))
  return hash.digest("hex")
}

/** Written last: a build that was cut off is done again. */
const mark = join(output, "stamp")

/** Whether the console that is there was built from the present sources. */
export const isCurrent = (stamp = stampOf()) => existsSync(mark) && readFileSync(mark, "utf8") === stamp

/**
 * Builds the console, unless what is there was built from the same sources. A build that fails changes nothing.
 *
 * @returns {Promise<{ readonly folder: string, readonly built: boolean }>}
 */
export const buildConsole = async () => {
  const stamp = stampOf()
  if (isCurrent(stamp)) return { folder: output, built: false }
  const fresh = `${output}.${process.pid}`
  const assets = join(fresh, "assets")
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(assets, { recursive: true })
  const { chunks, entry } = await bundled()
  const style = readFileSync(join(root, "apps", "console", "Console.css"), "utf8")
  const styleName = `console-${createHash("sha256").update(style).digest("hex").slice(0, 10)}.css`
  for (const { code, name } of [...chunks, { name: styleName, code: style }]) {
    writeFileSync(join(assets, name), code)
    writeFileSync(join(assets, `${name}.gz`), gzipSync(code, { level: 9 }))
  }
  writeFileSync(join(fresh, "index.html"), pageOf(entry, styleName))
  writeFileSync(join(fresh, "stamp"), stamp)
  rmSync(output, { recursive: true, force: true })
  try {
    renameSync(fresh, output)
  } catch (error) {
    // Another process has built the same in the meantime.
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(mark)) throw error
  }
  return { folder: output, built: true }
}

/** The modules of the page as chunks, each named after its content, and which of them the page begins with. */
const bundled = async () => {
  const { rolldown } = await import("rolldown")
  const build = await rolldown({
    input: join(root, "apps", "console", "Main.ts"),
    platform: "browser",
    logLevel: "warn",
    plugins: [
      {
        name: "absent packages",
        resolveId: (id, importer) => {
          // The page brings Temporal along where the browser has none, but not in its first chunk.
          if (id === "@js-temporal/polyfill" && importer?.endsWith("Main.ts")) return null
          return absent.some((name) => id === name || id.startsWith(`${name}/`)) ? "\0absent" : null
        },
        load: (id) => (id === "\0absent" ? standIn : null)
      }
    ]
  })
  const { output: made } = await build.generate({
    format: "esm",
    minify: true,
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js"
  })
  await build.close()
  const chunks = made.flatMap((one) => (one.type === "chunk" ? [{ name: one.fileName, code: one.code }] : []))
  const entry = made.find((one) => one.type === "chunk" && one.isEntry)
  if (entry === undefined) throw new Error("The console has no entry")
  return { chunks, entry: entry.fileName }
}

/**
 * @param {string} script
 * @param {string} style
 */
const pageOf = (script, style) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sluice</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%232f6f5e'/%3E%3Cpath d='M3 10c2-3 3-3 5 0s3 3 5 0M3 6.5h10' stroke='white' stroke-width='1.6' fill='none' stroke-linecap='round'/%3E%3C/svg%3E">
<link rel="stylesheet" href="console/assets/${style}">
<script type="module" src="console/assets/${script}"></script>
</head>
<body><div id="console"><noscript>The console needs JavaScript. The reference of the interface is at <a href="docs">docs</a>.</noscript></div></body>
</html>
`
