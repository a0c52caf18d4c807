import { it } from "@effect/vitest"
import type { Layer } from "effect"
import * as SignInContract from "../kit/contracts/workspace/SignInContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

/** The contract, kept by one implementation. */
const suite = <E, R>(name: string, layer: Layer.Layer<SignInContract.Stores | R, E>) =>
  it.layer(layer)(`a store of sign-ins (${name})`, (it) => {
    for (const { keeps, title } of SignInContract.promises) it.effect(title, () => keeps)
  })

suite("memory", databases.memory[0])
if (isAll) suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
