import { it } from "@effect/vitest"
import type { Layer } from "effect"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as WorkspaceContract from "../kit/contracts/workspace/WorkspaceContract.ts"
import * as databases from "../support/databases.ts"
import { isAll } from "../support/scale.ts"

/** The contract, kept by one implementation. */
const suite = <E, R>(name: string, layer: Layer.Layer<WorkspaceStore | R, E>) =>
  it.layer(layer)(`a store of workspaces (${name})`, (it) => {
    for (const { keeps, title } of WorkspaceContract.promises) it.effect(title, () => keeps)
  })

suite("memory", databases.memory[0])
if (isAll) suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
