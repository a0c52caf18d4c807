import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Clock, Console, Effect, type Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Starts from "../../adapters/postgres/start/Starts.ts"
import { verifyStored } from "../../apps/cli/handlers/proof/Verify.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { judgeAll } from "../../core/run/start/StartLedger.ts"
import type { ValidRunWindow } from "../../core/window/RunWindow.ts"
import * as StartContract from "../kit/contracts/run/StartContract.ts"
import { always, change, set, startOne } from "../kit/contracts/run/StartContract.ts"
import * as databases from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { isAll, scale } from "../support/scale.ts"

const hourMillis = 3_600_000
const utcHour = (at: number) => new Date(at).getUTCHours()

/** A daily window in a zone in which it is before noon at an instant. */
const beforeNoon = (at: number, from: number, to: number): ValidRunWindow => ({
  ...daily(from, to),
  time_zone: utcHour(at) < 12 ? "UTC" : "Etc/GMT+12"
})

/** A window that is open at an instant, and for the hours after it. */
const openAt = (at: number) => beforeNoon(at, 0, 23)

/** A console that keeps the lines that are logged. */
const saying = (said: Array<string>): Console.Console =>
  Object.assign(Object.create(console), { log: (line: string) => void said.push(line) })

/** The contract, kept by one implementation that is emptied before each promise. */
const suite = <E, R>(
  name: string,
  layer: Layer.Layer<StartContract.Stores | R, E>,
  empty: Effect.Effect<unknown, never, R>
) =>
  it.layer(layer)(`the ledger of starts (${name})`, (it) => {
    for (const { keeps, title } of StartContract.promises) it.effect(title, () => Effect.andThen(empty, keeps))
    it.effect("name the version of the time zone data of this process", () =>
      Effect.gen(function* () {
        yield* empty
        const [start] = yield* startOne(yield* makeWorkflow(yield* makeWorkspace()))
        assert.strictEqual(start?.zoneData, process.versions.tz)
      })
    )
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)

it.live("of 1,200 starts, or 12,000 at ten times the scale, each is judged and none is outside its window", () =>
  Effect.gen(function* () {
    const runs = yield* RunStore
    const caller = yield* makeWorkspace()
    const workflow = yield* makeWorkflow(caller)
    yield* change(caller, workflow, set(openAt(yield* Clock.currentTimeMillis)))
    const count = 1_200 * scale
    for (let done = 0; done < count; done += 100) {
      for (let one = 0; one < 100; one++) yield* runs.submit(submission(workflow))
      assert.lengthOf(yield* runs.claim({ worker: "w", limit: 100, leaseMillis: 60_000 }), 100)
    }
    const verdict = yield* judgeAll(caller.workspaceId, always)
    assert.deepStrictEqual(verdict, { starts: count, wrong: 0, examples: [], missing: [] })
  }).pipe(Effect.provide(Memory.layer))
)

it.live("a planted start, a start that was left out and a changed window are found", () =>
  Effect.gen(function* () {
    const [sql, runs] = [yield* SqlClient.SqlClient, yield* RunStore]
    const caller = yield* makeWorkspace()
    const workflow = yield* makeWorkflow(caller)
    const now = yield* Clock.currentTimeMillis
    yield* change(caller, workflow, set(openAt(now)))
    const [true_] = yield* startOne(workflow)
    assert.isDefined(true_)
    if (true_ === undefined) return
    const plant = (fields: Partial<typeof true_>) =>
      sql`insert into run_starts ${sql.insert(Starts.table.encode({ ...true_, ...fields }))}`
    // An instant at which the window is closed; a lift that was never set; a window of another content.
    yield* plant({ attempt: 2, at: true_.at + (23 - (utcHour(true_.at) % 12)) * hourMillis })
    yield* plant({ attempt: 3, lift: { since: true_.at, by: randomUUID() } })
    yield* plant({ attempt: 4, windowHash: "0".repeat(64) })
    yield* plant({ attempt: 5, windowRevision: 7 })
    const verdict = yield* judgeAll(caller.workspaceId, always)
    assert.deepStrictEqual([verdict.starts, verdict.wrong], [5, 4])
    const found = verdict.examples.map(({ problems }) => problems.join("; ")).join("\n")
    assert.include(found, "the run window was closed")
    assert.include(found, "the events of the run name no start")
    assert.include(found, "the audit trail names no lift")
    assert.include(found, "has another hash")
    assert.include(found, "revision 7 of the run window is not stored")
    // A run whose start was taken out of the ledger, which takes more than the rights of the service.
    const { run } = yield* runs.submit(submission(workflow))
    yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
    yield* sql`alter table run_starts disable trigger starts_are_only_appended`
    yield* sql`delete from run_starts where run_id = ${run.id}`
    assert.deepStrictEqual((yield* judgeAll(caller.workspaceId, always)).missing, [run.id])
    yield* sql`alter table run_starts enable trigger starts_are_only_appended`
    const said: Array<string> = []
    const asked = {
      workspace: Option.some<string>(caller.workspaceId),
      run: Option.none<string>(),
      to: Option.none<string>(),
      json: false
    }
    const refused = yield* Effect.flip(
      verifyStored({
        ...asked,
        from: Option.some("2020-01-01T00:00:00Z"),
        to: Option.some("2999-01-01T00:00:00Z")
      }).pipe(Effect.provideService(Console.Console, saying(said)))
    )
    assert.strictEqual(refused.message, "5 of the checked starts are not valid")
    assert.strictEqual(
      said.at(-1),
      "Of 5 starts 4 outside their window, or not as recorded; 1 or more runs have started without an entry"
    )
    for (const table of ["run_starts", "run_windows"]) {
      assert.strictEqual((yield* Effect.exit(sql.unsafe(`delete from ${table}`)))._tag, "Failure", table)
    }
  }).pipe(Effect.provide(databases.embedded[0]), Effect.scoped)
)
