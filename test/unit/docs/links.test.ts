import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { pages } from "../../docs/Pages.ts"
import { root } from "../../support/Source.ts"

const withoutFences = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, "")

/** The anchors of a page: its headings, in small letters, with dashes for spaces and without other signs. */
const anchorsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...withoutFences(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-")
    )
  )

/** The broken links of a page within the project. */
const wrongLinks = ({ path, text }: { readonly path: string; readonly text: string }): ReadonlyArray<string> =>
  [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
    if (/^https?:/.test(link)) return []
    const [file = "", anchor] = link.split("#")
    const target = file === "" ? path : join(dirname(path), file)
    if (!existsSync(join(root, target))) return [`${path} links to ${link}: there is no ${target}`]
    if (anchor === undefined) return []
    const has = anchorsOf(readFileSync(join(root, target), "utf8")).has(anchor)
    return has ? [] : [`${path} links to ${link}: ${target} has no heading "${anchor}"`]
  })

/** The files of the project that a page names, in text and in fences. */
const namedFiles = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\b(?:core|adapters|apps|test)\/[\w./-]+\.(?:ts|js|txt)\b/g)].map(([name]) => name)

describe("the pages", () => {
  it("link to what exists", () => {
    assert.isAtLeast(pages().length, 30)
    assert.deepStrictEqual(pages().flatMap(wrongLinks), [])
  })

  it("name files that exist", () => {
    // The names in the page on security have a separate test.
    const named = pages().filter(({ path }) => path !== "docs/security.md")
    const wrong = named.flatMap(({ path, text }) =>
      namedFiles(text)
        .filter((name) => !existsSync(join(root, name)))
        .map((name) => `${path} names ${name}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("are linked from the README or from each other", () => {
    const linked = new Set(
      pages().flatMap(({ path, text }) =>
        [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link = ""]) => join(dirname(path), link))
      )
    )
    const lost = pages().filter(({ path }) => path !== "README.md" && !linked.has(path) && !linked.has(dirname(path)))
    assert.deepStrictEqual(
      lost.map(({ path }) => path),
      []
    )
  })

  it("would be caught with a link to nothing", () => {
    const found = wrongLinks({ path: "docs/a.md", text: "[a](nowhere.md) [b](security.md#nothing) [c](security.md)" })
    assert.lengthOf(found, 2)
  })
})
