/**
 * How many runs that do nothing are dispatched in a second, by how many worker processes, and how soon an idle worker
 * starts one, beside `graphile-worker` on the same server. The rounds of both alternate; medians are reported.
 *
 * `SLUICE_BENCH_WORKERS=1,2`, `SLUICE_BENCH_CAPACITY=24`, `SLUICE_BENCH_WORKFLOWS=1,2000` and `SLUICE_BENCH_ROUNDS=3`
 * choose what is measured. Without a number of workers, as in `SLUICE_BENCH_WORKERS=`, only idle starts are.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../../adapters/postgres/Stores.ts"
import { installLocked } from "../../../apps/bootstrap/locked.js"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import type { StoredWorkflow } from "../../../core/workflow/WorkflowStore.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"
import { startServer } from "../../support/ownServer.ts"
import { millisOf } from "../ProcessTime.ts"
import { median, millis, type Row, rate } from "../Row.ts"
import { instant, type Work } from "./Worker.ts"
import { startWorkers } from "./Workers.ts"

/** The packages of the reference, and the function of it that the bench itself needs. */
const installReference = () => {
  const folder = installLocked({
    source: "test/bench/dispatch",
    name: "bench",
    what: "the queue that dispatch is measured against"
  })
  return pathToFileURL(createRequire(join(folder, "package.json")).resolve("graphile-worker")).href
}

interface Utils {
  readonly migrate: () => Promise<void>
  readonly addJob: (task: string, payload: object) => Promise<unknown>
  readonly release: () => Promise<void>
}

const utilsOf = async (reference: string, url: string) => {
  const { makeWorkerUtils } = (await import(reference)) as {
    readonly makeWorkerUtils: (options: object) => Promise<Utils>
  }
  const utils = await makeWorkerUtils({ connectionString: url })
  await utils.migrate()
  return utils
}

const numbers = (name: string, otherwise: ReadonlyArray<number>) =>
  process.env[name]?.split(",").filter(Boolean).map(Number) ?? otherwise

/** More than any of both finishes in the time. */
const many = 60_000
const warmUpMillis = 1_500
const measuredMillis = 3_000

interface Case {
  readonly workers: number
  readonly capacity: number
  readonly workflows: number
}

interface Measured {
  readonly perSecond: number
  /** Statements for one run. */
  readonly statements: number
  /** Processor time for one run in milliseconds, of the workers and of the server. */
  readonly processor: { readonly workers: number; readonly server: number }
}

interface Database {
  readonly url: string
  /** The process that started all others of the server. */
  readonly pid: number
  readonly execute: (statement: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time))

/** The number of statements that the server has carried out. */
const statements = async ({ execute }: Database) =>
  Number((await execute("select coalesce(sum(calls), 0)::bigint as calls from pg_stat_statements"))[0]?.calls)

/** Lets processes work for a while, and answers what they did each second. */
const measure = async (database: Database, program: string, works: ReadonlyArray<Work>): Promise<Measured> => {
  const workers = await startWorkers(program, works)
  try {
    await sleep(warmUpMillis)
    const read = async () => ({
      finished: workers.finished(),
      statements: await statements(database),
      workers: millisOf(workers.pids),
      server: millisOf([database.pid]),
      at: performance.now()
    })
    const before = await read()
    await sleep(measuredMillis)
    const after = await read()
    const count = after.finished - before.finished
    return {
      perSecond: (count / (after.at - before.at)) * 1_000,
      statements: (after.statements - before.statements) / count,
      processor: { workers: (after.workers - before.workers) / count, server: (after.server - before.server) / count }
    }
  } finally {
    await workers.stop()
  }
}

const worksOf = ({ capacity, workers }: Pick<Case, "workers" | "capacity">, rest: Omit<Work, "name" | "capacity">) =>
  Array.from({ length: workers }, (_, index): Work => ({ ...rest, name: `bench ${index}`, capacity }))

/** The stores of a database of the bench's, for what fills it. */
const runtimeOf = (url: string) => ManagedRuntime.make(Postgres.layer(Redacted.make(url), 4).pipe(Layer.orDie))

/** Submits a run of each of so many workflows, and copies them until there are enough. */
const fill = (workflows: number) =>
  Effect.gen(function* () {
    const [sql, runs] = [yield* SqlClient.SqlClient, yield* RunStore]
    const caller = yield* makeWorkspace()
    for (let index = 0; index < workflows; index++) yield* runs.submit(submission(yield* makeWorkflow(caller)))
    const columns = sql.unsafe(
      "workspace_id, workflow_id, version_id, status, input, credentials, queue, options, created_at, attempts, retries, max_retries, not_before, acted, committed, data, errors"
    )
    yield* sql`insert into runs (id, ${columns}) select gen_random_uuid(), ${columns}
      from generate_series(2, ${Math.ceil(many / workflows)}::integer), runs where status = 'execution.queued'`
    yield* sql`insert into run_events (run_id, at, event, payload)
      select id, created_at, 'execution.queued', payload from runs
      cross join (select payload from run_events limit 1) as first
      where not exists (select from run_events event where event.run_id = runs.id)`
    yield* sql`vacuum analyze`
  })

const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate workspaces cascade`)

const perSecondOfOurs = async (database: Database, one: Case) => {
  const runtime = runtimeOf(database.url)
  try {
    await runtime.runPromise(Effect.andThen(emptied, fill(one.workflows)) as never)
  } finally {
    await runtime.dispose()
  }
  return measure(database, "SluiceWorker.ts", worksOf(one, { url: database.url, tellsStarts: false, reference: null }))
}

const perSecondOfReference = async (database: Database, reference: string, one: Case) => {
  await database.execute("truncate graphile_worker._private_jobs")
  await database.execute(
    `select count(*) from graphile_worker.add_jobs(array(
      select json_populate_record(null::graphile_worker.job_spec, '{"identifier": "nothing"}') from generate_series(1, ${many * 2})))`
  )
  await database.execute("vacuum analyze")
  return measure(database, "GraphileWorker.ts", worksOf(one, { url: database.url, tellsStarts: false, reference }))
}

/** The times from the creation of a run to its start by an idle worker, for a number of runs. */
const starts = async (
  program: string,
  work: Work,
  create: () => Promise<unknown>,
  count: number
): Promise<ReadonlyArray<number>> => {
  const workers = await startWorkers(program, [work])
  const took: Array<number> = []
  try {
    await sleep(500)
    for (let round = 0; round < count + 10; round++) {
      const began = workers.nextStart()
      const created = instant()
      await create()
      const at = await began
      if (round >= 10) took.push(at - created)
      await sleep(25)
    }
  } finally {
    await workers.stop()
  }
  return took
}

const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

const idleStarts = async (database: Database, reference: string, rounds: number) => {
  const [ours, theirs]: [Array<number>, Array<number>] = [[], []]
  const runtime = runtimeOf(database.url)
  const utils = await utilsOf(reference, database.url)
  try {
    await runtime.runPromise(emptied as never)
    await database.execute("truncate graphile_worker._private_jobs")
    const workflow = (await runtime.runPromise(
      Effect.flatMap(makeWorkspace(), (caller) => makeWorkflow(caller)) as never
    )) as StoredWorkflow
    const submit = Effect.gen(function* () {
      yield* (yield* RunStore).submit(submission(workflow))
      yield* (yield* Signals).publish({ _tag: "work" })
    })
    const work = { url: database.url, name: "bench", capacity: 10, tellsStarts: true }
    for (let round = 0; round < rounds; round++) {
      const create = () => runtime.runPromise(submit as never)
      ours.push(...(await starts("SluiceWorker.ts", { ...work, reference: null }, create, 100)))
      theirs.push(
        ...(await starts("GraphileWorker.ts", { ...work, reference }, () => utils.addJob("nothing", {}), 100))
      )
    }
  } finally {
    await utils.release()
    // Its connections close later, and complain where the server has gone by then.
    await sleep(500)
    await runtime.dispose()
  }
  return [ours, theirs] as const
}

const processor = (all: ReadonlyArray<Measured>) =>
  median(all.map(({ processor: { server, workers } }) => workers + server))

const throughput = async (
  database: Database,
  reference: string,
  one: Case,
  rounds: number
): Promise<ReadonlyArray<Row>> => {
  const [ours, theirs]: [Array<Measured>, Array<Measured>] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ours.push(await perSecondOfOurs(database, one))
    theirs.push(await perSecondOfReference(database, reference, one))
  }
  const [our, their] = [ours, theirs].map((all) => median(all.map(({ perSecond }) => perSecond))) as [number, number]
  if (process.env.SLUICE_BENCH_DETAILS) process.stdout.write(`${JSON.stringify([ours, theirs])}\n`)
  const each = median(ours.map((measured) => measured.statements))
  const what = `${one.workers} × ${one.capacity}, ${one.workflows} workflows`
  return [
    {
      name: `runs a second: ${what}`,
      value: rate(our),
      reference: `${rate(their)} graphile`,
      ratio: our / 5_000,
      target: "≥ 5,000",
      ok: our >= 5_000
    },
    {
      name: `processor time a run: ${what}`,
      value: millis(processor(ours)),
      reference: `${millis(processor(theirs))} graphile`,
      ratio: processor(ours) / processor(theirs),
      target: "",
      ok: true
    },
    {
      name: `statements a run: ${what}`,
      value: each.toFixed(2),
      reference: "",
      ratio: each,
      target: "≤ 1",
      ok: each <= 1
    }
  ]
}

export const dispatch = async (): Promise<ReadonlyArray<Row>> => {
  const reference = installReference()
  const server = await startServer(["max_connections=300", "shared_preload_libraries=pg_stat_statements"])
  const runtime = runtimeOf(server.url)
  const execute = (statement: string) =>
    runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)) as never) as Promise<
      ReadonlyArray<Readonly<Record<string, unknown>>>
    >
  const pid = Number(readFileSync(join(server.folder, "postmaster.pid"), "utf8").split("\n")[0])
  const database: Database = { url: server.url, pid, execute }
  const rows: Array<Row> = []
  try {
    await execute("create extension pg_stat_statements")
    await (await utilsOf(reference, server.url)).release()
    const rounds = numbers("SLUICE_BENCH_ROUNDS", [3])[0] ?? 3
    for (const workers of numbers("SLUICE_BENCH_WORKERS", [1, 2, 4, 8])) {
      for (const capacity of numbers("SLUICE_BENCH_CAPACITY", [10, 24, 50])) {
        for (const workflows of numbers("SLUICE_BENCH_WORKFLOWS", [1, 4, 2_000])) {
          rows.push(...(await throughput(database, reference, { workers, capacity, workflows }, rounds)))
        }
      }
    }
    const [ours, theirs] = await idleStarts(database, reference, rounds)
    for (const share of [0.5, 0.99]) {
      const [our, their] = [quantile(ours, share), quantile(theirs, share)]
      rows.push({
        name: `start by an idle worker, p${share * 100}`,
        value: millis(our),
        reference: `${millis(their)} graphile`,
        ratio: our / their,
        target: "≤ 1",
        ok: our <= their
      })
    }
  } finally {
    await runtime.dispose()
    await server.stop()
  }
  return rows
}
