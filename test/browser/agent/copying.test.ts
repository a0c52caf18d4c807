import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { runsScript } from "../../../adapters/playwright/injected/act/Inert.ts"
import type { Tab } from "../../../adapters/playwright/page/Tabs.ts"
import * as Copying from "../../../adapters/playwright/vision/Copying.ts"

/** A tab with frames that answer each evaluation so. */
const tabOf = (...frames: ReadonlyArray<(run: { readonly name: string }) => Promise<unknown>>) =>
  ({ page: { frames: () => frames.map((evaluate) => ({ evaluate })) } }) as unknown as Tab

const copies = (text: string) => async (run: { readonly name: string }) =>
  run.name === "take" ? { length: text.length, text } : true

const hangs = () => new Promise(() => undefined)

describe("what a click copies", () => {
  afterEach(() => void vi.useRealTimers())

  it("is taken although another frame of the page does not answer", async () => {
    vi.useFakeTimers()
    const copied = Copying.during(tabOf(hangs, copies("a link")), 1_000, async () => undefined)
    await vi.advanceTimersByTimeAsync(60_000)
    assert.strictEqual(await copied, "a link")
  })

  it("is nothing where no frame answers, which is said in time", async () => {
    vi.useFakeTimers()
    const failure = Copying.during(tabOf(hangs), 1_000, async () => undefined).catch(({ message }) => message)
    await vi.advanceTimersByTimeAsync(60_000)
    assert.include(await failure, "the page copied nothing within 1000 ms")
  })
})

it.each([
  ["href", "https://a.example/?q=javascript:1", false],
  ["class", "once", false],
  ["href", "javascript:alert(1)", true],
  ["href", " java\tscript\n:alert(1)", true],
  ["xlink:href", "\u0001JavaScript:alert(1)", true],
  ["onclick", "1", true],
  ["srcdoc", "<p>", true]
])("the attribute %s=%j of pasted HTML runs a script: %s", (name, value, runs) => {
  assert.strictEqual(runsScript(name, value), runs)
})
