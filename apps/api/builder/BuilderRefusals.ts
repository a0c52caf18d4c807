/** What conversations refuse, as the interface reports it. */
import { Effect } from "effect"
import type { AlreadyAnswered, AnswerIncomplete, QuestionNotFound } from "../../../core/builder/Answering.ts"
import type { TooManyConversations } from "../../../core/builder/BuilderStore.ts"
import { ConversationNotFound, type SessionBusy } from "../../../core/builder/Conversation.ts"
import type { InvalidInput } from "../../../core/workflow/contract/InputContract.ts"
import type { FieldsTooLarge } from "../../../core/workflow/FieldLimit.ts"
import type { InvalidWorkflow } from "../../../core/workflow/Workflow.ts"
import type { VersionConflict } from "../../../core/workflow/Workflows.ts"
import type { WorkflowNotFound } from "../../../core/workspace/Ids.ts"
import * as Errors from "../http/Errors.ts"

export const gone = ({ message }: ConversationNotFound) => ({
  ...Errors.general(404, message),
  code: "CONVERSATION_NOT_FOUND" as const
})

/** Answers a conversation that does not exist, or has ended, with 404; other failures pass. */
export const orGone = <A, E, R>(
  self: Effect.Effect<A, E | ConversationNotFound, R>
): Effect.Effect<A, Exclude<E, ConversationNotFound> | ReturnType<typeof gone>, R> =>
  Effect.mapError(self, (error) =>
    error instanceof ConversationNotFound ? gone(error) : (error as Exclude<E, ConversationNotFound>)
  )

export const conflict = (code: string, { message }: { readonly message: string }) => ({
  ...Errors.general(409, message),
  code
})

export const noBrowser = (conversationId: string) =>
  conflict("NO_BROWSER_ATTACHED", {
    message: `Conversation "${conversationId}" has no page open: the next message opens one`
  })

const ConversationGone = (error: ConversationNotFound) => Effect.fail(gone(error))

/** How a conversation may not be opened. */
export const opening = {
  TooManyConversations: (error: TooManyConversations) => Effect.fail(conflict("TOO_MANY_SESSIONS", error)),
  InvalidWorkflow: (error: InvalidWorkflow) => Effect.fail(Errors.invalidWorkflow(error)),
  InvalidInput: (error: InvalidInput) => Effect.fail(Errors.invalidInput(error))
}

export const saying = {
  ConversationNotFound: ConversationGone,
  SessionBusy: (error: SessionBusy) => Effect.fail(conflict("SESSION_BUSY", error))
}

export const answering = {
  ConversationNotFound: ConversationGone,
  QuestionNotFound: ({ message }: QuestionNotFound) =>
    Effect.fail({ ...Errors.general(404, message), code: "MESSAGE_NOT_FOUND" as const }),
  AlreadyAnswered: (error: AlreadyAnswered) => Effect.fail(conflict("ALREADY_ANSWERED", error)),
  AnswerIncomplete: ({ message }: AnswerIncomplete) =>
    Effect.fail({ ...Errors.badRequest(message), code: "VALIDATION_FAILED" }),
  InvalidInput: (error: InvalidInput) => Effect.fail(Errors.invalidInput(error))
}

export const saving = {
  ConversationNotFound: ConversationGone,
  InvalidWorkflow: (error: InvalidWorkflow) => Effect.fail(Errors.invalidWorkflow(error)),
  FieldsTooLarge: (error: FieldsTooLarge) => Effect.fail(Errors.fieldsTooLarge(error)),
  WorkflowNotFound: (error: WorkflowNotFound) => Effect.fail(Errors.notFound(error)),
  VersionConflict: (error: VersionConflict) => Effect.fail(Errors.versionConflict(error))
}
