/** The promises of every implementation of `WebhookSecrets`. */
import { Context, Effect, Redacted } from "effect"
import type { WebhookSecrets } from "../../../../core/event/webhook/WebhookSecrets.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import type { Processes } from "./Processes.ts"

/** The port in three processes, as `processesOf` of `@sluice/testing/installations` builds them. */
export class Installations extends Context.Service<Installations, Processes<WebhookSecrets["Service"]>>()(
  "sluice/test/kit/contracts/crypto/WebhookSecretContract"
) {}

const promise = <A, E>(title: string, test: (given: Installations["Service"]) => Effect.Effect<A, E>) =>
  Contract.promise(`webhook secrets ${title}`, Effect.flatMap(Installations, test))

/** Bodies with their signatures under the secret "key". */
const known = [
  ["The quick brown fox jumps over the lazy dog", "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"],
  ["", "5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0"],
  ['{"text":"päss ✓"}', "f9fa94b14944e965176756f97daebd6235acafe2fca1dc79845fac6c34c6100b"]
] as const

const hexOf = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Installations>> = [
  promise("are made of 256 bits by chance", ({ own }) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.map(own.make, Redacted.value))
      for (const one of made) assert.match(one, /^whsec_[\w-]{43,}$/)
      assert.strictEqual(new Set(made).size, 50)
    })
  ),
  promise("sign by HMAC-SHA256 in each process of the installation that sealed them", ({ own, same }) =>
    Effect.gen(function* () {
      const sealed = yield* own.seal(Redacted.make("key"))
      for (const [body, signature] of known) {
        assert.strictEqual(yield* own.sign(sealed, body), signature)
        assert.strictEqual(yield* same.sign(sealed, body), signature)
      }
    })
  ),
  promise("cannot be seen once sealed, nor that two are the same", ({ own }) =>
    Effect.gen(function* () {
      const secret = Redacted.value(yield* own.make)
      const sealed = yield* own.seal(Redacted.make(secret))
      for (const form of [secret, secret.slice(6), hexOf(secret)])
        assert.notInclude(sealed.toLowerCase(), form.toLowerCase())
      assert.notStrictEqual(yield* own.seal(Redacted.make(secret)), sealed)
    })
  ),
  promise("are refused when another installation sealed them, or they were changed since", ({ other, own }) =>
    Effect.gen(function* () {
      const sealed = yield* own.seal(Redacted.make("key"))
      const refused = (signer: WebhookSecrets["Service"], text: string) =>
        Effect.map(Effect.flip(signer.sign(text, "{}")), (error) => assert.tagged(error, "SecretUnreadable", {}, text))
      yield* refused(other, sealed)
      for (const wrong of ["", "key", sealed.slice(2), `${sealed}00`, "0".repeat(sealed.length)]) {
        yield* refused(own, wrong)
      }
      // The last characters of some encodings have bits that mean nothing.
      for (let at = 0; at < sealed.length - 4; at++) {
        const digit = sealed[at] === "0" ? "1" : "0"
        yield* refused(own, `${sealed.slice(0, at)}${digit}${sealed.slice(at + 1)}`)
      }
    })
  )
]
