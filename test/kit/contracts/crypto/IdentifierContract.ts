/** The promises of every implementation of `Identifiers`. */
import { Clock, Effect } from "effect"
import { Identifiers } from "../../../../core/workspace/Identifiers.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

const promise = <A, E>(
  title: string,
  test: (uuid: Effect.Effect<string>, time: SteppingClock.SteppingClock) => Effect.Effect<A, E>
) =>
  Contract.promise(
    `identifiers ${title}`,
    Effect.gen(function* () {
      const time = SteppingClock.make(Date.parse("2026-01-12T10:00:00Z"))
      const { uuid } = yield* Identifiers
      return yield* Effect.provideService(test(uuid, time), Clock.Clock, time.clock)
    })
  )

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** The instant in an identifier, in epoch milliseconds. */
const instantOf = (id: string): number => Number.parseInt(id.replace("-", "").slice(0, 12), 16)

/** The 62 bits of an identifier after its variant. */
const chanceOf = (id: string): bigint => BigInt(`0x${id.slice(19).replace("-", "")}`) & ((1n << 62n) - 1n)

const many = Array.from({ length: 1_000 })

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Identifiers>> = [
  promise("are UUIDs of version 7 with the time of the clock", (uuid, time) =>
    Effect.gen(function* () {
      for (const millis of [0, 1, 999, 86_400_000]) {
        yield* time.advance(millis)
        const id = yield* uuid
        assert.match(id, form)
        assert.strictEqual(instantOf(id), time.now())
      }
    })
  ),
  promise("of a later millisecond sort after earlier ones", (uuid, time) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(many.slice(0, 100), () => Effect.andThen(time.set(time.now() + 1), uuid))
      assert.deepStrictEqual(made.toSorted(), made)
    })
  ),
  promise("never repeat, and are not to be guessed from each other", (uuid) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(many, () => uuid)
      assert.strictEqual(new Set(made).size, many.length)
      // Each bit differs between identifiers that follow each other in about half of them: six deviations from that.
      const changes = made.slice(1).map((id, before) => chanceOf(id) ^ chanceOf(made[before] ?? id))
      for (let bit = 0n; bit < 62n; bit++) {
        const changed = changes.filter((one) => ((one >> bit) & 1n) === 1n).length
        assert.isTrue(changed > 400 && changed < 600, `bit ${bit} changed ${changed} times of ${changes.length}`)
      }
    })
  )
]
