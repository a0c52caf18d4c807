/**
 * The pages of the guide as Markdown, each at the address of its page with `.md` behind it, and `/llms.txt`, which lists
 * them. They come from the pages as they are written, and need no build of the guide.
 */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { pagesIn, sitePathOf, staged } from "../bootstrap/docsPages.js"

/** A built package keeps its pages apart from its own README. */
const packaged = fileURLToPath(new URL("../../.cache/pages", import.meta.url))
const home = existsSync(packaged) ? packaged : fileURLToPath(new URL("../..", import.meta.url))

/** The pages that say how to work with a service. The others are about the project. */
const isOptional = (path: string): boolean => !path.startsWith("docs/") || path.startsWith("docs/decisions/")

let cached: ReadonlyMap<string, string> | null = null

/** The pages in the checkout, by their paths in the guide; none where the program was put elsewhere without them. */
const pages = (): ReadonlyMap<string, string> => {
  if (cached !== null) return cached
  const paths = existsSync(join(home, "docs", "decisions")) ? pagesIn(home) : []
  cached = new Map(paths.map((path) => [sitePathOf(path), path]))
  return cached
}

/** The Markdown of a page as the guide has it, without its pictures. */
const textOf = async (path: string): Promise<string> => {
  const text = await readFile(join(home, path), "utf8")
  return staged(path, text.replace(/!\[([^[\]]*)\]\([^()]*\)/g, "$1"))
}

/** The first sentences of a page: its first paragraph of prose, in plain text. */
const summaryOf = (text: string): string => {
  const prose = text
    .replace(/^```[\s\S]*?^```$/gm, "")
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .find((part) => /^[\p{L}`"[]/u.test(part))
  const plain = (prose ?? "")
    .replace(/\s+/g, " ")
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replaceAll("`", "")
  const sentences = /^.{40,240}?[.:](?= |$)/.exec(plain)?.[0] ?? plain.slice(0, 240)
  return sentences.replace(/:$/, ".")
}

/** A page in the list: its heading, its address, and its first sentences. */
const entryOf = (path: string, text: string): string => {
  const heading = /^# (.+)$/m.exec(text)?.[1] ?? path
  return `- [${heading}](docs/guide/${sitePathOf(path)}): ${summaryOf(text)}`
}

/** The list of the pages, by the conventions of `llms.txt`. */
export const list = async (): Promise<string> => {
  const all = await Promise.all(
    [...pages().values()].map(async (path) => ({ path, entry: entryOf(path, await textOf(path)) }))
  )
  const entries = (optional: boolean) =>
    all.filter(({ path }) => isOptional(path) === optional).map(({ entry }) => entry)
  return [
    "# Sluice",
    "",
    "> Runs browser-automation workflows, and starts them only within their run windows.",
    "",
    "Agents use the tools at /mcp (docs/guide/agents.md) or the command line (docs/guide/cli.md). The HTTP interface is described in [OpenAPI](openapi.json).",
    "",
    "## Guide",
    "",
    ...entries(false),
    "",
    "## Optional",
    "",
    ...entries(true),
    ""
  ].join("\n")
}

const answered = (text: string, contentType: string) =>
  HttpServerResponse.text(text, {
    contentType,
    headers: { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-cache" }
  })

/** The page at a path below the guide; `null` where there is none. Paths select among known pages, and reach no file. */
export const page = async (path: string) => {
  const found = path.endsWith(".md") ? pages().get(path) : undefined
  return found === undefined ? null : answered(await textOf(found), "text/markdown; charset=utf-8")
}

/** The route of the list. */
export const layer = HttpRouter.add(
  "GET",
  "/llms.txt",
  Effect.map(
    Effect.promise(() => list()),
    (text) => answered(text, "text/plain; charset=utf-8")
  )
)
