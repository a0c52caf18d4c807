/** A recording: the page on one side, the steps of the workflow and the forms that add to them on the other. */
import { Effect } from "effect"
import { useEffect, useMemo, useState } from "preact/hooks"
import { type InputProblems, refusedInputs } from "../data/InputCheck.ts"
import { inPageWords } from "../data/PageWords.ts"
import { JsonText } from "../forms/JsonText.tsx"
import { SchemaForm } from "../forms/SchemaForm.tsx"
import { Clipped } from "../kit/Clipped.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { Chip, Empty, Page, Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { AddStep } from "./AddStep.tsx"
import {
  type Candidate,
  clickOn,
  eachRow,
  freeList,
  isRead,
  loopOf,
  messageOf,
  pointedAt,
  previewOf,
  proposed,
  type Reading,
  sourcesOf,
  takesFile,
  vaultSourcesOf
} from "./AuthorModel.ts"
import { Chosen } from "./Chosen.tsx"
import * as Column from "./Column.ts"
import { conditioning, followed } from "./ConditionModel.ts"
import { builder, type Conversation, type Message, type PageTarget, useConversation } from "./Conversation.ts"
import { Describe } from "./Describe.tsx"
import { expecting, sentenceOf } from "./ExpectModel.ts"
import { Finish } from "./Finish.tsx"
import { PagePicture } from "./PagePicture.tsx"
import { ReadData } from "./ReadData.tsx"
import { RepairNote } from "./Repair.tsx"
import { StepColumn } from "./StepColumn.tsx"
import { editing, graphIn, isWalk } from "./StepModel.ts"
import { StepPanel } from "./StepPanel.tsx"

type Mode = "act" | "point" | "read"

const modes: Readonly<Record<Mode, { readonly word: string; readonly note: string }>> = {
  act: { word: "Record", note: "Each click acts on the page and becomes a step." },
  point: { word: "Point", note: "A click chooses an element and does not act on the page." },
  read: { word: "Read data", note: "A click chooses a value to read." }
}

/** Without filters the service answers a list. */
const vault = query((client) =>
  Effect.map(client.vault.listEntries({ query: {} }), (answer) => (Array.isArray(answer) ? answer : [answer]))
)

/** The credentials of the vault, read again at first: one may have been added in the meantime. */
const useVault = () => {
  useEffect(() => refresh(vault), [])
  return useQuery(vault).value ?? []
}

const noReading: Reading = { cells: [], list: "rows", isEvery: true }

/** The selected step, and the element that was chosen for it. The step that failed is selected first. */
const useSelection = ({ draft, messages }: Conversation) => {
  const [selected, setSelected] = useState<string | null>(null)
  const [pointed, setPointed] = useState<PageTarget | null>(null)
  const [isPointing, setPointing] = useState(false)
  const column = useMemo(() => (draft === null ? null : Column.columnOf(graphIn(draft))), [draft])
  const lines = useMemo(() => (column === null ? [] : Column.linesOf(column)), [column])
  const onPointing = (next: boolean) => {
    setPointing(next)
    setPointed(null)
  }
  const select = (id: string | null) => {
    setSelected(id)
    onPointing(false)
  }
  const failed = draft?.repair?.nodeId ?? null
  useEffect(() => {
    if (failed !== null) select(failed)
  }, [failed])
  const node = draft === null ? null : (graphIn(draft).nodes.find(({ id }) => id === selected) ?? null)
  const last = messages.findLast(({ result }) => result !== undefined)
  // A step that was refused as a new one is no step: its failure is shown beside the page.
  const stopped = last?.result?.done === false ? (last.result.nodeId ?? null) : null
  useEffect(() => {
    if (stopped !== null && draft?.nodes.some(({ id }) => id === stopped)) select(stopped)
  }, [last?.number])
  const isFailed = node !== null && draft?.progress.steps[node.id] === "failed"
  const problem = isFailed && last?.result?.nodeId === node.id ? last.text : null
  // The failure of the run stands until the step was changed or done.
  const isMended = draft?.unsaved === true || (node !== null && draft?.progress.steps[node.id] !== undefined)
  const ofRun = node !== null && node.id === failed && !isMended ? (draft?.repair?.message ?? null) : null
  const reason = problem ?? ofRun
  return { column, lines, node, problem: reason, select, isPointing, onPointing, pointed, setPointed }
}

/** The chosen element, the values to read, and what a click on the page does. */
const useRecording = (conversation: Conversation) => {
  const { draft, messages, sayAll } = conversation
  const [mode, setMode] = useState<Mode>("act")
  const [chosen, choose] = useState<PageTarget | null>(null)
  const [reading, setReading] = useState<Reading>(noReading)
  const loop = draft === null ? null : loopOf(draft)
  const elements = conversation.page === null || conversation.page === "none" ? [] : conversation.page.elements
  // What was only read is shown beside the columns.
  const said = messages.findLast(({ result, role }) => role === "assistant" && result?.nodeId !== null) ?? null
  const asked = previewOf(reading, loop)
  useEffect(() => {
    if (asked !== null) sayAll([asked])
  }, [asked])
  const previewed = messages.findLastIndex(({ role, text }) => role === "user" && text === asked)
  const preview = messages.slice(previewed + 1).findLast(({ result }) => result?.nodeId === null) ?? null
  useEffect(() => {
    // A step changes the page: the chosen element may be gone.
    if (said?.result?.done === true) choose(null)
  }, [said?.number])

  /** Does a step, after the message that adds the input or the credential that it uses. */
  const perform = (candidate: Candidate, adds: string | null = null) => {
    if (candidate.action === "EXTRACT_DATAMODEL") {
      setReading(noReading)
      setMode("act")
    }
    sayAll([...(adds === null ? [] : [adds]), messageOf(candidate)])
  }
  const read = (target: PageTarget) => {
    setMode("read")
    choose(null)
    setReading((before) => {
      const isFirst = before.cells.length === 0 && draft !== null
      return pointedAt(isFirst ? { ...before, list: freeList(draft, loop) } : before, target, elements, loop)
    })
  }
  const point = (target: PageTarget) => {
    if (mode === "read") return read(target)
    if (mode === "act" && target.kind === "press" && !takesFile(target))
      return perform(clickOn(target, proposed(target, loop)))
    choose(target)
  }
  const marked = new Set([
    ...(chosen === null ? [] : [chosen.selectors[0]?.selector ?? ""]),
    ...reading.cells.map(({ target }) => target.selectors[0]?.selector ?? ""),
    ...elements.filter((target) => isRead(reading, target)).map(({ selectors }) => selectors[0]?.selector ?? "")
  ])
  const shown = previewed < 0 ? null : preview
  return {
    mode,
    setMode,
    chosen,
    choose,
    reading,
    setReading,
    loop,
    said,
    marked,
    preview: shown,
    perform,
    point,
    read
  }
}

export const Workbench = ({ id }: { readonly id: string }) => {
  const conversation = useConversation(id)
  const { draft, isBusy, messages, problem, say, sayAll, status } = conversation
  const page = conversation.page === "none" ? null : conversation.page
  const recording = useRecording(conversation)
  const { choose, chosen, loop, marked, mode, perform, point, preview } = recording
  const { read, reading, said, setMode, setReading } = recording
  const entries = useVault()
  const sources = draft === null ? [] : [...sourcesOf(draft, loop), ...vaultSourcesOf(entries, page?.url ?? "", draft)]
  const isReadOnly = !may("Member") || status?.status === "ended"
  const selection = useSelection(conversation)
  const { isPointing, node, onPointing, pointed, select, setPointed } = selection
  return (
    <Page
      wide
      title={draft?.name ?? "Recording"}
      note={page !== null ? page.url : conversation.page === null ? "Opening the page…" : "No page is open"}
      actions={
        !isReadOnly &&
        draft !== null && <Finish id={id} draft={draft} isBusy={isBusy} workflowId={status?.workflowId ?? null} />
      }
    >
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="workbench">
        <div class="stack">
          <Section
            title="Page"
            note={isPointing ? "A click chooses an element for the selected step." : modes[mode].note}
            actions={
              <Modes
                mode={mode}
                onChange={(next) => {
                  onPointing(false)
                  setMode(next)
                  choose(null)
                }}
              />
            }
          >
            {page !== null ? (
              <PagePicture
                page={page}
                isBusy={isBusy || isReadOnly}
                chosen={pointed === null ? marked : new Set([pointed.selectors[0]?.selector ?? ""])}
                verb={isPointing ? "Choose" : mode === "read" ? "Read" : mode === "point" ? "Choose" : null}
                shown={({ kind }) => isPointing || mode !== "act" || kind !== "read"}
                onPoint={isPointing ? setPointed : point}
              />
            ) : (
              <NoPage conversation={conversation} isReadOnly={isReadOnly} />
            )}
          </Section>
          {said !== null && <Said message={said} isBusy={isBusy} onSay={isReadOnly ? null : say} />}
        </div>
        <div class="stack">
          {draft !== null && draft.repair !== null && (
            <RepairNote repair={draft.repair} isShown={node?.id === draft.repair.nodeId} onSelect={select} />
          )}
          {status?.status === "awaiting-human-input" && <Asked id={id} messages={messages} />}
          {loop !== null && (
            <RecordedLoop loop={loop} isBusy={isBusy} onEnd={isReadOnly ? null : () => void say("leave")} />
          )}
          {chosen !== null && draft !== null && (
            <Chosen
              key={chosen.selectors[0]?.selector}
              target={chosen}
              draft={draft}
              loop={loop}
              sources={sources}
              entries={entries}
              url={page?.url ?? ""}
              onSay={sayAll}
              step={selection.column === null || node === null ? null : followed(selection.column, node, draft.cursor)}
              onCondition={(step, condition) => {
                choose(null)
                sayAll(conditioning(draft, step, condition, crypto.randomUUID()))
              }}
              isBusy={isBusy || isReadOnly}
              onDo={perform}
              onRead={read}
              onEach={() => {
                choose(null)
                setMode("act")
                sayAll(eachRow(chosen, draft).map(messageOf))
              }}
              onPages={
                draft.nodes.length < 3
                  ? null
                  : (text) => {
                      choose(null)
                      void say(text)
                    }
              }
              onClose={() => choose(null)}
            />
          )}
          {mode === "read" && (
            <ReadData
              reading={reading}
              loop={loop}
              preview={preview}
              // A step that reads waits for the preview of what it reads.
              isBusy={isReadOnly || (isBusy && reading.proposed === undefined)}
              onChange={setReading}
              onDo={perform}
            />
          )}
          <Steps conversation={conversation} selection={selection} isReadOnly={isReadOnly} />
          {!isReadOnly && draft !== null && <Describe draft={draft} conversation={conversation} />}
          {!isReadOnly && <AddStep isBusy={isBusy} onDo={perform} />}
        </div>
      </div>
    </Page>
  )
}

/** The column of steps, and the one that is selected. */
const Steps = ({
  conversation: { draft, isWorking, messages, page, say, sayAll, status, stop },
  isReadOnly,
  selection: { column, isPointing, lines, node, onPointing, pointed, problem, select }
}: {
  readonly conversation: Conversation
  readonly selection: ReturnType<typeof useSelection>
  readonly isReadOnly: boolean
}) => {
  if (draft === null || column === null) return null
  const change = (changed: Column.Block | null) => {
    if (changed !== null) void say(editing(Column.patchOf(graphIn(draft), Column.graphOf(changed))))
  }
  const asked = messages.findLast(({ role }) => role === "user")?.text
  const shared = { draft, column, lines, isBusy: isWorking, isReadOnly, onChange: change, onSelect: select }
  return (
    <>
      <StepColumn
        {...shared}
        hasPage={page !== null && page !== "none"}
        isWalking={status?.isProcessing === true && isWalk(asked)}
        selected={node?.id ?? null}
        onSay={(text) => void say(text)}
        onStop={stop}
      />
      {node !== null && (
        <StepPanel
          {...shared}
          node={node}
          page={page === "none" ? null : page}
          problem={problem}
          isPointing={isPointing}
          pointed={pointed}
          onPointing={onPointing}
          onSay={(...texts) => sayAll(texts)}
        />
      )}
    </>
  )
}

/** What a click on the page does. */
const Modes = ({ mode, onChange }: { readonly mode: Mode; readonly onChange: (next: Mode) => void }) => (
  <>
    {(Object.keys(modes) as ReadonlyArray<Mode>).map((name) => (
      <Chip key={name} pressed={mode === name} onClick={() => onChange(name)}>
        {modes[name].word}
      </Chip>
    ))}
  </>
)

/** The loop whose first turn is recorded. */
const RecordedLoop = ({
  isBusy,
  loop,
  onEnd
}: {
  readonly loop: NonNullable<ReturnType<typeof loopOf>>
  readonly isBusy: boolean
  readonly onEnd: (() => void) | null
}) => (
  <section class="question" aria-label="The loop that is recorded">
    <h2>{loop.name}</h2>
    <p class="note">
      You are in its first turn. What you do now is done in each turn
      {loop.rows === null ? "." : "; an element in a row is found in the row of the turn."}
    </p>
    {onEnd !== null && (
      <div>
        <button
          type="button"
          disabled={isBusy}
          title="Does the remaining turns. Steps that you add later come after the loop"
          onClick={onEnd}
        >
          End the loop
        </button>
      </div>
    )}
  </section>
)

const NoPage = ({
  conversation: { isBusy, isWaiting, page, say, status },
  isReadOnly
}: {
  readonly conversation: Conversation
  readonly isReadOnly: boolean
}) => {
  if (status?.status === "ended") {
    return (
      <Empty title="This recording has ended">
        <a href={to(["author"])}>Start another recording</a>
      </Empty>
    )
  }
  if (status?.status === "awaiting-human-input") return <Empty title="The page opens when every input has a value" />
  if (isWaiting) {
    return (
      <Empty title="The page waits for a place">
        As many pages are open as may be. End a recording under <a href={to(["author"])}>Author</a>, or wait.
      </Empty>
    )
  }
  if (isBusy || page === null) return <Empty title="The page is being opened" />
  return (
    <Empty title="No page is open">
      {!isReadOnly && (
        <button type="button" onClick={() => void say("replay")}>
          Open it and run the steps again
        </button>
      )}
    </Empty>
  )
}

/** An answer without its data, which is shown beside it. */
const withoutData = (text: string): string => text.replace(/ It extracted [\s\S]*$/, "")

/** The service's answer to the last step, with the data that was read. */
const Said = ({
  isBusy,
  message: { result, text },
  onSay
}: {
  readonly message: Message
  readonly isBusy: boolean
  readonly onSay: ((text: string) => unknown) | null
}) => {
  const isFailed = result?.done === false
  return (
    <Section title="Last answer">
      <div class="body">
        <p class={isFailed ? "problem" : ""} role={isFailed ? "alert" : "status"}>
          {isBusy ? "Working…" : <Clipped text={inPageWords(result?.data === undefined ? text : withoutData(text))} />}
        </p>
        {result?.warnings !== undefined && !isBusy && (
          <section class="warnings" aria-label="Warnings of the last answer">
            {result.warnings.map((warning, index) => (
              <div key={index}>
                <p>
                  <Clipped text={warning} />
                </p>
              </div>
            ))}
          </section>
        )}
        {result?.keptExpect !== undefined && !isBusy && (
          <p class="note">From now on it expects {sentenceOf(result.keptExpect) ?? "this"}.</p>
        )}
        {onSay !== null && result?.nodeId != null && (
          <Expecting
            result={result}
            isBusy={isBusy}
            onSet={(expect) => onSay(expecting(String(result.nodeId), expect))}
          />
        )}
        {result?.data !== undefined && !isBusy && <JsonText label="What was read" value={result.data} />}
      </div>
    </Section>
  )
}

/** Takes away what the step expects since it was recorded, or has it expect what is proposed. */
const Expecting = ({
  isBusy,
  onSet,
  result
}: {
  readonly isBusy: boolean
  readonly onSet: (expect: Readonly<Record<string, unknown>> | null) => unknown
  readonly result: NonNullable<Message["result"]>
}) => {
  const { keptExpect, proposedExpect } = result
  if (keptExpect === undefined && proposedExpect === undefined) return null
  return (
    <div class="row">
      {keptExpect !== undefined ? (
        <button type="button" disabled={isBusy} onClick={() => void onSet(null)}>
          Do not expect it
        </button>
      ) : (
        <button
          type="button"
          title="A run fails at this step when that is not so"
          disabled={isBusy}
          onClick={() => void onSet(proposedExpect ?? null)}
        >
          Expect {sentenceOf(proposedExpect) ?? "this"}
        </button>
      )}
    </div>
  )
}

/** The inputs that the service needs before it can open the page. */
const Asked = ({ id, messages }: { readonly id: string; readonly messages: ReadonlyArray<Message> }) => {
  const asked = messages.findLast(({ question }) => question?.state === "open")
  const [problems, setProblems] = useState<InputProblems>({})
  if (asked?.question === undefined) return null
  return (
    <section class="question" aria-label="Missing inputs">
      <h2>{asked.text}</h2>
      <SchemaForm
        schema={asked.question.schema}
        problems={problems}
        send="Continue"
        onSend={(responses) => {
          setProblems({})
          return act(
            builder().respond({ params: { conversation_id: id }, payload: { messageId: asked.id, responses } }),
            { failed: (error) => setProblems(refusedInputs(error)) }
          )
        }}
      />
    </section>
  )
}
