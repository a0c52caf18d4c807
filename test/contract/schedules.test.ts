import { it } from "@effect/vitest"
import type { Layer } from "effect"
import * as ScheduleContract from "../kit/contracts/run/ScheduleContract.ts"
import * as databases from "../support/databases.ts"
import { isAll, scale } from "../support/scale.ts"

/** The contract, kept by one implementation. */
const suite = <E, R>(name: string, layer: Layer.Layer<ScheduleContract.Stores | R, E>, kills: ScheduleContract.Kills) =>
  it.layer(layer, { excludeTestServices: true })(`schedules (${name})`, (it) => {
    for (const { keeps, title } of ScheduleContract.promisesUnder(kills)) it.effect(title, () => keeps)
  })

suite("memory", databases.memory[0], { firings: 1_000, kills: 1_000, turns: 900 })
if (isAll) suite("embedded", databases.embedded[0], { firings: 20 * scale, kills: 6 * scale, turns: 20_000 })
suite("PostgreSQL", databases.postgres[0], { firings: 40 * scale, kills: 10 * scale, turns: 20_000 })
