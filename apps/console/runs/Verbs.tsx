/** What can be done with the selected runs: what it will touch before, and what became of each run after. */
import { Effect } from "effect"
import { useState } from "preact/hooks"
import { shortId } from "../data/Workflows.ts"
import { Dialog } from "../kit/Dialog.tsx"
import { client, reasonOf } from "../kit/Service.ts"
import { Status, statusOf } from "../kit/Status.tsx"
import type { Row } from "./RunsModel.ts"

interface Outcome {
  readonly row: Row
  readonly problem: string | null
}

const hasEnded = ({ execution_end, status }: Row): boolean =>
  execution_end !== null || ["execution.success", "execution.failed", "execution.stopped"].includes(status)

export const Verbs = ({ onDone, selected }: { readonly selected: ReadonlyArray<Row>; readonly onDone: () => void }) => {
  const [isAsking, setAsking] = useState(false)
  if (selected.length === 0 && !isAsking) return null
  const live = selected.filter((row) => !hasEnded(row))
  return (
    <div class="verbs" role="group" aria-label="Actions for the selected runs">
      <strong>
        {selected.length} {selected.length === 1 ? "run" : "runs"} selected
      </strong>
      <button type="button" disabled={live.length === 0} onClick={() => setAsking(true)}>
        Interrupt…
      </button>
      <button type="button" class="plain" onClick={onDone}>
        Clear the selection
      </button>
      {isAsking && (
        <Interrupting
          live={live}
          ended={selected.length - live.length}
          onClose={(isDone) => {
            setAsking(false)
            if (isDone) onDone()
          }}
        />
      )}
    </div>
  )
}

const Interrupting = ({
  ended,
  live,
  onClose
}: {
  readonly live: ReadonlyArray<Row>
  readonly ended: number
  readonly onClose: (isDone: boolean) => void
}) => {
  const [rows] = useState(live)
  const [outcomes, setOutcomes] = useState<ReadonlyArray<Outcome> | null>(null)
  const [isBusy, setBusy] = useState(false)
  const begin = async () => {
    setBusy(true)
    const one = (row: Row) =>
      client()
        .runs.interrupt({ params: { session_id: row.session_id } })
        .pipe(
          Effect.match({
            onFailure: (error): Outcome => ({ row, problem: reasonOf(error) }),
            onSuccess: (): Outcome => ({ row, problem: null })
          })
        )
    setOutcomes(await Effect.runPromise(Effect.forEach(rows, one, { concurrency: 6 })))
    setBusy(false)
  }
  const counts = new Map<string, number>()
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1)
  return (
    <Dialog title={outcomes === null ? "Interrupt runs" : "Interrupted"} onClose={() => onClose(outcomes !== null)}>
      {outcomes === null ? (
        <>
          <p>
            {rows.length} {rows.length === 1 ? "run" : "runs"} will be stopped:{" "}
            {[...counts].map(([status, count]) => `${count} ${statusOf(status).word.toLowerCase()}`).join(", ")}. A
            stopped run does not start again by itself.
          </p>
          {ended > 0 && <p class="note">{ended} of the selected runs have ended already and stay as they are.</p>}
          <div class="dialog-actions">
            <button type="button" class="danger" disabled={isBusy} onClick={() => void begin()}>
              Interrupt {rows.length} {rows.length === 1 ? "run" : "runs"}
            </button>
            <button type="button" onClick={() => onClose(false)}>
              Cancel
            </button>
          </div>
        </>
      ) : (
        <>
          <p>
            {outcomes.filter(({ problem }) => problem === null).length} of {outcomes.length} were interrupted.
          </p>
          <ul class="outcomes">
            {outcomes.map(({ problem, row }) => (
              <li key={row.session_id}>
                <span class="mono">{shortId(row.session_id)}</span>
                {problem === null ? <Status status="execution.stopped" /> : <span class="wrong">{problem}</span>}
              </li>
            ))}
          </ul>
          <div class="dialog-actions">
            <button type="button" class="primary" onClick={() => onClose(true)}>
              Done
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}
