import { it } from "@effect/vitest"
import type { Layer } from "effect"
import * as FindingsContract from "../kit/contracts/workflow/FindingsContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

/** The contract, kept by one implementation. */
const suite = <E, R>(name: string, layer: Layer.Layer<FindingsContract.Stores | R, E>) =>
  it.layer(layer)(`what runs find out (${name})`, (it) => {
    for (const { keeps, title } of FindingsContract.promises) it.effect(title, () => keeps)
  })

suite("memory", databases.memory[0])
if (isAll) suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
