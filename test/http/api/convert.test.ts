import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { asList, pathsOf, setUp } from "../../support/member.ts"
import { layerInMemory } from "../../support/service.ts"

it.layer(layerInMemory)("files of other programs", (it) => {
  it.effect("become workflows that are saved only when they are sent again", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const convert = (content: string) => ask("POST", "/workflows/convert", { file_name: "a", content })
      const before = asList((yield* ask("GET", "/workflows")).body).length
      const script = yield* convert(
        "await page.goto('https://shop.example/')\nawait page.fill('#password', 'Rosebud-1941')"
      )
      assert.strictEqual(script.status, 200, script.text)
      assert.deepInclude(script.body, { format: "playwright", warnings: [] })
      assert.notInclude(script.text, "Rosebud")
      assert.lengthOf(asList((yield* ask("GET", "/workflows")).body), before)
      const made = yield* ask("POST", "/workflows", script.body.workflow)
      assert.strictEqual(made.status, 201, made.text)
    })
  )

  it.effect("that cannot be read are refused with the reason, and change nothing", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const refused = [
        "",
        "Dear Ada",
        '{"title": "a", "steps": [',
        `${"[".repeat(50_000)}`,
        `page.click(${"(a=".repeat(20_000)}`,
        JSON.stringify({ tests: Array.from({ length: 200_000 }, () => ({ commands: [] })) }),
        "await page.goto(".repeat(1_000)
      ]
      for (const content of refused) {
        const answer = yield* ask("POST", "/workflows/convert", { content })
        // A project without steps is one all the same.
        if (answer.status === 200) assert.deepStrictEqual(answer.body.report, [])
        else assert.deepStrictEqual([answer.status, pathsOf(answer.body)], [400, ["content"]], content.slice(0, 40))
      }
      const large = yield* ask("POST", "/workflows/convert", { content: "a".repeat(10_500_000) })
      assert.strictEqual(large.status, 413)
      assert.deepStrictEqual(pathsOf((yield* ask("POST", "/workflows/convert", {})).body), ["content"])
    })
  )
})
