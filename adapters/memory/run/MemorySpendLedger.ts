/** The calls of models and what they cost, in memory. */
import { Clock, Effect, Layer } from "effect"
import * as ModelSpending from "../../../core/agent/spending/ModelSpending.ts"
import * as Ledger from "../../../core/agent/spending/SpendLedger.ts"
import { WorkflowId, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { atomicStore } from "../Atomic.ts"
import { Tables } from "../Tables.ts"

export const layer = Layer.effect(
  Ledger.SpendLedger,
  Effect.gen(function* () {
    const { modelCalls, modelDays, modelTerms } = yield* Tables

    const termsOf = (workspaceId: WorkspaceId) => modelTerms.get(workspaceId) ?? ModelSpending.noTerms
    const keyOf = (workspaceId: string, day: string, scope: string) => `${workspaceId} ${day} ${scope}`
    const dayOf = (workspaceId: string, day: string, scope: string) =>
      modelDays.get(keyOf(workspaceId, day, scope)) ?? ModelSpending.newDay

    /** Changes the day of a call, for its workspace and for its workflow. */
    const change = (
      workspaceId: WorkspaceId,
      { at, workflowId }: Ledger.ModelCall,
      next: (day: ModelSpending.Day) => ModelSpending.Day
    ) => {
      const day = ModelSpending.dayOf(at)
      for (const scope of [workspaceId, workflowId]) {
        modelDays.set(keyOf(workspaceId, day, scope), next(dayOf(workspaceId, day, scope)))
      }
    }

    const end = (workspaceId: WorkspaceId, id: string, used: ModelSpending.Tokens | null) => {
      const kept = modelCalls.get(id)
      if (kept === undefined || kept.workspaceId !== workspaceId || kept.call.state !== "open") return
      const call = Ledger.over(kept.call, used, termsOf(workspaceId))
      modelCalls.set(id, { ...kept, call })
      change(workspaceId, call, (day) => ModelSpending.settled(day, Ledger.amounts(kept.call), Ledger.amounts(call)))
    }

    return Ledger.SpendLedger.of({
      terms: Effect.fn("SpendLedger.terms")((workspaceId) => Effect.sync(() => termsOf(workspaceId))),
      setTerms: Effect.fn("SpendLedger.setTerms")((workspaceId, terms) =>
        Effect.sync(() => {
          const before = termsOf(workspaceId)
          modelTerms.set(workspaceId, terms)
          return before
        })
      ),
      reserve: Effect.fn("SpendLedger.reserve")((reservation) =>
        Effect.map(Clock.currentTimeMillis, (at) => {
          const { id, lostAfterMillis, workflowId, workspaceId } = reservation
          // What became of the request before this one is not always known.
          if (modelCalls.has(id)) return { _tag: "Spend" as const }
          for (const [lost, one] of modelCalls) {
            if (one.workspaceId === workspaceId && one.call.state === "open" && one.lostAt <= at) {
              end(workspaceId, lost, null)
            }
          }
          const terms = termsOf(workspaceId)
          const day = ModelSpending.dayOf(at)
          const verdict = ModelSpending.verdict(terms, reservation, {
            workspace: dayOf(workspaceId, day, workspaceId),
            workflow: dayOf(workspaceId, day, workflowId)
          })
          if (verdict._tag !== "Spend") return verdict
          const call = Ledger.opened(reservation, terms, at)
          modelCalls.set(id, { workspaceId, call, lostAt: at + lostAfterMillis })
          change(workspaceId, call, (one) => ModelSpending.opened(one, Ledger.amounts(call)))
          return verdict
        })
      ),
      settle: Effect.fn("SpendLedger.settle")((workspaceId, id, used) => Effect.sync(() => end(workspaceId, id, used))),
      spending: Effect.fn("SpendLedger.spending")((workspaceId, day) =>
        Effect.sync(() => {
          const start = `${workspaceId} ${day} `
          const workflows = [...modelDays].flatMap(([key, one]) => {
            const scope = key.slice(start.length)
            return key.startsWith(start) && scope !== workspaceId
              ? [{ workflowId: WorkflowId.make(scope), day: one }]
              : []
          })
          return {
            workspace: dayOf(workspaceId, day, workspaceId),
            workflows: workflows.sort((a, b) => (a.workflowId < b.workflowId ? -1 : 1))
          }
        })
      ),
      calls: Effect.fn("SpendLedger.calls")((workspaceId, { before, runId, workflowId }) =>
        Effect.sync(() => {
          const all = [...modelCalls.values()].filter((one) => one.workspaceId === workspaceId).reverse()
          const behind = before === undefined ? 0 : all.findIndex(({ call }) => call.id === before) + 1
          return all
            .slice(behind)
            .map(({ call }) => call)
            .filter((call) => runId === undefined || call.runId === runId)
            .filter((call) => workflowId === undefined || call.workflowId === workflowId)
            .slice(0, Ledger.mostListed)
        })
      )
    })
  }).pipe(Effect.map(atomicStore))
)
