/**
 * What the recorder of Playwright wrote down is imported and run: the pages see what they saw while it was recorded.
 * `writeRecordings.ts` writes the recordings.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as YamlText from "../../../adapters/json/YamlText.ts"
import * as BabelScript from "../../../adapters/script/BabelScript.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import { FileSource } from "../../../core/browser/file/FileSource.ts"
import * as Conversion from "../../../core/workflow/convert/Conversion.ts"
import { walk } from "../../support/browser.ts"
import { Pages, pages } from "../../support/pages.ts"
import { sampled } from "../../support/scale.ts"
import { html } from "../../support/site.ts"
import { escaped, type Recorded, scenes, wordings } from "./CodegenScenes.ts"

const recordings = readFileSync(join(import.meta.dirname, "recordings.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded)

let told: Array<string> = []
let shown: Readonly<Record<string, string>> = {}

const paths = new Set(
  wordings.flatMap((words) => Object.values(scenes).flatMap((scene) => Object.keys(scene.pages(escaped(words)))))
)

const site = pages({
  "/told": (request, response) => {
    told.push(decodeURIComponent((request.url ?? "").slice("/told?".length)))
    response.writeHead(204).end()
  },
  ...Object.fromEntries(
    [...paths].map((path) => [path, (request, response) => html(shown[path] ?? "")(request, response)] as const)
  )
})

/** The file that is uploaded. */
const file = { path: import.meta.filename, fileName: "paper.txt" }

const titled = recordings.map((one) => [`${one.scene}, wording ${one.wording}, ${one.form}`, one] as const)

it("are sixty, in each form of code", () => {
  assert.lengthOf(recordings, Object.keys(scenes).length * wordings.length)
  assert.deepStrictEqual([...new Set(recordings.map(({ form }) => form))].toSorted(), [
    "javascript",
    "jsonl",
    "playwright-test"
  ])
})

it.layer(site, { excludeTestServices: true })("a recording of Playwright does again what was recorded", (it) => {
  it.effect.each(sampled(titled, 7))("%s", ([, recorded]) =>
    Effect.gen(function* () {
      const { browser, site } = yield* Pages
      const words = wordings[recorded.wording]
      const scene = scenes[recorded.scene]
      if (words === undefined || scene === undefined) return assert.fail("The scene of the recording is gone")
      shown = scene.pages(escaped(words))
      told = []
      const found = Conversion.convert(recorded.code.replaceAll("http://shop.example", site), {
        script: BabelScript.parse,
        yaml: YamlText.parse
      })
      if (Result.isFailure(found)) return assert.fail(JSON.stringify(found.failure))
      const { inputs, report, workflow } = found.success
      assert.deepStrictEqual(
        report.filter(({ outcome }) => outcome === "not_translated").map(({ kind, message }) => [kind, message]),
        []
      )
      const examples = inputs.flatMap(({ example, name }) => (example === undefined ? [] : [[name, example]]))
      const { edges, nodes } = workflow
      const seen = yield* walk({ nodes, edges }, { ...Object.fromEntries(examples), file_url: `${site}/` }).pipe(
        Effect.provideService(Browser, browser),
        Effect.provideService(FileSource, { get: () => Effect.succeed(file) })
      )
      assert.strictEqual(seen.outcome._tag, "Success", JSON.stringify(seen.outcome))
      assert.deepStrictEqual(told.toSorted(), recorded.told)
    })
  )
})
