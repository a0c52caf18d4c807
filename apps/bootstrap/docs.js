// @ts-check
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { deadAnchors, foreignLoads } from "./builtPages.js"
import { pagesIn, sitePathOf, staged } from "./docsPages.js"
import { installLocked } from "./locked.js"
import { root, succeeds } from "./run.js"
import { BootstrapError, say } from "./say.js"

/** The folder of the built site, which `apps/api/Guide.ts` serves. */
const output = join(root, "docs", ".vitepress", "dist")

/**
 * Builds the site of the docs. A wrong page, link or load fails the build, and the previous site stays.
 *
 * @param {string} node
 */
export const buildDocs = (node) => {
  const folder = installLocked({ source: "docs/.vitepress", name: "docs", what: "the builder of the docs" })
  // The builder looks for its packages in the parents of the pages' folder and writes files into it: it gets a copy.
  const copy = join(folder, "pages")
  const built = join(folder, "built")
  rmSync(copy, { recursive: true, force: true })
  rmSync(built, { recursive: true, force: true })
  const isCopied = (/** @type {string} */ path) => !path.startsWith(output)
  cpSync(join(root, "docs", ".vitepress"), join(copy, ".vitepress"), { recursive: true, filter: isCopied })
  cpSync(join(root, "docs", "pictures"), join(copy, "pictures"), { recursive: true })
  for (const page of pagesIn(root)) {
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
