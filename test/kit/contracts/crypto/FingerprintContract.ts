/**
 * The promises of every implementation of `Fingerprints`.
 *
 * **Example** (Fingerprints of your own)
 *
 * ```ts
 * import { Effect, Layer } from "effect"
 * import * as Contract from "@sluice/testing/contract"
 * import * as FingerprintContract from "@sluice/testing/fingerprints"
 * import { processesOf } from "@sluice/testing/installations"
 * import { Fingerprints } from "@sluice/core/vault/fingerprints"
 *
 * const short = Layer.succeed(Fingerprints, { of: (purpose, text) => `${purpose.length}${text.length}` })
 * const processes = Layer.effect(FingerprintContract.Installations,
 *   processesOf(Fingerprints, short))
 *
 * const broken = await Effect.runPromise(Contract.broken(FingerprintContract.promises, Effect.provide(processes)))
 * broken.length // => 3
 * ```
 */
import { Context, Effect } from "effect"
import type { Fingerprints } from "../../../../core/vault/keys/Fingerprints.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import type { Processes } from "./Processes.ts"

/** The port in three processes, as `processesOf` of `@sluice/testing/installations` builds them. */
export class Installations extends Context.Service<Installations, Processes<Fingerprints["Service"]>>()(
  "sluice/test/kit/contracts/crypto/FingerprintContract"
) {}

const promise = (title: string, test: (given: Installations["Service"]) => void) =>
  Contract.promise(`fingerprints ${title}`, Effect.map(Installations, test))

const texts = ["", "a", "b", "hunter2", "hunter2 ", "a\u0000b ✓", "x".repeat(10_000)]

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Installations>> = [
  promise("are 64 lower-case hexadecimal digits, the same for a text in each process of an installation", (given) => {
    for (const text of texts) {
      const found = given.own.of("proxy", text)
      assert.match(found, /^[0-9a-f]{64}$/)
      assert.strictEqual(given.own.of("proxy", text), found)
      assert.strictEqual(given.same.of("proxy", text), found)
    }
  }),
  promise("tell texts apart, and the uses of a text", ({ own }) => {
    const found = ["proxy", "one-time code"].flatMap((purpose) => texts.map((text) => own.of(purpose, text)))
    assert.strictEqual(new Set(found).size, 2 * texts.length)
  }),
  promise("cannot be guessed without the key: another installation has others", ({ other, own }) => {
    for (const text of texts) assert.notStrictEqual(other.of("proxy", text), own.of("proxy", text))
  })
]
