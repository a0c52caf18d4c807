import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"

const program = fileURLToPath(new URL("../support/HoldingUser.ts", import.meta.url))

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
    try {
      assert.lengthOf(new Set(holders.map(({ uid }) => uid)), holders.length)
      assert.isTrue(holders.every(({ uid }) => uid > 0))
    } finally {
      await Promise.all(holders.map(ended))
    }
    // The claims of killed processes are free again.
    const again = await holder()
    await ended(again)
    assert.include(
      holders.map(({ uid }) => uid),
      again.uid
    )
  }
)
