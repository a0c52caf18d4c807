import { createServer } from "node:http"
import { hostname } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import { Sender } from "../../../core/event/webhook/Sender.ts"
import * as Contract from "../../kit/contracts/Contract.ts"
import * as SenderContract from "../../kit/contracts/event/SenderContract.ts"
import { listening } from "../../support/listening.ts"

/** A receiver on loopback, which hands over what it was sent before it answers. */
const receiver = (answering: SenderContract.Answering) =>
  Effect.gen(function* () {
    const requests = yield* Queue.unbounded<SenderContract.Received>()
    const server = createServer((incoming, response) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("end", () => {
        const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
        Queue.offerUnsafe(requests, {
          method: incoming.method ?? "",
          headers: Object.fromEntries(headers),
          body: Buffer.concat(chunks).toString("utf8")
        })
        if (answering === "end") incoming.socket.destroy()
        else if (answering === "part") response.writeHead(200).write("{")
        else if (answering !== "nothing") response.writeHead(answering.status, answering.headers).end(answering.body)
      })
    })
    return { url: `http://127.0.0.1:${yield* listening(server)}/hook`, requests }
  })

/** Origins that the senders below may reach: those of the receivers that are allowed. */
const allowedOrigins: Array<string> = []

/** The port of a receiver that was allowed may be given again. */
const forbid = (origin: string) => {
  const others = allowedOrigins.filter((one) => one !== origin)
  allowedOrigins.splice(0, allowedOrigins.length, ...others)
}

const receivers = Layer.succeed(SenderContract.Receivers, {
  allowed: (answering) =>
    Effect.tap(receiver(answering), ({ url }) => Effect.sync(() => allowedOrigins.push(new URL(url).origin))),
  forbidden: Effect.map(receiver({ status: 200 }), (made) => {
    forbid(new URL(made.url).origin)
    return { ...made, byName: made.url.replace("127.0.0.1", hostname()) }
  })
})

const sender = (options: Partial<HttpSender.Options> = {}) =>
  HttpSender.layer({ ...HttpSender.defaults, allowedOrigins, ...options })

/** The titles of the promises that a sender breaks. */
const brokenBy = (own: Layer.Layer<Sender>) =>
  Effect.map(Contract.broken(SenderContract.promises, Effect.provide(Layer.merge(own, receivers))), (broken) =>
    broken.map(({ title }) => title)
  )

/** A sender that does one thing otherwise. `trusting` reaches every address. */
const faulty = (fault: (own: Sender["Service"], trusting: Sender["Service"]) => Partial<Sender["Service"]>) =>
  Layer.effect(
    Sender,
    Effect.gen(function* () {
      const own = yield* Sender
      const trusting = yield* Effect.provide(Sender, sender({ allowPrivateNetworks: true }))
      return { ...own, ...fault(own, trusting) }
    })
  ).pipe(Layer.provide(sender()))

const faults: Readonly<Record<string, readonly [Layer.Layer<Sender>, ReadonlyArray<string>]>> = {
  "a sender that leaves headers out": [
    faulty(({ post }) => ({ post: (sent) => post({ ...sent, headers: {} }) })),
    ["the sender posts headers and body as they are, and answers with the status"]
  ],
  "a sender that follows redirects": [
    faulty(({ post }) => ({
      post: (sent) =>
        Effect.flatMap(post(sent), (outcome) =>
          outcome._tag === "Answered" && outcome.status >= 300 && outcome.status < 400
            ? Effect.promise(async () => {
                const { status } = await fetch(sent.url, { method: "POST", headers: sent.headers, body: sent.body })
                return { ...outcome, status }
              })
            : Effect.succeed(outcome)
        )
    })),
    ["the sender follows no redirect"]
  ],
  "a sender that is deaf to receivers": [
    faulty(({ post }) => ({
      post: (sent) => Effect.map(post(sent), (outcome) => ({ ...outcome, retryAfterMillis: null }))
    })),
    ["the sender answers for how many milliseconds a receiver asks to be left alone"]
  ],
  "a sender that gives up as a defect": [
    faulty(({ post }) => ({
      post: (sent) =>
        Effect.flatMap(post(sent), (outcome) =>
          outcome._tag === "Unreachable" ? Effect.die(new Error(outcome.reason)) : Effect.succeed(outcome)
        )
    })),
    [
      "the sender answers where a receiver takes no connection, or ends it",
      "the sender waits 15 seconds at most for the end of an answer"
    ]
  ],
  "a sender that waits for longer": [
    sender({ budgetMillis: 15_001 }),
    ["the sender waits 15 seconds at most for the end of an answer"]
  ],
  "a sender that reaches every address": [
    sender({ allowPrivateNetworks: true }),
    [
      "the sender refuses private, loopback and link-local addresses in each way of writing them",
      "the sender judges the address that it connects to, and not only the one that is written"
    ]
  ],
  "a sender that believes what is written": [
    faulty((own, trusting) => ({
      post: (sent) => (own.refusal(sent.url) === null ? trusting.post(sent) : own.post(sent))
    })),
    ["the sender judges the address that it connects to, and not only the one that is written"]
  ]
}

describe("the contract of the sender", () => {
  it.live("is kept over HTTP", () => Effect.map(brokenBy(sender()), (broken) => assert.deepStrictEqual(broken, [])))

  it.live.each(Object.keys(faults))("finds %s", (fault) =>
    Effect.gen(function* () {
      const [own, titles] = faults[fault] ?? [sender(), []]
      assert.deepStrictEqual(yield* brokenBy(own), [...titles])
    })
  )
})
