/** A recording, a script or a workflow of another program becomes a workflow, which is saved when its report was read. */
import { useRef, useState } from "preact/hooks"
import { plain } from "../data/PlainText.ts"
import { Start } from "../data/StartRun.tsx"
import { type Workflow, workflows } from "../data/Workflows.ts"
import { Field } from "../forms/Field.tsx"
import { Chip, Empty, Page, Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, type Problem, problemsOf, reasonOf, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Table } from "../kit/Table.tsx"
import {
  type Converted,
  countOf,
  type Entry,
  formatWords,
  type Outcome,
  outcomeWords,
  refusalOf,
  sentenceOf
} from "./BringModel.ts"

const note = "A recording, script or workflow of another program becomes a workflow. Nothing is saved until you say so"

export const BringView = () =>
  may("Member") ? (
    <Bring />
  ) : (
    <Page title="Bring it" note={note}>
      <Section title="File">
        <Empty title="A Member can bring a file" />
      </Section>
    </Page>
  )

const Bring = () => {
  const [found, show] = useState<Converted | null>(null)
  const [problem, setProblem] = useState("")
  const [isBusy, setBusy] = useState(false)
  // Another file may be given before the answer to the one before has come.
  const latest = useRef(0)
  const convert = async (file_name: string, content: () => Promise<string>) => {
    const own = ++latest.current
    show(null)
    setProblem("")
    setBusy(true)
    let refused = ""
    const text = await content().catch(() => null)
    const made =
      text === null
        ? null
        : await act(client().workflows.convert({ payload: { file_name, content: text } }), {
            failed: (error) => {
              refused = problemsOf(error)[0]?.message ?? reasonOf(error)
            }
          })
    if (own !== latest.current) return
    setBusy(false)
    if (made === null) setProblem(text === null ? `${file_name} cannot be read: choose a file, not a folder` : refused)
    else show(made)
  }
  const take = (file: File | null | undefined) => {
    if (file === null || file === undefined) return
    const refusal = refusalOf(file.name, file.size)
    if (refusal === null) void convert(file.name, () => file.text())
    else {
      latest.current++
      setBusy(false)
      show(null)
      setProblem(refusal)
    }
  }
  return (
    <Page title="Bring it" note={note}>
      <Given problem={problem} isBusy={isBusy} onFile={take} onText={(text) => void convert("", async () => text)} />
      {found !== null && <Became key={latest.current} found={found} />}
    </Page>
  )
}

/** Takes a file by the chooser, by drop or by paste, or its text. */
const Given = ({
  isBusy,
  onFile,
  onText,
  problem
}: {
  readonly problem: string
  readonly isBusy: boolean
  readonly onFile: (file: File | null | undefined) => void
  readonly onText: (text: string) => void
}) => {
  const [text, setText] = useState("")
  const [isOver, setOver] = useState(false)
  const send = (event: Event) => {
    event.preventDefault()
    if (text.trim() !== "") onText(text)
  }
  return (
    <Section title="File">
      <form
        class={isOver ? "body form drop over" : "body form drop"}
        onSubmit={send}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          onFile(event.dataTransfer?.files[0])
        }}
        onPaste={(event) => {
          const file = event.clipboardData?.files[0]
          if (file === undefined) return
          event.preventDefault()
          onFile(file)
        }}
      >
        <Field
          label="Choose a file, or drop it here"
          hint={`From ${Object.values(formatWords).join(", ")}. It is recognised by its content, and nothing in it is executed`}
        >
          <input
            type="file"
            onChange={({ currentTarget }) => {
              onFile(currentTarget.files?.[0])
              // The same file can be chosen again once it was changed.
              currentTarget.value = ""
            }}
          />
        </Field>
        <Field label="Or paste its text">
          <textarea
            rows={4}
            class="mono"
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </Field>
        <button type="submit" disabled={isBusy || text.trim() === ""}>
          Translate the text
        </button>
        <p role="status" class="note">
          {isBusy ? "Translating" : ""}
        </p>
        {problem !== "" && (
          <p class="problem" role="alert">
            {plain(problem)}
          </p>
        )}
      </form>
    </Section>
  )
}

const Became = ({ found }: { readonly found: Converted }) => (
  <>
    <Section title="What it became">
      <div class="body form">
        <p class="lead" role="status">
          {sentenceOf(found)}
        </p>
        <Save found={found} />
      </div>
    </Section>
    <Report report={found.report} />
    {found.inputs.length > 0 && (
      <Section title="Inputs" note="each run is given them">
        <Table
          label="Inputs and reasons"
          rows={found.inputs}
          keyOf={({ name }) => name}
          columns={[
            { word: "Name", kind: "mono", cell: ({ name }) => plain(name) },
            { word: "Why", cell: ({ reason }) => plain(reason) },
            { word: "Example", kind: "quiet", cell: ({ example }) => plain(example ?? "") }
          ]}
        />
      </Section>
    )}
    {found.credentials.length > 0 && (
      <Section
        title="Credentials"
        note={
          <>
            add them to the <a href={to(["vault"])}>vault</a> before the first run
          </>
        }
      >
        <Table
          label="Credentials and sites"
          rows={found.credentials}
          keyOf={({ alias }) => alias}
          columns={[
            { word: "Name", kind: "mono", cell: ({ alias }) => plain(alias) },
            { word: "Site", cell: ({ domain }) => plain(domain) },
            { word: "What is read", kind: "quiet", cell: ({ fields }) => fields.join(", ") }
          ]}
        />
      </Section>
    )}
    <Warnings warnings={found.warnings} />
  </>
)

const Warnings = ({ warnings }: { readonly warnings: ReadonlyArray<Problem> }) =>
  warnings.length === 0 ? null : (
    <Section title="Warnings" note="a save says them, too">
      <ul class="entries">
        {warnings.map(({ message, path }) => (
          <li key={path + message}>
            <span class="entry-text">
              <span>{plain(message)}</span>
              <span class="quiet mono">{plain(path)}</span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )

/** The save, and the run that it makes possible. */
const Save = ({ found }: { readonly found: Converted }) => {
  const [name, setName] = useState(String(found.workflow.name))
  const [problem, setProblem] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [saved, setSaved] = useState<Workflow | null>(null)
  if (saved !== null) {
    return (
      <div class="actions" role="group" aria-label="The saved workflow">
        <span>
          Saved as{" "}
          <a class="strong" href={to(["workflows", saved.id])}>
            {plain(saved.name)}
          </a>
        </span>
        <Start workflow={saved} isTest={false} />
      </div>
    )
  }
  const save = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    const made = await act(client().workflows.create({ payload: { ...found.workflow, name: name.trim() } }), {
      done: "The workflow was created",
      failed: (error) => {
        const [first] = problemsOf(error)
        setProblem(first === undefined ? reasonOf(error) : `${first.path}: ${first.message}`)
      }
    })
    setBusy(false)
    if (made === null) return
    refresh(workflows)
    setSaved(made)
  }
  return (
    <form class="form narrow" onSubmit={save}>
      <Field label="Name" problem={problem}>
        <input required maxLength={200} value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      <button type="submit" class="primary" disabled={isBusy}>
        Save the workflow
      </button>
    </form>
  )
}

/** The number of entries that are shown until the reader asks for all. */
const mostShown = 200

const outcomes: ReadonlyArray<Outcome> = ["not_translated", "translated", "kept"]

const Report = ({ report }: { readonly report: ReadonlyArray<Entry> }) => {
  const [only, setOnly] = useState<Outcome | null>(null)
  const [isWhole, setWhole] = useState(false)
  const rows = only === null ? report : report.filter(({ outcome }) => outcome === only)
  const shown = isWhole ? rows : rows.slice(0, mostShown)
  return (
    <Section title="Each step of the file">
      <div class="body">
        <div class="chips">
          {outcomes.map((outcome) => (
            <Chip key={outcome} pressed={only === outcome} onClick={() => setOnly(only === outcome ? null : outcome)}>
              {outcomeWords[outcome]} <b>{countOf(report, outcome).toLocaleString("en")}</b>
            </Chip>
          ))}
        </div>
      </div>
      {rows.length === 0 ? (
        <Empty title="No such step" />
      ) : (
        <Table
          label="Steps and outcomes"
          rows={shown}
          keyOf={({ step }) => step}
          columns={[
            {
              word: "Step",
              cell: ({ kind, line, step }) => (
                <>
                  <div class="strong">{plain(kind)}</div>
                  <div class="quiet mono">
                    {plain(step)}
                    {line === null ? "" : `, line ${line}`}
                  </div>
                </>
              )
            },
            {
              word: "Outcome",
              kind: "tight",
              cell: ({ outcome }) => (
                <span class={outcome === "not_translated" ? "tag warned" : "tag"}>{outcomeWords[outcome]}</span>
              )
            },
            {
              word: "What changes, or what to do",
              cell: ({ message, selectors }) => (
                <>
                  {plain(message ?? "")}
                  {selectors.map((selector) => (
                    <div key={selector} class="quiet mono">
                      or {plain(selector)}
                    </div>
                  ))}
                </>
              )
            }
          ]}
        />
      )}
      {shown.length < rows.length && (
        <p class="body">
          <button type="button" class="link" onClick={() => setWhole(true)}>
            Show all {rows.length.toLocaleString("en")}
          </button>
        </p>
      )}
    </Section>
  )
}
