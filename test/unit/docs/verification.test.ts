import { createHmac } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { type Delivered, isInstalled, type Verifier, verdictOf } from "../../docs/Verifiers.ts"

const at = 1_767_225_600_000
const secret = "whsec_é"
const body = JSON.stringify({
  event: "execution.success",
  timestamp: at / 1_000,
  expires_at: at / 1_000 + 300,
  payload: { name: "Zoë" }
})
const good: Delivered = {
  body,
  secret,
  at,
  signature: `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`
}

const forged: ReadonlyArray<Delivered> = [
  { ...good, secret: "another" },
  { ...good, body: body.replace("Zoë", "Zoe") },
  { ...good, signature: "" },
  { ...good, signature: "ü" }
]

// A machine without Python or Go leaves out their examples.
describe.each<Verifier>(["ts", "python", "go"])("the verification of docs/webhooks.md in %s", (verifier) => {
  const test = it.skipIf(!isInstalled(verifier))

  test("accepts a signed delivery until it expires", async () => {
    assert.strictEqual(await verdictOf(verifier, good), "execution.success")
    assert.strictEqual(await verdictOf(verifier, { ...good, at: at + 300_000 }), "execution.success")
    assert.match(await verdictOf(verifier, { ...good, at: at + 301_000 }), /delivery has expired/)
  })

  test("refuses another secret, another body and an invalid signature", async () => {
    for (const delivered of forged) assert.match(await verdictOf(verifier, delivered), /signature is wrong/)
  })
})
