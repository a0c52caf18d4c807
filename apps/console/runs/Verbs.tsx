/** The verbs for the selected runs: the effect beforehand, and the outcome of each run afterwards. */
import { useEffect, useState } from "preact/hooks"
import { type Answer, askFor, preview, type Selection, type Verb, verbs } from "../data/Verbs.ts"
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
  /** The number of runs that match the filters, when more match than are selected; else `null`. */
  readonly total: string | null
  /** The parameters that select all runs that match the filters now. */
  readonly matching: () => Readonly<Record<string, string>>
  readonly onClear: () => void
  readonly onDone: () => void
}) => {
  const [asked, ask] = useState<{ readonly verb: Verb; readonly selection: Selection } | null>(null)
  const [all, setAll] = useState<{ readonly filter: Readonly<Record<string, string>>; readonly count: string } | null>(
    null
  )
  if (selected.length === 0 && asked === null) return null
  const selection: Selection = all === null ? { session_ids: selected } : { filter: all.filter }
  return (
    <div class="verbs" role="group" aria-label="Actions for the selected runs">
      <strong>
        {all === null
          ? `${selected.length.toLocaleString("en")} ${selected.length === 1 ? "run" : "runs"} selected`
          : `All ${counted(all.count)} runs that match are selected`}
      </strong>
      {total !== null && all === null && (
        <button type="button" class="link" onClick={() => setAll({ filter: matching(), count: total })}>
          Select all {counted(total)} that match
        </button>
      )}
      {Object.values(verbs).map((verb) => (
        <button key={verb.word} type="button" onClick={() => ask({ verb, selection })}>
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
          selection={asked.selection}
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

/** A count as the service gives it: with a plus where there are more. */
const counted = (total: string): string =>
  `${Number.parseInt(total, 10).toLocaleString("en")}${total.endsWith("+") ? "+" : ""}`

const Asked = ({
  onClose,
  selection,
  verb
}: {
  readonly verb: Verb
  readonly selection: Selection
  readonly onClose: (isDone: boolean) => void
}) => {
  const [dry, setDry] = useState<Answer | null>(null)
  const [done, setDone] = useState<Answer | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const failed = (error: unknown) => setProblem(reasonOf(error))
  useEffect(() => {
    void act(askFor(verb, selection, true), { failed }).then(setDry)
  }, [])
  const touched = dry?.counts[verb.outcome] ?? 0
  const begin = async () => {
    setBusy(true)
    setDone(await act(askFor(verb, selection, false), { failed }))
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
              {problem === null ? "Asking what it would do…" : "No run was changed."}
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
    <ul class="outcomes" tabIndex={0} aria-label="Outcome of each run">
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
