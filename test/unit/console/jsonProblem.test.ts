import { assert, describe, it } from "@effect/vitest"
import { jsonProblem } from "../../../apps/console/forms/JsonProblem.ts"

describe("a field for JSON", () => {
  it("says at which line and column its text is wrong, and what is accepted", () => {
    const place = (text: string) => jsonProblem(text)?.split(":")[0] ?? null
    assert.isNull(jsonProblem('{"a": [1, 2]}'))
    assert.strictEqual(place('{\n  "a": 1,\n  b: 2\n}'), "Line 3, column 3")
    assert.strictEqual(place('{"a": 1,}'), "Line 1, column 9")
    assert.strictEqual(place('{\n  "a": 1\n  "b": 2\n}'), "Line 3, column 3")
    assert.match(place('{\n  "a": [1') ?? "", /^Line 2, (at its end|column \d+)$/)
    const problem = jsonProblem("{'a': 1}") ?? ""
    assert.match(problem, /^Line 1, column 2: .*\. Expected JSON, with names and texts in double quotes/)
    assert.notMatch(problem, /position|JSON at/)
  })
})
