/** The words about what models cost. */
import type { ModelCallRecord, SpendingRecord } from "../../api/spending/SpendingApi.ts"

export type Spending = typeof SpendingRecord.Type
export type Call = typeof ModelCallRecord.Type

/** A row of what was spent: the workspace, or a workflow. */
export interface Row {
  /** `null` for the workspace. */
  readonly workflowId: string | null
  readonly calls: string
  readonly tokens: string
  readonly money: string
}

const of = (value: number, limit: number | null): string => (limit === null ? String(value) : `${value} of ${limit}`)

const rounded = (money: number): number => Math.round(money * 10_000) / 10_000

/** What the workspace and its workflows spent today, with their limits. A workflow with a limit is there before it spends. */
export const rowsOf = ({ limits, workflows, workspace }: Spending): ReadonlyArray<Row> => {
  const none = { calls: null, tokens: null, money: null }
  const row = (workflowId: string | null, spent: Spending["workspace"], limit: typeof limits.workspace): Row => ({
    workflowId,
    calls: of(spent.calls, limit.calls) + (spent.open_calls === 0 ? "" : `, ${spent.open_calls} in progress`),
    tokens: of(spent.tokens, limit.tokens),
    money: of(rounded(spent.money), limit.money)
  })
  const limitOf = (id: string) => limits.workflows.find(({ workflow_id }) => workflow_id.toLowerCase() === id) ?? none
  const silent = limits.workflows
    .map(({ workflow_id }) => workflow_id.toLowerCase())
    .filter((id) => !workflows.some(({ workflow_id }) => workflow_id === id))
  const nothing = { calls: 0, tokens: 0, money: 0, open_calls: 0 }
  return [
    row(null, workspace, limits.workspace),
    ...workflows.map((one) => row(one.workflow_id, one, limitOf(one.workflow_id))),
    ...silent.map((id) => row(id, nothing, limitOf(id)))
  ]
}

const states = { open: "in progress", answered: "", lost: "no answer: counted by the most that it may use" } as const

/** What a call used, and whether it is over. */
export const usedBy = ({ input_tokens, money, output_tokens, state }: Call): string =>
  [
    `${input_tokens} + ${output_tokens} tokens`,
    ...(money === null ? [] : [`costs ${rounded(money)}`]),
    ...(states[state] === "" ? [] : [states[state]])
  ].join(", ")
