import { assert, test } from "vitest"
import { countOf, mostCounted } from "../../../core/gate/GateStore.ts"

test("a count of waiting runs is exact up to its bound, and says when there are more", () => {
  assert.deepStrictEqual(countOf(mostCounted), { runs: mostCounted, atLeast: false })
  assert.deepStrictEqual(countOf(mostCounted + 1), { runs: mostCounted, atLeast: true })
})
