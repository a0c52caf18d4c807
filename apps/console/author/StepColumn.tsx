/** The steps of the workflow that is built, with the place of the next one. A step is selected, moved and deleted here. */
import { Fragment } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { branchWords } from "../data/Outline.ts"
import { Section } from "../kit/Page.tsx"
import * as Column from "./Column.ts"
import type { Draft } from "./Conversation.ts"
import { wordsOf } from "./ExpectModel.ts"
import { cursorWords, nextOf, record, sizeOf, stateWords } from "./StepModel.ts"

type Lines = ReadonlyArray<Column.Line>

export interface ColumnProps {
  readonly draft: Draft
  readonly column: Column.Block
  readonly lines: Lines
  readonly isBusy: boolean
  readonly isReadOnly: boolean
  readonly hasPage: boolean
  /** Whether the steps are carried out one after the other. */
  readonly isWalking: boolean
  readonly selected: string | null
  readonly onSelect: (id: string) => void
  readonly onChange: (column: Column.Block | null) => void
  readonly onSay: (text: string) => void
  readonly onStop: () => void
}

export const StepColumn = (props: ColumnProps) => {
  const { draft, isBusy, isReadOnly, lines, onSay, onStop } = props
  const steps = lines.filter((line) => line.kind === "step" && line.number !== null)
  const done = Object.values(draft.progress.steps).filter((state) => state === "done").length
  return (
    <Section
      title="Steps"
      note={`${steps.length}, ${done} done on this page`}
      actions={
        !isReadOnly && (
          <>
            <button type="button" disabled={isBusy || !draft.can_undo} onClick={() => onSay("undo")}>
              Undo
            </button>
            <button type="button" disabled={isBusy || !draft.can_redo} onClick={() => onSay("redo")}>
              Redo
            </button>
          </>
        )
      }
    >
      {!isReadOnly && <Running {...props} />}
      <StepList {...props} />
      {isBusy && !isReadOnly && (
        <div class="body">
          <button type="button" onClick={onStop}>
            Stop
          </button>
        </div>
      )}
    </Section>
  )
}

const Running = ({ draft, isBusy, onSay }: ColumnProps) => {
  const end = draft.nodes.find(({ action }) => action === "END")
  return (
    <div class="body">
      <div class="row" role="group" aria-label="Run the steps">
        <button type="button" disabled={isBusy || nextOf(draft) === null} onClick={() => onSay("next")}>
          Next step
        </button>
        <button type="button" disabled={isBusy || nextOf(draft) === null} onClick={() => onSay("continue")}>
          Run to the end
        </button>
        <button
          type="button"
          title="Opens the first page again, and runs every step"
          disabled={isBusy}
          onClick={() => onSay(`replay ${String(end?.id)}`)}
        >
          Run all again
        </button>
      </div>
    </div>
  )
}

/** The keys that move and delete the selected step. */
const keysNote = "Alt with an arrow moves a step, Delete removes it"

const StepList = ({
  column,
  draft,
  hasPage,
  isBusy,
  isReadOnly,
  isWalking,
  lines,
  onChange,
  onSelect,
  selected
}: ColumnProps) => {
  const list = useRef<HTMLOListElement>(null)
  const [dragged, drag] = useState<string | null>(null)
  const [over, setOver] = useState<string | null>(null)
  const moving = useRef<string | null>(null)
  const at = Column.cursorLine(lines, draft.cursor)
  const next = nextOf(draft)
  // A step that was moved by a key keeps the focus at its new place.
  useLayoutEffect(() => {
    if (moving.current !== null) list.current?.querySelector<HTMLElement>(`[data-step="${moving.current}"]`)?.focus()
    moving.current = null
  }, [column])
  useLayoutEffect(() => {
    // The list alone scrolls: the page stays where its reader is.
    const { current } = list
    const line = current?.querySelector<HTMLElement>(".cursor")
    if (current === null || line == null) return
    const isSeen = line.offsetTop >= current.scrollTop && line.offsetTop < current.scrollTop + current.clientHeight
    if (!isSeen) current.scrollTop = line.offsetTop - current.clientHeight / 2
  }, [at])

  const press = (event: KeyboardEvent, id: string) => {
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>("[data-step]") ?? [])]
    const own = buttons.findIndex((one) => one.dataset.step === id)
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null
    const changed = (result: Column.Block | null) => {
      event.preventDefault()
      if (isBusy || isReadOnly || result === null) return
      moving.current = id
      onChange(result)
    }
    if (by !== null && event.altKey) return changed(Column.stepped(column, id, by))
    if (by !== null) {
      event.preventDefault()
      return buttons[own + by]?.focus()
    }
    if (event.key === "Delete") {
      changed(Column.deleted(column, id))
      moving.current = buttons[own + 1]?.dataset.step ?? null
    }
  }
  return (
    <>
      <ol class="outline column" aria-label="The steps of the workflow" ref={list}>
        {at < 0 && <Cursor words={cursorWords(draft, lines, hasPage)} depth={0} />}
        {lines.map((line, index) => (
          <Fragment key={line.kind === "step" ? line.node.id : `${line.kind} ${index}`}>
            {line.kind !== "step" ? (
              <li style={indent(line.depth)}>
                {line.kind === "goto" ? (
                  <span class="quiet">goes on at “{line.to?.name ?? "the end"}”</span>
                ) : (
                  <>
                    <span class="branch">{branchWords[line.way]}</span>
                    {line.isEmpty && <span class="quiet">nothing; goes on below</span>}
                  </>
                )}
              </li>
            ) : (
              <li
                style={indent(line.depth)}
                class={over === line.node.id ? "over" : undefined}
                draggable={!isBusy && !isReadOnly && line.number !== null && line.node.action !== "START"}
                onDragStart={() => drag(line.node.id)}
                onDragEnd={() => {
                  drag(null)
                  setOver(null)
                }}
                onDragOver={(event) => {
                  if (dragged === null || line.number === null) return
                  event.preventDefault()
                  setOver(line.node.id)
                }}
                onDrop={(event) => {
                  event.preventDefault()
                  setOver(null)
                  if (dragged === null || isBusy) return
                  const { height, top } = event.currentTarget.getBoundingClientRect()
                  const isAbove = event.clientY < top + height / 2 && line.node.action !== "START"
                  onChange(
                    line.node.action === "START"
                      ? Column.moved(column, dragged, { holder: null, index: 1 })
                      : Column.movedTo(column, dragged, line.node.id, isAbove ? "before" : "after")
                  )
                }}
              >
                <StepLine
                  line={line}
                  isRunning={isWalking && next?.id === line.node.id}
                  state={draft.progress.steps[line.node.id] ?? null}
                  files={draft.progress.files?.[line.node.id] ?? []}
                  isSelected={selected === line.node.id}
                  onSelect={() => onSelect(line.node.id)}
                  onKey={(event) => press(event, line.node.id)}
                />
              </li>
            )}
            {index === at && (
              <Cursor words={cursorWords(draft, lines, hasPage)} depth={cursorDepth(draft, lines) ?? line.depth} />
            )}
          </Fragment>
        ))}
      </ol>
      {!isReadOnly && <p class="body note">{keysNote}</p>}
    </>
  )
}

/** The depth of the loop that the next step comes after; `null` where it comes after no loop. */
const cursorDepth = ({ cursor }: Draft, lines: Lines): number | null =>
  cursor.way !== "loop_done"
    ? null
    : (lines.find((line) => line.kind === "step" && line.node.id === cursor.after)?.depth ?? null)

const indent = (depth: number) => ({ paddingLeft: `${14 + depth * 12}px` })

const Cursor = ({ depth, words }: { readonly depth: number; readonly words: string }) => (
  <li class="cursor" style={indent(depth)}>
    {words}
  </li>
)

const StepLine = ({
  files,
  isRunning,
  isSelected,
  line: { node, number },
  onKey,
  onSelect,
  state
}: {
  readonly line: Extract<Column.Line, { readonly kind: "step" }>
  readonly isRunning: boolean
  readonly isSelected: boolean
  readonly state: keyof typeof stateWords | null
  /** The files that it has kept. */
  readonly files: ReadonlyArray<{ readonly name: string; readonly bytes: number }>
  readonly onSelect: () => void
  readonly onKey: (event: KeyboardEvent) => void
}) => {
  if (number === null) return <span class="quiet">End: {node.name}</span>
  const expects = wordsOf(record(node.parameters).expect)
  return (
    <button
      type="button"
      class="step"
      data-step={node.id}
      aria-pressed={isSelected}
      onClick={onSelect}
      onKeyDown={onKey}
    >
      <span class="quiet">{number}</span> <span class="sentence">{node.name}</span>
      {expects !== "" && <span class="quiet">{expects}</span>}
      {files.map(({ bytes, name }) => (
        <span class="quiet" key={name}>
          {name}, {sizeOf(bytes)}
        </span>
      ))}
      {isRunning ? (
        <span class="status busy">running</span>
      ) : (
        state !== null && <span class={`status ${tones[state]}`}>{stateWords[state]}</span>
      )}
    </button>
  )
}

const tones: Readonly<Record<keyof typeof stateWords, string>> = { done: "good", skipped: "idle", failed: "bad" }
