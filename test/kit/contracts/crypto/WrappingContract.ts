/** The promises of every implementation of `KeyWrapping`, which wraps keys with the master keys of a process. */
import { Context, Effect, Exit, Redacted } from "effect"
import type { Bound, KeyWrapping } from "../../../../core/vault/keys/WrappedKeys.ts"
import { WorkspaceId } from "../../../../core/workspace/Ids.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { newId } from "../Fixtures.ts"

/** The port in three processes, while a master key is exchanged for another one. */
export class Exchange extends Context.Service<
  Exchange,
  {
    /** A process with the first master key alone. */
    readonly before: KeyWrapping["Service"]
    /** A process with the second master key, which was given the first one as well. */
    readonly during: KeyWrapping["Service"]
    /** A process with the second master key alone. */
    readonly after: KeyWrapping["Service"]
  }
>()("sluice/test/kit/contracts/crypto/WrappingContract") {}

const promise = <A, E>(title: string, test: (given: Exchange["Service"]) => Effect.Effect<A, E>) =>
  Contract.promise(`the wrapping of keys ${title}`, Effect.flatMap(Exchange, test))

const someone = Effect.map(newId, (id): Bound => ({ owner: WorkspaceId.make(id), version: 1 }))

/** Wraps a key, and answers what unwraps it. */
const wrapped = (
  wrapping: KeyWrapping["Service"],
  bound: Bound,
  key: Redacted.Redacted<string>,
  under = wrapping.present
) => Effect.map(wrapping.wrap(bound, key, under), (text) => ({ ...bound, wrapped: text, under }))

const refused = (
  wrapping: KeyWrapping["Service"],
  kept: Parameters<KeyWrapping["Service"]["unwrap"]>[0],
  note?: string
) => Effect.map(Effect.flip(wrapping.unwrap(kept)), (error) => assert.tagged(error, "CannotUnwrap", {}, note))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Exchange>> = [
  promise("makes keys of 64 hexadecimal digits by chance", ({ before }) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.map(before.make, Redacted.value))
      for (const key of made) assert.match(key, /^[0-9a-f]{64}$/)
      assert.strictEqual(new Set(made).size, 50)
    })
  ),
  promise("gives back a key with the master key that it is under, and shows nothing of it meanwhile", ({ before }) =>
    Effect.gen(function* () {
      const key = yield* before.make
      for (const bound of [yield* someone, { owner: "installation", version: 1 } as const]) {
        const kept = yield* wrapped(before, bound, key)
        assert.notInclude(kept.wrapped.toLowerCase(), Redacted.value(key))
        const opened = yield* before.unwrap(kept)
        assert.strictEqual(Redacted.value(opened.key), Redacted.value(key))
        assert.strictEqual(opened.under, before.present)
      }
    })
  ),
  promise("is bound to the owner of a key and its version", ({ before }) =>
    Effect.gen(function* () {
      const bound = yield* someone
      const kept = yield* wrapped(before, bound, yield* before.make)
      yield* refused(before, { ...kept, owner: (yield* someone).owner })
      yield* refused(before, { ...kept, owner: "installation" })
      yield* refused(before, { ...kept, version: 2 })
    })
  ),
  promise("refuses what was changed, what is none, and a master key that this process does not have", ({ before }) =>
    Effect.gen(function* () {
      const kept = yield* wrapped(before, yield* someone, yield* before.make)
      for (const text of ["", "no key", kept.wrapped.slice(2), `${kept.wrapped}00`, "0".repeat(kept.wrapped.length)]) {
        yield* refused(before, { ...kept, wrapped: text }, text)
      }
      for (let at = 0; at < kept.wrapped.length; at++) {
        const digit = kept.wrapped[at] === "0" ? "1" : "0"
        const text = `${kept.wrapped.slice(0, at)}${digit}${kept.wrapped.slice(at + 1)}`
        yield* refused(before, { ...kept, wrapped: text }, text)
      }
      yield* refused(before, { ...kept, under: "another" })
      const odd = yield* Effect.exit(before.wrap(yield* someone, yield* before.make, "another"))
      assert.isFalse(Exit.isSuccess(odd))
    })
  ),
  promise("names master keys alike in every process, and each differently", ({ after, before, during }) =>
    Effect.sync(() => {
      assert.notStrictEqual(before.present, after.present)
      assert.deepStrictEqual([before.previous, after.previous], [null, null])
      assert.deepStrictEqual([during.present, during.previous], [after.present, before.present])
    })
  ),
  promise("reads and writes under both master keys while they are exchanged", ({ after, before, during }) =>
    Effect.gen(function* () {
      const [bound, key] = [yield* someone, yield* before.make]
      const old = yield* wrapped(before, bound, key)
      const opened = yield* during.unwrap(old)
      assert.deepStrictEqual([Redacted.value(opened.key), opened.under], [Redacted.value(key), before.present])
      yield* refused(after, old)
      const shared = yield* wrapped(during, bound, key, before.present)
      assert.strictEqual(Redacted.value((yield* before.unwrap(shared)).key), Redacted.value(key))
      const renewed = yield* wrapped(during, bound, key)
      assert.strictEqual(Redacted.value((yield* after.unwrap(renewed)).key), Redacted.value(key))
      yield* refused(before, renewed)
    })
  )
]
