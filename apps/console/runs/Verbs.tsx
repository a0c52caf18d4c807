/** What can be done with the selected runs: what it will touch before, and what became of each run after. */
import type { Effect } from "effect"
import { useEffect, useState } from "preact/hooks"
import { type Answer, preview, type Verb, verbs } from "../data/Verbs.ts"
import { shortId } from "../data/Workflows.ts"
import { Dialog } from "../kit/Dialog.tsx"
import { to } from "../kit/Route.ts"
import { act, reasonOf } from "../kit/Service.ts"

export const Verbs = ({
  matching,
  onClear,
  onDone,
  selected,
  total
}: {
  readonly selected: ReadonlyArray<string>
  /** How many runs match the filters, where there are more than are selected; else `null`. */
  readonly total: string | null
  /** The ids of all that match the filters, at most 10,000. */
  readonly matching: Effect.Effect<ReadonlyArray<string>, unknown>
  readonly onClear: () => void
  readonly onDone: () => void
}) => {
  const [asked, ask] = useState<{ readonly verb: Verb; readonly ids: ReadonlyArray<string> } | null>(null)
  const [all, setAll] = useState<ReadonlyArray<string> | null>(null)
  if (selected.length === 0 && asked === null) return null
  const ids = all ?? selected
  return (
    <div class="verbs" role="group" aria-label="Actions for the selected runs">
      <strong>
        {ids.length.toLocaleString("en")} {ids.length === 1 ? "run" : "runs"} selected
      </strong>
      {total !== null && all === null && (
        <button
          type="button"
          class="link"
          onClick={() => void act(matching).then((found) => found !== null && setAll(found))}
        >
          Select all {Number.parseInt(total, 10).toLocaleString("en")}
          {total.endsWith("+") ? "+" : ""} that match
        </button>
      )}
      {Object.values(verbs).map((verb) => (
        <button key={verb.word} type="button" onClick={() => ask({ verb, ids })}>
          {verb.word}…
        </button>
      ))}
      <button
        type="button"
        class="plain"
        onClick={() => {
          setAll(null)
          onClear()
        }}
      >
        Clear the selection
      </button>
      {asked !== null && (
        <Asked
          verb={asked.verb}
          ids={asked.ids}
          onClose={(isDone) => {
            ask(null)
            if (!isDone) return
            setAll(null)
            onDone()
          }}
        />
      )}
    </div>
  )
}

const Asked = ({
  ids,
  onClose,
  verb
}: {
  readonly verb: Verb
  readonly ids: ReadonlyArray<string>
  readonly onClose: (isDone: boolean) => void
}) => {
  const [dry, setDry] = useState<Answer | null>(null)
  const [done, setDone] = useState<Answer | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const failed = (error: unknown) => setProblem(reasonOf(error))
  useEffect(() => {
    void act(verb.ask(ids, true), { failed }).then(setDry)
  }, [])
  const touched = dry?.counts[verb.outcome] ?? 0
  const begin = async () => {
    setBusy(true)
    setDone(await act(verb.ask(ids, false), { failed }))
    setBusy(false)
  }
  return (
    <Dialog
      title={`${verb.word}: ${done === null ? "what it will do" : "what it did"}`}
      onClose={() => onClose(done !== null)}
    >
      {problem !== null && (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
      {done !== null ? (
        <Outcomes answer={done} verb={verb} onClose={() => onClose(true)} />
      ) : (
        <>
          {dry === null ? (
            <p class="note" role="status">
              {problem === null ? "Asking what it would do…" : "Nothing was done."}
            </p>
          ) : (
            <ul class="preview">
              {preview(dry).map(({ line, outcome }) => (
                <li key={outcome} class={outcome === verb.outcome ? "strong" : "quiet"}>
                  {line}
                </li>
              ))}
            </ul>
          )}
          <p class="note">{verb.note}</p>
          <div class="dialog-actions">
            <button
              type="button"
              class={verb.isDangerous ? "danger" : "primary"}
              disabled={isBusy || touched === 0}
              onClick={() => void begin()}
            >
              {verb.word} {touched.toLocaleString("en")} {touched === 1 ? "run" : "runs"}
            </button>
            <button type="button" onClick={() => onClose(false)}>
              Cancel
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}

const mostShown = 500

const Outcomes = ({
  answer,
  onClose,
  verb
}: {
  readonly answer: Answer
  readonly verb: Verb
  readonly onClose: () => void
}) => (
  <>
    <p role="status">
      {(answer.counts[verb.outcome] ?? 0).toLocaleString("en")} of {answer.results.length.toLocaleString("en")} were{" "}
      {verb.done}.
    </p>
    <ul class="outcomes" tabIndex={0} aria-label="What became of each run">
      {answer.results.slice(0, mostShown).map(({ message, outcome, retry_session_id, session_id }) => (
        <li key={session_id}>
          <a class="mono" href={to(["runs", session_id])} onClick={onClose}>
            {shortId(session_id)}
          </a>
          <span class={outcome === verb.outcome ? "" : "quiet"}>{message ?? verb.done}</span>
          {typeof retry_session_id === "string" && (
            <a href={to(["runs", retry_session_id])} onClick={onClose}>
              New run
            </a>
          )}
        </li>
      ))}
    </ul>
    {answer.results.length > mostShown && <p class="note">The first {mostShown} are shown.</p>}
    <div class="dialog-actions">
      <button type="button" class="primary" onClick={onClose}>
        Done
      </button>
    </div>
  </>
)
