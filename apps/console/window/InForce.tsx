/** The window, lift and pause in force for a workflow, with the actions on them. */
import { useState } from "preact/hooks"
import type { RunWindowResponse } from "../../api/gate/GatesApi.ts"
import { Unpause } from "../data/Unpause.tsx"
import { Field } from "../forms/Field.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { act, client, problemsByField } from "../kit/Service.ts"
import { may, whoIs } from "../kit/Session.ts"
import { short, viewerZone } from "../kit/Times.ts"

export const InForce = ({
  id,
  onChanged,
  read
}: {
  readonly id: string
  readonly read: typeof RunWindowResponse.Type
  readonly onChanged: () => void
}) => {
  const [isPausing, setPausing] = useState(false)
  const { lift, manual_pause, run_window, state } = read
  const zone = run_window?.time_zone ?? viewerZone
  const at = (instant: string) => {
    const here = zone === viewerZone ? "" : `, ${short(Date.parse(instant))} here`
    return `${short(Date.parse(instant), zone)} (${zone})${here}`
  }
  // While a window is lifted, its state is open.
  const isClosed = run_window !== null && state?.open === false
  return (
    <section class={isClosed || manual_pause !== null ? "in-force closed" : "in-force"} aria-label="What is in force">
      <div>
        <p class="state-word">
          {manual_pause !== null ? "Paused" : lift !== null ? "Closed, but lifted" : isClosed ? "Closed" : "Open"}
        </p>
        {manual_pause !== null && (
          <p>
            {manual_pause.reason === "" ? "Paused" : manual_pause.reason}, by {whoIs(manual_pause.by)} since{" "}
            {at(manual_pause.since)}
            {manual_pause.until === null ? "" : `, until ${at(manual_pause.until)}`}
          </p>
        )}
        {lift !== null && (
          <p>
            Runs start as if it were open, by {whoIs(lift.by)} since {at(lift.since)}
            {lift.until === null
              ? "; no next opening is in sight"
              : `. It ends with the next opening, ${at(lift.until)}`}
          </p>
        )}
        {isClosed && (
          <p>{state?.nextOpenAt == null ? "It does not open within 400 days" : `It opens ${at(state.nextOpenAt)}`}</p>
        )}
        {!isClosed && lift === null && manual_pause === null && (
          <p class="note">Runs that are submitted now start at once.</p>
        )}
      </div>
      {may("Member") && (
        <div class="actions">
          <Unpause id={id} gate={read} onChanged={onChanged} />
          {manual_pause === null && (
            <button type="button" onClick={() => setPausing(true)}>
              Pause…
            </button>
          )}
        </div>
      )}
      {isPausing && (
        <Pausing
          id={id}
          onClose={() => {
            setPausing(false)
            onChanged()
          }}
        />
      )}
    </section>
  )
}

const Pausing = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const [reason, setReason] = useState("")
  const [until, setUntil] = useState("")
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const send = async (event: Event) => {
    event.preventDefault()
    const paused = await act(
      client().runWindows.pause({
        params: { workflow_id: id },
        payload: {
          ...(reason === "" ? {} : { reason }),
          ...(until === "" ? {} : { until: new Date(until).toISOString() })
        }
      }),
      { done: "The workflow is paused", failed: (error) => setProblems(problemsByField(error, ["reason", "until"])) }
    )
    if (paused !== null) onClose()
  }
  return (
    <Dialog title="Pause the workflow" onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <p class="note">Its runs wait from now on. Runs that have started continue.</p>
        <Field label="Reason (optional)" problem={problems.reason}>
          <input value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
        </Field>
        <Field
          label="Until (optional)"
          hint={`In your zone, ${viewerZone}. Without it, a person ends the pause.`}
          problem={problems.until}
        >
          <input type="datetime-local" value={until} onInput={({ currentTarget }) => setUntil(currentTarget.value)} />
        </Field>
        <button type="submit" class="primary">
          Pause
        </button>
      </form>
    </Dialog>
  )
}
