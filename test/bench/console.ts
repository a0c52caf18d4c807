/**
 * The console in a real Chromium over many runs: each filter of the list of runs, how soon the page shows what another
 * person does, and its frames and memory while thousands of events a minute come in.
 *
 * `npm run bench console -- --runs N` fills a database with N runs, 1,000,000 without it, and `--minutes M` has the events
 * come for M minutes, 1 without it. The longest frame is given beside the longest script in a frame: the rest of a frame is
 * drawing, and what else the machine does. The longest task of the page is given in processor time, which has neither.
 */
import { randomUUID } from "node:crypto"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type CDPSession, type Page, chromium as playwright } from "playwright-core"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { buildConsole } from "../../apps/bootstrap/console.js"
import { Keys } from "../../core/workspace/Keys.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { freshDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace } from "../support/fixtures.ts"
import { executablePath } from "../support/realBrowser.ts"
import * as ServerFork from "../support/ServerFork.ts"
import { filled } from "./ManyRuns.ts"
import { median, millis, percentile, type Row } from "./Row.ts"

const option = (name: string, usual: number): number => {
  const at = process.argv.indexOf(name)
  return at < 0 ? usual : Number(process.argv[at + 1])
}

const runs = option("--runs", 1_000_000)
const minutes = option("--minutes", 1)
const workflows = 200
const rounds = 5

const mostFilterMillis = 500
const mostSightMillis = 1_000
const mostFrameMillis = 200
const mostTaskMillis = 50
const mostTracedMillis = 20_000
const eventsPerMinute = 10_000

/** What the page measures of itself: as text, since it is run there. */
const inPage = `
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const until = (holds) => new Promise((done) => {
    if (holds()) return done();
    const observer = new MutationObserver(() => { if (holds()) { observer.disconnect(); done() } });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const note = () => document.querySelector(".page-head .note")?.textContent ?? "";
`

/** From the choice of a filter to the frame with its rows. */
const filterMillis = (page: Page, query: string): Promise<number> =>
  page.evaluate<number>(`(async () => { ${inPage}
    location.hash = "#/runs?since=month&workflow=" + crypto.randomUUID();
    await until(() => note().startsWith("0 runs"));
    await painted();
    const began = performance.now();
    location.hash = "#/runs?" + ${JSON.stringify(query)};
    await until(() => note() === "…");
    await until(() => note() !== "…");
    await painted();
    return performance.now() - began;
  })()`)

/** The same answer without the page: fetched, and read as JSON. */
const fetchMillis = (page: Page, query: string): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const began = performance.now();
    await (await fetch("runs?" + ${JSON.stringify(query)}, { cache: "no-store" })).json();
    return performance.now() - began;
  })()`)

const start = (days: number): string => `start_time=${new Date(Date.now() - days * 86_400_000).toISOString()}&limit=200`

/** Filters as the address of the page has them, and as the interface takes them. */
const filtersOf = (workflow: string): Readonly<Record<string, readonly [page: string, api: string]>> => ({
  none: ["since=month", start(30)],
  "24 hours": ["since=day", start(1)],
  "status=failed": ["since=month&status=execution.failed", `${start(30)}&status=execution.failed`],
  "status=paused": ["since=month&status=execution.paused", `${start(30)}&status=execution.paused`],
  "status=success": ["since=month&status=execution.success", `${start(30)}&status=execution.success`],
  "hold=run_window": ["since=month&hold=run_window", `${start(30)}&hold=run_window`],
  "hold=capacity": ["since=month&hold=capacity", `${start(30)}&hold=capacity`],
  workflow: [`since=month&workflow=${workflow}`, `${start(30)}&workflow_id=${workflow}`],
  credential: ["since=month&credential=u-1", `${start(30)}&credential_id=u-1`],
  error: ["since=month&error=SITE-3", `${start(30)}&error_code=SITE-3`],
  tag: ["since=month&tag=tag-7", `${start(30)}&tag=tag-7`],
  text: ["since=month&text=person+77", `${start(30)}&text=person+77`]
})

const mostOpenMillis = 1_000

/** From the navigation of a browser that is signed in to the frame with the rows of the list. */
const openedRow = async (page: Page): Promise<Row> => {
  const opened: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    await page.reload({ waitUntil: "commit" })
    const millis = await page.evaluate<number>(`(async () => { ${inPage}
      await until(() => document.querySelector(".list-row a") !== null);
      await painted();
      return performance.now();
    })()`)
    opened.push(millis)
  }
  const value = median(opened)
  return {
    name: "the page is open, with its runs",
    value: millis(value),
    reference: `slowest ${millis(longest(opened))}`,
    ratio: value / mostOpenMillis,
    target: `<= ${mostOpenMillis}`,
    ok: value <= mostOpenMillis
  }
}

/** Filters, each against the plain answer. */
const filterRows = async (page: Page, workflow: string): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const [name, [address, query]] of Object.entries(filtersOf(workflow))) {
    const [shown, plain]: [Array<number>, Array<number>] = [[], []]
    for (let round = 0; round < rounds; round++) {
      shown.push(await filterMillis(page, address))
      plain.push(await fetchMillis(page, query))
    }
    const value = percentile(
      shown.toSorted((a, b) => a - b),
      0.95
    )
    rows.push({
      name: `filter of ${runs.toLocaleString("en")} runs: ${name}`,
      value: millis(value),
      reference: `fetched ${millis(median(plain))}`,
      ratio: value / mostFilterMillis,
      target: `<= ${mostFilterMillis}`,
      ok: value <= mostFilterMillis
    })
  }
  return rows
}

interface Sample {
  readonly heap: number
  readonly nodes: number
}

const sampled = async (session: CDPSession): Promise<Sample> => {
  await session.send("HeapProfiler.collectGarbage")
  const { metrics } = await session.send("Performance.getMetrics")
  const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? 0
  return { heap: of("JSHeapUsedSize") / 2 ** 20, nodes: of("Nodes") }
}

/** Has the page note the distances of its frames, and the scripts in those that took long. */
const watchFrames = (page: Page) =>
  page.evaluate(`(() => {
    window.frames = [];
    window.scripts = [];
    new PerformanceObserver((list) => {
      for (const { scripts } of list.getEntries()) for (const { duration } of scripts) window.scripts.push(duration);
    }).observe({ type: "long-animation-frame" });
    let before = performance.now();
    const next = (now) => { window.frames.push(now - before); before = now; requestAnimationFrame(next) };
    requestAnimationFrame(next);
  })()`)

const taken = (page: Page, what: "frames" | "scripts"): Promise<ReadonlyArray<number>> =>
  page.evaluate<ReadonlyArray<number>>(`window.${what}.splice(0)`)

const longest = (frames: ReadonlyArray<number>): number => frames.reduce((most, one) => Math.max(most, one), 0)

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** The processor time of the thread, in microseconds. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** The tasks that threads of pages did while a function ran, each in its processor time, in milliseconds. */
const tasksDuring = async (page: Page, during: () => Promise<void>): Promise<ReadonlyArray<number>> => {
  const browser = page.context().browser()
  await browser?.startTracing(page, { categories: ["toplevel"] })
  await during()
  const trace = (await browser?.stopTracing())?.toString() ?? "{}"
  const { traceEvents = [] } = JSON.parse(trace) as { readonly traceEvents?: ReadonlyArray<TraceEvent> }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const isOfPage = ({ args, name }: TraceEvent) => name === "thread_name" && args?.name === "CrRendererMain"
  const threads = new Set(traceEvents.filter(isOfPage).map(threadOf))
  return traceEvents
    .filter((event) => event.ph === "X" && event.name.endsWith("RunTask") && threads.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1_000)
}

/** How often the page has read the list since it was last asked. */
const readings = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const found = performance.getEntriesByType("resource").filter(({ name }) => /\\/runs\\?/.test(name));
    performance.clearResourceTimings();
    return found.length;
  })()`)

/** What comes in while events of runs are written, a sixth of a hundredth of a minute's at a time. */
const writing = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, forMillis: number) {
  const sql = yield* SqlClient.SqlClient
  const pieceMillis = 100
  const began = performance.now()
  let written = 0
  while (performance.now() - began < forMillis) {
    const due = Math.floor(((performance.now() - began) * eventsPerMinute) / 60_000) - written
    const rows = Array.from({ length: due }, (_, place) => {
      const id = ids[(written + place) % ids.length]
      return { id, payload: JSON.stringify({ runId: id, workflowId: "w", step: "Working", next: null }) }
    })
    written += due
    yield* sql`
      insert into run_events (run_id, at, event, payload)
      select id, now(), 'execution.step', payload
      from json_to_recordset(${JSON.stringify(rows)}::json) as new (id uuid, payload text)`
    yield* sql`select pg_notify('sluice', '{"_tag":"events"}')`
    yield* Effect.sleep(pieceMillis)
  }
  return written
})

const signedIn = async (page: Page, url: string, key: string): Promise<void> => {
  await page.goto(`${url}/#/runs?since=month`)
  await page.getByLabel("API key").fill(key)
  await page.keyboard.press("Enter")
  await page.getByText(/runs, newest first/).waitFor()
}

/** A workspace with many runs, and a key of its owner. */
const setUp = Effect.fnUntraced(function* (url: string) {
  const caller = yield* makeWorkspace("Owner")
  const keys = yield* Keys
  const key = yield* keys.make
  const stored = { id: randomUUID(), hash: yield* keys.hash(key), ...caller, name: null, createdAt: 0, revokedAt: null }
  yield* (yield* WorkspaceStore).addKey(stored)
  const made = yield* Effect.forEach(Array.from({ length: workflows }), () => makeWorkflow(caller))
  const ids = yield* filled(url, caller, made, runs)
  const sql = yield* SqlClient.SqlClient
  const latest = yield* sql<{ readonly id: string }>`
    select id from runs where workspace_id = ${caller.workspaceId} order by created_at desc limit 150`
  return { key: Redacted.value(key), workflowIds: ids, latest: latest.map(({ id }) => id) }
})

/** How soon a page shows a run that another person submits. */
const sightMillis = (page: Page, url: string, key: string, workflowId: string): Promise<number> =>
  page.evaluate<number>(`(async () => { ${inPage}
    const began = performance.now();
    const answer = await fetch(${JSON.stringify(`${url}/run`)}, { method: "POST", credentials: "omit",
      headers: { "cc-key": ${JSON.stringify(key)}, "content-type": "application/json" },
      body: JSON.stringify({ workflow_id: ${JSON.stringify(workflowId)} }) });
    const { session_id } = await answer.json();
    await until(() => document.querySelector('.list a[href$="' + session_id + '"]') !== null);
    await painted();
    return performance.now() - began;
  })()`)

export const console = (): Promise<ReadonlyArray<Row>> =>
  Effect.gen(function* () {
    yield* Effect.promise(buildConsole)
    const database = yield* freshDatabase
    const runtime = ManagedRuntime.make(Layer.merge(Postgres.layer(Redacted.make(database), 4), Crypto.layer))
    yield* Effect.addFinalizer(() => Effect.promise(() => runtime.dispose()))
    const began = performance.now()
    const { key, latest, workflowIds } = yield* Effect.promise(() => runtime.runPromise(setUp(database)))
    process.stdout.write(`${runs} runs in ${Math.round((performance.now() - began) / 1_000)} s\n`)
    const { url } = yield* ServerFork.start(database)
    const browser = yield* Effect.acquireRelease(
      Effect.promise(() => playwright.launch({ executablePath })),
      (one) => Effect.promise(() => one.close())
    )
    return yield* Effect.promise(async () => {
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
      page.setDefaultTimeout(60_000)
      const session = await page.context().newCDPSession(page)
      await session.send("Performance.enable")
      await signedIn(page, url, key)
      const rows = [await openedRow(page), ...(await filterRows(page, workflowIds[100] ?? ""))]

      await page.evaluate("location.hash = '#/runs?since=month'")
      await page.waitForTimeout(1_500)
      const sights: Array<number> = []
      for (let round = 0; round < 10; round++) {
        sights.push(await sightMillis(page, url, key, workflowIds[100] ?? ""))
        await page.waitForTimeout(300)
      }
      const sight = longest(sights)
      rows.push({
        name: "a run of another person is shown",
        value: millis(sight),
        reference: `median ${millis(median(sights))}`,
        ratio: sight / mostSightMillis,
        target: `<= ${mostSightMillis}`,
        ok: sight <= mostSightMillis
      })

      await watchFrames(page)
      await page.waitForTimeout(5_000)
      const idle = longest(await taken(page, "frames"))
      const write = (millis: number) => runtime.runPromise(writing(latest, millis))
      // Everything that stays is there after the first minute at most.
      const warmUp = Math.min(60_000, minutes * 20_000)
      let written = await write(warmUp)
      const first = await sampled(session)
      for (const what of ["frames", "scripts"] as const) await taken(page, what)
      const left = minutes * 60_000 - warmUp
      const traced = Math.min(mostTracedMillis, left)
      await readings(page)
      const tasks = await tasksDuring(page, async () => {
        written += await write(traced)
      })
      const task = longest(tasks)
      const read = await readings(page)
      rows.push({
        name: "longest task of the page, processor time",
        value: millis(task),
        reference: `all ${millis(tasks.reduce((sum, one) => sum + one, 0))}, ${read} readings`,
        ratio: task / mostTaskMillis,
        target: `<= ${mostTaskMillis}`,
        ok: tasks.length > 0 && read > 0 && task <= mostTaskMillis
      })
      written += await write(left - traced)
      const frames = await taken(page, "frames")
      const script = longest(await taken(page, "scripts"))
      const last = await sampled(session)
      rows.push(
        {
          name: `longest frame, ${written.toLocaleString("en")} events in ${minutes} min`,
          value: millis(longest(frames)),
          reference: `at rest ${millis(idle)}, script ${millis(script)}`,
          ratio: longest(frames) / mostFrameMillis,
          target: `<= ${mostFrameMillis}`,
          ok: longest(frames) <= mostFrameMillis
        },
        {
          name: `memory of the page, ${minutes} min of events`,
          value: `${last.heap.toFixed(1)} MiB`,
          reference: `${first.heap.toFixed(1)} MiB, ${warmUp / 1_000} s in`,
          ratio: last.heap / first.heap,
          target: "<= 1.10",
          ok: last.heap / first.heap <= 1.1
        },
        {
          name: `elements of the page, ${minutes} min of events`,
          value: String(last.nodes),
          reference: `${first.nodes}, ${warmUp / 1_000} s in`,
          ratio: last.nodes / first.nodes,
          target: "<= 1.10",
          ok: last.nodes / first.nodes <= 1.1
        }
      )
      return rows
    })
  }).pipe(Effect.scoped, Effect.runPromise)
