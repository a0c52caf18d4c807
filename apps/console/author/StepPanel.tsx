/** The selected step: what it does, where it points, its run alone and its place. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Field } from "../forms/Field.tsx"
import { SchemaForm } from "../forms/SchemaForm.tsx"
import { Clipped } from "../kit/Clipped.tsx"
import { Section } from "../kit/Page.tsx"
import { called, inEachRow, loopOf, proposed, standsForLoop } from "./AuthorModel.ts"
import * as Column from "./Column.ts"
import type { PageTarget, Pointed } from "./Conversation.ts"
import { Cutout } from "./Cutout.tsx"
import { ExpectForm } from "./ExpectForm.tsx"
import { expecting } from "./ExpectModel.ts"
import { columnsOf } from "./ListColumns.ts"
import { nearest } from "./Nearest.ts"
import type { PanelProps } from "./PanelProps.ts"
import { PointedColumns } from "./PointedColumns.tsx"
import {
  before,
  editing,
  findingAlike,
  formOf,
  graphIn,
  needsXPath,
  nextOf,
  pointOf,
  record,
  runTo,
  withParameters,
  wrapping
} from "./StepModel.ts"

export const StepPanel = (props: PanelProps) => {
  const { isReadOnly, lines, node, onSelect, problem } = props
  const line = lines.find((one) => one.kind === "step" && one.node.id === node.id)
  const number = line?.kind === "step" ? line.number : null
  return (
    <Section
      title={`Step ${number}`}
      note={node.name}
      actions={
        <button type="button" class="plain" aria-label="Close the step" onClick={() => onSelect(null)}>
          ✕
        </button>
      }
    >
      <div class="body">
        {problem !== null && (
          <p class="problem" role="alert">
            <Clipped text={problem} />
          </p>
        )}
        {!isReadOnly && (
          <>
            <Trying {...props} />
            {columnsOf(node).length > 0 ? <PointedColumns {...props} /> : <Pointing key={node.id} {...props} />}
            <Folding key={`${node.id} does`} title="What it does">
              {() => <Parameters key={JSON.stringify(node)} {...props} />}
            </Folding>
            <Folding key={`${node.id} expects`} title="What it expects">
              {() => <Expecting {...props} />}
            </Folding>
            {node.action !== "START" && <Placing {...props} />}
          </>
        )}
      </div>
    </Section>
  )
}

const Trying = ({ draft, isBusy, lines, node, onSay }: PanelProps) => {
  const place = before(draft, node.id)
  const isNext = nextOf(draft)?.id === node.id
  const isLoop = standsForLoop(node, graphIn(draft).edges)
  return (
    <div class="row" role="group" aria-label="Run this step">
      {node.action !== "START" && !isNext && (
        <button
          type="button"
          title="Runs the steps before it, so that it comes next"
          disabled={isBusy}
          onClick={() => onSay(runTo(draft, lines, node.id))}
        >
          Run to here
        </button>
      )}
      {isNext ? (
        <button type="button" class="primary" disabled={isBusy} onClick={() => onSay("next")}>
          Try this step
        </button>
      ) : (
        node.id !== draft.loop && (
          <button
            type="button"
            title={
              isLoop ? "Does all of its turns on the present page" : "Does it on the present page, out of its order"
            }
            disabled={isBusy}
            onClick={() => onSay(`again ${node.id}`)}
          >
            {isLoop ? "Do the whole loop" : "Do it here"}
          </button>
        )
      )}
      {place !== null && (
        <button
          type="button"
          title="Runs this step and those after it on the present page"
          disabled={isBusy}
          onClick={() => onSay(...(isNext ? [] : [editing({ cursor: place })]), "continue")}
        >
          Run from here
        </button>
      )}
    </div>
  )
}

const Pointing = (props: PanelProps) => {
  const { column, draft, isBusy, isPointing, node, onPointing, onSay, page, pointed, problem } = props
  const point = pointOf(node)
  if (point === null) return null
  const loop = loopOf({ ...draft, loop: Column.loopAround(column, node.id) })
  const alike = findingAlike(node, graphIn(draft).nodes)
  const isXPath = alike.some(needsXPath)
  const near = problem === null || page === null ? [] : nearest(node, page.elements)
  /** The selectors of an element, the best first. */
  const waysTo = (target: PageTarget) => {
    const inRow = inEachRow(target, loop)
    const all = [...(inRow === null ? [] : [{ selector: inRow, matches: 1 }]), ...target.selectors]
    return all.filter(({ selector }) => !isXPath || /^[/(]/.test(selector))
  }
  /** Every step that has found the same element is changed with it. */
  const use = (selector: string, ...more: ReadonlyArray<string>) => {
    onPointing(false)
    const changed = alike.map((one) => [one.id, pointOf(one)?.at(selector) ?? one] as const)
    onSay(editing({ nodes: Object.fromEntries(changed) }), ...more)
  }
  return (
    <section aria-label="Where this step points">
      <p class="note">
        It finds <code>{point.selector}</code>
        {alike.length > 1 &&
          `, as ${alike.length - 1} more ${alike.length === 2 ? "step does" : "steps do"}: they change with it`}
      </p>
      {!isPointing && page !== null && near.length > 0 && (
        <NearestOnes
          {...props}
          page={page}
          near={near}
          selectorOf={(target) => proposed({ ...target, selectors: waysTo(target) }, loop)}
          onUse={use}
        />
      )}
      {!isPointing ? (
        <button type="button" disabled={isBusy} onClick={() => onPointing(true)}>
          Choose another element
        </button>
      ) : (
        <>
          <p role="status">
            {pointed === null
              ? "Choose an element on the page."
              : `Chosen: ${called(pointed)}. Its selectors, the best first:`}
          </p>
          {pointed !== null && (
            <Ways
              ways={waysTo(pointed)}
              inRow={inEachRow(pointed, loop)}
              best={proposed({ ...pointed, selectors: waysTo(pointed) }, loop)}
              isBusy={isBusy}
              onUse={use}
            />
          )}
          <button type="button" onClick={() => onPointing(false)}>
            Keep where it points
          </button>
        </>
      )}
    </section>
  )
}

/** The selectors of a chosen element. */
const Ways = ({
  best,
  inRow,
  isBusy,
  onUse,
  ways
}: {
  readonly ways: PageTarget["selectors"]
  readonly inRow: string | null
  readonly best: string
  readonly isBusy: boolean
  readonly onUse: (selector: string) => void
}) => (
  <ol class="ways">
    {ways.map(({ matches, selector }) => (
      <li key={selector}>
        <code>{selector}</code>{" "}
        <span class={matches === 1 ? "quiet" : "status held"}>
          {selector === inRow
            ? "is in the row of each turn"
            : matches === 1
              ? "matches only this element"
              : `matches ${matches} elements`}
        </span>{" "}
        <button
          type="button"
          class={selector === best ? "primary" : undefined}
          aria-label={`Use this one: ${selector}`}
          disabled={isBusy}
          onClick={() => onUse(selector)}
        >
          Use this one
        </button>
      </li>
    ))}
  </ol>
)

/** The elements that are most like the one that the step did not find. */
const NearestOnes = ({
  draft,
  isBusy,
  near,
  node,
  onUse,
  page,
  selectorOf
}: PanelProps & {
  readonly page: Pointed
  readonly near: ReadonlyArray<PageTarget>
  readonly selectorOf: (target: PageTarget) => string
  readonly onUse: (selector: string, ...more: ReadonlyArray<string>) => void
}) => (
  <ul class="ways" aria-label="The nearest elements on this page">
    {near.map((target) => (
      <li key={target.selectors[0]?.selector} class="row">
        <Cutout page={page} box={target.box} /> <span>{called(target)}</span>
        <button
          type="button"
          aria-label={`Use this one: ${called(target)}`}
          disabled={isBusy}
          onClick={() => onUse(selectorOf(target))}
        >
          Use this one
        </button>
        {nextOf(draft)?.id === node.id && (
          <button
            type="button"
            aria-label={`Use it and go on: ${called(target)}`}
            title="Runs this step and those after it on the present page"
            disabled={isBusy}
            onClick={() => onUse(selectorOf(target), "continue")}
          >
            Use it and go on
          </button>
        )}
      </li>
    ))}
  </ul>
)

/** A form that is drawn when it is opened. */
const Folding = ({ children, title }: { readonly title: string; readonly children: () => ComponentChildren }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  )
}

/** The name and the parameters of the step. */
const Parameters = ({ isBusy, node, onSay }: PanelProps) => {
  const [added, add] = useState<ReadonlyArray<string>>([])
  const [name, setName] = useState(node.name)
  const { more, schema, values } = formOf(node, added)
  return (
    <>
      <Field label="Name of the step">
        <input value={name} disabled={isBusy} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </Field>
      <SchemaForm
        schema={schema}
        values={values}
        send="Change the step"
        onSend={async (given) => {
          const changed = { ...withParameters(node, given), name: name.trim() === "" ? node.name : name.trim() }
          onSay(editing({ nodes: { [node.id]: changed } }))
        }}
      >
        {more.length > 0 && (
          <Field label="Add a parameter">
            <select value="" onChange={({ currentTarget }) => add([...added, currentTarget.value])}>
              <option value="">Choose…</option>
              {more.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </Field>
        )}
      </SchemaForm>
    </>
  )
}

const Expecting = ({ isBusy, node, onSay }: PanelProps) => {
  const { expect } = record(node.parameters)
  return (
    <ExpectForm
      key={JSON.stringify(expect ?? null)}
      name={node.name}
      expect={expect}
      isBusy={isBusy}
      onSet={(given) => onSay(expecting(node.id, given))}
    />
  )
}

const Placing = ({ column, isBusy, node, onChange, onSelect }: PanelProps) => {
  const item = Column.itemOf(column, node.id)
  const held = item === null ? 0 : Column.nodesIn(item).length - 1
  const button = (word: string, result: Column.Block | null, after?: () => void) => (
    <button
      type="button"
      disabled={isBusy || result === null}
      onClick={() => {
        onChange(result)
        after?.()
      }}
    >
      {word}
    </button>
  )
  const newId = () => crypto.randomUUID()
  const wrap = (kind: "LOOP" | "BOOL_CONDITION", name: string) => {
    const id = newId()
    const around = wrapping(kind, id, Column.freeName(column, name), node, Column.graphOf(column).nodes)
    return button(
      `Put it in a ${kind === "LOOP" ? "loop" : "condition"}`,
      Column.wrapped(column, node.id, around),
      () => onSelect(id)
    )
  }
  return (
    <div class="row" role="group" aria-label="Change its place">
      {button("Move up", Column.stepped(column, node.id, -1))}
      {button("Move down", Column.stepped(column, node.id, 1))}
      {button("Duplicate", Column.duplicated(column, node.id, newId))}
      {wrap("LOOP", "Three times")}
      {wrap("BOOL_CONDITION", "Is it there?")}
      {held > 0 &&
        Column.unwrapped(column, node.id) !== null &&
        button("Take its steps out", Column.unwrapped(column, node.id), () => onSelect(null))}
      {button(held === 0 ? "Delete" : `Delete with the ${held} steps in it`, Column.deleted(column, node.id), () =>
        onSelect(null)
      )}
    </div>
  )
}
