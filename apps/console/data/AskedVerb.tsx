/** A verb for several runs: its effect beforehand, and the outcome of each run afterwards. */
import { useEffect, useState } from "preact/hooks"
import { Field } from "../forms/Field.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { to } from "../kit/Route.ts"
import { act, reasonOf } from "../kit/Service.ts"
import { HoldNote } from "./HoldNote.tsx"
import { type Answer, askFor, noTerms, preview, type Selection, type Terms, type Verb } from "./Verbs.ts"
import { shortId } from "./Workflows.ts"

/** The longest reason, in characters. */
const longestReason = 1_024

export const AskedVerb = ({
  onClose,
  onOne,
  selection,
  terms: first = noTerms,
  verb
}: {
  readonly verb: Verb
  readonly selection: Selection
  /** What is chosen at first. */
  readonly terms?: Terms
  readonly onClose: (isDone: boolean) => void
  /** Takes the outcome of a single run in place of the list of outcomes, where the verb changed it. */
  readonly onOne?: (result: Answer["results"][number]) => void
}) => {
  const [terms, setTerms] = useState<Terms>(first)
  const [dry, setDry] = useState<Answer | null>(null)
  const [done, setDone] = useState<Answer | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const failed = (error: unknown) => setProblem(reasonOf(error))
  useEffect(() => {
    let isCurrent = true
    setDry(null)
    setProblem(null)
    void act(askFor(verb, selection, true, terms), { failed }).then((answer) => isCurrent && setDry(answer))
    return () => {
      isCurrent = false
    }
  }, [terms.version])
  const touched = dry?.counts[verb.outcome] ?? 0
  const begin = async () => {
    setBusy(true)
    const answer = await act(askFor(verb, selection, false, terms), { failed })
    setBusy(false)
    const [result] = answer?.results ?? []
    if (onOne !== undefined && result?.outcome === verb.outcome) {
      onOne(result)
      return onClose(true)
    }
    setDone(answer)
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
          {verb.takes === "version" && touched > 0 && <HoldNote runs={retriedOf(dry)} />}
          <p class="note">{verb.note}</p>
          {verb.takes === "version" && (
            <Field label="Version">
              <select
                value={terms.version}
                disabled={isBusy}
                onChange={({ currentTarget }) =>
                  setTerms({ ...terms, version: currentTarget.value === "latest" ? "latest" : "same" })
                }
              >
                <option value="same">The one that each run executed</option>
                <option value="latest">The latest one of its workflow</option>
              </select>
            </Field>
          )}
          {verb.takes === "reason" && (
            <Field label="Reason" hint="Kept with each run, for those who read it later. It may be left out.">
              <input
                type="text"
                maxLength={longestReason}
                value={terms.reason}
                disabled={isBusy}
                onInput={({ currentTarget }) => setTerms({ ...terms, reason: currentTarget.value })}
              />
            </Field>
          )}
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

/** How many runs of each workflow are submitted again. */
const retriedOf = (answer: Answer | null): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { outcome, workflow_id } of answer?.results ?? []) {
    if (outcome === "retried" && typeof workflow_id === "string")
      counts.set(workflow_id, (counts.get(workflow_id) ?? 0) + 1)
  }
  return counts
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
