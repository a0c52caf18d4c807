/**
 * The console at `/`: the files that `apps/bootstrap/console.js` built. The page runs only the scripts of this host, loads
 * nothing from another one, and no other page shows it in a frame.
 */
import { existsSync, readFileSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Errors from "../http/Errors.ts"

/** Where the bootstrap keeps the built console. */
const built = fileURLToPath(new URL("../../../.cache/console", import.meta.url))

/** The folder of the files of the page within what was built. */
const assets = "/console/assets/"

export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

interface File {
  readonly content: Uint8Array
  /** The content as it was compressed with gzip when it was built; `null` where that is no shorter. */
  readonly compressed: Uint8Array | null
  readonly contentType: string
}

const contentTypes: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml"
}

const page = {
  contentType: "text/html; charset=utf-8",
  headers: {
    "content-security-policy": policy,
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    vary: "sec-fetch-site"
  }
} as const

/** Tells the page that a page of another origin led to it. The browser says so also where that page hides its address. */
const followed = '<meta name="followed" content="yes">'

const isFollowed = ({ "sec-fetch-site": site }: Readonly<Record<string, string | undefined>>): boolean =>
  site === "cross-site" || site === "same-site"

const notBuilt = HttpServerResponse.jsonUnsafe(
  Errors.general(
    404,
    "The console is not built here: run `npm run console`. The reference of the interface is at /docs"
  ),
  { status: 404 }
)

/** The files of the page by their names. Their names change with their content, so they are read once. */
const read = async (folder: string): Promise<ReadonlyMap<string, File>> => {
  const names = await readdir(join(folder, "assets"))
  const files = names.filter((name) => !name.endsWith(".gz"))
  return new Map(
    await Promise.all(
      files.map(async (name): Promise<readonly [string, File]> => {
        const compressed = names.includes(`${name}.gz`) ? await readFile(join(folder, "assets", `${name}.gz`)) : null
        const contentType = contentTypes[extname(name)] ?? "application/octet-stream"
        return [name, { content: await readFile(join(folder, "assets", name)), compressed, contentType }]
      })
    )
  )
}

/** The routes of the console that was built into a folder. The first request that finds it built reads it. */
export const layer = (folder = built) => {
  let files: Promise<ReadonlyMap<string, File>> | null = null
  const index = join(folder, "index.html")
  const home = Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    if (!existsSync(index)) return notBuilt
    const html = readFileSync(index, "utf8")
    return HttpServerResponse.text(isFollowed(headers) ? html.replace("<head>", `<head>${followed}`) : html, page)
  })
  const asset = Effect.gen(function* () {
    if (!existsSync(index)) return notBuilt
    files ??= read(folder)
    const reading = files
    const { headers, url } = yield* HttpServerRequest.HttpServerRequest
    const name = (url.split("?", 1)[0] ?? "").slice(assets.length)
    let file = (yield* Effect.promise(() => reading)).get(name)
    if (file === undefined) {
      // It may have been built again since.
      const again = read(folder)
      files = again
      file = (yield* Effect.promise(() => again)).get(name)
    }
    if (file === undefined) {
      return HttpServerResponse.jsonUnsafe(Errors.general(404, "The console has no such file"), { status: 404 })
    }
    const packed = (headers["accept-encoding"] ?? "").includes("gzip") ? file.compressed : null
    return HttpServerResponse.uint8Array(packed ?? file.content, {
      contentType: file.contentType,
      headers: {
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
        vary: "accept-encoding",
        ...(packed === null ? {} : { "content-encoding": "gzip" })
      }
    })
  })
  return Layer.merge(HttpRouter.add("GET", "/", home), HttpRouter.add("GET", `${assets}*`, asset))
}
