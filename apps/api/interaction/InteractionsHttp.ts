/** Answers the endpoints by which a person answers what a run asks. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { popupContext } from "../../../core/event/EventJson.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { type Correction, missingProperties, type Subject } from "../../../core/run/interaction/Interaction.ts"
import { Interactions } from "../../../core/run/interaction/Interactions.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Errors from "../http/Errors.ts"
import { origin } from "../http/Origin.ts"
import { iso } from "../run/RunRecord.ts"
import { runId } from "../run/RunsHttp.ts"
import type { NewInputVariables } from "./InteractionsApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "interactions",
  Effect.fn(function* (handlers) {
    const interactions = yield* Interactions
    const links = yield* ArtifactLinks
    return handlers.handleAll({
      openQuestion: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        const open = yield* interactions.open(caller, yield* runId(params.session_id)).pipe(
          // There is no question, which this endpoint reads.
          Effect.catchTag("NotWaiting", ({ message }) => Effect.fail(Errors.general(404, message)))
        )
        const { artifact } = yield* links.under(yield* origin, caller.workspaceId)
        const { subject } = open
        const stuck = subject._tag === "input_required" ? subject : null
        const screenshotId = subject._tag === "interaction" ? null : subject.screenshotId
        return {
          id: open.id,
          session_id: open.runId,
          workflow_id: open.workflowId,
          kind: subject._tag,
          node_id: open.node.id,
          current_step: open.node.name,
          message: open.message,
          missing_properties: missingProperties(open.schema).filter(
            (name) => stuck === null || !Object.hasOwn(stuck.inputs, name)
          ),
          expected_json_schema_datamodel: open.schema,
          asked_at: iso(open.askedAt),
          expires_at: iso(open.expiresAt),
          reason: stuck?.reason ?? null,
          input_variables: stuck?.inputs ?? null,
          choosing: stuck?.choosing ?? false,
          screenshot_url: screenshotId === null ? null : artifact(screenshotId).url,
          popup_context: stuck?.popup === undefined ? null : popupContext(stuck.popup),
          approval: subject._tag === "approval" ? actOf(subject) : null
        }
      }),
      answer: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const id = yield* runId(params.session_id)
        yield* interactions.answer(caller, id, payload)
        return { success: true, message: "The run continues with the answer", session_id: id }
      }),
      correct: Effect.fn(function* ({ params, payload }) {
        const caller = yield* CurrentCaller
        const id = yield* runId(params.session_id)
        yield* interactions
          .correct(caller, id, yield* correctionOf(payload))
          .pipe(Effect.catchTag("NotWaiting", (error) => Effect.fail(Errors.notWaiting(400, error))))
        return { session_id: id, success: true }
      }),
      decide: Effect.fn(function* ({ params, payload: { decision, digest, reason } }) {
        const caller = yield* CurrentCaller
        const id = yield* runId(params.session_id)
        yield* interactions.decide(caller, id, { digest, approved: decision === "approve", reason: reason ?? null })
        return { session_id: id, success: true }
      })
    })
  })
)

const actOf = ({
  box,
  by,
  change,
  digest,
  told: { shown, ...told }
}: Extract<Subject, { readonly _tag: "approval" }>) => ({ by, digest, change, ...told, show: shown, box })

/** Reads which of its forms a body has. */
const correctionOf = (body: typeof NewInputVariables.Type) => {
  const given: Array<Correction> = []
  const save = body.save_decision === true
  if (body.input_variables != null) given.push({ _tag: "inputs", inputs: body.input_variables })
  if (body.chosen_option != null) {
    given.push({ _tag: "option", option: body.chosen_option, save })
  }
  if (body.modal_action != null) given.push({ _tag: "action", action: body.modal_action, save })
  const [only] = given
  return only !== undefined && given.length === 1
    ? Effect.succeed(only)
    : Effect.fail(
        Errors.invalidAt(
          "",
          `Expected exactly one of input_variables, chosen_option and modal_action, got ${given.length || "none"}`
        )
      )
}
