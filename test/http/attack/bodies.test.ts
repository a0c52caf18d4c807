/**
 * Bodies of the largest allowed size, of shapes that are costly to read or to refuse, do not hold the event loop.
 */
import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../apps/api/Api.ts"
import { chain, setting } from "../../support/chains.ts"
import { pair } from "../../support/credentials.ts"
import * as HeldLoop from "../../support/heldLoop.ts"
import { home, hosting } from "../../support/hosted.ts"
import * as SenderThread from "../../support/SenderThread.ts"
import { isAll } from "../../support/scale.ts"
import { layerInMemory as layerService, Service } from "../../support/service.ts"

/** The limit of most endpoints. */
const mostCharacters = 1_048_576

const list = (piece: string, characters: number): string =>
  `[${Array.from({ length: Math.max(Math.floor(characters / (piece.length + 1)) - 1, 1) }, () => piece).join(",")}]`

/** Values of so many characters that are costly in one way each. */
const shapes: Readonly<Record<string, (characters: number) => string>> = {
  "empty objects": (characters) => list("{}", characters),
  "texts that are nothing": (characters) => list('"@a b"', characters),
  "values of which as many are read as may be": (characters) =>
    list("[]", Math.min(characters, Math.floor((290_000 * characters) / mostCharacters))),
  names: (characters) =>
    `{${Array.from({ length: Math.min(Math.floor(characters / 14), 50_000) }, (_, at) => `"k${at.toString(36)}":[]`).join(",")}}`,
  backslashes: (characters) => JSON.stringify("\\".repeat(characters / 2)),
  spaces: (characters) => JSON.stringify(`a${" ".repeat(characters - 20)}b`)
}

type Described = { readonly $ref?: string; readonly properties?: object } & Partial<
  Readonly<Record<"anyOf" | "oneOf" | "allOf", ReadonlyArray<Described>>>
>

const api = OpenApi.fromApi(Api)

/** The names of the fields that a described body may have. */
const fieldsOf = (schema: Described | undefined): ReadonlyArray<string> => {
  if (schema === undefined) return []
  const name = schema.$ref?.split("/").at(-1)
  if (name !== undefined) return fieldsOf(api.components.schemas[name] as Described)
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return [...new Set([...Object.keys(schema.properties ?? {}), ...parts.flatMap(fieldsOf)])]
}

const endpoints = Object.entries(api.paths).flatMap(([path, operations]) =>
  Object.entries(operations as Readonly<Record<string, OpenApi.OpenAPISpecOperation>>).flatMap(
    ([method, { requestBody }]) => {
      const fields = fieldsOf(requestBody?.content["application/json"]?.schema as Described | undefined)
      return fields.length === 0 ? [] : [[`${method.toUpperCase()} ${path}`, fields] as const]
    }
  )
)

/** Each endpoint is sent two of the shapes, and each night all of them. */
const endpointsOf = (shape: number) => endpoints.filter((_, at) => isAll || at % 3 === shape % 3)

layer(layerService)("a body whose fields are all filled", (it) => {
  it.effect.each(Object.keys(shapes))("with %s holds the event loop at no endpoint, and its answer is short", (shape) =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const held: Array<readonly [endpoint: string, status: number, cost: number]> = []
      for (const [endpoint, fields] of endpointsOf(Object.keys(shapes).indexOf(shape))) {
        const [method = "", template = ""] = endpoint.split(" ")
        const room = Math.floor((mostCharacters - 1_000) / fields.length)
        const value = shapes[shape]?.(room - 60)
        const raw = `{${fields.map((field) => `${JSON.stringify(field)}:${value}`).join(",")}}`
        const path = template
          .replace("{workspace_id}", owner.caller.workspaceId)
          .replace(/\{\w+\}/g, () => randomUUID())
        const headers = { "content-type": "application/json" }
        const { cost, value: answer } = yield* HeldLoop.least(send({ method, path, key: owner.key, raw, headers }))
        held.push([endpoint, answer.status, cost])
        assert.isBelow(answer.status, 500, endpoint)
        assert.isBelow(answer.text.length, 2 * mostCharacters, endpoint)
      }
      assert.isAbove(endpoints.length, 35)
      assert.deepEqual(
        held.filter(([, , cost]) => cost >= HeldLoop.most),
        []
      )
    })
  )

  it.effect.each([
    ["values", (characters: number) => list("{}", Math.min(characters, 590_000))],
    ["names", (characters: number) => shapes.names?.(Math.min(2 * characters, 1_400_000)) ?? ""],
    ["backslashes", (characters: number) => JSON.stringify("\\".repeat(characters / 4))],
    ["spaces", (characters: number) => JSON.stringify(`a${" ".repeat(characters - 20)}b`)],
    ["digits", (characters: number) => "1".repeat(characters)]
  ] as const)("with many %s holds the event loop at no endpoint that takes more than others", ([shape, make]) =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const { key } = yield* member("Member")
      const sender = yield* SenderThread.start
      const held: Array<readonly [endpoint: string, status: number, cost: number]> = []
      const run_input_variables = make(24 * mostCharacters)
      const nodes = make(4 * mostCharacters)
      const bodies: ReadonlyArray<readonly [path: string, raw: string]> = [
        ["/run", `{"workflow_id":"${randomUUID()}","run_input_variables":{"a":${run_input_variables}}}`],
        [`/workflows/${randomUUID()}/validate-input`, `{"run_input_variables":{"a":${run_input_variables}}}`],
        ["/workflows", `{"name":"a","nodes":${nodes},"edges":{}}`],
        ["/workflows/import", `{"format":"sluice.workflow","format_version":1,"name":"a","nodes":${nodes}}`]
      ]
      for (const [path, raw] of bodies) {
        const headers = { "cc-key": key, "content-type": "application/json" }
        // A client that still sends when it is refused may lose the answer with its connection, and asks again.
        const ask = sender
          .post(`${url}${path}`, headers, raw)
          .pipe(Effect.repeat({ until: ({ status }) => status !== 0, times: 3 }))
        const { cost, value: answer } = yield* HeldLoop.least(ask)
        held.push([path, answer.status, cost])
        assert.include([400, 404], answer.status, `${path}: ${answer.text.slice(0, 300)}`)
        if (shape === "digits") {
          assert.strictEqual(answer.status, 400)
          assert.match(
            answer.text,
            new RegExp(`1000 characters, got more .* from byte ${raw.indexOf("1".repeat(99))} on`)
          )
        }
      }
      assert.deepEqual(
        held.filter(([, , cost]) => cost >= HeldLoop.most),
        []
      )
    })
  )
})

/** A chain of nodes that set a text. */
const largeWorkflow = (count: number, value: string) => chain(count, () => setting(JSON.stringify(value)))

/** The largest that are accepted, in one way each. */
const workflows = {
  "many nodes": largeWorkflow(2_000, "a".repeat(100)),
  "long texts of spaces": largeWorkflow(42, " ".repeat(49_000)),
  "a schema of long texts": {
    ...largeWorkflow(0, ""),
    input_schema: { type: "object", description: "\\".repeat(130_000) }
  },
  "a schema of many parts": {
    ...largeWorkflow(0, ""),
    input_schema: {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 9_900 }, (_, at) => [`k${at}`, {}]))
    }
  }
}

/** Of 5 MB, which are more than are accepted. */
const huge = largeWorkflow(100, " ".repeat(49_000))

const cookies = (value: string) =>
  Array.from({ length: 5_000 }, (_, at) => ({ name: `c${at}`, value: `${at}${value}`, domain: ".example.com" }))

layer(Layer.provideMerge(hosting, layerService))("a body for something that exists", (it) => {
  const measuring = Effect.gen(function* () {
    const { member, send } = yield* Service
    const owner = yield* member("Owner")
    const held: Array<readonly [endpoint: string, status: number, cost: number]> = []
    const ask = Effect.fnUntraced(function* (method: string, path: string, json: unknown, expected: number) {
      const raw = new TextEncoder().encode(JSON.stringify(json))
      const sent = send({ method, path, key: owner.key, raw, headers: { "content-type": "application/json" } })
      // There is one credential of a user for a site.
      const isOnce = method === "POST" && path === "/vault"
      const { cost, value: answer } = yield* HeldLoop.least(sent, HeldLoop.most, isOnce ? 1 : 3)
      held.push([`${method} ${path}`, answer.status, cost])
      assert.strictEqual(answer.status, expected, `${method} ${path}: ${answer.text.slice(0, 300)}`)
      return answer
    })
    const finish = Effect.sync(() => {
      assert.deepEqual(
        held.filter(([, , cost]) => cost >= HeldLoop.most),
        []
      )
    })
    return { ask, finish, owner }
  })

  it.effect.each(Object.entries(workflows))("holds the event loop nowhere: a workflow of %s", ([, workflow]) =>
    Effect.gen(function* () {
      const { ask, finish } = yield* measuring
      const small = yield* ask("POST", "/workflows", largeWorkflow(0, ""), 201)
      const path = `/workflows/${small.body.id}`
      yield* ask("PUT", path, workflow, 200)
      yield* ask("PUT", path, { ...workflow, nodes: huge.nodes, edges: huge.edges }, 400)
      yield* ask("POST", `${path}/fork`, { name: "Copy" }, 201)
      yield* ask("POST", `${path}/fork`, null, 201)
      yield* finish
    })
  )

  it.effect("holds the event loop nowhere: cookies, webhooks, notifications, messages and settings", () =>
    Effect.gen(function* () {
      const { ask, finish, owner } = yield* measuring
      const { send } = yield* Service
      yield* ask("POST", "/vault", { ...pair, cookies: cookies("x".repeat(120)) }, 201)
      yield* ask("PUT", "/vault", { ...pair, cookies: cookies("\\".repeat(50)) }, 200)
      yield* ask("PUT", "/vault", { ...pair, local_storage: storage, session_storage: storage }, 200)

      const workflow = yield* ask("POST", "/workflows", largeWorkflow(0, ""), 201)
      const { id } = workflow.body
      // Half of what is measured is the sender, in the same process; larger inputs have a process of their own elsewhere.
      const variables = (json: unknown) => ({ run_input_variables: { a: json, b: "\\".repeat(1_000_000) } })
      yield* ask("POST", `/workflows/${id}/validate-input`, variables(many), 200)
      yield* ask("POST", "/run", { workflow_id: id, ...variables(many) }, 201)

      const url = `https://93.184.216.34/${"%25".repeat(600)}`
      const secret = "\\".repeat(1_024)
      const webhook = yield* ask("POST", "/webhook-endpoints", { url, workflow_id: id, secret }, 201)
      yield* ask("PATCH", `/webhook-endpoints/${webhook.body.id}`, { url: `${url}#`, secret }, 200)
      const workflow_ids = Array.from({ length: 100 }, () => id)
      const channel = { type: "http", url }
      yield* ask("POST", "/notifications/run-subscriptions", { workflow_ids, events: kinds, channel }, 201)
      const settings = `/workspaces/${owner.caller.workspaceId}/settings`
      yield* ask("PATCH", settings, Object.fromEntries(many.map((_, at) => [`k${at}`, {}])), 200)

      const base = "/workflow-builder/agent"
      const opened = yield* ask("POST", `${base}/session`, { name: "New", startUrl: home }, 201)
      const conversation = `${base}/${opened.body.conversationId}`
      const status = send({ method: "GET", path: `${conversation}/status`, key: owner.key })
      // The conversation opens its page first.
      while ((yield* status).body.isProcessing === true) yield* Effect.yieldNow
      const text = "&amp;%25\\ ".repeat(20_000)
      yield* ask("POST", `${conversation}/message`, { text }, 200)
      yield* finish
    })
  )
})

const many = Array.from({ length: 40_000 }, () => ({}))
const kinds = ["run.started", "run.succeeded", "run.failed", "run.requeued"]
const storage = Object.fromEntries(Array.from({ length: 25_000 }, (_, at) => [`k${at}`, "x"]))
