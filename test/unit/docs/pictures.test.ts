/** The pictures of the docs, and the names of buttons beside them, against the console. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { pages } from "../../docs/Pages.ts"
import { root } from "../../support/Source.ts"

/** The words of the console: all its sources, without line breaks. */
const consoleText = readdirSync(join(root, "apps/console"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
  .join("\n")
  .replace(/\s+/g, " ")

/** Signs, numbers, and the name of something on the page that is recorded are no words of the console. */
const isWord = (text: string): boolean => /^\p{L}/u.test(text) && !text.includes("“")

const unknown = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  // The sources put the dots of some buttons behind a word.
  texts.filter((text) => isWord(text) && !consoleText.includes(text.replace(/…$/, "")))

/** What each picture shows, as `node test/docs/writePictures.ts` noted it. */
const shown: Readonly<Record<string, ReadonlyArray<string>>> = JSON.parse(
  readFileSync(join(root, "test/docs/pictures.json"), "utf8")
)

describe("the pictures of the docs", () => {
  it("are those that the script takes, and each is on a page", () => {
    const onPages = pages().flatMap(({ text }) =>
      [...text.matchAll(/pictures\/([\w-]+)\.png/g)].map(([, name]) => name)
    )
    const names = Object.keys(shown)
    assert.deepStrictEqual([...new Set(onPages)].toSorted(), names.toSorted())
    assert.deepStrictEqual(
      names.filter((name) => !existsSync(join(root, `docs/pictures/${name}.png`))),
      []
    )
  })

  it("show headings, buttons and fields that the console has: take them again where it has others", () => {
    for (const [name, texts] of Object.entries(shown)) {
      assert.isAbove(texts.filter(isWord).length, 5, name)
      assert.deepStrictEqual(unknown(texts), [], name)
    }
  })

  it("stand beside words that name what the console has", () => {
    const page = pages().find(({ path }) => path === "docs/getting-started.md")?.text ?? ""
    const named = [...page.matchAll(/(?<![*\w])\*([^*\n]+)\*(?!\*)/g)].map(([, name]) => String(name))
    assert.isAbove(named.length, 10)
    assert.deepStrictEqual(unknown(named), [])
  })

  it("would be found out of date", () => {
    assert.deepStrictEqual(unknown(["Run now…", "Run it yesterday", "1", "Textbox “User name”"]), ["Run it yesterday"])
  })
})
