// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Selenium IDE are written so.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as YamlText from "../../../adapters/json/YamlText.ts"
import * as BabelScript from "../../../adapters/script/BabelScript.ts"
import * as Conversion from "../../../core/workflow/convert/Conversion.ts"
import * as SaveBody from "../../../core/workflow/SaveBody.ts"
import { type Draw, draws, pick as pickOf } from "../../support/JsonSchema.ts"
import { scale } from "../../support/scale.ts"

const pick = <A>(draw: Draw, from: ReadonlyArray<A>): A => pickOf(from, draw)

const times = 60 * scale

const selectors = [
  "#a",
  "aria/Pay",
  "text/Pay",
  "xpath///a[",
  "pierce/x",
  "",
  "[data-test=a]",
  "{{context.a}}",
  "'\"",
  "css=a >> b"
]
const values = ["", "a", "ada@shop.example", "{{x}}", "Rosebud-1941", 1, null, true, "<<xpath://a>>", "\u202e"]

const chromeStep = (draw: Draw): object => ({
  type: pick(draw, [
    "navigate",
    "click",
    "doubleClick",
    "change",
    "keyDown",
    "keyUp",
    "hover",
    "scroll",
    "setViewport",
    "waitForElement",
    "waitForExpression",
    "close",
    "customStep",
    "other"
  ]),
  ...(draw() < 0.8 ? { selectors: [[pick(draw, selectors)], [pick(draw, selectors), pick(draw, selectors)]] } : {}),
  ...(draw() < 0.5
    ? { value: pick(draw, values), key: pick(draw, ["Enter", "a", "Shift", "Control", "Unknown", ""]) }
    : {}),
  ...(draw() < 0.5
    ? { url: pick(draw, ["https://shop.example/", "/a", "", "javascript:0", "https://a:%zz@b/?token=abc"]) }
    : {}),
  ...(draw() < 0.3
    ? {
        target: pick(draw, ["main", "b", "c"]),
        frame: [0],
        count: pick(draw, [0, 1, -1, 1e9]),
        operator: pick(draw, [">=", "==", "<=", "?"])
      }
    : {})
})

const commands =
  "open click type select if elseIf else end while times do repeatIf forEach store storeText assertText verifyTitle run executeScript selectWindow echo other".split(
    " "
  )

const command = (draw: Draw): object => ({
  command: pick(draw, commands),
  target: pick(draw, ["id=a", "css=b", "${n} > 1", "true", "/", "t0", "t1", "x=", "return 1", "3", "alert()"]),
  value: pick(draw, ["a", "${n}", "label=b", "n", "", "password"]),
  targets: [[pick(draw, ["xpath=//a", "xpath=//a[", "name=b"]), "k"]]
})

const list = <A>(draw: Draw, most: number, make: (draw: Draw) => A): ReadonlyArray<A> =>
  Array.from({ length: Math.floor(draw() * most) }, () => make(draw))

const problemsOf = (workflow: unknown) => SaveBody.read(workflow, 0).problems

it("a report has as many entries as a generated recording has steps, and its workflow can be saved", () => {
  for (let seed = 1; seed <= times; seed++) {
    const draw = draws(seed)
    const steps = [{ type: "navigate" }, ...list(draw, 30, chromeStep)]
    const chrome = Conversion.convert(JSON.stringify({ title: "t", steps }))
    assert.isTrue(Result.isSuccess(chrome), `seed ${seed}`)
    if (Result.isSuccess(chrome)) {
      assert.lengthOf(chrome.success.report, steps.length)
      assert.deepStrictEqual(problemsOf(chrome.success.workflow), [], `seed ${seed}`)
    }
    const tests = [0, 1].map((id) => ({ id: `t${id}`, name: `t${id}`, commands: list(draw, 25, command) }))
    const side = Conversion.convert(JSON.stringify({ name: "p", url: "https://shop.example", tests, suites: [] }))
    assert.isTrue(Result.isSuccess(side), `seed ${seed}`)
    if (Result.isSuccess(side)) {
      assert.lengthOf(side.success.report, tests.flatMap((test) => test.commands).length)
      assert.deepStrictEqual(problemsOf(side.success.workflow), [], `seed ${seed}`)
    }
  }
})

const folder = join(import.meta.dirname, "files")
const files = readdirSync(folder).flatMap((format) =>
  readdirSync(join(folder, format)).map((name) => readFileSync(join(folder, format, name), "utf8"))
)

it("a file that is broken anywhere is read or refused, and never throws", () => {
  for (let seed = 1; seed <= times; seed++) {
    const draw = draws(seed)
    const text = pick(draw, files)
    const at = Math.floor(draw() * text.length)
    const broken = pick(draw, [
      text.slice(0, at),
      text.slice(0, at) + text.slice(at + Math.floor(draw() * 40)),
      text.replaceAll(pick(draw, ['"', "(", "'", "{", ","]), () =>
        draw() < 0.02 ? pick(draw, ["", "[", "null", "\\"]) : '"'
      ),
      text.replaceAll(/"[^"\n]*"/g, (found) => (draw() < 0.05 ? pick(draw, ["null", "{}", "[]", "1", '""']) : found))
    ])
    const found = Conversion.convert(broken, { script: BabelScript.parse, yaml: YamlText.parse })
    if (Result.isFailure(found)) assert.isAbove(found.failure[0]?.message.length ?? 0, 10)
    else assert.deepStrictEqual(problemsOf(found.success.workflow), [], `seed ${seed}`)
  }
})
