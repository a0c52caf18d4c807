import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Spending from "../../core/agent/spending/ModelSpending.ts"
import { SpendLedger } from "../../core/agent/spending/SpendLedger.ts"
import * as Contract from "../kit/contracts/Contract.ts"
import * as SpendContract from "../kit/contracts/run/SpendContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

const suite = <E, R>(
  name: string,
  layer: Layer.Layer<SpendContract.Stores | R, E>,
  empty: Effect.Effect<unknown, never, R>
) =>
  it.layer(layer)(`what models cost (${name})`, (it) => {
    for (const { keeps, title } of SpendContract.promises) it.effect(title, () => Effect.andThen(empty, keeps))
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("PostgreSQL", ...databases.postgres)

it.effect("a ledger that decides by what is over, and forgets the calls in progress, breaks the limits", () =>
  Effect.gen(function* () {
    const careless = Layer.effect(
      SpendLedger,
      Effect.map(SpendLedger, (ledger) =>
        SpendLedger.of({
          ...ledger,
          reserve: Effect.fnUntraced(function* (call) {
            const terms = yield* ledger.terms(call.workspaceId)
            const day = Spending.dayOf(yield* Clock.currentTimeMillis)
            const { workflows, workspace } = yield* ledger.spending(call.workspaceId, day)
            const own = workflows.find(({ workflowId }) => workflowId === call.workflowId)?.day ?? Spending.newDay
            const over = (one: Spending.Day) => ({ ...one, open: Spending.nothing })
            const verdict = Spending.verdict(terms, call, { workspace: over(workspace), workflow: over(own) })
            if (verdict._tag !== "Spend") return verdict
            yield* ledger.setTerms(call.workspaceId, { ...Spending.noTerms, prices: terms.prices })
            yield* ledger.reserve(call)
            yield* ledger.setTerms(call.workspaceId, terms)
            return verdict
          })
        })
      )
    ).pipe(Layer.provideMerge(Memory.layer))
    const broken = yield* Contract.broken(SpendContract.promises, Effect.provide(Layer.fresh(careless)))
    const titles = broken.map(({ title }) => title)
    assert.include(titles, "make exactly as many calls as a workspace may, of 1,000 at the same time")
    assert.include(titles, "go over a limit in tokens or in money by one call at most, of many at the same time")
  })
)
