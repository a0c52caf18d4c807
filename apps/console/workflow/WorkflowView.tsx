/** One workflow: its outline and picture, its versions, its JSON, and a run of it. */
import { Effect } from "effect"
import { useMemo, useState } from "preact/hooks"
import { gateKinds, useEdits, useMinutes } from "../data/Live.ts"
import { outlineOf } from "../data/Outline.ts"
import { Start } from "../data/StartRun.tsx"
import { type Workflow, windowOf, workflowOf } from "../data/Workflows.ts"
import { WorkflowTabs } from "../data/WorkflowTabs.tsx"
import { Difference } from "../forms/Difference.tsx"
import { Clipped } from "../kit/Clipped.tsx"
import { Loaded, useQuery } from "../kit/Loaded.tsx"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { go, to } from "../kit/Route.ts"
import { act, client, query, renew } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { CanaryCard } from "./CanaryCard.tsx"
import { Components } from "./Components.tsx"
import { GraphPicture } from "./GraphPicture.tsx"
import { JsonEditor } from "./JsonEditor.tsx"
import { Offers } from "./Offers.tsx"
import { ProblemList } from "./ProblemList.tsx"
import { type Change, changesOf, nodeAt, withinNode } from "./WorkflowModel.ts"

export const WorkflowView = ({ id, part }: { readonly id: string; readonly part: string }) => {
  const { value } = useQuery(workflowOf(id))
  const gate = useQuery(windowOf(id)).value
  useEdits(["workflow"], () => renew(workflowOf(id)))
  useEdits(gateKinds, () => renew(windowOf(id)))
  useMinutes(() => renew(windowOf(id)))
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
      actions={
        value !== null &&
        may("Member") && (
          <>
            <OnItsPage id={id} />
            <Start workflow={value} isTest={true} />
            <Start workflow={value} isTest={false} />
          </>
        )
      }
    >
      <WorkflowTabs id={id} current={part} />
      <Loaded query={workflowOf(id)} rows={8}>
        {(workflow) =>
          part === "versions" ? (
            <Versions workflow={workflow} />
          ) : part === "json" ? (
            <JsonEditor read={workflow} />
          ) : (
            <Outline workflow={workflow} />
          )
        }
      </Loaded>
    </Page>
  )
}

/** Opens the first page of a workflow in Author, to repeat its steps and to record more. */
const OnItsPage = ({ id }: { readonly id: string }) => {
  const open = async () => {
    const opened = await act(client()["workflow builder"].openSessionFromWorkflow({ payload: { workflowId: id } }))
    if (opened !== null) go(to(["author", opened.conversationId]))
  }
  return (
    <button type="button" onClick={() => void open()}>
      Edit on the page
    </button>
  )
}

const Outline = ({ workflow }: { readonly workflow: Workflow }) => {
  const { edges, id, nodes, version_id } = workflow
  const lines = useMemo(() => outlineOf(nodes, edges), [workflow])
  const asked = useMemo(
    () => query((client) => client.workflows.warnings({ params: { workflow_id: id } })),
    [version_id]
  )
  const warnings = useQuery(asked).value?.warnings ?? []
  const atNode = warnings.map((warning) => ({ ...warning, node: nodeAt(nodes, warning.path)?.id ?? null }))
  const marked = new Set(atNode.flatMap(({ node }) => node ?? []))
  return (
    <>
      {workflow.description !== null && (
        <p>
          <Clipped text={workflow.description} />
        </p>
      )}
      <ProblemList nodes={[]} problems={atNode.filter(({ node }) => node === null)} />
      {workflow.canary_state !== null && <CanaryCard id={id} />}
      <Offers id={id} />
      <div class="columns even">
        <Section
          title="Outline"
          note={`${nodes.length} steps${warnings.length === 0 ? "" : `, ${warnings.length} with a warning`}`}
        >
          <ol class="outline">
            {lines.map(({ branch, depth, goesTo, node }, index) => (
              <li key={index} style={{ paddingLeft: `${14 + depth * 22}px` }}>
                {branch !== null && <span class="branch">{branch}</span>}
                {goesTo === node.name && branch !== null ? (
                  <span class="quiet">go on at “{goesTo}”</span>
                ) : (
                  <>
                    <span class="sentence">{node.name}</span>
                    <span class="tag mono">{node.action}</span>
                    {goesTo !== null && <span class="quiet"> then back to “{goesTo}”</span>}
                    {atNode.map(
                      ({ message, node: at, path }) =>
                        at === node.id && (
                          <p class="node-warning" key={path + message}>
                            <code>{withinNode(path)}</code> {message}
                          </p>
                        )
                    )}
                  </>
                )}
              </li>
            ))}
          </ol>
        </Section>
        <GraphPicture nodes={nodes} edges={edges} marked={marked} />
      </div>
      <Components workflow={workflow} />
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
    <div class="columns late">
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
          <Empty title="Choose a version">Its changes since the version before are shown here.</Empty>
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
            <Empty title="No change that affects a run" />
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
