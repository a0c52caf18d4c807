/** Says with each test that fails by which seed the messages of its browsers were late. */
import { afterEach } from "vitest"

afterEach(({ task }) => {
  if (task.result?.state !== "fail") return
  process.stderr.write(`SLUICE_TEST_DELAY=${process.env.SLUICE_TEST_DELAY} fails: ${task.name}\n`)
})
