/** The store of the calls of models, which counts them across all processes, and of the limits of workspaces. */
import { Context, type Effect, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { RunId, WorkflowId, type WorkspaceId } from "../../workspace/Ids.ts"
import { type Amount, amountOf, type Day, priceOf, type Terms, type Tokens, type Verdict } from "./ModelSpending.ts"

/** A call of a model. Instants are epoch milliseconds. */
export const ModelCall = Schema.Struct({
  id: Schema.String,
  workflowId: WorkflowId,
  runId: RunId,
  /** The step that asked, and why. */
  node: Schema.Struct({ id: Schema.String, name: Schema.String }),
  purpose: Schema.String,
  model: Schema.String,
  at: Schema.Finite,
  /** `open`: no answer yet, and counted by the most that it may use. `lost`: so, and none will come. */
  state: Schema.Literals(["open", "answered", "lost"]),
  input: Schema.Int,
  output: Schema.Int,
  /** Millionths of the unit of money; `null` where the model had no price. */
  micros: Schema.NullOr(Schema.Finite)
})
export type ModelCall = typeof ModelCall.Type

/** The most that a call may use, as it was reserved; and what it used, once it is over. */
export const amounts = (call: Pick<ModelCall, "input" | "output" | "micros">): Amount => ({
  calls: 1,
  tokens: call.input + call.output,
  micros: call.micros ?? 0
})

/** An open call, as the ledger enters it. */
export const opened = (reservation: Reservation, terms: Terms, at: number): ModelCall => {
  const { id, model, most, node, purpose, runId, workflowId } = reservation
  const price = priceOf(terms, model)
  const { micros } = amountOf(most, price)
  return {
    id,
    workflowId,
    runId,
    node,
    purpose,
    model,
    at,
    state: "open",
    ...most,
    micros: price === null ? null : micros
  }
}

/** A call that is over, by what it used; by the most that it may have used where that is not known. */
export const over = (call: ModelCall, used: Tokens | null, terms: Terms): ModelCall => {
  if (used === null) return { ...call, state: "lost" }
  const price = priceOf(terms, call.model)
  return {
    ...call,
    state: "answered",
    ...used,
    micros: price === null ? null : amountOf(used, price).micros
  }
}

/** A call that is to be made. */
export interface Reservation extends Pick<ModelCall, "id" | "workflowId" | "runId" | "node" | "purpose" | "model"> {
  readonly workspaceId: WorkspaceId
  /** The most that it may use. */
  readonly most: Tokens
  /** After so many milliseconds it counts as lost. */
  readonly lostAfterMillis: number
}

/** What a workspace and its workflows spent in one day. */
export interface Spending {
  readonly workspace: Day
  readonly workflows: ReadonlyArray<{ readonly workflowId: WorkflowId; readonly day: Day }>
}

/** How many calls a page of the ledger has at most. */
export const mostListed = 200

export class SpendLedger extends Context.Service<
  SpendLedger,
  {
    /** The limits and prices of a workspace. */
    readonly terms: (workspaceId: WorkspaceId) => Effect.Effect<Terms, StoreUnavailable>

    /** Replaces the limits and prices, which are in force for every call that is reserved after. Answers the former ones. */
    readonly setTerms: (workspaceId: WorkspaceId, terms: Terms) => Effect.Effect<Terms, StoreUnavailable>

    /**
     * Decides about a call as `ModelSpending.verdict` does, one at a time in each workspace, and enters it in the ledger if it
     * may be made.
     */
    readonly reserve: (call: Reservation) => Effect.Effect<Verdict, StoreUnavailable>

    /** Enters what a call has used; `null` if it is not known. Does nothing for a call that is not open. */
    readonly settle: (
      workspaceId: WorkspaceId,
      id: string,
      used: Tokens | null
    ) => Effect.Effect<void, StoreUnavailable>

    /** What was spent on a day such as `2026-01-31`. */
    readonly spending: (workspaceId: WorkspaceId, day: string) => Effect.Effect<Spending, StoreUnavailable>

    /** The calls of a workspace, newest first, at most `mostListed` of them behind a call. */
    readonly calls: (
      workspaceId: WorkspaceId,
      filter: { readonly runId?: RunId; readonly workflowId?: WorkflowId; readonly before?: string }
    ) => Effect.Effect<ReadonlyArray<ModelCall>, StoreUnavailable>
  }
>()("sluice/core/agent/spending/SpendLedger") {}
