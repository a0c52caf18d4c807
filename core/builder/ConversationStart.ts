/** The start of conversations: on an address, or on a workflow whose steps are carried out up to one of them. */
import { Effect, type Schema } from "effect"
import * as Domain from "../vault/site/Domain.ts"
import * as InputContract from "../workflow/contract/InputContract.ts"
import * as SavedGraph from "../workflow/SavedGraph.ts"
import * as Sandbox from "../workflow/sandbox/Sandbox.ts"
import { type Content, InvalidWorkflow, type Settings } from "../workflow/Workflow.ts"
import type { StoredWorkflow } from "../workflow/WorkflowStore.ts"
import { tooCostly } from "../workflow/Workflows.ts"
import { Identifiers } from "../workspace/Identifiers.ts"
import * as Json from "../workspace/Json.ts"
import type { Caller } from "../workspace/Workspace.ts"
import * as Conversation from "./Conversation.ts"
import * as Draft from "./Draft.ts"

export type Opening =
  /** A new workflow that begins at `startUrl`. Without a schema, one is derived from the inputs. */
  | {
      readonly _tag: "New"
      readonly name: string
      readonly description: string | null
      readonly startUrl: string
      readonly inputSchema: Schema.JsonObject | null
      readonly inputs: Schema.JsonObject
      readonly settings: Settings
      /** The vault user of the workflow, under the alias `LOGIN`; `null` for a workflow without credentials. */
      readonly login: { readonly permissionedUserId: string; readonly site: string } | null
    }
  /** A version of a workflow, up to the node `until`, or with only its start page opened. */
  | {
      readonly _tag: "Of"
      readonly stored: StoredWorkflow
      readonly inputs: Schema.JsonObject
      readonly until: string | null
      /** Whether the browser begins with the cookies and the storage that are stored with the credentials. */
      readonly lastBrowserState: boolean
      /** The failure of the run that is mended. */
      readonly repair?: Conversation.Repair
    }

export type CannotOpen = InvalidWorkflow | InputContract.InvalidInput

/** The identifiers that the start may need. */
export const ids = Effect.gen(function* () {
  const { uuid } = yield* Identifiers
  return { conversation: yield* uuid, turn: yield* uuid, message: yield* uuid, start: yield* uuid, end: yield* uuid }
})

/** A new conversation, which opens its page, or asks for missing inputs. */
export const begin = (
  caller: Caller,
  opening: Opening,
  ids: Readonly<Record<"conversation" | "turn" | "message" | "start" | "end", string>>,
  at: number
): Effect.Effect<Conversation.Change, CannotOpen> =>
  Effect.map(draftOf(caller, opening, ids), (draft): Conversation.Change => {
    const until = opening._tag === "Of" ? opening.until : null
    const inputs = inputsOf(opening)
    const blank = opening._tag === "Of" && !opening.lastBrowserState ? { blankBrowser: true } : {}
    const one: Conversation.Conversation = {
      id: Conversation.ConversationId.make(ids.conversation),
      workspaceId: caller.workspaceId,
      userId: caller.userId,
      startedAt: at,
      expiresAt: at + Conversation.idleMillis,
      endedAt: null,
      origin:
        opening._tag === "New"
          ? null
          : {
              workflowId: opening.stored.workflow.id,
              versionId: opening.stored.version.versionId,
              versionNumber: opening.stored.version.versionNumber
            },
      inputs,
      ...blank,
      ...(opening._tag === "Of" && opening.repair !== undefined ? { repair: opening.repair } : {}),
      draft,
      turn: null,
      rest: "idle",
      question: null,
      until,
      messages: 0,
      lease: null,
      fence: 0,
      page: false
    }
    const missing = opening._tag === "New" ? [] : missingOf(draft, inputs)
    if (missing.length === 0) {
      return {
        conversation: Conversation.begin(one, { id: ids.turn, command: { _tag: "Open", until } }, at),
        messages: []
      }
    }
    const text = `The workflow needs ${missing.length === 1 ? "an input that was" : "inputs that were"} not given: ${missing.join(", ")}. Answer this message with ${missing.length === 1 ? "its value" : "their values by name"}`
    return Conversation.say(
      { ...one, question: ids.message },
      [
        {
          id: ids.message,
          role: "agent",
          kind: "question",
          text,
          question: { missing, schema: schemaFor(draft, missing), state: "open" }
        }
      ],
      at
    )
  })

/** The alias of the credential of a new workflow. */
const loginAlias = "LOGIN"

const inputsOf = (opening: Opening): Schema.JsonObject =>
  opening._tag === "New" && opening.login !== null
    ? { ...opening.inputs, [loginAlias]: opening.login.permissionedUserId }
    : opening.inputs

const draftOf = Effect.fnUntraced(
  function* (caller: Caller, opening: Opening, ids: Readonly<Record<"start" | "end", string>>) {
    if (opening._tag === "New") {
      const { description, inputs, login, name, settings, startUrl } = opening
      const domain = login === null ? undefined : Domain.originsOf(login.site)[0]
      if (login !== null && domain === undefined) {
        const message = "Expected the address of the site to sign in at, such as https://app.example.com"
        return yield* new InvalidWorkflow({ problems: [{ path: "authUrl", message }] })
      }
      if (login !== null && Object.hasOwn(inputs, loginAlias)) {
        const message = `Expected no input with the name ${loginAlias} beside it: the credential has it`
        return yield* new InvalidWorkflow({ problems: [{ path: "permissionedUserId", message }] })
      }
      const vaultSchema = domain === undefined ? {} : { [loginAlias]: { type: "credential", domain } }
      const inputSchema = opening.inputSchema ?? (Object.keys(inputs).length === 0 ? {} : Draft.schemaOf(inputs))
      return yield* Draft.fresh({ name, description, startUrl, inputSchema, vaultSchema, settings }, ids).pipe(
        Effect.catchTag("InvalidWorkflow", ({ problems }) =>
          Effect.fail(new InvalidWorkflow({ problems: problems.map(asSent) }))
        )
      )
    }
    const { inputs, stored, until } = opening
    const { content, versionNumber } = stored.version
    const graph = yield* SavedGraph.read(content)
    const draft = Draft.of({ name: stored.workflow.name, description: stored.workflow.description, content }, graph)
    if (until !== null && !graph.nodes.has(until)) {
      const message = `No node of version ${versionNumber} has the id "${until.slice(0, 80)}"`
      return yield* new InvalidWorkflow({ problems: [{ path: "targetNodeId", message }] })
    }
    if (missingOf(draft, inputs).length > 0) return draft
    const errors = yield* inputErrors(caller, content, inputs)
    return errors.length === 0 ? draft : yield* invalidInput(content, errors)
  },
  (drafted, caller) =>
    drafted.pipe(Effect.catchTag("TooCostly", tooCostly), Effect.provideService(Sandbox.Owner, caller.workspaceId))
)

type Contract = Pick<Content, "input_schema" | "vault_schema">

/** The errors of inputs against the contract of a draft. */
export const inputErrors = (
  caller: Caller,
  { input_schema, vault_schema }: Contract,
  inputs: Schema.JsonObject
): Effect.Effect<ReadonlyArray<InputContract.InputError>> =>
  Sandbox.run(caller.workspaceId, "checkInput", { content: { input_schema, vault_schema }, input: inputs }).pipe(
    Effect.catchTag(
      "TooCostly",
      Sandbox.refused((message) => Effect.succeed([InputContract.tooCostly({ message })]))
    )
  )

export const invalidInput = (content: Contract, errors: ReadonlyArray<InputContract.InputError>) =>
  new InputContract.InvalidInput({ errors, inputSchema: InputContract.effectiveSchema(content) })

/** Renames the paths of problems to the field names of the request. */
const asSent = ({ message, path }: { readonly path: string; readonly message: string }) => ({
  message,
  path: path.startsWith("nodes[0]") ? "startUrl" : path === "input_schema" ? "inputSchema" : path
})

/** The inputs that a draft requires and that are not given. */
export const missingOf = ({ content }: Draft.Draft, inputs: Schema.JsonObject): ReadonlyArray<string> => {
  const { required } = InputContract.effectiveSchema(content)
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : []
  return names.filter((name) => !Object.hasOwn(inputs, name))
}

const schemaFor = ({ content }: Draft.Draft, names: ReadonlyArray<string>): Schema.JsonObject => {
  const { properties } = InputContract.effectiveSchema(content)
  const known = Json.objectOf(properties)
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, known[name] ?? {}])),
    required: [...names]
  }
}
