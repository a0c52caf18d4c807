/** The recordings in progress, and the form that starts a new one. */
import { useState } from "preact/hooks"
import { Field } from "../forms/Field.tsx"
import { NameAndPage } from "../forms/NameAndPage.tsx"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Page, Section } from "../kit/Page.tsx"
import { go, to } from "../kit/Route.ts"
import { act, problemsByField, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"
import { identifier } from "./AuthorModel.ts"
import { builder, type Status } from "./Conversation.ts"
import { Workbench } from "./Workbench.tsx"

export const AuthorView = ({ id }: { readonly id: string | undefined }) =>
  id === undefined ? <Recordings /> : <Workbench id={id} />

const recordings = query((client) => client["workflow builder"].listSessions({}))

const words: Readonly<Record<Status["status"], string>> = {
  processing: "Working",
  "awaiting-human-input": "Waits for inputs",
  "agent-errored": "Its page was lost",
  completed: "Ready",
  idle: "Ready",
  ended: "Ended"
}

const Recordings = () => (
  <Page title="Author" note="Build a workflow by doing it once on the page">
    <div class="columns">
      {may("Member") ? <Begin /> : <Section title="New recording">{<Empty title="A Member can record" />}</Section>}
      <Section title="In progress">
        <Loaded isFollowed query={recordings}>
          {({ sessions }) =>
            sessions.length === 0 ? (
              <Empty title="Nothing is being recorded">A recording without activity ends after half an hour.</Empty>
            ) : (
              <Table
                label="Recordings in progress"
                rows={sessions}
                keyOf={({ conversationId }) => conversationId}
                columns={[
                  {
                    word: "Workflow",
                    cell: ({ conversationId, title }) => <a href={to(["author", conversationId])}>{title}</a>
                  },
                  { word: "State", kind: "tight", cell: ({ status }) => words[status] },
                  {
                    word: "Started",
                    kind: "tight",
                    cell: ({ startedAt }) => (
                      <span class="quiet">
                        <Ago at={new Date(startedAt).toISOString()} />
                      </span>
                    )
                  }
                ]}
              />
            )
          }
        </Loaded>
      </Section>
    </div>
  </Page>
)

interface Input {
  readonly name: string
  readonly value: string
}

/** The field of the form for a path of the request. */
const fieldOf = (path: string): string => ({ startUrl: "url", permissionedUserId: "user" })[path] ?? path

const Begin = () => {
  const [name, setName] = useState("")
  const [url, setUrl] = useState("")
  const [user, setUser] = useState("")
  const [inputs, setInputs] = useState<ReadonlyArray<Input>>([])
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [isBusy, setBusy] = useState(false)
  const send = async (event: Event) => {
    event.preventDefault()
    const names = inputs.map(({ name }, index) => identifier(name, `input_${index + 1}`))
    const wrong = {
      ...(name.trim() === "" ? { name: "Give the workflow a name" } : {}),
      ...(URL.parse(url) !== null && /^https?:/.test(url)
        ? {}
        : { url: "Expected an address such as https://example.com" }),
      ...Object.fromEntries(
        names.flatMap((name, index) =>
          names.indexOf(name) === index
            ? []
            : [[`input ${index}`, `Input ${names.indexOf(name) + 1} already has the name ${name}`]]
        )
      )
    }
    setProblems(wrong)
    if (Object.keys(wrong).length > 0) return
    setBusy(true)
    const example = Object.fromEntries(inputs.map(({ value }, index) => [names[index], value]))
    const opened = await act(
      builder().openSession({
        payload: {
          name: name.trim(),
          startUrl: url,
          ...(inputs.length === 0 ? {} : { jsonExample: example }),
          ...(user.trim() === "" ? {} : { permissionedUserId: user.trim() })
        }
      }),
      { failed: (error) => setProblems(problemsByField(error, ["name", "url", "user"], fieldOf)) }
    )
    setBusy(false)
    if (opened === null) return
    refresh(recordings)
    go(to(["author", opened.conversationId]))
  }
  const change = (index: number, changes: Partial<Input>) =>
    setInputs(inputs.map((input, at) => (at === index ? { ...input, ...changes } : input)))
  return (
    <Section title="New recording">
      <form class="body form" onSubmit={send} noValidate>
        <NameAndPage
          name={name}
          url={url}
          hint="A browser of the service opens it"
          problems={problems}
          onName={setName}
          onUrl={setUrl}
        />
        <Field
          label="Credential (optional)"
          hint="The user id of an entry of the vault, for pages that ask to sign in"
          problem={problems.user}
        >
          <input value={user} autocomplete="off" onInput={({ currentTarget }) => setUser(currentTarget.value)} />
        </Field>
        <fieldset class="form">
          <legend>Inputs</legend>
          <p class="hint">Values that differ from run to run, each with an example for the recording.</p>
          {inputs.map((input, index) => (
            <div class="cell-line" key={index}>
              <Field label={`Name of input ${index + 1}`} problem={problems[`input ${index}`]}>
                <input
                  value={input.name}
                  onInput={({ currentTarget }) => change(index, { name: currentTarget.value })}
                />
              </Field>
              <Field label={`Example of input ${index + 1}`}>
                <input
                  value={input.value}
                  onInput={({ currentTarget }) => change(index, { value: currentTarget.value })}
                />
              </Field>
              <button
                type="button"
                class="plain"
                aria-label={`Remove input ${index + 1}`}
                onClick={() => setInputs(inputs.filter((_, at) => at !== index))}
              >
                ✕
              </button>
            </div>
          ))}
          <div>
            <button type="button" onClick={() => setInputs([...inputs, { name: "", value: "" }])}>
              Add an input
            </button>
          </div>
        </fieldset>
        <button type="submit" class="primary" disabled={isBusy}>
          Start recording
        </button>
      </form>
    </Section>
  )
}
