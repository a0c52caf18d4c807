/** The question of a run to a person. Codes are hidden while they are typed. */
import type { Effect } from "effect"
import { useMemo, useState } from "preact/hooks"
import { type InputProblems, refusedInputs } from "../data/InputCheck.ts"
import { SchemaForm } from "../forms/SchemaForm.tsx"
import { Clipped } from "../kit/Clipped.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { now, useAtom } from "../kit/Registry.ts"
import { act, client, query } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { duration } from "../kit/Times.ts"
import { Approval } from "./Approval.tsx"
import { localAddress } from "./RunModel.ts"

export const Question = ({ id, onAnswered }: { readonly id: string; readonly onAnswered: () => void }) => {
  const params = { session_id: id }
  const asked = useMemo(() => query((client) => client.interactions.openQuestion({ params })), [id])
  const { value } = useQuery(asked)
  const present = useAtom(now)
  const [problems, setProblems] = useState<InputProblems>({})
  if (value === null) return null
  const left = Date.parse(value.expires_at) - present
  const done = { done: "The answer was sent" }
  /** Sends the filled form. A refusal is shown at its field. */
  const send = (answer: Effect.Effect<unknown, unknown>) => {
    setProblems({})
    return act(answer, { ...done, failed: (error) => setProblems(refusedInputs(error)) }).then(onAnswered)
  }
  return (
    <section class="question" aria-label="A question for a person">
      <h2>
        <Clipped text={value.message || "This run asks a person"} />
      </h2>
      <p class="note">
        At the step {value.current_step}. {left > 0 ? `It waits for ${duration(left)} more.` : "Its time is over."}
      </p>
      {value.screenshot_url !== null && value.approval === null && (
        <img src={localAddress(value.screenshot_url)} alt="The current page of the run" />
      )}
      {value.approval !== null ? (
        <Approval
          id={id}
          approval={value.approval}
          picture={value.screenshot_url === null ? null : localAddress(value.screenshot_url)}
          onAnswered={onAnswered}
        />
      ) : !may("Member") ? (
        <p class="note">A Member can answer.</p>
      ) : value.popup_context !== null ? (
        <div class="row">
          {value.popup_context.available_actions.map((action) => (
            <button
              key={action.id}
              type="button"
              onClick={() =>
                void act(client().interactions.correct({ params, payload: { modal_action: action.id } }), done).then(
                  onAnswered
                )
              }
            >
              {action.label}
            </button>
          ))}
        </div>
      ) : value.kind === "interaction" ? (
        <SchemaForm
          schema={value.expected_json_schema_datamodel}
          problems={problems}
          send="Answer"
          onSend={(payload) => send(client().interactions.answer({ params, payload }))}
        />
      ) : (
        <SchemaForm
          schema={{}}
          values={value.input_variables ?? {}}
          problems={problems}
          send="Continue with these inputs"
          onSend={(input_variables) => send(client().interactions.correct({ params, payload: { input_variables } }))}
        />
      )}
    </section>
  )
}
