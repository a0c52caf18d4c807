import { assert, test } from "vitest"
import * as Ports from "../../../apps/cli/guards/Ports.ts"

test("what no setting gives a port takes none that a setting names", () => {
  assert.strictEqual(Ports.beside(8787, 1, []), 8788)
  assert.strictEqual(Ports.beside(8787, 1, [8788]), 0)
  assert.strictEqual(Ports.beside(8787, 2, [8788]), 8789)
  assert.strictEqual(Ports.beside(0, 1, []), 0)
  assert.strictEqual(Ports.beside(65_535, 1, []), 0)
})
