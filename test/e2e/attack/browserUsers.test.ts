import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import * as UserClaims from "../../../adapters/playwright/UserClaims.ts"

const program = fileURLToPath(new URL("../../support/HoldingUser.ts", import.meta.url))

/** A process that holds a user for a browser. */
const holder = async () => {
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] })
  const [said] = (await once(child.stdout, "data")) as [Buffer]
  return { child, uid: Number(said.toString()) }
}

const ended = async ({ child }: Awaited<ReturnType<typeof holder>>) => {
  const exited = once(child, "exit")
  child.kill("SIGKILL")
  await exited
}

it.runIf(process.getuid?.() === 0)(
  "processes that start browsers at the same moment never give them the same user",
  async () => {
    const holders = await Promise.all(Array.from({ length: 6 }, holder))
    const users = holders.map(({ uid }) => uid)
    try {
      assert.lengthOf(new Set(users), users.length)
      assert.isTrue(users.every((uid) => uid > 0))
      assert.deepStrictEqual(users.filter(UserClaims.claim), [])
    } finally {
      await Promise.all(holders.map(ended))
    }
    // The claims of killed processes are free again. Another browser of this machine may get some of them first.
    const claimed = users.filter(UserClaims.claim)
    claimed.forEach(UserClaims.release)
    assert.isNotEmpty(claimed)
  }
)

it.runIf(process.getuid?.() === 0)("a claim that a killed process did not finish writing is taken over", () => {
  // Above the ids of browsers, so that no other process asks for it.
  const id = 61_184
  UserClaims.claim(id)
  const [folder = ""] = ["/run", tmpdir()].map((above) => join(above, "sluice-browser-users")).filter(existsSync)
  writeFileSync(join(folder, String(id)), "")
  const isClaimed = UserClaims.claim(id)
  UserClaims.release(id)
  assert.isTrue(isClaimed)
})
