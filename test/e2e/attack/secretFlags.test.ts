/** Every user of a machine sees the flags of its programs, so a secret in one is refused and not repeated. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { root } from "../../support/Source.ts"

const refusals = [
  [["migrate", "--master-key", "00".repeat(32)], "SLUICE_MASTER_KEY"],
  [["migrate", "--database-url", "postgres://sluice:canary-secret@127.0.0.1/none"], "DATABASE_URL"],
  [["up", "--bootstrap-key", "sk_canary-secret"], "SLUICE_BOOTSTRAP_KEY"],
  [["worker", "--proxies", "http://user:canary-secret@127.0.0.1:1"], "SLUICE_PROXIES"]
] as const

it.each(refusals)("%j is refused, and its variable named", (args, variable) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [join(root, "apps/cli/main.ts"), ...args], {
    encoding: "utf8"
  })
  const output = `${stdout}${stderr}`
  assert.notStrictEqual(status, 0)
  assert.include(output, `expected the secret in the variable ${variable}`)
  assert.notInclude(output, args[2])
})
