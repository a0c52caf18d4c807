import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Model, type Service } from "../../../core/agent/model/Model.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import { ReplayBrowser } from "../../../core/execution/replay/ReplayBrowser.ts"
import * as ReplayRecord from "../../../core/execution/replay/ReplayRecord.ts"
import * as ReplayRun from "../../../core/execution/replay/ReplayRun.ts"
import { ModelAvailability } from "../../../core/workflow/ModelAvailability.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf } from "../../support/browser.ts"
import { recordedIn } from "../../support/recordedRuns.ts"

const home = "https://shop.example/"
const browser = ScriptedBrowser.layer({ [home]: [{ selector: "//h1", text: "Shop" }] })

/** Replays in the same pages in memory. */
const replayBrowser = Layer.effect(
  ReplayBrowser,
  Effect.map(Browser, (one) => ReplayBrowser.of({ on: () => one }))
).pipe(Layer.provide(browser))

/** A model that gives these texts in turn. */
const modelOf = (texts: ReadonlyArray<string>): Service => {
  let asked = 0
  return {
    names: ["small"],
    answer: () =>
      Effect.sync(() => ({
        model: "small",
        said: { _tag: "Object" as const, value: { total: texts[asked++] ?? "asked too often" } },
        usage: { inputTokens: 1, outputTokens: 1 }
      }))
  }
}

const reading = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    execution: "PROMPT",
    prompt: "The total",
    extract_data_model: { type: "object", properties: { total: { type: "string" } } }
  }
}

describe("a replay", () => {
  it.effect("has the answers of the model that its run had, and asks no other model", () =>
    Effect.gen(function* () {
      const served = Layer.mergeAll(
        browser,
        Layer.succeed(Model, modelOf(["17"])),
        Layer.succeed(ModelAvailability, { names: ["small"] })
      )
      const { text } = yield* recordedIn(served)({ workflow: { ...graphOf(home, [reading]), output_schema: {} } })
      const kept = yield* ReplayRecord.decode(text ?? "")
      assert.deepInclude(kept.ending, { success: true, output: { total: "17" } })
      const replayed = yield* ReplayRun.replay(kept).pipe(Effect.provideService(Model, modelOf(["another"])))
      assert.deepStrictEqual(replayed.ending, kept.ending)
      const unknown = yield* ReplayRun.replay({ ...kept, consulted: [] })
      assert.match(unknown.ending.failure?.code ?? "", /^MODEL-/)
    }).pipe(Effect.provide(replayBrowser))
  )

  it.effect("has the answers of persons by the step that asked, in their order", () =>
    Effect.gen(function* () {
      const ask = (field: string) => ({
        action: "USER_INTERACTION",
        parameters: {
          expected_datamodel: { type: "object", properties: { [field]: { type: "string" } }, required: [field] }
        }
      })
      const { edges, nodes } = graphOf(home, [ask("branch"), ask("floor")])
      const { text } = yield* recordedIn(browser)({ workflow: { ...graphOf(home, []), output_schema: {} } })
      const kept = yield* ReplayRecord.decode(text ?? "")
      const replayed = yield* ReplayRun.replay({
        ...kept,
        content: {
          ...kept.content,
          output_schema: { type: "object", properties: { branch: {}, floor: {} } },
          nodes: JSON.parse(JSON.stringify(nodes)),
          edges
        },
        consulted: [
          { by: "person", about: nodes[2]?.id ?? "", answer: { floor: "third" } },
          { by: "person", about: nodes[1]?.id ?? "", answer: { branch: "north" } }
        ]
      })
      assert.deepInclude(replayed.ending, { success: true })
      assert.deepInclude(replayed.ending.output, { branch: "north", floor: "third" })
    }).pipe(Effect.provide(replayBrowser))
  )

  it.effect("of a graph that is not valid is refused with each problem at its path", () =>
    Effect.gen(function* () {
      const { text } = yield* recordedIn(browser)({ workflow: { ...graphOf(home, []), output_schema: {} } })
      const kept = yield* ReplayRecord.decode(text ?? "")
      const refused = yield* Effect.flip(ReplayRun.replay(kept, { ...kept.content, nodes: [] }))
      assert.instanceOf(refused, ReplayRun.NotReplayable)
      assert.isNotEmpty(refused.message)
    }).pipe(Effect.provide(replayBrowser))
  )
})
