import { assert, describe, it } from "@effect/vitest"
import { Temporal } from "@js-temporal/polyfill"
import { offsetByFormat } from "../../../core/window/calendar/Zone.ts"
import { zoneNames } from "../../../core/window/calendar/ZoneNames.ts"

/** By `Temporal`, in milliseconds. */
const reference = (zone: string, at: number): number =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000

const first = Date.UTC(1880, 0)
const last = Date.UTC(2100, 0)

/** Instants that spread over the years 1880 to 2100, other ones for each zone. */
const spread = (zone: number): ReadonlyArray<number> =>
  Array.from({ length: 4 }, (_, index) => Math.floor(first + (((zone * 4 + index) * 0.618_034) % 1) * (last - first)))

describe("offsets of time zones by Intl", () => {
  it("are those of Temporal in every zone, also with seconds and at the first and last instant", () => {
    const wrong = [...zoneNames].flatMap((zone, index) =>
      [...spread(index), ...(index % 50 === 0 ? [-8_640_000_000_000_000, 8_640_000_000_000_000, -1] : [])]
        .filter((at) => offsetByFormat(zone, at) !== reference(zone, at))
        .map((at) => `${zone} at ${at}`)
    )
    assert.isAbove(zoneNames.size, 400)
    assert.deepStrictEqual(wrong, [])
    assert.strictEqual(offsetByFormat("Europe/Berlin", Date.UTC(1890, 0)), (53 * 60 + 28) * 1_000)
  })

  it("change at the same millisecond as the clocks", () => {
    const change = Date.UTC(2026, 2, 29, 1)
    assert.strictEqual(offsetByFormat("Europe/Berlin", change - 1), 3_600_000)
    assert.strictEqual(offsetByFormat("Europe/Berlin", change), 7_200_000)
  })

  it("fail for a name that the runtime does not know", () => {
    assert.throws(() => offsetByFormat("Europe/Atlantis", 0), RangeError)
  })
})
