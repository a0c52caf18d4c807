import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { ContractPromise } from "../kit/contracts/Contract.ts"
import * as DecisionContract from "../kit/contracts/run/DecisionContract.ts"
import * as EvidenceContract from "../kit/contracts/run/EvidenceContract.ts"
import * as LiveContract from "../kit/contracts/run/LiveContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

type Stores = DecisionContract.Stores | EvidenceContract.Stores | LiveContract.Stores

/** The contracts, kept by one implementation that is emptied before each promise. */
const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer)(`the evidence of runs (${name})`, (it) => {
    const promises: ReadonlyArray<ContractPromise<Stores>> = [
      ...DecisionContract.promises,
      ...EvidenceContract.promises,
      ...LiveContract.promises
    ]
    for (const { keeps, title } of promises) it.effect(title, () => Effect.andThen(empty, keeps))
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)
