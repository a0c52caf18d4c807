/** A verb for several runs: its effect beforehand, and the outcome of each run afterwards. */
import { useEffect, useState } from "preact/hooks"
import { Dialog } from "../kit/Dialog.tsx"
import { to } from "../kit/Route.ts"
import { act, reasonOf } from "../kit/Service.ts"
import { type Answer, askFor, preview, type Selection, type Verb } from "./Verbs.ts"
import { shortId } from "./Workflows.ts"

export const AskedVerb = ({
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
