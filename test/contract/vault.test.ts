import { it } from "@effect/vitest"
import type { Layer } from "effect"
import * as VaultContract from "../kit/contracts/vault/VaultContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

/** The contract, kept by one implementation. */
const suite = <E, R>(name: string, layer: Layer.Layer<VaultContract.Stores | R, E>) =>
  it.layer(layer)(`the stores of the vault (${name})`, (it) => {
    for (const { keeps, title } of VaultContract.promises) it.effect(title, () => keeps)
  })

suite("memory", databases.memory[0])
if (isAll) suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
