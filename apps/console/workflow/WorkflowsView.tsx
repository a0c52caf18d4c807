/** All workflows, and the form of a new one. */
import { useState } from "preact/hooks"
import { workflows } from "../data/Workflows.ts"
import { NameAndPage } from "../forms/NameAndPage.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Page } from "../kit/Page.tsx"
import { filter, go, to } from "../kit/Route.ts"
import { act, client, problemsByField, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"
import { firstGraph } from "./WorkflowModel.ts"

export const WorkflowsView = ({ query }: { readonly query: URLSearchParams }) => {
  const search = query.get("q") ?? ""
  const isNew = query.get("new") === "1"
  return (
    <Page
      title="Workflows"
      actions={
        may("Member") && (
          <>
            <a class="button" href={to(["bring"])}>
              Bring it
            </a>
            <button type="button" class="primary" onClick={() => filter({ new: "1" })}>
              New workflow
            </button>
          </>
        )
      }
    >
      <div class="filters">
        <input
          type="search"
          aria-label="Find a workflow by its name"
          placeholder="Find by name"
          value={search}
          onInput={({ currentTarget }) => filter({ q: currentTarget.value })}
        />
      </div>
      <div class="section">
        <Loaded isFollowed query={workflows} rows={6}>
          {(all) => {
            const found = all.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
            if (found.length === 0) {
              return all.length === 0 ? (
                <Empty title="No workflow yet">
                  Create one here, <a href={to(["bring"])}>bring a file of another program</a>, or send one by POST
                  /workflows.
                </Empty>
              ) : (
                <Empty title={`No workflow has “${search}” in its name`}>
                  <button type="button" onClick={() => filter({ q: null })}>
                    Show all
                  </button>
                </Empty>
              )
            }
            return (
              <Table
                label="Workflows"
                rows={found.slice(0, 500)}
                keyOf={({ id }) => id}
                columns={[
                  {
                    word: "Name",
                    cell: ({ description, folder_path, id, name }) => (
                      <>
                        <a class="strong" href={to(["workflows", id])}>
                          {name}
                        </a>
                        {folder_path !== null && folder_path !== "" && <span class="tag">{folder_path}</span>}
                        {description !== null && <div class="quiet clip">{description}</div>}
                      </>
                    )
                  },
                  {
                    word: "Changed",
                    kind: "tight",
                    cell: ({ updated_at }) => (
                      <span class="quiet">
                        <Ago at={updated_at} />
                      </span>
                    )
                  },
                  {
                    word: "Links",
                    kind: "tight",
                    cell: ({ id, name }) => (
                      <>
                        <a href={to(["workflows", id, "window"])} aria-label={`Window of ${name}`}>
                          Window
                        </a>{" "}
                        ·{" "}
                        <a href={to(["runs"], { workflow: id })} aria-label={`Runs of ${name}`}>
                          Runs
                        </a>
                      </>
                    )
                  }
                ]}
              />
            )
          }}
        </Loaded>
      </div>
      {isNew && <NewWorkflow onClose={() => filter({ new: null })} />}
    </Page>
  )
}

const NewWorkflow = ({ onClose }: { readonly onClose: () => void }) => {
  const [name, setName] = useState("")
  const [url, setUrl] = useState("")
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const send = async (event: Event) => {
    event.preventDefault()
    const wrong = {
      ...(name.trim() === "" ? { name: "Give the workflow a name" } : {}),
      ...(URL.parse(url) !== null && /^https?:/.test(url)
        ? {}
        : { url: "Expected an address such as https://example.com" })
    }
    setProblems(wrong)
    if (Object.keys(wrong).length > 0) return
    const made = await act(client().workflows.create({ payload: { name: name.trim(), ...firstGraph(url) } }), {
      done: "The workflow was created",
      failed: (error) =>
        setProblems(problemsByField(error, ["name", "url"], (path) => (path.endsWith(".url") ? "url" : path)))
    })
    if (made === null) return
    refresh(workflows)
    go(to(["workflows", made.id, "json"]))
  }
  return (
    <Dialog title="New workflow" onClose={onClose}>
      <form class="form" onSubmit={send} noValidate>
        <NameAndPage
          name={name}
          url={url}
          hint="A run starts at this page"
          problems={problems}
          onName={setName}
          onUrl={setUrl}
        />
        <button type="submit" class="primary">
          Create
        </button>
      </form>
    </Dialog>
  )
}
