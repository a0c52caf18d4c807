import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, type Schema } from "effect"
import * as OpenAiModel from "../../adapters/openai/OpenAiModel.ts"
import { type Answer, Model, ModelFailure, type Question, type Service } from "../../core/agent/model/Model.ts"
import * as ModelContract from "../kit/contracts/agent/ModelContract.ts"
import * as Contract from "../kit/contracts/Contract.ts"
import * as modelServer from "../support/modelServer.ts"

const key = "key-of-the-model"

const replyOf = (said: ModelContract.Said): modelServer.Reply => {
  switch (said._tag) {
    case "Calls":
      return modelServer.calls(said.tool, said.parameters)
    case "Says":
      return modelServer.says(said.text)
    case "Fails":
      return modelServer.status(503, { error: { message: `canary, by ${key}` } })
    case "Refuses":
      return modelServer.status(401, { error: { message: `canary: ${key} is wrong` } })
    case "Garbles":
      return modelServer.status(200, "<html>canary</html>")
    case "Hangs":
      return () => undefined
  }
}

/** What the model says now, and what it has heard since then. */
interface Speaking {
  answer: (heard: ModelContract.Heard) => ModelContract.Said
  heard: Array<ModelContract.Heard>
}

const speaking = (): Speaking => ({ answer: () => ({ _tag: "Fails" }), heard: [] })

const speakerOf = (state: Speaking, secret: string | null) =>
  Layer.succeed(ModelContract.Speaker, {
    key: secret,
    says: (answer) =>
      Effect.sync(() => {
        const heard: Array<ModelContract.Heard> = []
        Object.assign(state, { answer, heard })
        return Effect.sync(() => heard)
      })
  })

/** A model behind the protocol of chat completions. */
const overHttp = Layer.unwrap(
  Effect.gen(function* () {
    const state = speaking()
    const { url } = yield* modelServer.serve(
      modelServer.answering((asked) => {
        const heard = { model: asked.body.model, words: modelServer.wordsOf(asked) }
        state.heard.push(heard)
        return replyOf(state.answer(heard))
      })
    )
    return Layer.merge(
      speakerOf(state, key),
      OpenAiModel.layer({
        ...OpenAiModel.defaults,
        url,
        key: Redacted.make(key),
        names: ["small", "large"],
        retryMillis: 1
      })
    )
  })
)

// A model of a few lines

const failure = (kind: ModelFailure["kind"]) => Effect.fail(new ModelFailure({ kind, reason: `the model is ${kind}` }))

const jsonOf = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const saidOf = ({ form }: Question, said: ModelContract.Said): Effect.Effect<Answer["said"], ModelFailure> => {
  const unusable = (reason: string, text: string) => Effect.succeed({ _tag: "Unusable", reason, text } as const)
  switch (said._tag) {
    case "Calls":
      return Effect.succeed({ _tag: "Called", tool: said.tool, parameters: said.parameters })
    case "Says": {
      const value = jsonOf(said.text)
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
      if (form._tag === "Choice") return unusable("Expected a call", said.text)
      return isObject ? Effect.succeed({ _tag: "Object", value }) : unusable("Expected an object", said.text)
    }
    case "Fails":
      return failure("unavailable")
    case "Refuses":
      return failure("refused")
    case "Garbles":
      return failure("malformed")
    case "Hangs":
      return Effect.never
  }
}

const sound = (state: Speaking): Service => ({
  names: ["one", "two"],
  answer: Effect.fnUntraced(function* (question) {
    const model = question.model ?? "one"
    if (model !== "one" && model !== "two") return yield* failure("refused")
    const texts = question.parts.map((part) => (part._tag === "Text" ? part.text : ""))
    const heard = { model, words: [question.instructions, ...texts].join("\n") }
    state.heard.push(heard)
    yield* Effect.yieldNow
    const said = yield* saidOf(question, state.answer(heard)).pipe(
      Effect.timeoutOrElse({ duration: question.timeoutMillis, orElse: () => failure("late") })
    )
    return { model, said, usage: { inputTokens: 3, outputTokens: 2 } }
  })
})

const own = (fault: (right: Service, state: Speaking) => Partial<Service> = () => ({})) =>
  Layer.suspend(() => {
    const state = speaking()
    const right = sound(state)
    return Layer.merge(speakerOf(state, null), Layer.succeed(Model, { ...right, ...fault(right, state) }))
  })

const brokenBy = (model: Layer.Layer<ModelContract.Speaker>) =>
  Effect.map(Contract.broken(ModelContract.promises, Effect.provide(Layer.fresh(model))), (broken) =>
    broken.map(({ title }) => title)
  )

/** The model that does something else with the right answer to a question. */
const answering = (
  fault: (right: Effect.Effect<Answer, ModelFailure>, question: Question) => Effect.Effect<Answer, ModelFailure>
) => own(({ answer }) => ({ answer: (question) => fault(answer(question), question) }))

/** Each fault, and what the titles of the promises contain that it breaks. */
const faults: Readonly<Record<string, readonly [Layer.Layer<ModelContract.Speaker>, ReadonlyArray<string>]>> = {
  "that has names which it does not answer by": [own(() => ({ names: ["one", "two", "three"] })), ["has names"]],
  "that answers by another name for one that it does not have": [
    own(({ answer, names }) => ({
      answer: (question) =>
        answer(question.model === null || names.includes(question.model) ? question : { ...question, model: "one" })
    })),
    ["refuses a name"]
  ],
  "that leaves the question out": [
    own(({ answer }) => ({ answer: (question) => answer({ ...question, parts: [] }) })),
    ["has names", "several questions"]
  ],
  "that checks the calls of tools": [
    answering((right, { form }) =>
      Effect.map(right, (answered) =>
        answered.said._tag === "Called" &&
        form._tag === "Choice" &&
        !form.tools.some(({ name }) => answered.said._tag === "Called" && answered.said.tool === name)
          ? { ...answered, said: { _tag: "Unusable", reason: "Unknown tool", text: "" } }
          : answered
      )
    ),
    ["the call of a tool"]
  ],
  "that keeps the fields of the schema alone": [
    answering((right) =>
      Effect.map(right, (answered) =>
        answered.said._tag === "Object" ? { ...answered, said: { _tag: "Object", value: { holds: true } } } : answered
      )
    ),
    ["the object that was said"]
  ],
  "that takes no pictures": [
    answering((right, { parts }) => (parts.some(({ _tag }) => _tag === "Image") ? failure("refused") : right)),
    ["takes pictures"]
  ],
  "that fails where an answer is unusable": [
    answering((right) =>
      Effect.flatMap(right, (answered) =>
        answered.said._tag === "Unusable" ? failure("malformed") : Effect.succeed(answered)
      )
    ),
    ["another form", "counts"]
  ],
  "that counts nothing for what is unusable": [
    answering((right) =>
      Effect.map(right, (answered) =>
        answered.said._tag === "Unusable" ? { ...answered, usage: { inputTokens: 0, outputTokens: 0 } } : answered
      )
    ),
    ["counts"]
  ],
  "that repeats the question in its failures": [
    answering((right, { instructions }) =>
      Effect.mapError(right, ({ kind, reason }) => new ModelFailure({ kind, reason: `${reason}: ${instructions}` }))
    ),
    ["refuses a name", "fails where", "waits as long"]
  ],
  "that calls every failure a refusal": [
    answering((right) => Effect.mapError(right, ({ reason }) => new ModelFailure({ kind: "refused", reason }))),
    ["fails where", "waits as long"]
  ],
  "that waits for longer": [
    own(({ answer }) => ({
      answer: (question) => answer({ ...question, timeoutMillis: question.timeoutMillis + 1 })
    })),
    ["waits as long"]
  ],
  "that gives up early": [
    own(({ answer }) => ({ answer: (question) => answer({ ...question, timeoutMillis: 10_000 }) })),
    ["waits as long"]
  ],
  "that cannot be interrupted": [
    answering((right) => Effect.onInterrupt(right, () => Effect.never)),
    ["is interrupted"]
  ],
  "that gives one answer to all who ask at once": [
    own(({ answer }) => {
      let last: Question | null = null
      return {
        answer: (question) =>
          Effect.suspend(() => {
            last = question
            return Effect.andThen(
              Effect.yieldNow,
              Effect.suspend(() => answer(last ?? question))
            )
          })
      }
    }),
    ["several questions"]
  ]
}

const titled = (part: string) => {
  const found = ModelContract.promises.map(({ title }) => title).filter((title) => title.includes(part))
  assert.lengthOf(found, 1, part)
  return found
}

describe("the contract of models", () => {
  it.live("is kept by a service that speaks the protocol of chat completions", () =>
    Effect.map(brokenBy(overHttp), (broken) => assert.deepStrictEqual(broken, []))
  )

  it.live("is kept by a model of a few lines", () =>
    Effect.map(brokenBy(own()), (broken) => assert.deepStrictEqual(broken, []))
  )

  it.live.each(Object.keys(faults))("finds one %s", (fault) =>
    Effect.gen(function* () {
      const [model, parts] = faults[fault] ?? [own(), []]
      const hangs = parts.includes("waits as long") || parts.includes("is interrupted")
      const broken = hangs ? Effect.provideService(brokenBy(model), Contract.Patience, 1_000) : brokenBy(model)
      assert.deepStrictEqual(yield* broken, parts.flatMap(titled))
    })
  )
})
