// @ts-check
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { root } from "./run.js"

/** The folder of the built console, which `apps/api/console/Pages.ts` serves. */
const output = join(root, ".cache", "console")

/** The folders with modules of the page, and the file with the versions of packages. */
const sources = ["apps/console", "apps/api", "core", "adapters/crypto"]
const alsoRead = ["package-lock.json", "apps/bootstrap/console.js"]

/**
 * Packages that check requests, which the service does. The page leaves them out: they would be two thirds of its client.
 */
const absent = ["jsonata", "ajv", "tldts", "@js-temporal/polyfill"]

/** The module in place of an absent package. Importing it and making its objects works; calling them fails. */
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

/** Written last, so that an interrupted build is repeated. */
const mark = join(output, "stamp")

/** Whether the existing console was built from the current sources. */
export const isCurrent = (stamp = stampOf()) => existsSync(mark) && readFileSync(mark, "utf8") === stamp

/**
 * Builds the console, unless the existing one was built from the same sources. A failed build changes nothing.
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
  const style = readFileSync(join(root, "apps/console/Console.css"), "utf8")
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

/** Only the description of the interface has these. */
const summaries = /\.annotate\(\s*OpenApi\.(?:Summary|Description),\s*"(?:[^"\\]|\\.)*"\s*\)/g

/** The modules of the page as chunks, each named after its content, and the chunk that the page loads first. */
const bundled = async () => {
  const { rolldown } = await import("rolldown")
  const build = await rolldown({
    input: join(root, "apps/console/Main.ts"),
    platform: "browser",
    logLevel: "warn",
    plugins: [
      {
        name: "absent packages",
        resolveId: (id, importer) => {
          // The page has Temporal for browsers that lack it, but not in its first chunk.
          if (id === "@js-temporal/polyfill" && importer?.endsWith("Main.ts")) return null
          return absent.some((name) => id === name || id.startsWith(`${name}/`)) ? "\0absent" : null
        },
        load: (id) => (id === "\0absent" ? standIn : null)
      },
      {
        name: "without the words of the description",
        // Of the operations, the page needs what they take and answer.
        transform: (code, id) => (/apps\/api\/.*Api\.ts$/.test(id) ? code.replace(summaries, "") : null)
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
  if (entry === undefined) throw new Error("The bundle of the console has no entry")
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
<body><div id="console"><noscript>The console needs JavaScript. The reference of the interface is at <a href="./docs">docs</a>.</noscript></div></body>
</html>
`
