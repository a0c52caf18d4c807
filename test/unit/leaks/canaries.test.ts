import { assert, describe, it } from "@effect/vitest"
import { type Canary, canary, codeCanary, leaksIn, plainCanary } from "../../support/canaries.ts"

const secret = canary("password")

/** Ways in which a program may write a secret down without meaning to. */
const ways: Readonly<Record<string, (text: string) => string | Uint8Array>> = {
  "as it is": (text) => `login with ${text} failed`,
  "as JSON": (text) => JSON.stringify({ body: { password: text } }),
  "as JSON in JSON": (text) => JSON.stringify({ payload: JSON.stringify({ text }) }),
  "in an address": (text) => `GET /login?password=${encodeURIComponent(text)}&x=1`,
  "in a form": (text) => new URLSearchParams({ password: text }).toString(),
  "in an HTML attribute": (text) => `<input value="${text.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">`,
  "as hexadecimal": (text) => `\\x00ff${Buffer.from(text).toString("hex")}00`,
  "as base64": (text) => Buffer.from(text).toString("base64"),
  "in the base64 of something longer": (text) => Buffer.from(`{"a":"${text}"} and more`).toString("base64url"),
  "among bytes": (text) => Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(text), Buffer.from([0])]),
  "as UTF-16": (text) => Buffer.from(`x${text}`, "utf16le")
}

describe("a planted secret", () => {
  for (const [way, write] of Object.entries(ways)) {
    it(`is found when it is written down ${way}`, () => {
      const leaks = leaksIn([{ channel: "log", bytes: write(secret.value) }], [secret])
      assert.isNotEmpty(leaks)
      assert.deepInclude(leaks[0], { channel: "log", canary: "password" })
      for (const { before } of leaks) assert.notInclude(before, secret.value)
    })
  }

  it("is found at every place of the base64 of something longer", () => {
    for (let ahead = 0; ahead < 6; ahead++) {
      const bytes = Buffer.from(`${"x".repeat(ahead)}${secret.value}yz`).toString("base64")
      assert.isNotEmpty(leaksIn([{ channel: "log", bytes }], [secret]), String(ahead))
    }
  })

  it("is not found where it does not stand", () => {
    const others: ReadonlyArray<Canary> = [canary("password"), plainCanary("cookie"), codeCanary("code", "314159")]
    const evidence = Object.entries(ways).map(([channel, write]) => ({ channel, bytes: write(secret.value) }))
    assert.deepStrictEqual(leaksIn(evidence, others), [])
  })

  it("is found as a code where it stands alone, and not among other digits", () => {
    const code = codeCanary("code", "314159")
    assert.isNotEmpty(leaksIn([{ channel: "table", bytes: '{"code":"314159"}' }], [code]))
    assert.isEmpty(leaksIn([{ channel: "table", bytes: "2026-11-21 10:00:00.314159+00" }], [code]))
  })
})
