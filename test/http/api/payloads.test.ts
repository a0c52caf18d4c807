/** The bodies of writes are one thing in the description of the interface and in the types of its client. */
import { assert, it } from "@effect/vitest"
import type { Effect } from "effect"
import type { HttpClientResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { expectTypeOf } from "vitest"
import { Api } from "../../../apps/api/Api.ts"
import type { Client, WorkflowNode, WorkflowNodeOf, WorkflowToSave } from "../../../apps/api/Client.ts"
import type { Unchecked } from "../../../apps/api/http/body/Sent.ts"
import type { EntryBody, PairBody } from "../../../core/vault/EntryBody.ts"
import type { ConnectionBody, ConnectionChange } from "../../../core/vault/providers/ConnectionBody.ts"
import type { RunWindow } from "../../../core/window/RunWindow.ts"
import { bodySchema, type Document, operationsOf } from "../../support/description.ts"

type Method = (request: never) => unknown

/** The body of an operation as a client provides it. */
type Payload<M extends Method> = Exclude<
  Parameters<M>[0] extends { readonly payload: infer P } ? P : never,
  Unchecked | null
>

/** The answer of an operation to a client that asks only for its decoded body. */
type Answer<M extends Method> =
  ReturnType<M> extends Effect.Effect<infer A, infer _E, infer _R>
    ? Exclude<A, HttpClientResponse.HttpClientResponse | ReadonlyArray<unknown>>
    : never

it("a client provides workflows, run windows, components and credentials in their documented form", () => {
  expectTypeOf<Payload<Client["workflows"]["create"]>>().toEqualTypeOf<WorkflowToSave>()
  expectTypeOf<Payload<Client["workflows"]["save"]>>().toEqualTypeOf<WorkflowToSave>()
  expectTypeOf<Payload<Client["workflows"]["upsert"]>>().toExtend<WorkflowToSave & { readonly id?: string | null }>()
  expectTypeOf<Payload<Client["workflows"]["fork"]>>().toHaveProperty("name").toEqualTypeOf<string | null | undefined>()
  expectTypeOf<Payload<Client["runWindows"]["setRunWindow"]>>().toEqualTypeOf<RunWindow>()
  expectTypeOf<Payload<Client["runWindows"]["previewRunWindow"]>>().toEqualTypeOf<RunWindow>()
  type Components = Client["workflow components"]
  type NodeOf<M extends Method> =
    Payload<M> extends { readonly componentData: { readonly nodes: ReadonlyArray<infer N> } } ? N : never
  expectTypeOf<NodeOf<Components["createComponent"]>>().toHaveProperty("workflowNode").toEqualTypeOf<WorkflowNode>()
  expectTypeOf<NodeOf<Components["saveComponent"]>>().toHaveProperty("workflowNode").toEqualTypeOf<WorkflowNode>()
  expectTypeOf<Payload<Components["renameComponent"]>>().toEqualTypeOf<{ readonly name: string }>()
  expectTypeOf<Payload<Client["vault"]["createEntry"]>>().toEqualTypeOf<typeof EntryBody.Encoded>()
  expectTypeOf<Payload<Client["vault"]["updateEntry"]>>().toEqualTypeOf<typeof EntryBody.Encoded>()
  expectTypeOf<Payload<Client["vault"]["removeEntry"]>>().toEqualTypeOf<typeof PairBody.Encoded>()
  expectTypeOf<Payload<Client["vault"]["clearBrowserState"]>>().toEqualTypeOf<typeof PairBody.Encoded>()
  expectTypeOf<Payload<Client["authentication"]["createAuthentication"]>>().toEqualTypeOf<typeof EntryBody.Encoded>()
  expectTypeOf<Payload<Client["authentication"]["updateAuthentication"]>>().toEqualTypeOf<typeof EntryBody.Encoded>()
  expectTypeOf<Payload<Client["secret providers"]["createSecretProvider"]>>().toEqualTypeOf<
    typeof ConnectionBody.Encoded
  >()
  expectTypeOf<Payload<Client["secret providers"]["changeSecretProvider"]>>().toEqualTypeOf<
    typeof ConnectionChange.Encoded
  >()
})

it("the parameters of a node are those of its action", () => {
  const node = { id: "00000000-0000-4000-8000-000000000001", name: "Open" }
  expectTypeOf({
    ...node,
    action: "CLICK" as const,
    parameters: { selector: "//a", run_if: { conditions: [{ field: "context.x", operator: "IS_NULL" as const }] } }
  }).toExtend<WorkflowNodeOf<"CLICK">>()
  // @ts-expect-error START needs a url
  const start: WorkflowNodeOf<"START"> = { ...node, action: "START", parameters: {} }
  // @ts-expect-error NAVIGATE is always done, and has no run_if
  const next: WorkflowNodeOf<"NAVIGATE"> = { ...node, action: "NAVIGATE", parameters: { url: "/", run_if: null } }
  assert.notStrictEqual(start.action, next.action)
})

it("an answer can be sent back: a workflow is saved, or imported, as an exported one is", () => {
  expectTypeOf<Answer<Client["workflows"]["get"]>>().toExtend<Payload<Client["workflows"]["save"]>>()
  expectTypeOf<Answer<Client["workflows"]["get"]>>().toExtend<Payload<Client["workflows"]["upsert"]>>()
  expectTypeOf<Answer<Client["workflows"]["export"]>>().toExtend<Payload<Client["workflows"]["import"]>>()
  expectTypeOf<Answer<Client["workflows"]["get"]>>().toExtend<Payload<Client["workflows"]["import"]>>()
  expectTypeOf<NonNullable<Answer<Client["runWindows"]["getRunWindow"]>["run_window"]>>().toExtend<
    Payload<Client["runWindows"]["setRunWindow"]>
  >()
  expectTypeOf<Answer<Client["workflow components"]["getComponent"]>["component_data"]>().toExtend<
    Payload<Client["workflow components"]["saveComponent"]>["componentData"]
  >()
})

it("every body that is required is described", () => {
  const document = OpenApi.fromApi(Api) as unknown as Document
  const undescribed = operationsOf(document).filter((operation) => {
    const schema = bodySchema(operation)
    return schema !== undefined && !["$ref", "type", "anyOf"].some((keyword) => Object.hasOwn(schema, keyword))
  })
  assert.deepStrictEqual(
    undescribed.map(({ operationId }) => operationId),
    []
  )
})
