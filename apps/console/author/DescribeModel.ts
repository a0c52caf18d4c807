/** What a task for a model is sent as, and what it has spent. */
import type { Draft } from "./Conversation.ts"

type Describing = NonNullable<Draft["describing"]>

/** A budget as it is written. */
export interface Budget {
  readonly calls: string
  readonly tokens: string
  readonly seconds: string
}

export const usual: Budget = { calls: "60", tokens: "400000", seconds: "600" }

const most = { calls: 1_000, tokens: 10_000_000, seconds: 3_600 } as const

/** The message of a task, or why there is none. */
export const messageOf = (
  task: string,
  budget: Budget
): { readonly text: string; readonly problem: null } | { readonly text: null; readonly problem: string } => {
  if (task.trim() === "") return { text: null, problem: "Say what to do" }
  for (const name of ["calls", "tokens", "seconds"] as const) {
    const number = Number(budget[name])
    if (!/^\d+$/.test(budget[name].trim()) || number < 1 || number > most[name]) {
      return { text: null, problem: `Expected from 1 to ${most[name]} ${name}, got "${budget[name].slice(0, 20)}"` }
    }
  }
  const { calls, seconds, tokens } = budget
  const sent = { task: task.trim(), calls: Number(calls), tokens: Number(tokens), seconds: Number(seconds) }
  return { text: `describe ${JSON.stringify(sent)}`, problem: null }
}

/** What was spent of each part of a budget. */
export const spentOf = ({ budget, spent }: Describing) => {
  const parts = { calls: spent.calls, tokens: spent.tokens, seconds: Math.round(spent.millis / 1_000) }
  return (["calls", "tokens", "seconds"] as const).map((name) => ({
    name,
    spent: parts[name],
    most: budget[name],
    text: `${parts[name]} of ${budget[name]} ${name}`
  }))
}

const states: Readonly<Record<Describing["state"], string>> = {
  working: "Working on it",
  waits: "Waits for your yes",
  done: "Done, and tried in a new session",
  stopped: "Stopped: see the last answer"
}

export const stateOf = ({ state, task }: Describing): string =>
  `${states[state]}: ${task}`.replace("answer: ", "answer. ")
