/** One workflow: its outline, its versions, its JSON, and a run of it. */
import { Effect } from "effect"
import { useMemo, useState } from "preact/hooks"
import { outlineOf } from "../data/Outline.ts"
import { type Workflow, windowOf, workflowOf, workflows } from "../data/Workflows.ts"
import { WorkflowTabs } from "../data/WorkflowTabs.tsx"
import { Difference } from "../forms/Difference.tsx"
import { Loaded, useQuery } from "../kit/Loaded.tsx"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { act, client, type Problem, problemsOf, query, reasonOf, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Start } from "./Start.tsx"
import { type Change, changesOf, editable } from "./WorkflowModel.ts"

export const WorkflowView = ({ id, part }: { readonly id: string; readonly part: string }) => {
  const { value } = useQuery(workflowOf(id))
  const gate = useQuery(windowOf(id)).value
  return (
    <Page
      title={value?.name ?? "Workflow"}
      note={
        value === null ? undefined : (
          <>
            Version {value.version_number} · changed <Ago at={value.updated_at} />
            {gate?.run_window !== null &&
              gate?.state != null &&
              (gate.state.open ? " · window open" : " · window closed")}
          </>
        )
      }
      actions={value !== null && may("Member") && <Start workflow={value} />}
    >
      <WorkflowTabs id={id} current={part} />
      <Loaded query={workflowOf(id)} rows={8}>
        {(workflow) =>
          part === "versions" ? (
            <Versions workflow={workflow} />
          ) : part === "json" ? (
            <Editor workflow={workflow} />
          ) : (
            <Outline workflow={workflow} />
          )
        }
      </Loaded>
    </Page>
  )
}

const Outline = ({ workflow }: { readonly workflow: Workflow }) => {
  const lines = useMemo(() => outlineOf(workflow.nodes, workflow.edges), [workflow])
  return (
    <>
      {workflow.description !== null && <p>{workflow.description}</p>}
      <Section title="Outline" note={`${workflow.nodes.length} steps`}>
        <ol class="outline">
          {lines.map(({ branch, depth, goesTo, node }, index) => (
            <li key={index} style={{ paddingLeft: `${14 + depth * 22}px` }}>
              {branch !== null && <span class="branch">{branch}</span>}
              {goesTo !== null && branch !== null ? (
                <span class="quiet">go on at “{goesTo}”</span>
              ) : (
                <>
                  <span class="sentence">{node.name}</span>
                  <span class="tag mono">{node.action}</span>
                  {goesTo !== null && <span class="quiet"> then back to “{goesTo}”</span>}
                </>
              )}
            </li>
          ))}
        </ol>
      </Section>
    </>
  )
}

const Versions = ({ workflow }: { readonly workflow: Workflow }) => {
  const params = { workflow_id: workflow.id }
  const versions = useMemo(
    () => query((client) => client.workflows.versions({ params })),
    [workflow.id, workflow.version_id]
  )
  const [chosen, choose] = useState<number | null>(null)
  return (
    <div class="columns">
      <Section title="Versions">
        <Loaded query={versions}>
          {(all) => (
            <ul class="entries">
              {all.map(({ created_at, version_note, version_number }) => (
                <li key={version_number}>
                  <button
                    type="button"
                    class="link"
                    aria-pressed={chosen === version_number}
                    onClick={() => choose(version_number)}
                  >
                    Version {version_number}
                  </button>
                  <span class="quiet">
                    {version_note !== undefined && `${version_note} · `}
                    <Ago at={created_at} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
      {chosen === null ? (
        <Section title="Changes">
          <Empty title="Choose a version">What it changed against the one before stands here.</Empty>
        </Section>
      ) : (
        <Changes key={chosen} id={workflow.id} number={chosen} />
      )}
    </div>
  )
}

const Changes = ({ id, number }: { readonly id: string; readonly number: number }) => {
  const both = useMemo(() => {
    const read = (version: number) => ({ params: { workflow_id: id, version_number: String(version) } })
    return query((client) =>
      Effect.all([
        number === 1 ? Effect.succeed(null) : client.workflows.version(read(number - 1)),
        client.workflows.version(read(number))
      ])
    )
  }, [id, number])
  return (
    <Section title={number === 1 ? "Version 1" : `Version ${number - 1} to ${number}`}>
      <Loaded query={both}>
        {([before, after]) => {
          const changes = before === null ? [] : changesOf(before, after)
          if (before === null) return <Empty title="The first version">{after.nodes.length} steps.</Empty>
          return changes.length === 0 ? (
            <Empty title="Nothing that a run sees has changed" />
          ) : (
            <ul class="changes">
              {changes.map((change) => (
                <li key={change.what}>
                  <One change={change} />
                </li>
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Section>
  )
}

const One = ({ change: { after, before, kind, what } }: { readonly change: Change }) => (
  <>
    <p>
      <b>{what}</b> <span class="quiet">{kind}</span>
    </p>
    <Difference what={what} before={before} after={after} />
  </>
)

const Editor = ({ workflow }: { readonly workflow: Workflow }) => {
  const stored = useMemo(() => JSON.stringify(editable(workflow), null, 2), [workflow])
  const [text, setText] = useState<string | null>(null)
  const [note, setNote] = useState("")
  const [problems, setProblems] = useState<ReadonlyArray<Problem>>([])
  const shown = text ?? stored
  const save = async () => {
    let body: Record<string, unknown>
    try {
      body = JSON.parse(shown)
    } catch (error) {
      return setProblems([{ path: "", message: `This is no JSON: ${error instanceof Error ? error.message : ""}` }])
    }
    setProblems([])
    const payload = { ...body, ...(note === "" ? {} : { version_note: note }) }
    const saved = await act(
      // The service checks the text as a whole and says what is wrong at its path.
      client().workflows.save({ params: { workflow_id: workflow.id }, payload: payload as never }),
      {
        done: ({ version_number }) => `Saved as version ${version_number}`,
        failed: (error) => {
          const found = problemsOf(error)
          setProblems(found.length === 0 ? [{ path: "", message: reasonOf(error) }] : found)
        }
      }
    )
    if (saved === null) return
    setText(null)
    setNote("")
    refresh(workflowOf(workflow.id), workflows)
  }
  return (
    <Section title="JSON" note="as PUT /workflows/:id takes it">
      <div class="body">
        {problems.length > 0 && (
          <ul class="problem list" role="alert">
            {problems.map(({ message, path }) => (
              <li key={path + message}>
                {path !== "" && <code>{path}</code>} {message}
              </li>
            ))}
          </ul>
        )}
        <textarea
          aria-label="The workflow as JSON"
          aria-invalid={problems.length > 0}
          rows={28}
          spellcheck={false}
          readOnly={!may("Member")}
          value={shown}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        {may("Member") && (
          <div class="row">
            <input
              aria-label="Note for this version"
              placeholder="What changed (optional)"
              value={note}
              onInput={({ currentTarget }) => setNote(currentTarget.value)}
            />
            <button type="button" class="primary" disabled={shown === stored} onClick={() => void save()}>
              Save the next version
            </button>
            <button type="button" disabled={text === null} onClick={() => setText(null)}>
              Undo changes
            </button>
          </div>
        )}
      </div>
    </Section>
  )
}
