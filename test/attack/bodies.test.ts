/**
 * Bodies of the largest allowed size, of shapes that are costly to read or to refuse, do not hold the event loop.
 */
import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../apps/api/Api.ts"
import { layer as layerService, Service } from "../support/service.ts"
import * as Watchdog from "../support/watchdog.ts"

/** The longest that a body may hold the event loop, in milliseconds of processor time; that of its sender counts here. */
const longest = 100

/** What most endpoints accept. */
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

layer(layerService, { timeout: "2 minutes" })("a body whose fields are all filled", (it) => {
  it.effect.each(Object.keys(shapes))("with %s holds the event loop at no endpoint, and its answer is short", (shape) =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const held: Array<readonly [endpoint: string, status: number, millis: number]> = []
      for (const [endpoint, fields] of endpoints) {
        const [method = "", template = ""] = endpoint.split(" ")
        const room = Math.floor((mostCharacters - 1_000) / fields.length)
        const value = shapes[shape]?.(room - 60)
        const raw = `{${fields.map((field) => `${JSON.stringify(field)}:${value}`).join(",")}}`
        const path = template
          .replace("{workspace_id}", owner.caller.workspaceId)
          .replace(/\{\w+\}/g, () => randomUUID())
        const headers = { "content-type": "application/json" }
        const watchdog = Watchdog.start()
        const answer = yield* send({ method, path, key: owner.key, raw, headers })
        const { processorMillis } = watchdog.stop()
        held.push([endpoint, answer.status, Math.round(processorMillis)])
        assert.isBelow(answer.status, 500, endpoint)
        assert.isBelow(answer.text.length, 2 * mostCharacters, endpoint)
      }
      assert.isAbove(held.length, 35)
      assert.deepEqual(
        held.filter(([, , millis]) => millis >= longest),
        []
      )
    })
  )

  it.effect.each([
    ["values", (characters: number) => list("{}", Math.min(characters, 590_000))],
    ["names", (characters: number) => shapes.names?.(Math.min(2 * characters, 1_400_000)) ?? ""],
    // The sender writes and sends them in the same process, which is half of what is measured.
    ["backslashes", (characters: number) => JSON.stringify("\\".repeat(characters / 4))],
    ["spaces", (characters: number) => JSON.stringify(`a${" ".repeat(characters - 20)}b`)]
  ] as const)("with many %s holds the event loop at no endpoint that takes more than others", ([, make]) =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Member")
      const headers = { "content-type": "application/json" }
      const held: Array<readonly [endpoint: string, status: number, millis: number]> = []
      const run_input_variables = make(24 * mostCharacters)
      const nodes = make(4 * mostCharacters)
      const bodies: ReadonlyArray<readonly [path: string, raw: string]> = [
        ["/run", `{"workflow_id":"${randomUUID()}","run_input_variables":{"a":${run_input_variables}}}`],
        [`/workflows/${randomUUID()}/validate-input`, `{"run_input_variables":{"a":${run_input_variables}}}`],
        ["/workflows", `{"name":"a","nodes":${nodes},"edges":{}}`],
        ["/workflows/import", `{"format":"sluice.workflow","format_version":1,"name":"a","nodes":${nodes}}`]
      ]
      for (const [path, raw] of bodies) {
        const sent = new TextEncoder().encode(raw)
        const watchdog = Watchdog.start()
        const answer = yield* send({ method: "POST", path, key, raw: sent, headers })
        held.push([path, answer.status, Math.round(watchdog.stop().processorMillis)])
        assert.isBelow(answer.status, 500, path)
      }
      assert.deepEqual(
        held.filter(([, , millis]) => millis >= longest),
        []
      )
    })
  )
})
