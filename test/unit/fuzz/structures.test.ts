/** Windows, workflows, components and expressions, valid ones changed; the judges first, with faults that were planted. */
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../apps/api/Api.ts"
import * as Expressions from "../../fuzz/Expressions.ts"
import * as Saving from "../../fuzz/Saving.ts"
import * as Target from "../../fuzz/Target.ts"
import type { Wire } from "../../fuzz/Wire.ts"
import type { Document } from "../../support/description.ts"

const document = OpenApi.fromApi(Api) as unknown as Document
const seed = 3

type Answer = readonly [status: number, body: unknown]

/** A wire to a service that answers these, one after the other. */
const answering = (answers: ReadonlyArray<Answer>): Wire => {
  let asked = 0
  return {
    send: async () => {
      const [status, body] = answers[asked++] ?? [500, {}]
      return {
        _tag: "Answered",
        status,
        headers: new Headers({ "content-type": "application/json" }),
        text: JSON.stringify(body)
      }
    },
    close: () => {}
  }
}

const window: Saving.Attempt = { kind: "window", body: { time_zone: "UTC" }, isWhole: true }

describe("the judge of what is saved", () => {
  const judge = (...answers: ReadonlyArray<Answer>) => Saving.make(document, answering(answers), {}).complaint(window)

  it("catches an internal error", async () => {
    assert.include(await judge([500, { statusCode: 500, message: "x" }]), "answered 500")
  })

  it("catches a refusal whose problems have no path, and one without problems", async () => {
    const refusal = { statusCode: 400, message: "x", error: "Bad Request" }
    assert.include(await judge([400, refusal]), "without problems")
    assert.include(await judge([400, { ...refusal, errors: [] }]), "without problems")
    assert.isNull(await judge([400, { ...refusal, errors: [{ path: "time_zone", message: "x" }] }]))
  })

  it("catches a window that reads back as another one", async () => {
    const found = (time_zone: string) => ({
      run_window: { time_zone, regular_hours: [] },
      state: null,
      warnings: [],
      holds: []
    })
    const described = { ...document, paths: allowingAnything(document.paths) }
    const complaint = (one: string, other: string) =>
      Saving.make(
        described,
        answering([
          [200, found(one)],
          [200, found(other)]
        ]),
        {}
      ).complaint(window)
    assert.isNull(await complaint("UTC", "UTC"))
    assert.include(await complaint("UTC", "Europe/Berlin"), "Reads back as")
  })
})

/** The same operations, whose successes may have any body. */
const allowingAnything = (paths: Document["paths"]): Document["paths"] =>
  Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [
          method,
          { ...operation, responses: { 200: { content: { "application/json": { schema: {} } } } } }
        ])
      )
    ])
  )

describe("the judge of expressions", () => {
  const sources = (index: number) => (index === 1 ? "1 + trap() + 2" : "1")
  const judged = (trapped: () => Promise<Expressions.Outcome>) =>
    Expressions.run({
      evaluate: async (source) => (source.includes("trap") ? trapped() : { code: null, refusals: [], cost: 1 }),
      sources,
      count: 3
    })

  it("catches a defect, a code that is none, a refusal without a path, and what takes too long", async () => {
    const outcome = { code: null, refusals: [], cost: 1 }
    const plants: ReadonlyArray<readonly [() => Promise<Expressions.Outcome>, string]> = [
      [() => Promise.reject(new Error("broken")), "is a defect"],
      [async () => ({ ...outcome, code: "whatever" }), "ended with the code whatever"],
      [async () => ({ ...outcome, code: "refused" }), "without a path"],
      [async () => ({ ...outcome, code: "refused", refusals: [{ path: "", message: "x" }] }), "without a path"],
      [async () => ({ ...outcome, cost: Expressions.mostCost + 1 }), "cost"]
    ]
    for (const [trapped, what] of plants) {
      const [finding, ...others] = await judged(trapped)
      assert.deepStrictEqual([finding?.index, others], [1, []])
      assert.include(finding?.what, what)
      assert.isBelow(finding?.smallest.length ?? 99, 14)
    }
    assert.deepStrictEqual(await judged(async () => ({ ...outcome, code: "TRANSFORM-E0001" })), [])
  })

  it("draws the same structures and expressions for the same seed", () => {
    for (let index = 0; index < 100; index++) {
      assert.deepStrictEqual(Saving.attemptAt(5, index), Saving.attemptAt(5, index))
      assert.strictEqual(Expressions.expressionAt(5, index), Expressions.expressionAt(5, index))
    }
  })
})

describe("the service", () => {
  it("saves structures whole and reads them back equal, or says where their problems lie", async () => {
    const start = () => Target.start(null)
    const findings = await Saving.run({ document, start, seed, count: 100 })
    assert.deepStrictEqual(
      findings.map((finding) => Saving.describe(finding, seed)),
      []
    )
  })

  it("ends every expression with a value, a refusal at its path, or an error with a code", async () => {
    const sources = (index: number) => Expressions.expressionAt(seed, index)
    const findings = await Expressions.run({ evaluate: Expressions.evaluate(), sources, count: 60 })
    assert.deepStrictEqual(
      findings.map((finding) => Expressions.describe(finding, seed)),
      []
    )
  })
})
