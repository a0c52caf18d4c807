import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as Signatures from "../../adapters/crypto/Signatures.ts"
import * as Tickets from "../../adapters/crypto/Tickets.ts"

const secret = (digit: string) => Redacted.make(digit.repeat(64))
const [own, former, other] = [secret("a"), secret("b"), secret("c")]

it("a signature under any known secret is believed, for its use and its text alone", () => {
  const { matches, sign } = Signatures.make([own, former], "one use")
  for (const known of [own, former]) {
    const signature = Signatures.make([known], "one use").sign("text")
    assert.isTrue(matches("text", signature))
    assert.isFalse(matches("text.", signature))
    assert.isFalse(matches("text", signature.slice(1)))
  }
  assert.strictEqual(sign("text"), Signatures.make([own], "one use").sign("text"))
  assert.isFalse(matches("text", Signatures.make([other], "one use").sign("text")))
  assert.isFalse(matches("text", Signatures.make([own], "another use").sign("text")))
  assert.isFalse(matches("text", ""))
})

it("a ticket that was issued before the secret was exchanged is good as long as the former one is known", () => {
  const run = "0198c0de-0000-7000-8000-000000000000"
  const ticket = Tickets.make([former]).issue(run, 2_000)
  assert.strictEqual(Tickets.make([own, former]).read(ticket, 1_999)?.runId, run)
  assert.isNull(Tickets.make([own, former]).read(ticket, 2_000))
  assert.isNull(Tickets.make([own]).read(ticket, 1_000))
})
