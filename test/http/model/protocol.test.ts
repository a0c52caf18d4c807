/** The model port on a service that speaks the protocol of chat completions, well or badly. */
import { assert, it } from "@effect/vitest"
import { Clock, Duration, Effect, Redacted, Result, type Schema } from "effect"
import { Model, type Question } from "../../../core/agent/model/Model.ts"
import { hangMillis } from "../../support/limits.ts"
import { type Asked, calls, choice, type Reply, says, status, withModel } from "../../support/modelServer.ts"

const tool = {
  name: "choose_element",
  description: "Choose",
  parameters: { type: "object", properties: { element: { type: "string" } }, required: ["element"] }
}

const question: Question = {
  instructions: "Choose one.",
  parts: [{ _tag: "Text", text: "The button" }],
  form: { _tag: "Choice", tools: [tool] },
  model: null,
  timeoutMillis: hangMillis
}

const schema = { type: "object", properties: { holds: { type: "boolean" } }, required: ["holds"] }
const object: Question = { ...question, form: { _tag: "Object", name: "verdict", schema } }
const shot = { bytes: new Uint8Array([0xff, 0xd8, 0xff]), mediaType: "image/jpeg" as const }
const picture: Question = { ...question, parts: [...question.parts, { _tag: "Image", shot }] }

/** The result of a question, and the requests to the service. */
const answer = (
  replies: ReadonlyArray<Reply>,
  asked: Question = question,
  options: Parameters<typeof withModel>[2] = {}
) =>
  withModel(
    replies,
    (seen) =>
      Effect.gen(function* () {
        const model = yield* Model
        if (model === null) throw new Error("No model was provided")
        return { outcome: yield* Effect.result(model.answer(asked)), seen: seen as ReadonlyArray<Asked> }
      }),
    options
  )

const said = Effect.fnUntraced(function* (replies: ReadonlyArray<Reply>, asked?: Question) {
  const { outcome } = yield* answer(replies, asked)
  return Result.isSuccess(outcome) ? outcome.success.said : outcome.failure
})

it.live("a question with tools is sent as the protocol has it, and the call is read from JSON text", () =>
  Effect.gen(function* () {
    const { outcome, seen } = yield* answer([calls("choose_element", { element: "e1" })], question, {
      key: Redacted.make("sk-model")
    })
    assert.deepStrictEqual(
      outcome,
      Result.succeed({
        model: "small",
        said: { _tag: "Called", tool: "choose_element", parameters: { element: "e1" } },
        usage: { inputTokens: 100, outputTokens: 10 }
      }) as typeof outcome
    )
    assert.lengthOf(seen, 1)
    assert.strictEqual(seen[0]?.path, "/v1/chat/completions")
    assert.strictEqual(seen[0]?.headers.authorization, "Bearer sk-model")
    assert.deepStrictEqual(seen[0]?.body as unknown, {
      model: "small",
      messages: [
        { role: "system", content: "Choose one." },
        { role: "user", content: "The button" }
      ],
      tools: [{ type: "function", function: tool }],
      tool_choice: "required"
    })
  })
)

it.live("a picture goes with the text as a data address, to the model for pictures", () =>
  Effect.gen(function* () {
    const { seen } = yield* answer([calls("choose_element", { element: "e1" })], picture, { vision: "eyes" })
    assert.strictEqual(seen[0]?.body.model, "eyes")
    assert.deepStrictEqual(seen[0]?.body.messages[1]?.content, [
      { type: "text", text: "The button" },
      { type: "image_url", image_url: { url: "data:image/jpeg;base64,/9j/" } }
    ])
  })
)

it.live("an object is asked for by its schema, and found between words and in a block of code", () =>
  Effect.gen(function* () {
    for (const text of [
      '{"holds":true}',
      'Sure!\n```json\n{"holds": true}\n```\nThere.',
      'I say {"holds":true} of it'
    ]) {
      assert.deepStrictEqual(yield* said([says(text)], object), { _tag: "Object", value: { holds: true } })
    }
    const { seen } = yield* answer([says('{"holds":true}')], object)
    assert.deepStrictEqual(seen[0]?.body.response_format, {
      type: "json_schema",
      json_schema: { name: "verdict", schema }
    })
  })
)

it.live("a service that does not take the form of an answer is asked without it, from then on", () =>
  Effect.gen(function* () {
    const refusal = { error: { message: "Unknown field response_format", type: "invalid_request_error" } }
    const { outcome, seen } = yield* answer([status(400, refusal), says('{"holds":false}')], object)
    assert.isTrue(Result.isSuccess(outcome))
    assert.isUndefined(seen[1]?.body.response_format)
  })
)

it.live.each<readonly [string, Reply, Question, string]>([
  ["words in place of a call", says("I would click e1"), question, "Expected a call of a tool"],
  ["no content at all", choice({ content: null }, "stop"), question, "Expected a call of a tool"],
  ["a refusal", choice({ content: null, refusal: "I cannot" }, "stop"), question, "It was refused to answer"],
  ["arguments that are no JSON", calls("choose_element", '{"element": "e1"'), question, "not JSON"],
  [
    "several calls",
    choice(
      {
        content: null,
        tool_calls: ["a", "b"].map((id) => ({ id, type: "function", function: { name: "x", arguments: "{}" } }))
      },
      "tool_calls"
    ),
    question,
    "Expected one call of a tool, got 2"
  ],
  ["a text that is no object", says("it holds"), object, "Expected one JSON object"],
  ["an answer that was cut", choice({ content: '{"holds":true}' }, "length"), object, "cut off"]
])("%s is reported as unusable", ([, reply, asked, reason]) =>
  Effect.gen(function* () {
    const answered = yield* said([reply], asked)
    assert.strictEqual(answered._tag, "Unusable")
    if (answered._tag === "Unusable") assert.include(answered.reason, reason)
  })
)

it.live("a call of a tool that was not offered reaches the judge, with keys of prototypes as data", () =>
  Effect.gen(function* () {
    const answered = yield* said([calls("send_mail", '{"__proto__": {"admin": true}, "constructor": 1}')])
    assert.strictEqual(answered._tag, "Called")
    if (answered._tag !== "Called") return
    const parameters = answered.parameters as Schema.JsonObject
    assert.strictEqual(answered.tool, "send_mail")
    assert.strictEqual(Object.getPrototypeOf(parameters), Object.prototype)
    assert.isUndefined(({} as { admin?: boolean }).admin)
  })
)

it.live.each<readonly [string, Reply, string, string]>([
  ["no choices", status(200, { id: "x", choices: [] }), "malformed", "no choices"],
  ["something else than a completion", status(200, { hello: 1 }), "malformed", "not a chat completion"],
  ["no JSON", status(200, "<html>"), "malformed", "not a chat completion"],
  ["a wrong key", status(401), "refused", "SLUICE_MODEL_KEY"],
  ["an unknown model", status(404), "refused", "404"],
  ["a redirect", status(307, {}, { location: "http://127.0.0.1:1/" }), "refused", "307"],
  ["500 each time", status(500), "unavailable", "cannot answer at present"],
  ["429 each time", status(429), "unavailable", "429"]
])("%s fails as such", ([, reply, kind, reason]) =>
  Effect.gen(function* () {
    const answered = yield* said([reply])
    assert.strictEqual(answered._tag, "ModelFailure")
    if (answered._tag !== "ModelFailure") return
    assert.strictEqual(answered.kind, kind)
    assert.include(answered.reason, reason)
  })
)

it.live("a failure that may pass is retried, not before the service wants it", () =>
  Effect.gen(function* () {
    const slept: Array<number> = []
    const clock: Clock.Clock = Object.assign(Object.create(yield* Clock.Clock), {
      sleep: (duration: Duration.Duration) => {
        const millis = Duration.toMillis(duration)
        if (millis >= hangMillis) return Effect.never
        return Effect.sync(() => void slept.push(millis))
      }
    })
    const good = calls("choose_element", { element: "e1" })
    const replies = [status(429, {}, { "retry-after": "7" }), status(503), good]
    const { outcome, seen } = yield* Effect.provideService(answer(replies), Clock.Clock, clock)
    assert.isTrue(Result.isSuccess(outcome))
    assert.lengthOf(seen, 3)
    assert.lengthOf(slept, 2)
    assert.isAtLeast(slept[0] ?? 0, 7_000)
    assert.isBelow(slept[1] ?? 0, 7_000)
  })
)

it.live("a service that hangs, or wants to be asked much later, ends with the time for the answer", () =>
  Effect.gen(function* () {
    const impatient = { ...question, timeoutMillis: 200 }
    for (const reply of [() => undefined, status(429, {}, { "retry-after": "3600" })]) {
      const answered = yield* said([reply], impatient)
      assert.strictEqual(answered._tag === "ModelFailure" ? answered.kind : "", "late")
    }
  })
)

it.live("an answer of 100 MB is not read to its end", () =>
  Effect.gen(function* () {
    let sent = 0
    const endless: Reply = (response) => {
      response.writeHead(200, { "content-type": "application/json" })
      const chunk = Buffer.alloc(65_536, 0x20)
      const more = (): void => {
        while (sent < 100_000_000 && !response.destroyed) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once("drain", more)
        }
        response.end()
      }
      more()
    }
    const answered = yield* said([endless])
    assert.strictEqual(answered._tag === "ModelFailure" ? answered.kind : "", "malformed")
    assert.isBelow(sent, 50_000_000)
  })
)
