/** Saves a window. It shows the impact beforehand, and does not overwrite a change by another person. */
import { Effect } from "effect"
import { useEffect, useState } from "preact/hooks"
import type { RunWindow } from "../../../core/window/RunWindow.ts"
import type { StartForecast } from "../../api/gate/ForecastJson.ts"
import { counted, forecastWords } from "../data/Counts.ts"
import { windowOf as windowQuery } from "../data/Workflows.ts"
import { Dialog } from "../kit/Dialog.tsx"
import { say } from "../kit/Notices.ts"
import { act, client, reasonOf, refresh, withHeaders } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { short } from "../kit/Times.ts"
import { type Draft, windowOf } from "./WindowModel.ts"

interface Impact {
  readonly releases: number
  readonly holds: number
  readonly at_least: boolean
  readonly forecast: typeof StartForecast.Type | null
}

export const Save = ({
  base,
  draft,
  hasWindow,
  id,
  isChanged,
  isForeign,
  isValid,
  onSaved,
  onTake,
  problem
}: {
  readonly id: string
  readonly base: number
  readonly draft: Draft
  /** Whether the workflow has a window, which may be removed. */
  readonly hasWindow: boolean
  readonly problem: string | null
  readonly isValid: boolean
  readonly isChanged: boolean
  /** Another person has changed the window since it was read. */
  readonly isForeign: boolean
  readonly onTake: () => void
  readonly onSaved: (window: RunWindow | null, revision: number) => void
}) => {
  const [impact, setImpact] = useState<Impact | string | null>(null)
  const [isRemoving, setRemoving] = useState(false)
  const text = JSON.stringify(windowOf(draft))
  const params = { workflow_id: id }
  const headers = withHeaders({ "if-match": `"${base}"` })
  // The draft was checked with the rules of the service.
  const payload = windowOf(draft) as RunWindow

  useEffect(() => {
    if (!isValid || !isChanged) return setImpact(null)
    let isCurrent = true
    const timer = setTimeout(async () => {
      const asked = client().runWindows.previewRunWindow({ params, query: { openings: 1 }, payload })
      const result = await Effect.runPromise(Effect.result(asked))
      if (isCurrent) setImpact(result._tag === "Success" ? result.success : reasonOf(result.failure))
    }, 300)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text, isValid, isChanged])

  if (!may("Member")) return <p class="note">A Member can change the window.</p>
  return (
    <div class="save-bar">
      {isForeign && (
        <div class="problem" role="alert">
          <span>
            Another person has changed this window since you opened it. Saving is refused until you take their version.
          </span>
          <button type="button" onClick={onTake}>
            Take their version
          </button>
        </div>
      )}
      {problem !== null && <p class="wrong">{problem}</p>}
      <p role="status" class="impact">
        {!isValid
          ? "Some values cannot be read yet"
          : !isChanged
            ? "There are no changes"
            : impact === null
              ? "Asking what saving would do…"
              : typeof impact === "string"
                ? impact
                : impactWords(impact, draft.zone)}
      </p>
      <div class="row">
        <button
          type="button"
          class="primary"
          disabled={!isValid || !isChanged || isForeign}
          onClick={() =>
            void act(headers(client().runWindows.setRunWindow({ params, payload })), {
              done: "The window was saved",
              failed: (error) => {
                // After a change by another person, the page offers their window.
                say(
                  "problem",
                  isConflict(error) ? "The window was not saved: another person has changed it" : reasonOf(error)
                )
                refresh(windowQuery(id))
              }
            }).then((saved) => saved !== null && onSaved(saved.run_window, saved.run_window_revision))
          }
        >
          Save the window
        </button>
        <button type="button" disabled={!isChanged} onClick={onTake}>
          Undo changes
        </button>
        {hasWindow && (
          <button type="button" class="plain" onClick={() => setRemoving(true)}>
            Remove the window…
          </button>
        )}
      </div>
      {isRemoving && (
        <Removing
          id={id}
          base={base}
          onClose={() => setRemoving(false)}
          onRemoved={(revision) => onSaved(null, revision)}
        />
      )}
    </div>
  )
}

const Removing = ({
  base,
  id,
  onClose,
  onRemoved
}: {
  readonly id: string
  readonly base: number
  readonly onClose: () => void
  readonly onRemoved: (revision: number) => void
}) => {
  const remove = async () => {
    const asked = client().runWindows.removeRunWindow({ params: { workflow_id: id } })
    const removed = await act(withHeaders({ "if-match": `"${base}"` })(asked), { done: "The window was removed" })
    onClose()
    if (removed !== null) onRemoved(removed.run_window_revision)
  }
  return (
    <Dialog title="Remove the run window" onClose={onClose}>
      <p>Every waiting run of the workflow may start at once, and runs start at any hour from then on.</p>
      <div class="dialog-actions">
        <button type="button" class="danger" onClick={() => void remove()}>
          Remove it
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}

const isConflict = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "statusCode" in error && error.statusCode === 409

const runs = (count: number, isMore: boolean): string =>
  `${counted({ count, exact: !isMore })} waiting ${count === 1 ? "run" : "runs"}`

const impactWords = ({ at_least, forecast, holds, releases }: Impact, zone: string): string => {
  const change =
    releases === 0 && holds === 0
      ? "Saving holds or releases no waiting run now"
      : [
          ...(releases === 0 ? [] : [`Saving releases ${runs(releases, at_least)} now`]),
          ...(holds === 0 ? [] : [`${releases === 0 ? "Saving" : "and"} holds ${runs(holds, at_least)}`])
        ].join(" ")
  const starts = forecast === null ? null : forecastWords(forecast, (instant) => short(Date.parse(instant), zone))
  return starts === null ? change : `${change}. ${starts}`
}
