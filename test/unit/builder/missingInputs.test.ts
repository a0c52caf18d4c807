import { assert, it } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import * as Conversation from "../../../core/builder/Conversation.ts"
import * as Draft from "../../../core/builder/Draft.ts"
import * as MissingInputs from "../../../core/builder/MissingInputs.ts"
import { UserId, WorkspaceId } from "../../../core/workspace/Ids.ts"

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`

const question = {
  missing: ["LOGIN", "state", "amount"],
  schema: {
    type: "object",
    properties: {
      LOGIN: { type: "string" },
      state: { type: "string", description: "Where it goes", enum: ["CA", "NY"], default: "CA" },
      amount: { type: ["number", "null"] }
    }
  },
  state: "open"
} as const

const asking = Effect.gen(function* () {
  const domain = "https://shop.example"
  const draft = yield* Draft.fresh(
    {
      name: "New",
      description: null,
      startUrl: domain,
      inputSchema: {},
      vaultSchema: { LOGIN: { type: "credential", domain } },
      settings: {}
    },
    { start: id(1), end: id(2) }
  )
  const conversation: Conversation.Conversation = {
    id: Conversation.ConversationId.make(id(3)),
    workspaceId: WorkspaceId.make(id(4)),
    userId: UserId.make(id(5)),
    startedAt: 0,
    expiresAt: 1,
    endedAt: null,
    origin: null,
    inputs: { kept: 1 },
    draft,
    turn: null,
    rest: "idle",
    question: id(6),
    until: null,
    messages: 1,
    lease: null,
    fence: 0,
    page: false
  }
  return conversation
})

it.effect("a question names its inputs with the types, choices and defaults that a form shows", () =>
  Effect.gen(function* () {
    const { draft } = yield* asking
    assert.deepStrictEqual(MissingInputs.askedInputs(draft, question), [
      { name: "LOGIN", type: "auth", description: "The user to sign in with at https://shop.example" },
      { name: "state", type: "string", description: "Where it goes", default: "CA", options: ["CA", "NY"] },
      { name: "amount", type: "string", description: "The input amount" }
    ])
  })
)

it.effect.each([
  ["its user", "u-1", "u-1"],
  ["its user and domain", { permissioned_user_id: "u-1", domain: "https://shop.example" }, "u-1"],
  [
    "a user of another domain, which stays as it was sent and breaks the contract",
    { permissioned_user_id: "u-1", domain: "https://bank.example" },
    { permissioned_user_id: "u-1", domain: "https://bank.example" }
  ]
] as const)("a credential is answered with %s", ([_name, given, expected]) =>
  Effect.gen(function* () {
    const responses: Schema.JsonObject = { LOGIN: given, state: { permissioned_user_id: "plain data" } }
    const inputs = MissingInputs.inputsWith(yield* asking, question, { messageId: id(6), given: { responses } })
    assert.deepStrictEqual(inputs, { kept: 1, LOGIN: expected, state: { permissioned_user_id: "plain data" } })
  })
)
