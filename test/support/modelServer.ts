/**
 * A server for the protocol of chat completions on loopback, with answers that a test defines.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { Effect, Layer } from "effect"
import * as OpenAiModel from "../../adapters/openai/OpenAiModel.ts"
import { listening } from "./listening.ts"

/** A request as the service sees it. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: {
    readonly model: string
    readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>
    readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string; readonly parameters: unknown } }>
    readonly tool_choice?: unknown
    readonly response_format?: unknown
  }
}

export type Reply = (response: ServerResponse, asked: Asked) => void

export const status =
  (code: number, body: unknown = { error: { message: "no" } }, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response
      .writeHead(code, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body))

const usage = {
  prompt_tokens: 100,
  completion_tokens: 10,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 0 }
}

/** An answer with one choice, in the form of the protocol. */
export const choice = (message: object, finish_reason: string, more: object = {}): Reply =>
  status(200, {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_790_000_000,
    model: "small-1",
    choices: [{ index: 0, message: { role: "assistant", refusal: null, ...message }, logprobs: null, finish_reason }],
    usage,
    system_fingerprint: "fp_1",
    ...more
  })

export const says = (content: string): Reply => choice({ content }, "stop")

/** A call of a tool, with its arguments as JSON text. */
export const calls = (name: string, parameters: unknown): Reply =>
  choice(
    {
      content: null,
      tool_calls: [
        {
          id: "call_1",
          type: "function",
          function: { name, arguments: typeof parameters === "string" ? parameters : JSON.stringify(parameters) }
        }
      ]
    },
    "tool_calls"
  )

/** Answers that depend on the request. */
export const answering =
  (reply: (asked: Asked) => Reply): Reply =>
  (response, asked) =>
    reply(asked)(response, asked)

/** All texts of a request to the model. */
export const wordsOf = ({ body }: Asked): string =>
  body.messages
    .map(({ content }) =>
      typeof content === "string"
        ? content
        : (content as ReadonlyArray<{ type: string; text?: string }>).map(({ text = "" }) => text).join("\n")
    )
    .join("\n")

/** The server: it gives its answers in order, and repeats the last one. */
export const serve = (...replies: ReadonlyArray<Reply>) =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const port = yield* listening(
      createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8")
          const one: Asked = { path: request.url ?? "", headers: request.headers, text, body: JSON.parse(text) }
          asked.push(one)
          replies[Math.min(asked.length, replies.length) - 1]?.(response, one)
        })
      })
    )
    return { url: `http://127.0.0.1:${port}/v1`, asked }
  })

/** The model port on this server. */
export const model = (url: string, options: Partial<OpenAiModel.Options> = {}) =>
  OpenAiModel.layer({ ...OpenAiModel.defaults, names: ["small", "large"], retryMillis: 10, ...options, url })

/** Runs a test with a model that gives these answers. */
export const withModel = <A, E, R>(
  replies: ReadonlyArray<Reply>,
  test: (asked: ReadonlyArray<Asked>) => Effect.Effect<A, E, R>,
  options: Partial<OpenAiModel.Options> = {}
) =>
  Effect.scoped(
    Effect.flatMap(serve(...replies), ({ asked, url }) =>
      test(asked).pipe(Effect.provide(Layer.fresh(model(url, options))))
    )
  )
