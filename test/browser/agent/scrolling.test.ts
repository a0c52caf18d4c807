import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { extract, failure, found, run, scroll, services, step } from "../../support/interactionPages.ts"

layer(services, { excludeTestServices: true })("in a real browser", (it) => {
  describe("scrolling", () => {
    const there = (id: string) => extract(`//*[@id='${id}']`)

    it.effect(
      "ticks load more of a list, each waiting for what comes",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/endless-list", () => [
            scroll({ load_events_triggered_through_scroll: 6, wait_time: 30_000 }),
            there("r70")
          ])
          assert.strictEqual(found(seen), "row 70")
        }),
      { concurrent: true }
    )

    it.effect(
      "a tick with no time to wait is done, on whichever millisecond it begins",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/wide", () => [
            scroll({ direction: "down", wait_time: 0 }),
            extract("//title | //h1[not(//title)]")
          ]).pipe(Effect.provideService(Clock.Clock, later(yield* Clock.Clock)))
          assert.strictEqual(found(seen), "down")
        }),
      { concurrent: true }
    )

    it.effect(
      "ticks scroll what a page shows in a frame that is most of it",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/framed-list", () => [
            scroll({ load_events_triggered_through_scroll: 4, wait_time: 30_000 }),
            there("r50")
          ])
          assert.strictEqual(found(seen), "row 50")
        }),
      { concurrent: true }
    )

    it.effect(
      "an element of a list without an end is found on the way, and one that never comes fails by its time",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/endless-list", () => [
            scroll({ scroll_mode: "to-element", xpath: "//li[@id='r90']", position: "center", wait_time: 30_000 }),
            there("r90")
          ])
          assert.strictEqual(found(seen), "row 90")
          const told = failure(
            yield* run("/wide", () => [scroll({ scroll_mode: "to-element", xpath: "//never", wait_time: 500 })])
          )
          assert.include(told.message, "no such element appeared within 500 ms (wait_time)")
        }),
      { concurrent: true }
    )

    it.effect.each([
      ["below", "v100", "v100"],
      ["above, after its end", "v5", "v5"]
    ] as const)(
      "a row of a virtual table is found %s",
      ([, id, expected]) =>
        Effect.gen(function* () {
          const region = { scroll_mode: "region", container_xpath: "//div[@id='box']", wait_time: 50_000 }
          const first = id === "v5" ? [scroll({ ...region, goal: "full-container" }), there("v149")] : []
          const seen = yield* run("/virtual", () => [
            ...first,
            scroll({ ...region, scroll_behavior: "find-element", xpath: `//div[@id='${id}']` }),
            there(expected)
          ])
          assert.strictEqual(found(seen), `item ${id.slice(1)}`)
        }),
      { concurrent: true }
    )

    it.effect.each([
      ["right", "right"],
      ["down", "down"],
      ["left", "Wide"]
    ] as const)(
      "to the %s",
      ([direction, title]) =>
        Effect.gen(function* () {
          const seen = yield* run("/wide", () => [
            scroll({ direction, load_events_triggered_through_scroll: 1 }),
            extract("//title | //h1[not(//title)]")
          ])
          assert.strictEqual(found(seen), title)
        }),
      { concurrent: true }
    )
  })

  describe("pictures", () => {
    it.effect(
      "an element with its margin, and a page that loads as it is scrolled through",
      () =>
        Effect.gen(function* () {
          const { outcome, pictures } = yield* run("/lazy", () => [
            step("SCREENSHOT")({ selector: "css=#box", margin: 20 }),
            extract("//p[@id='end']"),
            step("SCREENSHOT")({ max_scrolls: 10, wait_after_scroll: 1_000 }),
            extract("//p[@id='end']")
          ])
          assert.deepStrictEqual(outcome, { _tag: "Success", data: { found: "seen" } })
          const [element, whole] = pictures.map(({ bytes }) => sizeOf(bytes))
          assert.deepStrictEqual(element, { width: 240, height: 140 })
          assert.isAbove(whole?.height ?? 0, 3_000)
          assert.deepStrictEqual(
            pictures.map(({ fullPage }) => fullPage),
            [false, true]
          )
        }),
      { concurrent: true }
    )
  })
})

/** The size of a JPEG, from its header. */
const sizeOf = (bytes: Uint8Array): { readonly width: number; readonly height: number } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  for (let at = 2; at < bytes.length; at += 2 + view.getUint16(at + 2)) {
    const marker = bytes[at + 1] ?? 0
    if (marker >= 0xc0 && marker <= 0xc3) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
  }
  throw new Error("not a JPEG")
}

/** A clock that shows a later millisecond each time. */
const later = (clock: Clock.Clock): Clock.Clock => {
  let looks = 0
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + ++looks
  return Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe)
  })
}
