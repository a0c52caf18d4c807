/**
 * The guide below `/docs/guide/`: the site that `npm run docs` builds from `docs`. Its policy allows only the scripts
 * that were built into it, no other hosts, and no embedding in frames.
 */
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { extname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as GuideTwins from "./GuideTwins.ts"
import * as Errors from "./http/Errors.ts"

const base = "/docs/guide/"

/** The folder of the site that `npm run docs` builds. */
const built = fileURLToPath(new URL("../../docs/.vitepress/dist", import.meta.url))

export const isBuilt = (folder = built): boolean => existsSync(join(folder, "index.html"))

interface File {
  readonly content: Uint8Array
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2"
}

/** The content security policy of a page: only its inline scripts and those of this host. */
export const policyOf = async (page: string): Promise<string> => {
  // Loaded with the first request: its parser of HTML takes 10 MB of memory.
  const { hashesOf } = await import("./InlineScripts.ts")
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashesOf(page)].join(" "),
    "style-src 'self'",
    // The colours of code stand in attributes.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

/** The address of a file below the base: pages without their extension, an index page as its folder. */
const addressOf = (path: string): string => path.replace(/(^|\/)index\.html$/, "$1").replace(/\.html$/, "")

const read = async (folder: string): Promise<ReadonlyMap<string, File>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const read = files.map(async (entry): Promise<readonly [string, File]> => {
    const whole = join(entry.parentPath, entry.name)
    const path = whole.slice(folder.length + 1).replaceAll(sep, "/")
    const content = await readFile(whole)
    const isPage = extname(path) === ".html"
    const headers = {
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      // The names of assets change with their content.
      "cache-control": path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      ...(isPage ? { "content-security-policy": await policyOf(content.toString()) } : {})
    }
    return [
      addressOf(path),
      { content, contentType: contentTypes[extname(path)] ?? "application/octet-stream", headers }
    ]
  })
  return new Map(await Promise.all(read))
}

const notBuilt = Errors.general(404, "The guide is not built here: run `npm run docs`")

/**
 * Serves the site in a folder. The first request after the build reads it; a rebuilt site is served after a restart.
 */
const answersFrom = (folder: string) => {
  let site: Promise<ReadonlyMap<string, File>> | null = null
  return Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    // Requests select among the files that were read. Their paths never reach the file system.
    const path = (url.split("?", 1)[0] ?? "").slice(base.length)
    const twin = yield* Effect.promise(() => GuideTwins.page(path))
    if (twin !== null) return twin
    if (site === null && !isBuilt(folder)) return HttpServerResponse.jsonUnsafe(notBuilt, { status: 404 })
    site ??= read(folder).catch((error) => {
      // The next request reads it again.
      site = null
      throw error
    })
    const reading = site
    const files = yield* Effect.promise(() => reading)
    const file = files.get(path)
    if (file === undefined) {
      const missing = Errors.general(404, `The guide has no page ${path.slice(0, 200)}`)
      return HttpServerResponse.jsonUnsafe(missing, { status: 404 })
    }
    const { content, contentType, headers } = file
    return HttpServerResponse.uint8Array(content, { contentType, headers })
  })
}

/** The routes of the guide that was built into a folder. */
export const layer = (folder = built) => HttpRouter.add("GET", `${base}*`, answersFrom(folder))
