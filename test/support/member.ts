/**
 * A member of a new workspace, a workflow that takes an input, and requests in the name of the member.
 */
import { Effect } from "effect"
import { graph } from "./fixtures.ts"
import { type Request, Service } from "./service.ts"

export const workflow = {
  name: "Nightly",
  ...graph(),
  input_schema: { type: "object", properties: { npi: { type: "string", pattern: "^\\d{10}$" } }, required: ["npi"] },
  output_schema: {},
  max_retries: 2
}

export type Item = Readonly<Record<string, unknown>>

export const asList = (body: unknown) => body as ReadonlyArray<Item>

export const setUp = Effect.gen(function* () {
  const { member, send } = yield* Service
  const me = yield* member("Member")
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, key: me.key, ...(json === undefined ? {} : { json }) } satisfies Request)
  const create = (overrides: object = {}) =>
    Effect.map(ask("POST", "/workflows", { ...workflow, ...overrides }), ({ body }) => String(body.id))
  return { me, ask, create }
})

/** The paths of the problems that an answer reports. */
export const pathsOf = (body: Item) => asList(body.errors).map(({ path }) => path)

export const without = (body: Item, ...names: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
