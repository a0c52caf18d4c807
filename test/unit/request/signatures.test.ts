import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as Signatures from "../../../adapters/crypto/Signatures.ts"
import * as Tickets from "../../../adapters/crypto/Tickets.ts"

const secret = (digit: string) => Redacted.make(digit.repeat(64))
const [own, other] = [secret("a"), secret("b")]

it("a signature is believed for its use, its text and its secret alone", () => {
  const { matches, sign } = Signatures.make(own, "one use")
  const signature = sign("text")
  assert.isTrue(matches("text", signature))
  assert.isFalse(matches("text.", signature))
  assert.isFalse(matches("text", signature.slice(1)))
  assert.isFalse(matches("text", Signatures.make(other, "one use").sign("text")))
  assert.isFalse(matches("text", Signatures.make(own, "another use").sign("text")))
  assert.isFalse(matches("text", ""))
})

it("a ticket is good until its instant, under the secret that it was issued with", () => {
  const run = "0198c0de-0000-7000-8000-000000000000"
  const ticket = Tickets.make(own).issue(run, 2_000)
  assert.strictEqual(Tickets.make(own).read(ticket, 1_999)?.runId, run)
  assert.isNull(Tickets.make(own).read(ticket, 2_000))
  assert.isNull(Tickets.make(other).read(ticket, 1_000))
})
