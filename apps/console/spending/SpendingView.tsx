/** What models cost: what was spent today, the limits, and the calls with their steps and reasons. */
import { useMemo } from "preact/hooks"
import { namesOf, shortId, workflows } from "../data/Workflows.ts"
import { Loaded, useQuery } from "../kit/Loaded.tsx"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { query as asked } from "../kit/Service.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"
import { rowsOf, usedBy } from "./SpendingModel.ts"

const spending = asked((client) => client.modelSpending.getModelSpending())

export const SpendingView = ({ query }: { readonly query: URLSearchParams }) => {
  const workflow = query.get("workflow")
  const calls = useMemo(
    () =>
      asked((client) =>
        client.modelSpending.listModelCalls({ query: workflow === null ? {} : { workflow_id: workflow } })
      ),
    [workflow]
  )
  const names = namesOf(useQuery(workflows).value)
  const nameOf = (id: string) => names.get(id) ?? shortId(id)
  return (
    <Page title="What models cost" note="Of today, in UTC. An Owner sets limits and prices by PUT /model-spending.">
      <Section title="Today">
        <Loaded isFollowed query={spending}>
          {(spent) => (
            <Table
              label="Spent today"
              rows={rowsOf(spent)}
              keyOf={({ workflowId }) => workflowId ?? ""}
              columns={[
                {
                  word: "Of",
                  cell: ({ workflowId }) =>
                    workflowId === null ? (
                      <b>The workspace</b>
                    ) : (
                      <a href={to(["model-spending"], { workflow: workflowId })}>{nameOf(workflowId)}</a>
                    )
                },
                { word: "Calls", kind: "num", cell: (row) => row.calls },
                { word: "Tokens", kind: "num", cell: (row) => row.tokens },
                { word: "Money", kind: "num", cell: (row) => row.money }
              ]}
            />
          )}
        </Loaded>
      </Section>
      <Section title={workflow === null ? "Newest calls" : `Newest calls of ${nameOf(workflow)}`}>
        <Loaded query={calls}>
          {(page) =>
            page.calls.length === 0 ? (
              <Empty title="No calls">Each call of a model by a run is listed here.</Empty>
            ) : (
              <Table
                label="Calls"
                rows={page.calls}
                keyOf={({ id }) => id}
                columns={[
                  { word: "When", kind: "tight", cell: ({ at }) => <Ago at={at} /> },
                  {
                    word: "Step",
                    cell: ({ node_name, session_id }) => <a href={to(["runs", session_id])}>{node_name}</a>
                  },
                  { word: "Why", cell: ({ purpose }) => purpose },
                  { word: "Model", cell: ({ model }) => model },
                  { word: "Used", kind: "quiet", cell: usedBy }
                ]}
              />
            )
          }
        </Loaded>
      </Section>
    </Page>
  )
}
