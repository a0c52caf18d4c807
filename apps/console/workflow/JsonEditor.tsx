/** A workflow as JSON. Each problem is shown with its step. */
import { Schema } from "effect"
import { useMemo, useState } from "preact/hooks"
import { plainJson } from "../data/PlainText.ts"
import { type Workflow, workflowOf, workflows } from "../data/Workflows.ts"
import { JsonArea } from "../forms/JsonArea.tsx"
import { jsonProblem } from "../forms/JsonProblem.ts"
import { useSaved } from "../forms/Saved.ts"
import { Section } from "../kit/Page.tsx"
import { act, client, type Problem, problemsOf, reasonOf, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { ProblemList } from "./ProblemList.tsx"
import { editable, type ProblemNode } from "./WorkflowModel.ts"

/** The refusal of a text that is based on an older version than the latest. */
const isConflict = Schema.is(Schema.Struct({ code: Schema.Literal("WORKFLOW_VERSION_CONFLICT") }))

export const JsonEditor = ({ read }: { readonly read: Workflow }) => {
  const [workflow, setSaved] = useSaved(read)
  const stored = useMemo(() => plainJson(JSON.stringify(editable(workflow), null, 2)), [workflow])
  /** The text, and the version that it is based on. */
  const [edited, edit] = useState<{ readonly text: string; readonly base: string } | null>(null)
  const [note, setNote] = useState("")
  const [problems, setProblems] = useState<ReadonlyArray<Problem>>([])
  const [nodes, setNodes] = useState<ReadonlyArray<ProblemNode>>([])
  const [isRefused, setRefused] = useState(false)
  const text = edited?.text ?? stored
  const isForeign = isRefused || (edited !== null && edited.base !== workflow.version_id)

  const reset = () => {
    edit(null)
    setProblems([])
    setRefused(false)
    refresh(workflowOf(workflow.id))
  }
  const save = async () => {
    const wrong = jsonProblem(text)
    if (wrong !== null) return setProblems([{ path: "", message: `This is not valid JSON: ${wrong}` }])
    const body: Record<string, unknown> = JSON.parse(text)
    setProblems([])
    setNodes(Array.isArray(body.nodes) ? body.nodes : [])
    const payload = {
      ...body,
      base_version_id: edited?.base ?? workflow.version_id,
      ...(note === "" ? {} : { version_note: note })
    }
    const saved = await act(
      // The service checks the text as a whole and reports each problem at its path.
      client().workflows.save({ params: { workflow_id: workflow.id }, payload: payload as never }),
      {
        done: ({ version_number }) => `Saved as version ${version_number}`,
        failed: (error) => {
          if (isConflict(error)) {
            setRefused(true)
            return refresh(workflowOf(workflow.id))
          }
          const found = problemsOf(error)
          setProblems(found.length === 0 ? [{ path: "", message: reasonOf(error) }] : found)
        }
      }
    )
    if (saved === null) return
    // What was typed since then stays, and is based on what was saved.
    setNote((now) => (now === note ? "" : now))
    edit((now) => (now === null || now.text === text ? null : { text: now.text, base: saved.version_id }))
    setRefused(false)
    setSaved(saved)
    refresh(workflowOf(workflow.id), workflows)
  }
  return (
    <Section title="JSON" note="as PUT /workflows/:id takes it">
      <div class="body">
        {isForeign && (
          <div class="problem" role="alert">
            <span>
              Another person has saved version {workflow.version_number} since you began. Your text is kept; saving is
              refused until you take their version.
            </span>
            <button type="button" onClick={reset}>
              Take their version
            </button>
          </div>
        )}
        <ProblemList nodes={nodes} problems={problems} />
        <JsonArea
          aria-label="The workflow as JSON"
          aria-invalid={problems.length > 0}
          rows={28}
          readOnly={!may("Member")}
          value={text}
          onText={(typed) => edit({ text: typed, base: edited?.base ?? workflow.version_id })}
        />
        {may("Member") && (
          <div class="row">
            <input
              aria-label="Note for this version"
              placeholder="What changed (optional)"
              value={note}
              onInput={({ currentTarget }) => setNote(currentTarget.value)}
            />
            <button type="button" class="primary" disabled={text === stored || isForeign} onClick={() => void save()}>
              Save the next version
            </button>
            <button type="button" disabled={edited === null} onClick={reset}>
              Undo changes
            </button>
          </div>
        )}
      </div>
    </Section>
  )
}
