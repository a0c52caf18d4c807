// @ts-check
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { deadAnchors, foreignLoads } from "./builtPages.js"
import { sitePathOf, staged } from "./docsPages.js"
import { installLocked } from "./locked.js"
import { root, succeeds } from "./run.js"
import { BootstrapError, say } from "./say.js"

/** Where the process looks for the site; `apps/api/Guide.ts` serves it. */
const output = join(root, "docs", ".vitepress", "dist")

/**
 * Builds the site of the docs. Pages, links or loads that are wrong fail it, and the site that was there before stays.
 *
 * @param {string} node
 */
export const buildDocs = (node) => {
  const folder = installLocked({ source: "docs/.vitepress", name: "docs", what: "the builder of the docs" })
  // The builder looks for its packages above the pages, and leaves files beside them: it gets a copy.
  const copy = join(folder, "pages")
  const built = join(folder, "built")
  rmSync(copy, { recursive: true, force: true })
  rmSync(built, { recursive: true, force: true })
  const isCopied = (/** @type {string} */ path) => !path.startsWith(output)
  cpSync(join(root, "docs", ".vitepress"), join(copy, ".vitepress"), { recursive: true, filter: isCopied })
  for (const page of pages()) {
    const to = join(copy, sitePathOf(page))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, staged(page, readFileSync(join(root, page), "utf8")))
  }
  const program = join(folder, "node_modules", "vitepress", "bin", "vitepress.js")
  if (!succeeds(node, [program, "build", copy, "--outDir", built], { NODE_COMPILE_CACHE: undefined })) {
    throw new BootstrapError("The docs could not be built: the output above says why")
  }
  const wrong = [...foreignLoads(built), ...deadAnchors(built)]
  if (wrong.length > 0) throw new BootstrapError(`The docs were built, but are not kept:\n${wrong.join("\n")}`)
  rmSync(output, { recursive: true, force: true })
  renameSync(built, output)
  say("The guide is built. The process serves it at /docs/guide/.")
}

/** The pages of the site, by their paths in the checkout. */
const pages = () => [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...["docs", "docs/decisions"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md") && existsSync(join(root, folder, name)))
      .map((name) => `${folder}/${name}`)
  )
]
