/** The buttons that let the held runs of a workflow start. Each says what it will do before it is done. */
import { useEffect, useState } from "preact/hooks"
import type * as Gates from "../../api/gate/GatesApi.ts"
import { Dialog } from "../kit/Dialog.tsx"
import { act, client } from "../kit/Service.ts"
import { zoned } from "../kit/Times.ts"
import { resumedWords } from "./Counts.ts"
import { endings, foretold, type HeldRuns, type PauseResource, unpauseWords } from "./Unpausing.ts"

type Gate = typeof Gates.RunWindowResponse.Type

/** A button for each hold on the workflow. Without a pause there is no Unpause All, and without a closed window no Run now. */
export const Unpause = ({
  gate,
  id,
  name,
  onChanged,
  only
}: {
  readonly id: string
  readonly gate: Gate
  /** The name of the workflow, where buttons of several workflows stand side by side. */
  readonly name?: string
  /** The one action that is offered, if not each that ends a hold. */
  readonly only?: PauseResource
  readonly onChanged: () => void
}) => {
  const [asked, ask] = useState<PauseResource | null>(null)
  return (
    <>
      {endings(gate)
        .filter((resource) => only === undefined || resource === only)
        .map((resource) => (
          <button
            key={resource}
            type="button"
            class={name === undefined && !(only === "run_window") ? "primary" : ""}
            aria-label={name === undefined ? undefined : `${unpauseWords[resource]}: ${name}`}
            onClick={() => ask(resource)}
          >
            {unpauseWords[resource]}…
          </button>
        ))}
      {asked !== null && (
        <Asked
          gate={gate}
          id={id}
          resource={asked}
          onClose={() => {
            ask(null)
            onChanged()
          }}
        />
      )}
    </>
  )
}

const Asked = ({
  gate,
  id,
  onClose,
  resource
}: {
  readonly id: string
  readonly gate: Gate
  readonly resource: PauseResource
  readonly onClose: () => void
}) => {
  const [held, setHeld] = useState<HeldRuns | null>(null)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => {
    void act(client().runs.summary({ query: { status: "execution.paused", workflow_id: id } })).then(setHeld)
  }, [])
  const begin = async () => {
    setBusy(true)
    await act(client().runWindows.unpause({ payload: { pause_resource: resource, resource_ids: [id] } }), {
      done: ({ resumedRuns }) => resumedWords(resumedRuns)
    })
    onClose()
  }
  const word = unpauseWords[resource]
  return (
    <Dialog title={`${word}: what it will do`} onClose={onClose}>
      {held === null ? (
        <p class="note" role="status">
          Counting the runs that it lets start…
        </p>
      ) : (
        foretold(resource, held, gate, (instant) => zoned(Date.parse(instant))).map((line) => <p key={line}>{line}</p>)
      )}
      <div class="dialog-actions">
        <button type="button" class="primary" disabled={isBusy || held === null} onClick={() => void begin()}>
          {word}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}
