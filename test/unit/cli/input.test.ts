import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as CellTypes from "../../../apps/cli/user/CellTypes.ts"
import * as Input from "../../../apps/cli/user/Input.ts"

const written = '{"amount": 1e400, "of": [{"id": 9007199254740993}, 12.50], "kept": 9007199254740992}'

const problem = [
  "--input has values that cannot be kept as they are written:",
  "  amount: Expected a number that keeps its digits, or a text, got 1e400",
  "  of[0].id: Expected a number that keeps its digits, or a text, got 9007199254740993"
].join("\n")

it.effect("numbers of the command line and of files that lose digits are refused at their paths", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "sluice-input-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
    const file = join(folder, "input.json")
    writeFileSync(file, written)
    assert.strictEqual((yield* Effect.flip(Input.jsonObjectOf("--input", written))).message, problem)
    assert.strictEqual((yield* Effect.flip(Input.jsonObjectOf("--input", `@${file}`))).message, problem)
    const ofFile = yield* Effect.flip(Input.jsonFile(file))
    assert.strictEqual(ofFile.message, problem.replace("--input", file))
    assert.deepStrictEqual(yield* Input.jsonObjectOf("--input", '{"a": "9007199254740993", "b": 1e15}'), {
      a: "9007199254740993",
      b: 1e15
    })
  }).pipe(Effect.scoped)
)

it("cells whose numbers lose digits are refused", () => {
  const read = (text: string, type: string) => CellTypes.read(text, { type })
  assert.deepStrictEqual(read("9007199254740993", "number"), Result.fail("a number that keeps its digits"))
  assert.deepStrictEqual(read("1e400", "number"), Result.fail("a number that keeps its digits"))
  assert.deepStrictEqual(read(" 12.50 ", "number"), Result.succeed(12.5))
  assert.deepStrictEqual(read("many", "number"), Result.fail("a number"))
  assert.deepStrictEqual(read("[1, [9007199254740993]]", "array"), Result.fail("numbers that keep their digits"))
  assert.deepStrictEqual(read('{"a": 1e400}', "object"), Result.fail("numbers that keep their digits"))
  assert.deepStrictEqual(read('{"a": 1.5}', "object"), Result.succeed({ a: 1.5 }))
})
