/**
 * The promises of every implementation of `Sandbox`, which runs operations on what users wrote. `limitsWithin` are those of a
 * sandbox with limits, which is what a service for several users needs. Without one, operations run in the calling thread.
 *
 * **Example** (Operations in the calling thread)
 *
 * ```ts
 * import { Effect } from "effect"
 * import * as Contract from "@sluice/testing/contract"
 * import * as SandboxContract from "@sluice/testing/sandbox"
 * import { inProcess, Sandbox } from "@sluice/core/workflow/sandbox"
 *
 * const broken = await Effect.runPromise(
 *   Contract.broken(SandboxContract.promises, Effect.provideService(Sandbox, inProcess)))
 * broken // => []
 * ```
 */
import { Effect, Fiber, Result, type Schema } from "effect"
import { type Input, type Name, type Output, operations } from "../../../../core/workflow/sandbox/Operations.ts"
import { Sandbox, type TooCostly } from "../../../../core/workflow/sandbox/Sandbox.ts"
import type { Content } from "../../../../core/workflow/Workflow.ts"
import { UserId, WorkspaceId } from "../../../../core/workspace/Ids.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { componentData, stored } from "../Fixtures.ts"

type Shape = typeof Sandbox.Service

const promise = <A, E>(title: string, test: (sandbox: Shape) => Effect.Effect<A, E>) =>
  Contract.promise(`a sandbox ${title}`, Effect.flatMap(Sandbox, test))

const someone = {
  workspaceId: WorkspaceId.make("00000000-0000-4000-8000-000000000011"),
  userId: UserId.make("00000000-0000-4000-8000-000000000012"),
  role: "Member"
} as const

const content: Content = {
  ...stored(someone).version.content,
  input_schema: {
    type: "object",
    properties: { order: { type: "string", pattern: "^[A-Z]{2}[0-9]+$" }, count: { type: "integer", minimum: 1 } },
    required: ["order"]
  }
}

const evaluation = (source: string, roots: Schema.Json = {}): Input<"evaluate"> => ({
  source,
  roots,
  bindings: {},
  apart: {},
  moment: { at: Date.UTC(2026, 0, 2), seed: 7 }
})

const patterned = { type: "object", properties: { a: { type: "string", pattern: "^a+$" } } }

/** Questions of each operation: such as succeed, and such as find what is wrong. */
const questions: { readonly [N in Name]: ReadonlyArray<Input<N>> } = {
  readDraft: [
    { body: { name: "Nightly", nodes: content.nodes, edges: content.edges }, now: 5, errorCodes: null },
    { body: { name: 1, nodes: "none", __proto__: null }, now: 5, errorCodes: ["E"] }
  ],
  contentProblems: [{ content }, { content: { ...content, edges: {} } }],
  warnings: [{ content }],
  unpack: [{ body: { format: "none" }, now: 5, errorCodes: [] }],
  convert: [{ content: '{"title":"a","steps":[{"type":"navigate","url":"https://a.example/"}]}' }, { content: "{" }],
  readComponent: [
    { data: componentData(), path: "data" },
    { data: { nodes: 1 }, path: "data" }
  ],
  carry: [{ content, carried: { component: "none", before: componentData(), after: componentData("//a") } }],
  readGraph: [
    { nodes: content.nodes, edges: content.edges },
    { nodes: [], edges: {} }
  ],
  checkInput: [
    { content, input: { order: "AB1" } },
    { content, input: { order: "1", count: 0 } }
  ],
  rehearse: [
    { content, input: { order: "AB1" } },
    { content, input: {} }
  ],
  examples: [{ content }],
  violation: [
    { schema: patterned, value: { a: "aaa" } },
    { schema: patterned, value: { a: "b" } }
  ],
  problems: [{ schema: patterned, value: { a: "b" } }],
  describe: [{ source: "context.inputs.a.b & $now()" }, { source: "(((" }],
  evaluate: [
    evaluation("$sum(a) & ' ' & $now()", { a: [1, 2, 3] }),
    evaluation("$error('no')"),
    evaluation("((("),
    evaluation("$random()"),
    { ...evaluation("context.inputs.big"), roots: { context: { inputs: {} } }, apart: { big: ["✓", 1.5, null] } }
  ],
  patternCost: [{ pattern: "^a+$" }, { pattern: "(a+)+$" }],
  match: [
    { pattern: "(a+)(x)?", text: "baa" },
    { pattern: "a", text: "b" },
    { pattern: "(", text: "b" }
  ]
}

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** What an operation says. */
const expected = <N extends Name>(name: N, asked: Input<N>): Effect.Effect<unknown> => {
  // The record has an operation for each name.
  const operation = operations[name] as (asked: Input<N>) => Output<N> | Promise<Output<N>>
  return Effect.promise(async () => json(await operation(asked)))
}

const answersAsAsked = <N extends Name>(sandbox: Shape, name: N) =>
  Effect.forEach(
    questions[name],
    (asked: Input<N>) =>
      Effect.gen(function* () {
        const answered = yield* sandbox.run("one", name, asked)
        assert.deepStrictEqual(json(answered), yield* expected(name, asked), name)
      }),
    { discard: true }
  )

/** Values that are easily lost on the way. */
const odd: Schema.Json = {
  text: "päss ✓ \u0000 \u2028",
  empty: ["", [], {}, null, false, 0, -1.5e-7, Number.MAX_SAFE_INTEGER],
  ...JSON.parse('{"__proto__": {"admin": true}, "constructor": 1, "toString": "x"}')
}

const nested = (levels: number): Schema.Json => {
  let value: Schema.Json = {}
  for (let level = 0; level < levels; level++) value = { next: value }
  return value
}

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<never>> = [
  promise("answers each operation as it is, with what is found wrong as its answer", (sandbox) =>
    // The names of a record of every operation.
    Effect.forEach(Object.keys(questions) as Array<Name>, (name) => answersAsAsked(sandbox, name), { discard: true })
  ),
  promise("brings values there and back as they are, small and large", (sandbox) =>
    Effect.gen(function* () {
      const large = Array.from({ length: 20_000 }, (_, index) => ({ index, text: `text ${index}` }))
      for (const value of [odd, large, "x".repeat(300_000), nested(200)]) {
        const answered = yield* sandbox.run("one", "evaluate", evaluation("value", { value }))
        assert.deepStrictEqual(json(answered), { success: value })
      }
      assert.isUndefined(Reflect.get({}, "admin"))
    })
  ),
  promise("gives each of many operations at once its own answer", (sandbox) =>
    Effect.gen(function* () {
      const asked = Array.from({ length: 40 }, (_, index) => index)
      const answered = yield* Effect.forEach(
        asked,
        (index) => sandbox.run(`workspace ${index % 4}`, "evaluate", evaluation(`n * 2`, { n: index })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answered.map(json),
        asked.map((index) => ({ success: index * 2 }))
      )
    })
  ),
  promise("is there for the next operation when one was interrupted", (sandbox) =>
    Effect.gen(function* () {
      const pattern = { pattern: "^a+$" }
      for (let time = 0; time < 3; time++) {
        const asking = yield* Effect.forkDetach(
          Effect.forEach(
            [1, 2, 3],
            () => sandbox.run("one", "evaluate", evaluation("$sum($map([1..20000], function($i) { $i }))")),
            { concurrency: "unbounded" }
          )
        )
        yield* Effect.repeat(Effect.yieldNow, { times: time * 5 })
        yield* Fiber.interrupt(asking)
        for (const owner of ["one", "another"]) {
          assert.deepStrictEqual(yield* sandbox.run(owner, "patternCost", pattern), operations.patternCost(pattern))
        }
      }
    })
  )
]

/** Works for longer than anyone waits: each level of the value is looked at twice as often as the one above it. */
const endless = (sandbox: Shape, owner: string) => {
  const level = {
    type: "object",
    properties: { next: { allOf: [0, 1].map(() => ({ $ref: "#/definitions/level" })) } }
  }
  return sandbox.run(owner, "violation", { schema: { ...level, definitions: { level } }, value: nested(60) })
}

const cheap = (sandbox: Shape, owner: string) => sandbox.run(owner, "patternCost", { pattern: "^a+$" })

/** Expects an operation that went over a limit, with a message that says which. */
const isRefused = (ended: Result.Result<unknown, TooCostly>, ...limits: ReadonlyArray<TooCostly["exceeded"]>) => {
  const error = Result.isFailure(ended) ? ended.failure : (ended.success as never)
  assert.tagged(error, "TooCostly")
  assert.include(limits, error.exceeded)
  assert.isAbove(error.limit.length, 0)
  assert.include(error.message, error.limit)
}

/**
 * What an implementation with limits promises besides, of which one ends an operation after so many milliseconds at most.
 * They wait by the clock in their context: give them that of the machine.
 */
export const limitsWithin = (millis: number): ReadonlyArray<Contract.ContractPromise<never>> => [
  promise("ends an operation that takes too much, names the limit, and goes on", (sandbox) =>
    Effect.gen(function* () {
      for (let time = 0; time < 2; time++) {
        const ended = yield* Effect.timeoutOption(Effect.result(endless(sandbox, "one")), millis)
        assert.strictEqual(ended._tag, "Some", `ended within ${millis} ms`)
        if (ended._tag === "Some") isRefused(ended.value, "time", "memory")
      }
      yield* cheap(sandbox, "one")
    })
  ),
  promise("lets the operations of one workspace hold up no other, nor the process", (sandbox) =>
    Effect.gen(function* () {
      const busy = yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkDetach(Effect.result(endless(sandbox, "busy"))))
      yield* Effect.sleep("20 millis")
      yield* Effect.timeoutOrElse(cheap(sandbox, "another"), {
        duration: millis,
        orElse: () => Effect.fail(new assert.PromiseBroken(`expected an answer within ${millis} ms`))
      })
      const left = busy.filter((one) => one.pollUnsafe() === undefined)
      assert.isAbove(left.length, 0, "operations of the other workspace that still run")
      yield* Fiber.interruptAll(busy)
    })
  ),
  promise("refuses what is larger than any workflow, and goes on", (sandbox) =>
    Effect.gen(function* () {
      const roots = { values: Array.from({ length: 2_000_000 }, () => 0) }
      isRefused(yield* Effect.result(sandbox.run("one", "evaluate", evaluation("1", roots))), "size", "memory")
      yield* cheap(sandbox, "one")
    })
  )
]
