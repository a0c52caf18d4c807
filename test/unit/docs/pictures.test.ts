/** The pictures of the docs, and the names of buttons beside them, against the console. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
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

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Whether the sources have a text with a value in it, such as `Step {number}`: a number, or anything behind two words. */
const isFilled = (text: string): boolean => {
  const spaces = [...text.matchAll(/ /g)].map(({ index }) => index)
  const value = "\\$?\\{[^{}]*\\}"
  return spaces.some((before, at) =>
    [...spaces, text.length].some((after) => {
      if (after <= before || (at === 0 && !/^\d+$/.test(text.slice(before + 1, after)))) return false
      const whole = `${literal(text.slice(0, before + 1))}${value}${literal(text.slice(after))} ?[\`<"]`
      return new RegExp(whole).test(consoleText)
    })
  )
}

const unknown = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  // The sources put the dots of some buttons behind a word.
  texts.filter((text) => isWord(text) && !consoleText.includes(text.replace(/…$/, "")) && !isFilled(text))

/** What each picture shows, as `npm run pictures` noted it. */
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

  it("are small", () => {
    const large = Object.keys(shown).filter((name) => statSync(join(root, `docs/pictures/${name}.png`)).size > 150_000)
    assert.deepStrictEqual(large, [])
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
    const texts = [
      "Run now…",
      "Run it yesterday",
      "1",
      "Textbox “User name”",
      "Repeat the loop on every page",
      "Repeat the loop on no page"
    ]
    assert.deepStrictEqual(unknown(texts), ["Run it yesterday", "Repeat the loop on no page"])
  })
})
