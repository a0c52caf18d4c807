/** A task for a model: the sentence, what it may spend and has spent, and the act that waits for a yes. */
import { useState } from "preact/hooks"
import { Field } from "../forms/Field.tsx"
import { Section } from "../kit/Page.tsx"
import type { Conversation, Draft } from "./Conversation.ts"
import * as DescribeModel from "./DescribeModel.ts"

interface Props {
  readonly draft: Draft
  readonly isBusy: boolean
  readonly onSay: (text: string) => unknown
}

export const Describe = ({ conversation, draft }: { readonly conversation: Conversation; readonly draft: Draft }) => {
  const { isBusy, isWorking, say, stop } = conversation
  const props: Props = { draft, isBusy, onSay: say }
  const { describing } = draft
  const isAtWork = isWorking && describing?.state === "working"
  return (
    <>
      {describing?.state === "waits" && describing.awaited !== null && (
        <Awaited awaited={describing.awaited} {...props} />
      )}
      <Section title="Describe it" note="A model does it here, step by step. Passwords stay in the vault.">
        {describing !== null && <Spent describing={describing} />}
        {isAtWork ? (
          <div class="body">
            <p role="status">{describing.task}</p>
            <button type="button" onClick={stop}>
              Stop
            </button>
          </div>
        ) : (
          <Task {...props} />
        )}
      </Section>
    </>
  )
}

/** What was spent of each part of the budget. */
const Spent = ({ describing }: { readonly describing: NonNullable<Draft["describing"]> }) => (
  <div class="body">
    <p class="note">{DescribeModel.stateOf(describing)}</p>
    {DescribeModel.spentOf(describing).map(({ most, name, spent, text }) => (
      <label key={name} class="row">
        <progress max={most} value={Math.min(spent, most)} aria-label={`Spent ${name}`} />
        <span class="quiet">{text}</span>
      </label>
    ))}
  </div>
)

const Task = ({ draft, isBusy, onSay }: Props) => {
  const [task, setTask] = useState("")
  const [budget, setBudget] = useState(DescribeModel.usual)
  const [problem, setProblem] = useState<string | null>(null)
  const send = (event: Event) => {
    event.preventDefault()
    const message = DescribeModel.messageOf(task, budget)
    setProblem(message.problem)
    if (message.text !== null) void onSay(message.text)
  }
  const part = (name: keyof DescribeModel.Budget, label: string) => (
    <Field label={label}>
      <input
        inputMode="numeric"
        value={budget[name]}
        onInput={({ currentTarget }) => setBudget({ ...budget, [name]: currentTarget.value })}
      />
    </Field>
  )
  return (
    <form class="body form" onSubmit={send} noValidate>
      <Field
        label={draft.nodes.length > 2 ? "What comes next" : "What to do"}
        hint="Such as: sign in, open the invoices, and for each open one download the PDF"
        problem={problem ?? undefined}
      >
        <textarea rows={3} value={task} onInput={({ currentTarget }) => setTask(currentTarget.value)} />
      </Field>
      <div class="cell-line">
        {part("calls", "Calls at most")}
        {part("tokens", "Tokens at most")}
        {part("seconds", "Seconds at most")}
      </div>
      <button type="submit" class="primary" disabled={isBusy}>
        Describe it
      </button>
    </form>
  )
}

/** The act that cannot be undone. */
const Awaited = ({
  awaited,
  isBusy,
  onSay
}: Props & { readonly awaited: NonNullable<NonNullable<Draft["describing"]>["awaited"]> }) => (
  <section class="question" aria-label="An act that waits for your yes">
    <h2>Do this? It cannot be undone</h2>
    <p>{awaited.act}</p>
    <p class="note">It waits because {awaited.why}.</p>
    <div class="row">
      <button type="button" class="primary" disabled={isBusy} onClick={() => void onSay("yes")}>
        Yes, do it
      </button>
      <button type="button" disabled={isBusy} onClick={() => void onSay("no")}>
        No, go on without it
      </button>
    </div>
  </section>
)
