/** Which of a plain form and the model does a step. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, type Schema } from "effect"
import type { ProposedForm } from "../../../../core/agent/compile/Compiling.ts"
import * as PlainStep from "../../../../core/agent/compile/PlainStep.ts"
import { StepFailed } from "../../../../core/agent/Failure.ts"
import type { Done } from "../../../../core/agent/Step.ts"
import * as Memory from "../../../../core/agent/variables/Memory.ts"
import type { BrowserSession } from "../../../../core/browser/Browser.ts"
import { nothing } from "../../../../core/browser/element/ElementState.ts"
import { Secrets } from "../../../../core/redaction/Secrets.ts"
import type { Node } from "../../../../core/workflow/language/graph/Graph.ts"
import * as PlainForm from "../../../../core/workflow/patch/PlainForm.ts"

type StepNode = Exclude<Node, { action: "END" }>

const click: StepNode = { id: "1", name: "Save", action: "CLICK", parameters: { execution: "LLM_DOM", prompt: "Save" } }
const read: StepNode = {
  id: "2",
  name: "Read",
  action: "EXTRACT_DATAMODEL",
  parameters: { execution: "LLM_VISION", extract_data_model: { type: "object", properties: { total: "number" } } }
}
const ask: StepNode = {
  id: "3",
  name: "Ask",
  action: "BOOL_CONDITION",
  parameters: { execution: "PROMPT", prompt: "Is it so?" }
}

const formOf = (node: StepNode, parameters: object, reach: Partial<PlainForm.Reach> = {}): PlainForm.PlainForm => ({
  nodeId: node.id,
  before: PlainForm.textOf(node.parameters),
  after: PlainForm.textOf({ execution: "STATIC", ...parameters }),
  site: "shop.example",
  decides: null,
  ...reach
})

const failure = (code: StepFailed["code"], acted = false) =>
  new StepFailed({ code, sentence: "no", original: null, ...(acted ? { acted } : {}) })

/** Does a step whose plain form ends so, and whose model always succeeds. */
const step = (
  node: StepNode,
  forms: ReadonlyArray<PlainForm.PlainForm>,
  byForm: Result.Result<Done, StepFailed>,
  { byModel = { _tag: "Next" } as Done, inputs = {} as Schema.JsonObject, matched = 1 } = {}
) =>
  Effect.gen(function* () {
    const did: Array<string> = []
    const proposed: Array<ProposedForm> = []
    const page = {
      navigation: { address: Effect.succeed("https://shop.example/cart") },
      elements: {
        states: (all: ReadonlyArray<string>) =>
          Effect.succeed(all.map(() => ({ ...nothing, matched, visible: matched })))
      }
      // The parts that the decision asks.
    } as unknown as BrowserSession
    const result = yield* Effect.result(
      PlainStep.carryOut<Done>({
        node,
        forms,
        memory: Memory.initial(inputs, { accounts: new Map(), secrets: new Secrets() }),
        page,
        perform: (one) => {
          const isPlain = "execution" in one.parameters && one.parameters.execution === "STATIC"
          did.push(isPlain ? "form" : "model")
          return isPlain ? Effect.fromResult(byForm) : Effect.succeed(byModel)
        },
        saved: Effect.sync(() => void did.push("saved")),
        misled: () => void did.push("misled"),
        propose: (form) => void proposed.push(form)
      })
    )
    return { did, proposed, result }
  })

const done = Result.succeed<Done>({ _tag: "Next" })

describe("an act", () => {
  const form = formOf(click, { selector: "//button" })

  it.effect("is done by its form, and by the model where there is none, or it is not its own", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* step(click, [form], done)).did, ["form", "saved"])
      const others = [
        { ...form, site: "shop.example:8080" },
        { ...form, before: PlainForm.textOf({ execution: "LLM_DOM", prompt: "Save it" }) },
        { ...form, nodeId: "9" },
        { ...form, after: PlainForm.textOf({ execution: "STATIC", selector: "" }) }
      ]
      for (const other of [[], ...others.map((one) => [one])]) {
        assert.deepStrictEqual((yield* step(click, other, done)).did, ["model"])
      }
    })
  )

  it.effect("is done by the model where the form did not begin it, and never twice", () =>
    Effect.gen(function* () {
      const lost = yield* step(click, [form], Result.fail(failure("SELECTOR-E0001")))
      assert.deepStrictEqual(lost.did, ["form", "misled", "model"])
      const covered = yield* step(click, [form], Result.fail(failure("SELECTOR-E0002")))
      assert.deepStrictEqual(covered.did, ["form", "model"])
      const acted = yield* step(click, [form], Result.fail(failure("EXPECT-E0001", true)))
      assert.deepStrictEqual(acted.did, ["form", "misled"])
      assert.isTrue(Result.isFailure(acted.result))
    })
  )

  it.effect("is left to the model where a value of an expression would end the text that it stands in", () =>
    Effect.gen(function* () {
      const named = formOf(click, { selector: '//a[.="{{context.inputs.name}}"]' })
      for (const [name, did] of [
        ["Ada", ["form", "saved"]],
        ['Ada" or "1"="1', ["model"]],
        ["O'Neil", ["model"]],
        ["", ["model"]]
      ] as const) {
        assert.deepStrictEqual((yield* step(click, [named], done, { inputs: { name } })).did, [...did], name)
      }
    })
  )
})

describe("a reading", () => {
  const model = { type: "object", properties: { total: { type: "number", path: "//b" } } }
  const form = formOf(read, { extract_data_model: model })
  const found = (total: Schema.Json) => Result.succeed<Done>({ _tag: "Found", found: { total }, overwrite: new Set() })

  it.effect("counts when every value is there, by a path to one place", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* step(read, [form], found(5))).did, ["form", "saved"])
      for (const value of [null, "", [], [1, null]]) {
        assert.deepStrictEqual((yield* step(read, [form], found(value))).did, ["form", "misled", "model"])
      }
      for (const matched of [0, 2]) {
        assert.deepStrictEqual((yield* step(read, [form], found(5), { matched })).did, ["form", "misled", "model"])
      }
    })
  )
})

describe("a condition", () => {
  const comparison = {
    comparison_value_1: "{{context.inputs.a}}",
    comparison_operator: "EQUAL",
    comparison_value_2: "1"
  }
  const yes = formOf(ask, comparison, { site: null, decides: true })
  const decided = (holds: boolean): Done => ({ _tag: "Decided", holds })

  it.effect("is decided by its form as it was tried, and otherwise by the model", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* step(ask, [yes], Result.succeed(decided(true)))).did, ["form", "saved"])
      const no = yield* step(ask, [yes], Result.succeed(decided(false)), { byModel: decided(false) })
      assert.deepStrictEqual(no.did, ["form", "model"])
      assert.deepInclude(no.proposed[0], { decides: false, site: null })
      const other = yield* step(ask, [yes], Result.succeed(decided(false)), { byModel: decided(true) })
      assert.deepStrictEqual([other.did, other.proposed], [["form", "model"], []])
    })
  )

  it.effect("that something is not there is never decided without the model", () =>
    Effect.gen(function* () {
      const there = { ...comparison, comparison_value_1: "<<xpath://p>>", comparison_operator: "IS_NOT_NULL" }
      const form = formOf(ask, there, { decides: true })
      const absent = yield* step(ask, [form], Result.succeed(decided(false)), { byModel: decided(false) })
      assert.deepStrictEqual([absent.did, absent.proposed], [["form", "model"], []])
    })
  )
})
