/** What requests without a key leave behind: nothing. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { isAll } from "../../support/scale.ts"
import { layerInMemory, Service } from "../../support/service.ts"

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

const json = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "anybody", version: "1" } }
}

/** Sends so many initialisations, half of them with a wrong key, and answers what they were answered with. */
const initialise = Effect.fnUntraced(function* (count: number) {
  const { send } = yield* Service
  const headers = { accept: "application/json, text/event-stream" }
  const one = (at: number) =>
    send({ method: "POST", path: "/mcp", json, headers, key: at % 2 === 0 ? null : `sk_wrong_${at}` })
  const seen = new Set<string>()
  for (let done = 0; done < count; done += 20) {
    const answers = yield* Effect.all(
      Array.from({ length: 20 }, (_, at) => one(done + at)),
      { concurrency: "unbounded" }
    )
    for (const { headers, status } of answers) {
      seen.add(`${status} ${headers.get("mcp-session-id") ?? ""}${headers.get("set-cookie") ?? ""}`.trim())
    }
  }
  return [...seen]
})

/** The heap in use after a full collection, in MB. */
const heap = Effect.gen(function* () {
  const { heapUsed } = yield* Effect.promise(async () => {
    // What waits for the end of a turn is let go first.
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((done) => setImmediate(done))
      collect()
    }
    return process.memoryUsage()
  })
  return heapUsed / 1_048_576
})

it.layer(layerInMemory)("initialisations without a key", (it) => {
  it.effect("are refused, get no session and no cookie, and store nothing", () =>
    Effect.gen(function* () {
      const { dump } = yield* Service
      const before = yield* dump
      assert.deepStrictEqual(yield* initialise(200), ["401"])
      assert.strictEqual(yield* dump, before)
    })
  )

  it.effect.runIf(isAll)("leave less than 5 MB behind after 20,000 of them", () =>
    Effect.gen(function* () {
      yield* initialise(2_000)
      const before = yield* heap
      assert.deepStrictEqual(yield* initialise(20_000), ["401"])
      assert.isBelow((yield* heap) - before, 5)
    })
  )
})
