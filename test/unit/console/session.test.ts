import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { registry } from "../../../apps/console/kit/Registry.ts"
import { enter, isOver, lookForEnd } from "../../../apps/console/kit/Session.ts"

const opened = { workspace_id: "w", role: "Owner", user_id: "u", page_secret: "second" }

/** A browser whose page has the secret of a session. Each request waits for its answer. */
const browser = (secret: string) => {
  const kept = new Map([["sluice_session", secret]])
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value)
  })
  const waiting: Array<(body: unknown) => void> = []
  vi.stubGlobal(
    "fetch",
    () => new Promise((resolve) => void waiting.push((body) => resolve({ ok: true, json: async () => body })))
  )
  return (at: number, body: unknown) => waiting[at]?.(body)
}

describe("the end of a session", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    registry.set(isOver, false)
  })

  it("is what the service says that does not know it", async () => {
    const answer = browser("first")
    const looked = lookForEnd()
    answer(0, null)
    assert.isTrue(await looked)
    assert.isTrue(registry.get(isOver))
  })

  it("is not that of the session before, of which the service says so late", async () => {
    const answer = browser("first")
    const looked = lookForEnd()
    const entered = enter({ key: "sk_1" })
    answer(1, opened)
    assert.isNull(await entered)
    answer(0, null)
    assert.isFalse(await looked)
    assert.isFalse(registry.get(isOver))
  })
})
