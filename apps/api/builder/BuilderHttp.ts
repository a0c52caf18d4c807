/** Answers the endpoints of conversations that build a workflow. */
import { Clock, Effect, Option, Schema, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Builder, defaultNote, type Reading, type TurnReading } from "../../../core/builder/Builder.ts"
import { PointedPage, type ViewKind } from "../../../core/builder/BuilderStore.ts"
import * as Conversation from "../../../core/builder/Conversation.ts"
import type { ConversationMessage } from "../../../core/builder/ConversationMessage.ts"
import type * as Draft from "../../../core/builder/Draft.ts"
import * as MissingInputs from "../../../core/builder/MissingInputs.ts"
import * as Sources from "../../../core/builder/Sources.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { Api } from "../Api.ts"
import { frame } from "../event/Frame.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Errors from "../http/Errors.ts"
import * as StreamRevocation from "../http/StreamRevocation.ts"
import { runId } from "../run/RunsHttp.ts"
import { holderOf, Streams } from "../stream/Streams.ts"
import { workflowId } from "../workflow/WorkflowsHttp.ts"
import { view } from "../workflow/WorkflowView.ts"
import type { MessageJson, StatusJson, TurnStateJson } from "./BuilderApi.ts"
import * as Page from "./BuilderPage.ts"

const pingEvery = "15 seconds"

export const layer = HttpApiBuilder.group(
  Api,
  "workflow builder",
  Effect.fn(function* (handlers) {
    const builder = yield* Builder
    const workflows = yield* Workflows
    const runs = yield* Runs
    const admitted = yield* StreamRevocation.make
    const streams = yield* Streams

    const opened = (reading: Reading) => ({ ...statusJson(reading), startedAt: reading.conversation.startedAt })

    const look = Effect.fnUntraced(function* (id: string, kind: ViewKind) {
      const seen = yield* builder.look(yield* CurrentCaller, yield* conversationId(id), kind)
      return Option.isSome(seen) ? seen.value : yield* Effect.fail(noBrowser(id))
    })

    const find = Effect.fnUntraced(function* (id: string) {
      return yield* builder.get(yield* CurrentCaller, yield* conversationId(id))
    })

    /** The draft in the shape of the workflow that it changes, or of one that is not saved yet. */
    const draftJson = Effect.fnUntraced(function* (caller: Caller, one: Conversation.Conversation) {
      const { origin } = one
      if (origin === null) return Page.draft(one, null)
      const stored = workflows.get(caller, origin.workflowId)
      return Page.draft(one, yield* Effect.catchTag(stored, "WorkflowNotFound", () => Effect.succeed(null)))
    })

    return handlers
      .handleRaw(
        "stream",
        Effect.fn(function* ({ headers, params }) {
          const caller = yield* CurrentCaller
          const id = yield* conversationId(params.conversation_id)
          const { conversation } = yield* builder.get(caller, id)
          const after = headers["last-event-id"] ?? "0"
          if (!/^\d{1,9}$/.test(after)) {
            return yield* Effect.fail(
              Errors.invalidAt("Last-Event-ID", `Expected the number of a message, got "${after.slice(0, 80)}"`)
            )
          }
          const whileAdmitted = yield* admitted
          const news = yield* builder.follow(caller, id, Number(after))
          const frames = Stream.map(news, (one) =>
            "status" in one
              ? frame("status", statusJson(one))
              : `id: ${one.number}\n${frame("message", messageJson(conversation.draft, one))}`
          )
          const pings = Stream.mapEffect(Stream.tick(pingEvery), () =>
            Effect.map(Clock.currentTimeMillis, (ts) => frame("ping", { ts }))
          )
          // Each frame is a separate write, for readers that take a chunk for one event.
          const all = Stream.merge(frames, pings, { haltStrategy: "left" }).pipe(
            whileAdmitted,
            Stream.encodeText,
            Stream.rechunk(1),
            Stream.tap(() => Effect.yieldNow)
          )
          return yield* streams.answer(holderOf(caller), all, {
            contentType: "text/event-stream",
            headers: { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no" }
          })
        })
      )
      .handleAll({
        openSession: Effect.fn(function* ({ payload }) {
          const caller = yield* CurrentCaller
          const inputs = yield* Page.inputs(payload.jsonExample ?? null, payload.inputVariables ?? {})
          const reading = yield* builder.open(caller, {
            _tag: "New",
            name: payload.name,
            description: payload.description ?? null,
            startUrl: payload.startUrl,
            inputSchema: payload.inputSchema ?? null,
            inputs,
            settings: Page.settings(payload),
            login: Page.login(payload)
          })
          return opened(reading)
        }),
        openSessionFromWorkflow: Effect.fn(function* ({ payload }) {
          const caller = yield* CurrentCaller
          const id = yield* workflowId(payload.workflowId)
          const opening = yield* Sources.ofWorkflow(caller, id, payload.targetNodeId ?? null, given(payload)).pipe(
            Effect.provideService(Workflows, workflows)
          )
          return opened(yield* builder.open(caller, opening))
        }),
        openSessionFromFailedRun: Effect.fn(function* ({ payload }) {
          const caller = yield* CurrentCaller
          const named = payload.sessionId ?? payload.session_id ?? null
          if (named === null)
            return yield* Effect.fail(Errors.invalidAt("sessionId", "Expected the id of a failed run"))
          const opening = yield* Sources.ofFailedRun(caller, yield* runId(named), given(payload)).pipe(
            Effect.provideService(Workflows, workflows),
            Effect.provideService(Runs, runs)
          )
          return opened(yield* builder.open(caller, opening))
        }),
        listSessions: Effect.fn(function* () {
          const all = yield* builder.list(yield* CurrentCaller)
          return {
            sessions: all.map(({ conversation, status }) => ({
              conversationId: conversation.id,
              previousConversationIds: [],
              ...ofWorkflow(conversation),
              status,
              startedAt: conversation.startedAt,
              title: conversation.draft.name,
              workspaceId: conversation.workspaceId
            }))
          }
        }),
        say: Effect.fn(function* ({ params, payload }) {
          const caller = yield* CurrentCaller
          const id = yield* conversationId(params.conversation_id)
          const taken = yield* builder.say(caller, id, payload.text)
          return { ...statusJson(taken), messageId: taken.messageId }
        }),
        status: Effect.fn(function* ({ params }) {
          const found = yield* find(params.conversation_id)
          return { ...statusJson(found), ...(found.waits ? { waitsForPlace: true } : {}) }
        }),
        turnState: Effect.fn(function* ({ params }) {
          return turnStateJson(yield* builder.turn(yield* CurrentCaller, yield* conversationId(params.conversation_id)))
        }),
        messages: Effect.fn(function* ({ params, query }) {
          const caller = yield* CurrentCaller
          const { conversation, status } = yield* find(params.conversation_id)
          const asked = yield* Page.read(query)
          const { from, hasMore, to } = Page.range(asked, conversation.messages)
          const found = yield* builder.messages(caller, conversation.id, from, to)
          return {
            messages: found.map((one) => messageJson(conversation.draft, one)),
            total: conversation.messages,
            ...asked,
            hasMore,
            isProcessing: status === "processing"
          }
        }),
        respond: Effect.fn(function* ({ params, payload }) {
          const caller = yield* CurrentCaller
          const id = yield* conversationId(params.conversation_id)
          const answer: MissingInputs.Answer["given"] | null =
            payload.responses != null
              ? { responses: payload.responses }
              : payload.value != null
                ? { value: payload.value }
                : null
          if (answer === null) {
            return yield* Effect.fail(
              Errors.invalidAt("value", "Expected a value, or responses with values by their names")
            )
          }
          const after = yield* builder.respond(caller, id, { messageId: payload.messageId, given: answer })
          return statusJson(after)
        }),
        draft: Effect.fn(function* ({ params }) {
          const caller = yield* CurrentCaller
          const { conversation } = yield* find(params.conversation_id)
          return yield* draftJson(caller, conversation)
        }),
        screenshot: Effect.fn(function* ({ params }) {
          const { body, url } = yield* look(params.conversation_id, "screenshot")
          return { url, base64: body }
        }),
        html: Effect.fn(function* ({ params }) {
          const { body, url } = yield* look(params.conversation_id, "html")
          return { url, html: body }
        }),
        elements: Effect.fn(function* ({ params }) {
          const { body, url } = yield* look(params.conversation_id, "elements")
          return { url, ...(yield* Effect.orDie(pointed(body))) }
        }),
        save: Effect.fn(function* ({ params, payload }) {
          const caller = yield* CurrentCaller
          const id = yield* conversationId(params.conversation_id)
          const stored = yield* builder.save(caller, id, {
            note: payload?.versionNote ?? defaultNote,
            force: payload?.force === true
          })
          return view(stored, yield* Clock.currentTimeMillis)
        }),
        interruptSession: Effect.fn(function* ({ params }) {
          const caller = yield* CurrentCaller
          const id = yield* conversationId(params.conversation_id)
          return statusJson(yield* builder.interrupt(caller, id))
        }),
        endSession: Effect.fn(function* ({ params }) {
          const caller = yield* CurrentCaller
          const id = yield* conversationId(params.conversation_id)
          return statusJson(yield* builder.end(caller, id))
        })
      })
  })
)

const pointed = Schema.decodeEffect(Schema.fromJsonString(PointedPage))

const noBrowser = (conversationId: string) => ({
  ...Errors.general(409, `Conversation "${conversationId}" has no page open: the next message opens one`),
  code: "NO_BROWSER_ATTACHED"
})

const conversationId = (text: string) =>
  Schema.decodeUnknownEffect(Conversation.ConversationId)(text).pipe(
    Effect.mapError(() => new Conversation.ConversationNotFound({ conversationId: text.slice(0, 80), ended: false }))
  )

const given = (payload: {
  readonly inputVariables?: Schema.JsonObject | null
  readonly permissionedUserId?: string | null
  readonly useLastBrowserState?: boolean | null
}) => ({
  inputs: payload.inputVariables ?? {},
  permissionedUserId: payload.permissionedUserId ?? null,
  lastBrowserState: payload.useLastBrowserState ?? true
})

const ofWorkflow = ({ origin }: Conversation.Conversation) => (origin === null ? {} : { workflowId: origin.workflowId })

const statusJson = ({ conversation, status }: Reading): typeof StatusJson.Type => ({
  conversationId: conversation.id,
  status,
  terminal: Conversation.isTerminal(status),
  isProcessing: status === "processing",
  ...ofWorkflow(conversation)
})

const turnStateJson = (reading: TurnReading): typeof TurnStateJson.Type => {
  const { asked, conversation, report } = reading
  const { status: phase, ...state } = statusJson(reading)
  const isDone = phase === "completed" || phase === "agent-errored"
  return {
    ...state,
    phase,
    ...(isDone && report !== null ? { report: report.text } : {}),
    ...(phase === "awaiting-human-input" && asked?.question !== undefined
      ? {
          humanInput: {
            messageId: asked.id,
            prompt: asked.text,
            fields: MissingInputs.askedInputs(conversation.draft, asked.question)
          }
        }
      : {})
  }
}

/** A message. What it asks for is as the draft describes it, which does not change while the question is open. */
const messageJson = (draft: Draft.Draft, { kind, role, ...message }: ConversationMessage): typeof MessageJson.Type => {
  const { question } = message
  const json = { ...message, type: kind, role: role === "user" ? role : ("assistant" as const) }
  return question?.state === "open"
    ? {
        ...json,
        status: "waiting_for_input",
        event_type: "interaction.inputs",
        content: { humanInputs: MissingInputs.askedInputs(draft, question) }
      }
    : { ...json, status: "success" }
}
