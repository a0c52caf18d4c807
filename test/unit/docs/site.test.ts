import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as Guide from "../../../apps/api/Guide.ts"
import * as GuideTwins from "../../../apps/api/GuideTwins.ts"
import { destination } from "../../../apps/api/http/Endpoints.ts"
import { deadAnchors, foreignLoads } from "../../../apps/bootstrap/builtPages.js"
import { sitePathOf, staged } from "../../../apps/bootstrap/docsPages.js"
import { navigation } from "../../../docs/.vitepress/navigation.js"
import { pages } from "../../docs/Pages.ts"

/** Runs with a folder that holds files, and removes it. */
const withSite = async <A>(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => A
): Promise<Awaited<A>> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-site-"))
  try {
    mkdirSync(join(folder, "assets"))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("the site of the docs", () => {
  it("has every page in its navigation, and nothing else", () => {
    const links = navigation.flatMap(({ items }) => items.map(({ link }) => link))
    const addresses = pages().map(({ path }) => `/${sitePathOf(path).replace(/(^|(?<=\/))index\.md$|\.md$/, "")}`)
    assert.deepStrictEqual(links.toSorted(), addresses.toSorted())
  })

  it("links to where pages stand in the site, and leaves code as it is", () => {
    const text = "[a](docs/actions.md#models) [b](CHANGELOG.md) [c](docs/decisions)\n```\n[d](docs/x.md)\n```\n"
    assert.strictEqual(
      staged("README.md", text),
      "[a](./actions.md#models) [b](./changelog.md) [c](./decisions/index.md)\n```\n[d](docs/x.md)\n```\n"
    )
    assert.strictEqual(staged("docs/streams.md", "[a](../CONTRIBUTING.md)"), "[a](./contributing.md)")
  })

  it("is refused when a page loads from another host, and not when it links there", () =>
    withSite(
      {
        "index.html": '<a href="https://other.example">a</a><script src="//cdn.example/a.js"></script>',
        "assets/a.css": "a{background:url(https://fonts.example/b.png)} b{background:url(/docs/guide/c.png)}"
      },
      (folder) => assert.lengthOf(foreignLoads(folder), 2)
    ))

  it("is refused when a link leads to no heading", () =>
    withSite(
      {
        "index.html": '<a href="/docs/guide/a#there">a</a><a href="/docs/guide/a#no">a</a><a href="#no">b</a>',
        "a.html": '<h2 id="there">x</h2>'
      },
      (folder) => assert.lengthOf(deadAnchors(folder), 2)
    ))
})

/** The links of Markdown to pages, outside of code, as paths in the site. */
const linksOf = (path: string, text: string): ReadonlyArray<string> =>
  [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) =>
    /^(https?:|#)/.test(link) ? [] : [posix.join(posix.dirname(path), link.split("#")[0] ?? "")]
  )

describe("the twins of the pages", () => {
  const paths = pages().map(({ path }) => sitePathOf(path))

  const textOf = async (path: string): Promise<string> => {
    const found = await GuideTwins.page(path)
    if (found === null) return assert.fail(`There is no ${path}`)
    assert.strictEqual(found.headers["content-type"], "text/markdown; charset=utf-8")
    return HttpServerResponse.toWeb(found).text()
  }

  it("are there for every page, and link to each other alone", async () => {
    for (const path of paths) {
      const text = await textOf(path)
      assert.match(text, /^#{0,1} ?\S/, path)
      const wrong = linksOf(path, text).filter((link) => !paths.includes(link))
      assert.deepStrictEqual(wrong, [], path)
    }
    for (const path of ["none.md", "../package.json", "actions", "pictures/home.png"]) {
      assert.isNull(await GuideTwins.page(path), path)
    }
  })

  it("are all in llms.txt, each with its heading and a sentence", async () => {
    const text = await GuideTwins.list()
    assert.match(text, /^# Sluice\n\n> \S.*\n/)
    const entries = text.split("\n").filter((line) => line.startsWith("- "))
    for (const entry of entries) assert.match(entry, /^- \[\S.*\]\(docs\/guide\/\S+\.md\): [^#\s].{20,}$/)
    const linked = linksOf("llms.txt", entries.join("\n")).map((link) => link.replace(/^docs\/guide\//, ""))
    assert.sameMembers(linked, paths)
  })

  it("would be found where they link to what is not there", () => {
    assert.deepStrictEqual(linksOf("decisions/a.md", "[a](../b.md#c) [d](https://e) ![f](g.png)\n```\n[h](i)\n```\n"), [
      "b.md",
      "decisions/g.png"
    ])
  })
})

describe("the guide", () => {
  const asking = (folder: string) => {
    const { dispose, handler } = HttpRouter.toWebHandler(Guide.layer(folder), { disableLogger: true })
    const ask = (path: string) => handler(new Request(`http://localhost/docs/guide/${path}`))
    return { ask, dispose }
  }

  it("is served from the files that were built, under a policy with the hashes of its scripts", () =>
    withSite({ "index.html": "<script>1</script>", "a.html": "A", "assets/a.js": "a" }, async (folder) => {
      const { ask, dispose } = asking(folder)
      const first = await ask("")
      const policy = first.headers.get("content-security-policy") ?? ""
      assert.include(policy, "script-src 'self' 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='")
      assert.notInclude(policy.replace("style-src-attr 'unsafe-inline'", ""), "unsafe")
      assert.strictEqual(await (await ask("a")).text(), "A")
      assert.match((await ask("assets/a.js")).headers.get("cache-control") ?? "", /immutable/)
      for (const path of ["b", "%2e%2e/package.json", "assets/..%2f..%2fx"]) {
        assert.strictEqual((await ask(path)).status, 404, path)
      }
      await dispose()
    }))

  it("says how it is built where it is not, and is there once it was built", () =>
    withSite({}, async (folder) => {
      const { ask, dispose } = asking(folder)
      const answer = await ask("")
      assert.strictEqual(answer.status, 404)
      assert.include(await answer.text(), "npm run docs")
      writeFileSync(join(folder, "index.html"), "built")
      assert.strictEqual(await (await ask("")).text(), "built")
      await dispose()
    }))

  it("has its own addresses, beside the reference", () => {
    assert.deepStrictEqual(destination("GET", "/docs/guide"), { _tag: "Redirect", path: "/docs/guide/" })
    assert.deepStrictEqual(destination("GET", "/docs/guide/decisions/"), { _tag: "Undescribed" })
    assert.deepStrictEqual(destination("POST", "/docs/guide/"), { _tag: "Nowhere" })
    assert.deepStrictEqual(destination("GET", "/docs/"), { _tag: "Redirect", path: "/docs" })
  })
})
