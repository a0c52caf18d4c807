/**
 * The record of a run with the largest input does not hold the event loop, nor do the streams that its events go to.
 */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Frame from "../../../apps/api/event/Frame.ts"
import type { Links } from "../../../core/event/EventJson.ts"
import type { LoggedEvent } from "../../../core/event/RunEvent.ts"
import { graph } from "../../support/fixtures.ts"
import * as HeldLoop from "../../support/heldLoop.ts"
import * as RelativeCost from "../../support/relativeCost.ts"
import { layer as layerService, Service } from "../../support/service.ts"

const inputs: Readonly<Record<string, () => unknown>> = {
  "many empty objects": () => Array.from({ length: 190_000 }, () => ({})),
  backslashes: () => "\\".repeat(12_500_000),
  letters: () => "é".repeat(3_000_000)
}

layer(layerService)("the record of a run", (it) => {
  it.effect.each(Object.entries(inputs))("does not hold the event loop where its input is %s", ([, input]) =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Member")
      const workflow = yield* send({ method: "POST", path: "/workflows", key, json: { name: "a", ...graph() } })
      const json = { workflow_id: workflow.body.id, run_input_variables: { a: input() } }
      const run = yield* send({ method: "POST", path: "/run", key, json })
      assert.strictEqual(run.status, 201, run.text.slice(0, 300))
      const read = Effect.promise(async () => {
        const answer = await fetch(`${url}/run/${run.body.session_id}`, { headers: { "cc-key": key } })
        let bytes = 0
        for await (const piece of answer.body ?? []) bytes += piece.length
        return bytes
      })
      // The reader counts here.
      const { cost, value } = yield* HeldLoop.least(read)
      assert.isAbove(value, 500_000)
      assert.isBelow(cost, HeldLoop.most)
    })
  )
})

it.each(Object.entries(inputs))(
  "the event that ends a run is written in pieces where its input is %s",
  (_name, input) => {
    const inputs = { a: input() }
    const event = {
      event: "execution.success",
      runId: "a",
      workflowId: "b",
      data: {},
      inputs,
      credentials: [],
      errors: []
    }
    const entry = { sequence: 7, runId: "a", at: 1_000, event: { ...event, files: [] } } as unknown as LoggedEvent
    const pieces = () => Frame.frames([entry], {} as Links)
    const written = [...pieces()]
    assert.isAtMost(Math.max(...written.map(({ length }) => length)), 6 * 2 * 65_536)
    // The first is made when the message is, and all of them in time that grows with their length.
    const first = () => pieces().next()
    assert.isBelow(RelativeCost.least(2, first), 2)
    const all = () => [...pieces()].length
    assert.isBelow(RelativeCost.least(50, all), 50)
    const [id, name, data, ...rest] = Buffer.concat(written).toString("latin1").split("\n")
    assert.deepStrictEqual([id, name, rest], ["id: 7", "event: run.event", ["", ""]])
    assert.isAbove(written.length, 5)
    const text = JSON.stringify(inputs).replace(/\u00e9/g, "\\u00e9")
    assert.isTrue(data?.includes(text.slice(1, -1)))
  }
)
