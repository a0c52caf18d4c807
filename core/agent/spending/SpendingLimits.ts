/** What a workspace may spend on models, what it has spent, and each of its calls. */
import { Clock, Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import type { RunId, WorkflowId } from "../../workspace/Ids.ts"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../../workspace/Workspace.ts"
import * as ModelSpending from "./ModelSpending.ts"
import { type ModelCall, type Spending, SpendLedger } from "./SpendLedger.ts"

export interface Shown extends Spending {
  /** The day, as a date in UTC. */
  readonly date: string
  readonly terms: ModelSpending.Terms
}

export class SpendingLimits extends Context.Service<
  SpendingLimits,
  {
    /** The limits and prices, and what was spent today (UTC). */
    readonly get: (caller: Caller) => Effect.Effect<Shown, StoreUnavailable>

    /** Replaces the limits and prices. They are in force for every call that is made after. */
    readonly set: (
      caller: Caller,
      terms: ModelSpending.Terms
    ) => Effect.Effect<ModelSpending.Terms, RoleForbids | StoreUnavailable>

    /** A page of the calls, newest first, behind the call `before`. */
    readonly calls: (
      caller: Caller,
      filter: { readonly runId?: RunId; readonly workflowId?: WorkflowId; readonly before?: string }
    ) => Effect.Effect<ReadonlyArray<ModelCall>, StoreUnavailable>
  }
>()("sluice/core/agent/spending/SpendingLimits") {
  static readonly layer = Layer.effect(
    SpendingLimits,
    Effect.gen(function* () {
      const ledger = yield* SpendLedger
      const audit = yield* Audit
      return SpendingLimits.of({
        get: Effect.fn("SpendingLimits.get")(function* ({ workspaceId }) {
          const date = ModelSpending.dayOf(yield* Clock.currentTimeMillis)
          return { date, terms: yield* ledger.terms(workspaceId), ...(yield* ledger.spending(workspaceId, date)) }
        }),
        set: Effect.fn("SpendingLimits.set")(function* (caller, terms) {
          yield* audit.recording(caller, ledger.setTerms(caller.workspaceId, terms), (before) => [
            { action: "model_spending.set", resourceId: null, before, after: terms }
          ])
          return terms
        }),
        calls: Effect.fn("SpendingLimits.calls")(({ workspaceId }, filter) => ledger.calls(workspaceId, filter))
      })
    }).pipe(Permissions.checked<SpendingLimits["Service"]>({ get: "read", set: "manage", calls: "read" }))
  )
}
