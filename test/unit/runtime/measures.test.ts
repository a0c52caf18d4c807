import { assert, it } from "@effect/vitest"
import { kinds } from "../../../core/agent/Failure.ts"
import { classOf } from "../../../core/runtime/Measures.ts"

it("every code of the agent has its class as a label, and every other code the class workflow", () => {
  for (const code of Object.keys(kinds)) assert.strictEqual(classOf(code), code.replace(/-E\d+$/, ""), code)
  for (const code of ["RUNNER_LOST", "EXPIRED-E0001", "INTERRUPTED-E0001", "WORKFLOW_DELETED"]) {
    assert.strictEqual(classOf(code), code.replace(/-E\d+$/, ""), code)
  }
  for (const code of ["PORTAL_CLOSED", "ORDER-E0001", ""]) assert.strictEqual(classOf(code), "workflow", code)
  assert.strictEqual(classOf(null), "none")
})
