/**
 * The protocol of chat completions, defined by OpenAI and supported by many services: the request, and the used part of
 * the answer.
 */
import { Option, Result, Schema } from "effect"
import { type LanguageModel, type Prompt, type Response, Tool } from "effect/ai"
import { optional } from "../../core/workspace/request/ParsedJson.ts"

/** The options that are left out for services that do not accept them. */
export interface Leniency {
  readonly withoutFormat: boolean
  readonly withoutToolChoice: boolean
}

type Options = Pick<LanguageModel.ProviderOptions, "prompt" | "responseFormat" | "toolChoice" | "tools">

/** The body of a request. */
export const request = (
  model: string,
  { prompt, responseFormat, toolChoice, tools }: Options,
  schemaOf: LanguageModel.CodecTransformer,
  { withoutFormat, withoutToolChoice }: Leniency
) => ({
  model,
  messages: prompt.content.map(messageOf),
  ...(tools.length === 0
    ? {}
    : {
        tools: tools.map((tool) => ({
          type: "function",
          function: {
            name: tool.name,
            description: Tool.getDescription(tool),
            parameters: Tool.getJsonSchema(tool)
          }
        })),
        ...(withoutToolChoice ? {} : { tool_choice: choiceOf(toolChoice) })
      }),
  ...(responseFormat.type === "text" || withoutFormat
    ? {}
    : {
        response_format: {
          type: "json_schema",
          json_schema: { name: responseFormat.objectName, schema: schemaOf(responseFormat.schema).jsonSchema }
        }
      })
})

const choiceOf = (choice: LanguageModel.ToolChoice<string>) => {
  if (typeof choice === "string") return choice
  return "tool" in choice ? { type: "function", function: { name: choice.tool } } : (choice.mode ?? "auto")
}

const messageOf = (message: Prompt.Message) => {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content }
    case "user": {
      const [first] = message.content
      if (message.content.length === 1 && first?.type === "text") return { role: "user", content: first.text }
      return {
        role: "user",
        content: message.content.map((part) =>
          part.type === "text"
            ? { type: "text", text: part.text }
            : { type: "image_url", image_url: { url: addressOf(part) } }
        )
      }
    }
    case "assistant": {
      const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []))
      const calls = message.content.flatMap((part) =>
        part.type === "tool-call"
          ? [
              {
                id: part.id,
                type: "function",
                function: { name: part.name, arguments: JSON.stringify(part.params ?? {}) }
              }
            ]
          : []
      )
      return {
        role: "assistant",
        content: texts.length === 0 ? null : texts.join(""),
        ...(calls.length === 0 ? {} : { tool_calls: calls })
      }
    }
    case "tool": {
      const [result] = message.content.flatMap((part) => (part.type === "tool-result" ? [part] : []))
      return { role: "tool", tool_call_id: result?.id ?? "", content: JSON.stringify(result?.result ?? null) }
    }
  }
}

const addressOf = ({ data, mediaType }: Prompt.FilePart): string => {
  if (data instanceof URL) return data.href
  const base64 = typeof data === "string" ? data : Buffer.from(data).toString("base64")
  return `data:${mediaType};base64,${base64}`
}

/** The used fields of an answer. Services add and omit many others. */
const Completion = Schema.Struct({
  id: optional(Schema.String),
  model: optional(Schema.String),
  choices: Schema.Array(
    Schema.Struct({
      finish_reason: optional(Schema.String),
      message: Schema.Struct({
        content: optional(
          Schema.Union([
            Schema.String,
            Schema.Array(Schema.Struct({ type: Schema.String, text: Schema.optionalKey(Schema.String) }))
          ])
        ),
        refusal: optional(Schema.String),
        tool_calls: optional(
          Schema.Array(
            Schema.Struct({
              id: optional(Schema.String),
              function: Schema.Struct({ name: Schema.String, arguments: optional(Schema.Json) })
            })
          )
        )
      })
    })
  ),
  usage: optional(Schema.Struct({ prompt_tokens: optional(Schema.Finite), completion_tokens: optional(Schema.Finite) }))
})

const decode = Schema.decodeUnknownResult(Completion)

/**
 * The parts of an answer; fails with the reason if it is not a completion. Arguments of calls that are not JSON stay
 * text.
 */
export const partsOf = (json: unknown, isJson: boolean): Result.Result<Array<Response.PartEncoded>, string> => {
  const decoded = decode(json)
  if (Result.isFailure(decoded)) return Result.fail("the answer is not a chat completion")
  const { choices, id, model, usage } = decoded.success
  const [choice] = choices
  if (choice === undefined) return Result.fail("the answer has no choices")
  const { content, refusal, tool_calls } = choice.message
  const said = typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("")
  const refused = refusal != null && refusal !== ""
  const text = refused ? refusal : isJson ? objectIn(said) : said
  const calls = (tool_calls ?? []).map(
    ({ function: called, id }, index): Response.PartEncoded => ({
      type: "tool-call",
      id: id ?? `call_${index + 1}`,
      name: called.name,
      params: argumentsOf(called.arguments ?? "{}")
    })
  )
  return Result.succeed([
    {
      type: "response-metadata",
      id: id ?? undefined,
      modelId: model ?? undefined,
      timestamp: undefined,
      request: undefined
    },
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls,
    {
      type: "finish",
      reason: refused ? "content-filter" : (reasons[choice.finish_reason ?? ""] ?? "unknown"),
      usage: {
        inputTokens: { total: count(usage?.prompt_tokens) },
        outputTokens: { total: count(usage?.completion_tokens) }
      }
    }
  ])
}

const count = (given: number | null | undefined): number | undefined =>
  given == null || given < 0 || given > 1e9 ? undefined : Math.round(given)

const reasons: Readonly<Record<string, Response.FinishReason>> = {
  stop: "stop",
  length: "length",
  content_filter: "content-filter",
  tool_calls: "tool-calls",
  function_call: "tool-calls"
}

const argumentsOf = (given: Schema.Json): unknown => {
  if (typeof given !== "string") return given
  return Option.getOrElse(parsed(given.trim() === "" ? "{}" : given), () => given)
}

const parsed = (text: string): Option.Option<unknown> => {
  try {
    return Option.some(JSON.parse(text))
  } catch {
    return Option.none()
  }
}

/**
 * The JSON object in a text: models often add words or a code block around it. The whole text if there is no object.
 */
const objectIn = (text: string): string => {
  if (Option.isSome(parsed(text))) return text
  const [begin, end] = [text.indexOf("{"), text.lastIndexOf("}")]
  const within = begin < 0 || end < begin ? "" : text.slice(begin, end + 1)
  return within !== "" && Option.isSome(parsed(within)) ? within : text
}
