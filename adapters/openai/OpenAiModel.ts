/**
 * The model port on language models of `effect/ai`, behind a service that speaks the protocol of chat completions.
 */
import { Effect, Layer, type Redacted, Schema } from "effect"
import { type AiError, LanguageModel, type Prompt, type Response, Tool } from "effect/ai"
import { type Answer, Model, ModelFailure, type Question, type Usage } from "../../core/agent/model/Model.ts"
import * as ChatCompletions from "./ChatCompletions.ts"

export interface Options {
  readonly url: string
  readonly key: Redacted.Redacted<string> | null
  /** The available models; the first is the default. */
  readonly names: readonly [string, ...Array<string>]
  /** The default model for questions with pictures; `null` for the first of `names`. */
  readonly vision: string | null
  readonly retryMillis: number
}

export const defaults = { key: null, vision: null, retryMillis: 500 } as const

export const layer = (options: Options) =>
  Layer.effect(
    Model,
    Effect.gen(function* () {
      const [usual] = options.names
      const names = [...new Set([...options.names, ...(options.vision === null ? [] : [options.vision])])]
      const models = new Map<string, LanguageModel.LanguageModel>()
      for (const model of names) {
        const { key, retryMillis, url } = options
        models.set(model, yield* ChatCompletions.make({ key, model, retryMillis, schemaOf, url }))
      }

      const answer = Effect.fn("Model.answer")(function* (question: Question) {
        const hasImage = question.parts.some(({ _tag }) => _tag === "Image")
        const name = question.model ?? (hasImage ? (options.vision ?? usual) : usual)
        const model = models.get(name)
        if (model === undefined) {
          return yield* new ModelFailure({ kind: "refused", reason: `there is no model "${name}"` })
        }
        let parts: ReadonlyArray<Response.PartEncoded> = []
        const said = yield* ask(model, question).pipe(
          Effect.catchTag("AiError", (error) => unusable(error)),
          Effect.timeoutOrElse({
            duration: question.timeoutMillis,
            orElse: () =>
              Effect.fail(
                new ModelFailure({
                  kind: "late",
                  reason: `the model did not answer within ${Math.round(question.timeoutMillis / 1_000)} s`
                })
              )
          }),
          Effect.provideService(ChatCompletions.Answered, (answered) => {
            parts = answered
          })
        )
        return { model: name, said, usage: usageOf(parts, question) } satisfies Answer
      })

      return { names, answer }
    })
  )

/** JSON schemas given by the caller, by the Effect schemas that represent them. */
const schemas = new WeakMap<object, Schema.JsonObject>()

const schemaOf: LanguageModel.CodecTransformer = (schema) => {
  const known = schemas.get(schema)
  const transformed = LanguageModel.defaultCodecTransformer(schema)
  return known === undefined ? transformed : { codec: transformed.codec, jsonSchema: known }
}

const ask = (model: LanguageModel.LanguageModel, { form, instructions, parts }: Question) => {
  const prompt: Prompt.RawInput = [
    { role: "system", content: instructions },
    {
      role: "user",
      content: parts.map((part) =>
        part._tag === "Text"
          ? { type: "text", text: part.text }
          : { type: "file", mediaType: part.shot.mediaType, data: part.shot.bytes }
      )
    }
  ]
  if (form._tag === "Object") {
    const schema = Schema.Record(Schema.String, Schema.Json)
    schemas.set(schema, form.schema)
    return Effect.map(
      model.generateObject({ prompt, schema, objectName: form.name }),
      ({ finishReason, text, value }): Answer["said"] =>
        // The value was decoded as a record of JSON.
        finishReason === "length" ? cut(text) : { _tag: "Object", value: value as Schema.Json }
    )
  }
  const tools = Object.fromEntries(
    form.tools.map(({ description, name, parameters }) => [name, Tool.dynamic(name, { description, parameters })])
  )
  return Effect.map(
    model.generateText({
      prompt,
      // No tool is executed here: the caller checks and executes the tool call.
      toolkit: { tools, handle: () => Effect.die("Tools are executed by the caller") },
      toolChoice: "required",
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    }),
    ({ finishReason, text, toolCalls }): Answer["said"] => {
      const [call, ...others] = toolCalls
      if (finishReason === "length") return cut(text)
      if (call === undefined) {
        const reason = finishReason === "content-filter" ? "It was refused to answer" : "Expected a call of a tool"
        return { _tag: "Unusable", reason, text: text.slice(0, maxTold) }
      }
      const calls = () => toolCalls.map(({ name, params }) => `${name} ${JSON.stringify(params)}`).join("\n")
      if (others.length > 0) {
        const reason = `Expected one call of a tool, got ${toolCalls.length}`
        return { _tag: "Unusable", reason, text: calls().slice(0, maxTold) }
      }
      if (typeof call.params === "string") {
        return { _tag: "Unusable", reason: "The parameters of the tool are not JSON", text: calls().slice(0, maxTold) }
      }
      // The parameters were parsed from JSON text.
      return { _tag: "Called", tool: call.name, parameters: (call.params ?? null) as Schema.Json }
    }
  )
}

const maxTold = 10_000

const cut = (text: string): Answer["said"] => ({
  _tag: "Unusable",
  reason: "The answer was cut off: it was too long",
  text: text.slice(0, maxTold)
})

/** An answer in another form is an `Unusable` answer; every other error is a failure. */
const unusable = ({ reason }: AiError.AiError): Effect.Effect<Answer["said"], ModelFailure> => {
  switch (reason._tag) {
    case "StructuredOutputError":
      return Effect.succeed({
        _tag: "Unusable",
        reason: "Expected one JSON object",
        text: reason.responseText.slice(0, maxTold)
      })
    case "InvalidResponseError":
      return Effect.fail(new ModelFailure({ kind: "malformed", reason: reason.description }))
    case "InvalidOutputError":
      return Effect.fail(new ModelFailure({ kind: "malformed", reason: "the answer does not have the requested form" }))
    case "NetworkError":
      return Effect.fail(
        new ModelFailure({
          kind: "unavailable",
          reason: `${reason.url} cannot be reached: ${reason.description ?? ""}`
        })
      )
    case "RateLimitError":
      return Effect.fail(
        new ModelFailure({ kind: "unavailable", reason: "the model's service limits the rate of requests (429)" })
      )
    case "InternalProviderError":
      return Effect.fail(
        new ModelFailure({ kind: "unavailable", reason: "the model's service cannot answer at present" })
      )
    case "AuthenticationError":
      return Effect.fail(
        new ModelFailure({ kind: "refused", reason: "the model's service does not accept the key (SLUICE_MODEL_KEY)" })
      )
    default: {
      const message =
        "description" in reason && typeof reason.description === "string" ? reason.description : reason._tag
      return Effect.fail(new ModelFailure({ kind: "refused", reason: message }))
    }
  }
}

/** The tokens of an image, for services that do not count them. */
const imageTokens = 1_500

/** The usage that the service reports, or an estimate: four characters make about one token. */
const usageOf = (parts: ReadonlyArray<Response.PartEncoded>, { instructions, parts: sent }: Question): Usage => {
  const finish = parts.find((part) => part.type === "finish")
  const estimated = sent.reduce(
    (sum, part) => sum + (part._tag === "Text" ? Math.ceil(part.text.length / 4) : imageTokens),
    Math.ceil(instructions.length / 4)
  )
  const answered = parts.reduce(
    (sum, part) =>
      sum +
      (part.type === "text" ? part.text.length : part.type === "tool-call" ? JSON.stringify(part.params).length : 0),
    0
  )
  return {
    inputTokens: finish?.usage.inputTokens.total ?? estimated,
    outputTokens: finish?.usage.outputTokens.total ?? Math.ceil(answered / 4)
  }
}
