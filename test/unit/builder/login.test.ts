import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Builder } from "../../../core/builder/Builder.ts"
import type { ConversationId } from "../../../core/builder/Conversation.ts"
import * as Host from "../../../core/builder/host/Host.ts"
import * as StartingState from "../../../core/builder/host/StartingState.ts"
import { ofWorkflow } from "../../../core/builder/Sources.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import { Accounts } from "../../../core/vault/Accounts.ts"
import * as Inbox from "../../../core/vault/inbox/Inbox.ts"
import { ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import { LoginCodes } from "../../../core/vault/otp/LoginCodes.ts"
import { Vault } from "../../../core/vault/Vault.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { Audit } from "../../../core/workspace/audit/Audit.ts"
import { Identifiers } from "../../../core/workspace/Identifiers.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { eventually } from "../../support/eventually.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const bank = "https://bank.example"
const start = `${bank}/`
const form = `${bank}/code`
const home = `${bank}/home`
const robot = { permissionedUserId: "robot", domain: bank }
const cookie = { name: "session", value: "canary-cookie-0123456789", domain: "bank.example", path: "/", httpOnly: true }

const site: ScriptedBrowser.ScriptedSite = {
  [start]: [{ selector: "#send", leadsTo: form }],
  [form]: [{ selector: "#code", value: "", takes: { values: ["246802"], leadsTo: home } }],
  [home]: [{ selector: "//h1", text: `Welcome 246802 ${cookie.value}` }]
}

const services = Layer.effectDiscard(
  Effect.gen(function* () {
    const beginningOf = yield* StartingState.ofConversations
    yield* Effect.forkScoped(Host.run({ name: "h", capacity: 2, leaseMillis: 30_000, beginningOf }))
  })
).pipe(
  Layer.provide([ScriptedBrowser.layer(site), Accounts.layer, LoginCodes.layer]),
  Layer.provide(Layer.succeed(Inbox.InboxDomain, "inbox.example")),
  Layer.provideMerge(Layer.mergeAll(Builder.layer, Vault.layer)),
  Layer.provideMerge(Workflows.layer),
  Layer.provideMerge(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer))
)

/** The last message, once nothing continues any more. */
const answer = Effect.fnUntraced(function* (caller: Caller, id: ConversationId) {
  const builder = yield* Builder
  while ((yield* builder.get(caller, id)).status === "processing") yield* Effect.sleep("100 millis")
  const { conversation } = yield* builder.get(caller, id)
  const [last] = yield* builder.messages(caller, id, conversation.messages, conversation.messages)
  if (last === undefined) throw new Error("Expected a message")
  return last
})

const say = Effect.fnUntraced(function* (caller: Caller, id: ConversationId, text: string) {
  yield* (yield* Builder).say(caller, id, text)
  return yield* eventually(answer(caller, id))
})

/** A conversation on a workflow that signs in at the bank, and its first answer. */
const open = Effect.fnUntraced(function* (caller: Caller, steps: ReadonlyArray<Step>) {
  const { workflow } = yield* (yield* Workflows).create(caller, {
    name: "Bank",
    vault_schema: { BANK: { type: "credential", domain: bank } },
    ...graphOf(start, steps)
  })
  const given = { inputs: {}, permissionedUserId: "robot", lastBrowserState: true }
  const opening = yield* ofWorkflow(caller, workflow.id, null, given)
  const { conversation } = yield* (yield* Builder).open(caller, opening)
  return { id: conversation.id, first: yield* eventually(answer(caller, conversation.id)) }
})

const signIn: ReadonlyArray<Step> = [
  { action: "CLICK", parameters: { selector: "#send" } },
  { action: "TFA", parameters: { credential: "BANK", tfa_type: "EMAIL", selector: "#code" } },
  {
    action: "EXTRACT_DATAMODEL",
    parameters: { extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } } }
  }
]

it.effect("a conversation signs in with a code that was mailed since its page was opened, and tells no secret", () =>
  Effect.gen(function* () {
    const caller = yield* makeWorkspace()
    yield* (yield* Vault).create(caller, {
      permissioned_user_id: "robot",
      domain: bank,
      tfa_method: "EMAIL",
      cookies: [cookie]
    })
    const { first, id } = yield* open(caller, signIn)
    assert.strictEqual(first.text, `Opened ${start}`)
    assert.include((yield* say(caller, id, "next")).text, "Done: CLICK 1")
    const code = Redacted.make(["246802"])
    yield* (yield* ReceivedCodes).keep(caller.workspaceId, {
      id: yield* (yield* Identifiers).uuid,
      kind: "code",
      address: Inbox.addressOf(caller.workspaceId, robot, "inbox.example"),
      sealed: yield* (yield* Sealing).seal(caller.workspaceId, code),
      receivedAt: yield* Clock.currentTimeMillis
    })
    yield* (yield* Signals).publish({ _tag: "received" })
    yield* Effect.sleep("5 seconds").pipe(eventually)
    assert.include((yield* say(caller, id, "next")).text, `The page is at ${home}`)
    const extracted = yield* say(caller, id, "next")
    assert.deepEqual<unknown>(extracted.result?.data, { title: "Welcome [secret] [secret]" })
    const trail = yield* (yield* Audit).list(caller.workspaceId, { actions: ["credential.open_in_builder"], limit: 10 })
    assert.deepStrictEqual(
      trail.map(({ after, resourceName, userId }) => ({ after, resourceName, userId })),
      [{ after: { conversation_id: id }, resourceName: `robot on ${bank}`, userId: caller.userId }]
    )
    assert.notMatch(JSON.stringify(trail), /246802|canary-cookie/)
  }).pipe(Effect.provide(services))
)

it.effect("a conversation says which of its credentials cannot be used, and why, whenever its page is opened", () =>
  Effect.gen(function* () {
    const caller = yield* makeWorkspace()
    const { first, id } = yield* open(caller, signIn)
    const unavailable = `Cannot use the credential BANK of "robot" for "${bank}": there is no such credential in the vault of this workspace.`
    assert.strictEqual(first.text, `${unavailable} Opened ${start}`)
    assert.notInclude((yield* say(caller, id, "next")).text, unavailable)
    yield* (yield* Vault).create(caller, { permissioned_user_id: "robot", domain: bank })
    assert.match((yield* say(caller, id, "replay")).text, /^Did 1 step/)
  }).pipe(Effect.provide(services))
)

it.effect("a new workflow signs in with the credential that its conversation was opened for", () =>
  Effect.gen(function* () {
    const caller = yield* makeWorkspace()
    yield* (yield* Vault).create(caller, { permissioned_user_id: "robot", domain: bank })
    const builder = yield* Builder
    const opening = {
      _tag: "New",
      name: "Bank",
      description: null,
      startUrl: `${bank}/`,
      inputSchema: null,
      inputs: { amount: 5 },
      settings: {},
      login: { permissionedUserId: "robot", site: `${bank}/login?next=1` }
    } as const
    const { conversation } = yield* builder.open(caller, opening)
    assert.deepEqual<unknown>(conversation.draft.content.vault_schema, { LOGIN: { type: "credential", domain: bank } })
    assert.deepEqual<unknown>(conversation.inputs, { amount: 5, LOGIN: "robot" })
    assert.strictEqual((yield* eventually(answer(caller, conversation.id))).text, `Opened ${start}`)
    const refused = (change: object) =>
      Effect.map(Effect.flip(builder.open(caller, { ...opening, ...change })), ({ message }) => message)
    assert.include(yield* refused({ login: { permissionedUserId: "robot", site: "no site" } }), "authUrl")
    assert.include(yield* refused({ inputs: { LOGIN: "x" } }), "permissionedUserId")
  }).pipe(Effect.provide(services))
)
