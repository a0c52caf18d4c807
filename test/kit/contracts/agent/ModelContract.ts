/**
 * The promises of every implementation of `Model`, which asks a language model.
 *
 * What the model says is yours to determine: the promises look at how it is passed on.
 */
import { Clock, Context, Effect, Fiber, Result, type Schema, type Scope } from "effect"
import {
  type Answer,
  Model,
  type ModelFailure,
  type Question,
  type Service
} from "../../../../core/agent/model/Model.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

/** What a model is asked, as far as the promises look at it. */
export interface Heard {
  /** The name of the model that is asked. */
  readonly model: string
  /** The instructions and the texts of the question. */
  readonly words: string
}

/** What the model says, or what becomes of the question. */
export type Said =
  | { readonly _tag: "Calls"; readonly tool: string; readonly parameters: Schema.JsonObject }
  | { readonly _tag: "Says"; readonly text: string }
  /** It cannot answer at present, however often it is asked. */
  | { readonly _tag: "Fails" }
  /** It does not accept the access. */
  | { readonly _tag: "Refuses" }
  /** What arrives is not an answer of a model. */
  | { readonly _tag: "Garbles" }
  /** It never answers. */
  | { readonly _tag: "Hangs" }

/** The model behind the implementation under test. */
export class Speaker extends Context.Service<
  Speaker,
  {
    /** Makes it answer so until the scope closes, and gives what it hears. */
    readonly says: (
      answer: (heard: Heard) => Said
    ) => Effect.Effect<Effect.Effect<ReadonlyArray<Heard>>, never, Scope.Scope>
    /** What gives access to it, and must not be repeated; `null` where it needs none. */
    readonly key: string | null
  }
>()("sluice/test/kit/contracts/agent/ModelContract") {}

interface Given {
  readonly model: Service
  readonly speaker: Speaker["Service"]
}

const promise = <A, E>(title: string, test: (given: Given) => Effect.Effect<A, E, Scope.Scope>) =>
  Contract.promise(
    `a model ${title}`,
    Effect.scoped(
      Effect.gen(function* () {
        const model = yield* Model
        if (model === null) throw new assert.PromiseBroken("expected a model, got none")
        return yield* test({ model, speaker: yield* Speaker })
      })
    )
  )

const tool = (name: string) => ({
  name,
  description: "Chooses an element",
  parameters: { type: "object", properties: { element: { type: "string" } }, required: ["element"] }
})

const schema = { type: "object", properties: { holds: { type: "boolean" } }, required: ["holds"] }

const question = (more: Partial<Question> = {}): Question => ({
  instructions: "canary-instructions: choose one.",
  parts: [{ _tag: "Text", text: "canary-part" }],
  form: { _tag: "Choice", tools: [tool("choose"), tool("give_up")] },
  model: null,
  timeoutMillis: 30_000,
  ...more
})

const object = (more: Partial<Question> = {}) =>
  question({ form: { _tag: "Object", name: "verdict", schema }, ...more })

const picture = { bytes: new Uint8Array([0xff, 0xd8, 0xff]), mediaType: "image/jpeg" as const }

const calls = (parameters: Schema.JsonObject, name = "choose"): Said => ({ _tag: "Calls", tool: name, parameters })
const says = (text: string): Said => ({ _tag: "Says", text })

/** Expects a failure of this kind that repeats neither the key nor the question. */
const isFailure = (
  { speaker }: Given,
  ended: Result.Result<Answer, ModelFailure>,
  ...kinds: ReadonlyArray<ModelFailure["kind"]>
) => {
  const error = Result.isFailure(ended) ? ended.failure : (ended.success as never)
  assert.tagged(error, "ModelFailure")
  assert.include(kinds, error.kind)
  assert.isAbove(error.reason.length, 0)
  for (const text of [error.message, JSON.stringify(error)]) {
    assert.notInclude(text, "canary")
    if (speaker.key !== null) assert.notInclude(text, speaker.key)
  }
}

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Speaker>> = [
  promise("has names that a workflow may choose, and answers by each of them", ({ model, speaker }) =>
    Effect.gen(function* () {
      assert.isAbove(model.names.length, 0)
      assert.strictEqual(new Set(model.names).size, model.names.length)
      const heard = yield* speaker.says(() => calls({ element: "e1" }))
      for (const name of [null, ...model.names]) {
        const { model: answered } = yield* model.answer(question({ model: name }))
        assert.strictEqual(answered, name ?? model.names[0])
      }
      assert.deepStrictEqual(
        (yield* heard).map((one) => one.model),
        [model.names[0], ...model.names]
      )
      for (const { words } of yield* heard) {
        assert.include(words, "canary-instructions")
        assert.include(words, "canary-part")
      }
    })
  ),
  promise("refuses a name that it does not have, and asks nothing", (given) =>
    Effect.gen(function* () {
      const heard = yield* given.speaker.says(() => calls({ element: "e1" }))
      isFailure(given, yield* Effect.result(given.model.answer(question({ model: "no such model" }))), "refused")
      assert.lengthOf(yield* heard, 0)
    })
  ),
  promise("gives back the call of a tool as it was made, unchecked", ({ model, speaker }) =>
    Effect.gen(function* () {
      const odd: Schema.JsonObject = JSON.parse('{"__proto__": {"admin": true}, "list": [1, null, "✓"]}')
      for (const [name, parameters] of [
        ["choose", { element: "e1" }],
        ["no_such_tool", { other: 1 }],
        ["give_up", odd]
      ] as const) {
        yield* speaker.says(() => calls(parameters, name))
        const { said } = yield* model.answer(question())
        assert.deepStrictEqual(said, { _tag: "Called", tool: name, parameters })
      }
      assert.isUndefined(Reflect.get({}, "admin"))
    })
  ),
  promise("gives back the object that was said", ({ model, speaker }) =>
    Effect.gen(function* () {
      for (const value of [{ holds: true }, { holds: "perhaps", more: [1] }]) {
        yield* speaker.says(() => says(JSON.stringify(value)))
        const { said } = yield* model.answer(object())
        assert.deepStrictEqual(said, { _tag: "Object", value })
      }
    })
  ),
  promise("takes pictures", ({ model, speaker }) =>
    Effect.gen(function* () {
      yield* speaker.says(() => says('{"holds":true}'))
      const parts = [...question().parts, { _tag: "Image", shot: picture } as const]
      const { model: answered, said } = yield* model.answer(object({ parts }))
      assert.deepStrictEqual(said, { _tag: "Object", value: { holds: true } })
      assert.include(model.names, answered)
    })
  ),
  promise("says of an answer in another form that it is unusable, and why", ({ model, speaker }) =>
    Effect.gen(function* () {
      for (const [asked, text] of [
        [question(), "I would choose e1"],
        [object(), "it holds"],
        [object(), "[1, 2]"],
        [object(), ""]
      ] as const) {
        yield* speaker.says(() => says(text))
        const { said } = yield* model.answer(asked)
        assert.strictEqual(said._tag, "Unusable")
        assert.isTrue(said._tag === "Unusable" && said.reason.length > 0)
      }
    })
  ),
  promise("counts what each answer has cost, also where it is unusable", ({ model, speaker }) =>
    Effect.gen(function* () {
      for (const said of [says('{"holds":true}'), says("it holds")]) {
        yield* speaker.says(() => said)
        const { usage } = yield* model.answer(object())
        for (const tokens of [usage.inputTokens, usage.outputTokens]) {
          assert.isTrue(Number.isSafeInteger(tokens) && tokens > 0, `${tokens} tokens`)
        }
      }
    })
  ),
  promise("fails where no answer is to be had, and repeats neither its key nor the question", (given) =>
    Effect.gen(function* () {
      for (const [tag, kind] of [
        ["Fails", "unavailable"],
        ["Refuses", "refused"],
        ["Garbles", "malformed"]
      ] as const) {
        yield* given.speaker.says(() => ({ _tag: tag }))
        for (const asked of [question(), object()]) {
          isFailure(given, yield* Effect.result(given.model.answer(asked)), kind)
        }
      }
    })
  ),
  promise("waits as long as the question allows, and no longer", (given) =>
    Effect.gen(function* () {
      const time = SteppingClock.make(0)
      const heard = yield* given.speaker.says(() => ({ _tag: "Hangs" }))
      const asking = yield* given.model
        .answer(question({ timeoutMillis: 20_000 }))
        .pipe(Effect.result, Effect.provideService(Clock.Clock, time.clock), Effect.forkScoped)
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, heard), {
        until: (all) => all.length > 0 || asking.pollUnsafe() !== undefined
      })
      yield* time.advance(19_999)
      assert.isUndefined(asking.pollUnsafe(), "an answer before its time")
      yield* time.advance(1)
      isFailure(given, yield* Contract.ends("a question of 20 seconds", Fiber.join(asking)), "late")
    })
  ),
  promise("ends promptly when it is interrupted", ({ model, speaker }) =>
    Effect.gen(function* () {
      const heard = yield* speaker.says(() => ({ _tag: "Hangs" }))
      const asking = yield* Effect.forkDetach(model.answer(question()))
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, heard), {
        until: (all) => all.length > 0 || asking.pollUnsafe() !== undefined
      })
      const ending = yield* Effect.forkDetach(Fiber.interrupt(asking))
      yield* Contract.ends("a question that was interrupted", Fiber.join(ending))
    })
  ),
  promise("answers several questions at once, each its own", ({ model, speaker }) =>
    Effect.gen(function* () {
      yield* speaker.says(({ words }) => calls({ element: /element (\d+)/.exec(words)?.[1] ?? "none" }))
      const numbers = Array.from({ length: 10 }, (_, index) => String(index))
      const answers = yield* Effect.forEach(
        numbers,
        (number) => model.answer(question({ parts: [{ _tag: "Text", text: `element ${number}` }] })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ said }) => said),
        numbers.map((element) => ({ _tag: "Called", tool: "choose", parameters: { element } }))
      )
    })
  )
]
