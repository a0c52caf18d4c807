/** The promises of every implementation of `BundleSigner`. */
import { Context, Effect } from "effect"
import type { BundleSigner } from "../../../../core/run/evidence/BundleSigner.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import type { Processes } from "./Processes.ts"

/** The port in three processes, as `processesOf` of `@sluice/testing/installations` builds them, and how readers of bundles check a signature. */
export class Installations extends Context.Service<
  Installations,
  Processes<BundleSigner["Service"]> & {
    /**
     * Whether a signature in base64 is that of the UTF-8 bytes of a text by Ed25519, under a public key in hexadecimal: by
     * any library but the one under test.
     */
    readonly isSigned: (text: string, signature: string, publicKey: string) => Effect.Effect<boolean>
  }
>()("sluice/test/kit/contracts/crypto/BundleSignerContract") {}

const promise = <A, E>(title: string, test: (given: Installations["Service"]) => Effect.Effect<A, E>) =>
  Contract.promise(`the signer of bundles ${title}`, Effect.flatMap(Installations, test))

/** The first vector of RFC 8032, section 7.1: the signature of an empty text. */
const known = {
  publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  signature: "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw=="
}

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Installations>> = [
  promise("signs so that its public key shows that nothing was changed", ({ isSigned, own, same }) =>
    Effect.gen(function* () {
      // The check itself tells right from wrong.
      assert.isTrue(yield* isSigned("", known.signature, known.publicKey))
      assert.isFalse(yield* isSigned("a", known.signature, known.publicKey))
      for (const text of ["", "{}", "päss\u0000 ✓\r\n", "x".repeat(100_000)]) {
        for (const signer of [own, same]) {
          const signature = signer.sign(text)
          assert.match(signature, /^[A-Za-z0-9+/]{86}==$/)
          assert.isTrue(yield* isSigned(text, signature, own.publicKey))
          assert.isFalse(yield* isSigned(`${text} `, signature, own.publicKey))
        }
      }
    })
  ),
  promise(
    "has one public key in each process of an installation, and another one in another",
    ({ isSigned, ...given }) =>
      Effect.gen(function* () {
        const { other, own, same } = given
        assert.match(own.publicKey, /^[0-9a-f]{64}$/)
        assert.strictEqual(same.publicKey, own.publicKey)
        assert.notStrictEqual(other.publicKey, own.publicKey)
        assert.isFalse(yield* isSigned("{}", own.sign("{}"), other.publicKey))
      })
  )
]
