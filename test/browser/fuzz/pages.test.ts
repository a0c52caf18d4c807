/** Hostile pages in a real Chromium; the judge first, with faults that were planted. */
import { assert, describe, it } from "@effect/vitest"
import { documents, responses } from "../../fuzz/PagePieces.ts"
import * as Pages from "../../fuzz/Pages.ts"

const fine: Pages.Visit = { code: null, longestTurn: 1, next: null }
const seed = 4

describe("the judge of pages", () => {
  it("catches a defect, a code that is none, a held event loop, and harm to the next run", async () => {
    const plants: ReadonlyArray<readonly [Partial<Pages.Visit>, string]> = [
      [{ code: "a defect: Error: broken" }, "a defect"],
      [{ code: "broken" }, "ended with the code broken"],
      [{ longestTurn: Pages.mostTurn + 1 }, "held the event loop"],
      [{ next: "BROWSER-E0001" }, "harmed the next run"]
    ]
    const guilty = Pages.pageAt(seed, 2).documents[0] ?? ""
    for (const [harm, what] of plants) {
      const visit: Pages.VisitPage = async ({ documents }) => (documents.includes(guilty) ? { ...fine, ...harm } : fine)
      const [finding] = await Pages.run({ visit, seed, from: 2, count: 1 })
      assert.include(finding?.what, what)
      assert.deepStrictEqual(finding?.smallest, { documents: [guilty], response: null })
    }
    const coded: Pages.VisitPage = async () => ({ ...fine, code: "SELECTOR-E0001" })
    assert.deepStrictEqual(await Pages.run({ visit: coded, seed, count: 5 }), [])
  })

  it("says how to visit a page once more, and draws every piece sooner or later, the same for the same seed", () => {
    const told = Pages.describe({ index: 7, what: "hangs", smallest: Pages.pageAt(seed, 7) }, seed)
    assert.include(told, `npm run fuzz -- --pages 1 --seed ${seed} --from 7`)
    const pages = Array.from({ length: 600 }, (_, index) => Pages.pageAt(seed, index))
    assert.deepStrictEqual(
      pages,
      Array.from({ length: 600 }, (_, index) => Pages.pageAt(seed, index))
    )
    assert.sameMembers([...new Set(pages.flatMap((page) => page.documents))], Object.keys(documents))
    const sent = new Set(pages.flatMap(({ response }) => (response === null ? [] : [response])))
    assert.sameMembers([...sent], Object.keys(responses))
  })
})

describe("the agent", () => {
  it("ends each run on a hostile page within its limits and with a code, and harms no other run", async () => {
    // A visit mostly waits for the limits of its page: two browsers wait at once.
    const findings = await Promise.all(
      [0, 2].map(async (from) => {
        const { close, visit } = await Pages.openVisitor()
        return Pages.run({ visit, seed, from, count: 2 }).finally(close)
      })
    )
    assert.deepStrictEqual(
      findings.flat().map((finding) => Pages.describe(finding, seed)),
      []
    )
  })
})
