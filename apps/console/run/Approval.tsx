/** The act that a run waits with: its page with the element marked, its values and its target, and the two ways to decide. */
import { useState } from "preact/hooks"
import type { ActToApprove } from "../../api/interaction/InteractionsApi.ts"
import { Clipped } from "../kit/Clipped.tsx"
import { act, client } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { factsOf, placeOf } from "./ApprovalModel.ts"

interface Props {
  readonly id: string
  readonly approval: typeof ActToApprove.Type
  /** The address of the picture; `null` for none. */
  readonly picture: string | null
  readonly onAnswered: () => void
}

export const Approval = ({ approval, id, onAnswered, picture }: Props) => {
  const [reason, setReason] = useState("")
  const { box, by, change, digest } = approval
  const decide = (decision: "approve" | "refuse") => {
    const given = reason.trim()
    const payload = { digest, decision, ...(given === "" ? {} : { reason: given }) }
    const done = decision === "approve" ? "The act was approved" : "The act was refused"
    return void act(client().interactions.decide({ params: { session_id: id }, payload }), { done }).then(onAnswered)
  }
  return (
    <>
      {change !== null && <p class="note">It is asked again, because this changed: {change}.</p>}
      {picture !== null && (
        <div class="marked">
          <img src={picture} alt="The current page of the run, with the element marked" />
          {box !== null && <span class="mark" style={placeOf(box)} />}
        </div>
      )}
      <dl class="facts">
        {factsOf(approval).map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Clipped text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {may(by) ? (
        <>
          <label class="field">
            Reason
            <input value={reason} maxLength={1_000} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
          </label>
          <div class="row">
            <button type="button" class="primary" onClick={() => decide("approve")}>
              Approve
            </button>
            <button type="button" onClick={() => decide("refuse")}>
              Refuse
            </button>
          </div>
        </>
      ) : (
        <p class="note">{by === "Owner" ? "An Owner" : "A Member"} can approve or refuse this.</p>
      )}
    </>
  )
}
