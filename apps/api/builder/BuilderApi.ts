/** The endpoints of conversations that build a workflow on an open page. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { PointedPage } from "../../../core/builder/BuilderStore.ts"
import { help } from "../../../core/builder/Command.ts"
import { ConversationId, type ConversationNotFound, Repair, Status } from "../../../core/builder/Conversation.ts"
import { ActionResult, Question } from "../../../core/builder/ConversationMessage.ts"
import { Cursor } from "../../../core/builder/DraftPatch.ts"
import type { QuestionNotFound } from "../../../core/builder/MissingInputs.ts"
import { Progress } from "../../../core/builder/Progress.ts"
import { Awaited, Describing } from "../../../core/builder/proposal/Describing.ts"
import { RunWindow } from "../../../core/window/RunWindow.ts"
import * as TextLength from "../../../core/window/TextLength.ts"
import * as FieldLimit from "../../../core/workflow/FieldLimit.ts"
import { jsonObject } from "../../../core/workspace/request/ParsedJson.ts"
import { MaxBody, mebibytes, Needs, streamLimits } from "../Annotations.ts"
import { edits, optional } from "../http/body/Fields.ts"
import { large } from "../http/body/LargeBody.ts"
import * as Errors from "../http/Errors.ts"
import { WorkflowView } from "../workflow/WorkflowView.ts"

/** 404: the conversation does not exist, or it has ended and accepts no further messages. */
export const ConversationGone = Errors.answering(
  "ConversationGone",
  Schema.Struct({
    ...Errors.body(404).fields,
    code: Schema.optionalKey(Schema.Literals(["CONVERSATION_NOT_FOUND", "MESSAGE_NOT_FOUND"])),
    /** The conversation that continues this one. */
    successorConversationId: Schema.optionalKey(Schema.String)
  }).annotate({ identifier: "ConversationNotFound" }),
  {
    ConversationNotFound: ({ message }: ConversationNotFound) => ({
      ...Errors.general(404, message),
      code: "CONVERSATION_NOT_FOUND" as const
    }),
    QuestionNotFound: ({ message }: QuestionNotFound) => ({
      ...Errors.general(404, message),
      code: "MESSAGE_NOT_FOUND" as const
    })
  }
).pipe(HttpApiSchema.status(404))

const conversation = { conversation_id: Schema.String }

/** Milliseconds since 1970. */
const Millis = Schema.Finite.annotate({ description: "Milliseconds since 1970" })

const reading = {
  conversationId: ConversationId,
  status: Status,
  /**
   * Whether nothing changes before the next message: the last one completed or failed, or the conversation has ended.
   */
  terminal: Schema.Boolean,
  isProcessing: Schema.Boolean,
  workflowId: Schema.optionalKey(Schema.String)
}

export const StatusJson = Schema.Struct({
  ...reading,
  waitsForPlace: Schema.optionalKey(Schema.Boolean).annotate({
    description:
      "The turn has not begun: all places of the workers are in use, or those that one workspace may have (SLUICE_WORKSPACE_BUILDER_SESSIONS). End a conversation, or wait"
  })
}).annotate({ identifier: "BuilderStatus" })

const Opened = Schema.Struct({ ...reading, startedAt: Millis }).annotate({ identifier: "BuilderSessionOpened" })

const Session = Schema.Struct({
  conversationId: ConversationId,
  previousConversationIds: Schema.Array(Schema.String),
  workflowId: Schema.optionalKey(Schema.String),
  status: Status,
  startedAt: Millis,
  title: Schema.String,
  workspaceId: Schema.String
}).annotate({ identifier: "BuilderSession" })

/** One input that an open question asks for. */
const HumanInput = Schema.Struct({
  name: Schema.String,
  /** `auth` for a credential: its value is `permissioned_user_id`, or an object with that and `domain`. */
  type: Schema.String,
  description: Schema.String,
  default: Schema.optionalKey(Schema.Json),
  options: Schema.optionalKey(Schema.Array(Schema.Json))
}).annotate({ identifier: "BuilderHumanInput" })

export const TurnStateJson = Schema.Struct({
  conversationId: ConversationId,
  /** As `status` of the conversation. */
  phase: Status,
  terminal: Schema.Boolean,
  isProcessing: Schema.Boolean,
  workflowId: Schema.optionalKey(Schema.String),
  /** The last answer of the agent, where the turn is completed or failed. */
  report: Schema.optionalKey(Schema.String),
  /** The open question, where the conversation waits for its answer. */
  humanInput: Schema.optionalKey(
    Schema.Struct({ messageId: Schema.String, prompt: Schema.String, fields: Schema.Array(HumanInput) })
  )
}).annotate({ identifier: "BuilderTurnState" })

export const MessageJson = Schema.Struct({
  id: Schema.String,
  /** Counts the messages of the conversation from 1. */
  number: Schema.Int,
  role: Schema.Literals(["user", "assistant"]),
  /** `waiting_for_input` for an open question. */
  status: Schema.Literals(["success", "waiting_for_input"]),
  type: Schema.Literals(["text", "question", "action_result"]),
  text: Schema.String,
  createdAt: Millis,
  result: Schema.optionalKey(ActionResult),
  question: Schema.optionalKey(Question),
  /** Beside an open question. */
  event_type: Schema.optionalKey(Schema.Literal("interaction.inputs")),
  content: Schema.optionalKey(Schema.Struct({ humanInputs: Schema.Array(HumanInput) }))
}).annotate({ identifier: "BuilderMessage" })

const NewSession = Schema.Struct({
  name: Schema.String.check(Schema.isNonEmpty({ message: "Expected a name" }), TextLength.atMost(256)),
  startUrl: Schema.String.check(Schema.isNonEmpty({ message: "Expected the address to begin at" })),
  description: optional(Schema.String.check(TextLength.atMost(4_096))),
  /** The user whose credential the workflow signs in with: it gets the alias LOGIN for the site of `authUrl`. */
  permissionedUserId: optional(Schema.String),
  /** The address to sign in at; default: the start page. */
  authUrl: optional(Schema.String),
  proxySetting: optional(Schema.Literals(["country", "static", "random", "off"])),
  proxyValue: optional(Schema.String),
  /** The input schema of the workflow; default: derived from the given inputs. */
  inputSchema: optional(Schema.JsonObject),
  /** Example inputs of the conversation: an object, or its JSON text. */
  jsonExample: optional(Schema.Json),
  inputVariables: optional(Schema.JsonObject),
  enableNetworkListener: optional(Schema.Boolean)
}).annotate({ identifier: "BuilderSessionRequest" })

const given = {
  inputVariables: optional(jsonObject),
  /** The user of every credential that is not in the inputs. */
  permissionedUserId: optional(Schema.String),
  authUrl: optional(Schema.String),
  /** `false` begins without the cookies and the storage that are stored with the credentials. */
  useLastBrowserState: optional(Schema.Boolean)
}

const FromWorkflow = Schema.Struct({
  workflowId: Schema.String,
  /** The steps before this node are carried out; without it, only the start page is opened. */
  targetNodeId: optional(Schema.String),
  ...given
}).annotate({ identifier: "BuilderSessionFromWorkflow" })

const FromFailedRun = Schema.Struct({
  sessionId: optional(Schema.String),
  session_id: optional(Schema.String),
  ...given
}).annotate({ identifier: "BuilderSessionFromFailedRun" })

const { bounds, spent, state, task } = Describing.fields

const DescribingJson = Schema.Struct({
  task,
  state: state.annotate({
    description: "`waits` for a yes or a no, `done` once a run in a new session did the steps, `stopped` otherwise"
  }),
  budget: bounds,
  spent: spent.annotate({ description: "What was spent of the budget; the time in milliseconds" }),
  awaited: Schema.NullOr(Awaited).annotate({ description: "The act that waits for a yes: it cannot be undone" })
}).annotate({ identifier: "BuilderDescribedTask" })

/** A draft, in the shape of a workflow. Its ids are `null` until it is saved. Optional settings stand beside the fields. */
export const DraftJson = Schema.StructWithRest(
  Schema.Struct({
    id: Schema.NullOr(Schema.String),
    name: Schema.String,
    description: Schema.NullOr(Schema.String),
    created_at: Schema.String,
    updated_at: Schema.String,
    workspace_id: Schema.String,
    created_by: Schema.String,
    version_id: Schema.NullOr(Schema.String),
    version_number: Schema.NullOr(Schema.Int),
    nodes: Schema.Array(Schema.JsonObject),
    edges: Schema.JsonObject,
    input_schema: Schema.JsonObject,
    output_schema: Schema.JsonObject,
    vault_schema: Schema.JsonObject,
    max_retries: Schema.Int,
    run_window: Schema.NullOr(RunWindow),
    loop: Schema.NullOr(Schema.String).annotate({
      description: "The id of the LOOP whose body the next step goes into; `null` outside of loops"
    }),
    cursor: Cursor.annotate({ description: "Where the next step goes: after a node, on one of its edges" }),
    progress: Progress.annotate({
      description:
        "What was carried out on the open page: the outcome of each step, and the step after which the page is as it is"
    }),
    repair: Schema.NullOr(Repair).annotate({
      description: "The failure of the run that the conversation began with; `null` where it began otherwise"
    }),
    describing: Schema.NullOr(DescribingJson).annotate({
      description: "The task that a model was given last, and how far it came; `null` without one"
    }),
    unsaved: Schema.Boolean.annotate({
      description: "Whether it was changed since it was saved, or since the conversation began"
    }),
    can_undo: Schema.Boolean,
    can_redo: Schema.Boolean
  }),
  [Schema.Record(Schema.String, Schema.Json)]
).annotate({ identifier: "BuilderWorkflow" })

/** The errors of messages, answers and other changes. */
const changes = [Errors.BadRequest, Errors.Forbidden, ConversationGone, Errors.Conflict] as const

const base = "/workflow-builder/agent"

const group = HttpApiGroup.make("workflow builder").annotate(
  OpenApi.Description,
  "Conversations that build a workflow on an open page, one action at a time"
)

export class BuilderGroup extends group.add(
  HttpApiEndpoint.post("openSession", `${base}/session`, {
    payload: NewSession,
    success: Opened.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Start a conversation that builds a new workflow, with an address open in a browser")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.post("openSessionFromWorkflow", `${base}/session/from-workflow`, {
    payload: large(FromWorkflow),
    success: Opened.pipe(HttpApiSchema.status(201)),
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Start a conversation that changes a workflow, run up to one of its nodes")
    .annotate(Needs, "edit")
    .annotate(MaxBody, mebibytes(25)),
  HttpApiEndpoint.post("openSessionFromFailedRun", `${base}/session/from-failed-run`, {
    payload: large(FromFailedRun),
    success: Opened.pipe(HttpApiSchema.status(201)),
    error: [...edits, Errors.Conflict]
  })
    .annotate(
      OpenApi.Summary,
      "Start a conversation on the workflow of a failed run, with its inputs, run up to the node that failed"
    )
    .annotate(Needs, "edit")
    .annotate(MaxBody, mebibytes(25)),
  HttpApiEndpoint.get("listSessions", `${base}/sessions`, {
    success: Schema.Struct({ sessions: Schema.Array(Session) })
  })
    .annotate(OpenApi.Summary, "List the conversations that have not ended, newest first")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("say", `${base}/:conversation_id/message`, {
    params: conversation,
    payload: Schema.Struct({
      text: Schema.String.check(Schema.isNonEmpty({ message: "Expected a message" }), TextLength.atMost(200_000))
    }),
    success: Schema.Struct({ ...reading, messageId: Schema.String }).annotate({ identifier: "BuilderMessageTaken" }),
    error: changes
  })
    .annotate(
      OpenApi.Summary,
      "Send a message that describes one action; if it succeeds, it becomes the next step of the workflow"
    )
    .annotate(Needs, "edit")
    .annotate(OpenApi.Description, help),
  HttpApiEndpoint.get("status", `${base}/:conversation_id/status`, {
    params: conversation,
    success: StatusJson,
    error: ConversationGone
  })
    .annotate(OpenApi.Summary, "Read the status of a conversation")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("turnState", `${base}/:conversation_id/turn-state`, {
    params: conversation,
    success: TurnStateJson,
    error: ConversationGone
  })
    .annotate(OpenApi.Summary, "Read the result of the last message of a conversation: its report, or its question")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("messages", `${base}/:conversation_id/messages`, {
    params: conversation,
    query: {
      limit: Schema.optionalKey(Schema.String),
      offset: Schema.optionalKey(Schema.String),
      /** `true` counts from the last message backwards. The answer is in ascending order. */
      tail: Schema.optionalKey(Schema.String)
    },
    success: Schema.Struct({
      messages: Schema.Array(MessageJson),
      total: Schema.Int,
      offset: Schema.Int,
      limit: Schema.Int,
      tail: Schema.Boolean,
      hasMore: Schema.Boolean,
      isProcessing: Schema.Boolean
    }).annotate({ identifier: "BuilderMessages" }),
    error: [Errors.BadRequest, ConversationGone]
  })
    .annotate(OpenApi.Summary, "Read the messages of a conversation; with tail=true, the latest ones")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("respond", `${base}/:conversation_id/respond`, {
    params: conversation,
    payload: Schema.Struct({
      messageId: Schema.String,
      /** The answer to a question for one input. */
      value: optional(Schema.Json),
      /** The answers by their names. */
      responses: optional(Schema.JsonObject)
    }).annotate({ identifier: "BuilderAnswer" }),
    success: StatusJson,
    error: changes
  })
    .annotate(OpenApi.Summary, "Answer the open question of a conversation")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.get("draft", `${base}/:conversation_id/workflow`, {
    params: conversation,
    success: DraftJson,
    error: ConversationGone
  })
    .annotate(OpenApi.Summary, "Read the workflow of a conversation as it would be saved now")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("screenshot", `${base}/:conversation_id/screenshot`, {
    params: conversation,
    success: Schema.Struct({
      url: Schema.String,
      base64: Schema.String.annotate({ description: "A JPEG of the viewport" })
    }).annotate({ identifier: "BuilderScreenshot" }),
    error: [ConversationGone, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Take a screenshot of the page that a conversation has open")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("html", `${base}/:conversation_id/html`, {
    params: conversation,
    success: Schema.Struct({ url: Schema.String, html: Schema.String }).annotate({ identifier: "BuilderHtml" }),
    error: [ConversationGone, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Read the HTML of the page that a conversation has open")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("elements", `${base}/:conversation_id/elements`, {
    params: conversation,
    success: Schema.Struct({
      url: Schema.String,
      ...PointedPage.fields,
      base64: Schema.String.annotate({ description: "A JPEG of the viewport, `width` by `height`" })
    }).annotate({ identifier: "BuilderElements" }),
    error: [ConversationGone, Errors.Conflict]
  })
    .annotate(
      OpenApi.Summary,
      "Read a screenshot of the page with the elements that can be pointed at, each with its box and its selectors"
    )
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("save", `${base}/:conversation_id/save`, {
    params: conversation,
    // All fields and the body are optional.
    payload: [
      Schema.Struct({
        versionNote: optional(Schema.String.check(FieldLimit.described("version_note"))),
        /** Saves although the workflow has a later version than the one the conversation began with. */
        force: optional(Schema.Boolean)
      }).annotate({ identifier: "BuilderSave" }),
      Schema.Null
    ],
    success: WorkflowView,
    error: changes
  })
    .annotate(OpenApi.Summary, "Save the workflow of a conversation, as a new workflow or as the next version")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.post("interruptSession", `${base}/:conversation_id/interrupt`, {
    params: conversation,
    success: StatusJson,
    error: [Errors.Forbidden, ConversationGone]
  })
    .annotate(OpenApi.Summary, "Stop the current action of a conversation; its page stays open")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.delete("endSession", `${base}/:conversation_id`, {
    params: conversation,
    success: StatusJson,
    error: [Errors.Forbidden, ConversationGone]
  })
    .annotate(OpenApi.Summary, "End a conversation and close its browser")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.get("stream", `${base}/:conversation_id/stream`, {
    params: conversation,
    headers: { "last-event-id": Schema.optionalKey(Schema.String) },
    success: HttpApiSchema.StreamSse({
      events: Schema.Union([
        Schema.Struct({
          id: Schema.optionalKey(Schema.String),
          event: Schema.Literal("message"),
          data: Schema.fromJsonString(MessageJson)
        }),
        Schema.Struct({
          id: Schema.optionalKey(Schema.String),
          event: Schema.Literal("status"),
          data: Schema.fromJsonString(StatusJson)
        }),
        Schema.Struct({
          id: Schema.optionalKey(Schema.String),
          event: Schema.Literal("ping"),
          data: Schema.fromJsonString(Schema.Struct({ ts: Schema.Finite }))
        })
      ])
    }),
    error: [Errors.BadRequest, ConversationGone]
  })
    .annotate(OpenApi.Summary, "Stream the messages and status changes of a conversation until it ends")
    .annotate(Needs, "read")
    .annotate(OpenApi.Description, streamLimits)
) {}
