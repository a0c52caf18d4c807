// @ts-check
import { existsSync, readdirSync } from "node:fs"
import { join, posix } from "node:path"

/** The paths in the site of pages outside of `docs`. */
const outside = new Map([
  ["README.md", "index.md"],
  ["CHANGELOG.md", "changelog.md"],
  ["CONTRIBUTING.md", "contributing.md"],
  ["docs/decisions", "decisions/index.md"],
  ["docs/decisions/README.md", "decisions/index.md"]
])

/**
 * The pages of the site, by their paths in a checkout.
 *
 * @param {string} root
 */
export const pagesIn = (root) => [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...["docs", "docs/decisions"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md") && existsSync(join(root, folder, name)))
      .map((name) => `${folder}/${name}`)
  )
]

/**
 * The path of a page in the site, by its path in the checkout.
 *
 * @param {string} path
 */
export const sitePathOf = (path) => outside.get(path) ?? path.replace(/^docs\//, "")

/**
 * The text of a page for the site: links between pages have the pages' paths in the site. Links in code blocks do not
 * change.
 *
 * @param {string} path the page's path in the checkout
 * @param {string} text
 */
export const staged = (path, text) =>
  text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) =>
      part.startsWith("```") ? part : part.replace(/\]\(([^)\s]+)\)/g, (_, link) => `](${moved(path, link)})`)
    )
    .join("")

/**
 * @param {string} path
 * @param {string} link
 */
const moved = (path, link) => {
  if (/^(https?:|#)/.test(link)) return link
  const [file = "", anchor] = link.split("#")
  const target = sitePathOf(posix.join(posix.dirname(path), file))
  const from = posix.relative(posix.dirname(sitePathOf(path)), target)
  return `${from.startsWith(".") ? from : `./${from}`}${anchor === undefined ? "" : `#${anchor}`}`
}
