// @ts-check
import { readdirSync, readFileSync } from "node:fs"
import { join, posix, sep } from "node:path"

/**
 * The files of a built site with one of the endings, by their paths in it.
 *
 * @param {string} folder
 * @param {RegExp} ending
 * @returns {ReadonlyArray<{ readonly path: string, readonly text: string }>}
 */
const files = (folder, ending) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => ({ path: name.split(sep).join("/"), text: readFileSync(join(folder, name), "utf8") }))

/** Parts of pages and styles that make a browser load an address at once. */
const loads = [
  /<(?:script|img|iframe|source|video|audio|embed|track|input)\b[^>]*?\ssrc\s*=\s*["']?([^"'\s>]+)/gi,
  /<link\b[^>]*?\shref\s*=\s*["']?([^"'\s>]+)/gi,
  /<object\b[^>]*?\sdata\s*=\s*["']?([^"'\s>]+)/gi,
  /\surl\(\s*["']?([^"')\s]+)/gi,
  /[:,(]url\(\s*["']?([^"')\s]+)/gi,
  /@import\s+["']([^"']+)/gi
]

/**
 * The loads from other hosts by the pages and styles of a built site. Links that a reader follows do not count.
 *
 * @param {string} folder
 * @returns {ReadonlyArray<string>}
 */
export const foreignLoads = (folder) =>
  files(folder, /\.(html|css)$/).flatMap(({ path, text }) =>
    loads
      .flatMap((place) => [...text.matchAll(place)].map(([, address = ""]) => address))
      .filter((address) => /^(https?:)?\/\//i.test(address))
      .map((address) => `${path} loads ${address}`)
  )

/**
 * Links of a built site to missing headings. The builder itself refuses links to missing pages.
 *
 * @param {string} folder
 * @returns {ReadonlyArray<string>}
 */
export const deadAnchors = (folder) => {
  const pages = files(folder, /\.html$/)
  const ids = new Map(
    pages.map(({ path, text }) => [path, new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))])
  )
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(/<a\b[^>]*?\shref="([^"#:]*)#([^"]+)"/g)].flatMap(([, page = "", anchor = ""]) => {
      const target = page === "" ? path : pathOf(page)
      return target === null || ids.get(target)?.has(decodeURIComponent(anchor))
        ? []
        : [`${path} links to ${page}#${anchor}: there is no such heading`]
    })
  )
}

/**
 * The file of an address of the site; `null` when the address is not of the site.
 *
 * @param {string} address
 */
const pathOf = (address) => {
  const base = "/docs/guide/"
  if (!address.startsWith(base)) return null
  const path = posix.normalize(address.slice(base.length) || ".")
  if (path === "." || path.endsWith("/")) return posix.join(path, "index.html")
  return path.endsWith(".html") ? path : `${path}.html`
}
