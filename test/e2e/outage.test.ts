import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { linkTo } from "../support/databaseLink.ts"
import { freshDatabase, migratedDatabase } from "../support/databases.ts"
import { dataDir, healthOf, key, masterKey, readinessOf, ready, sluice } from "../support/processes.ts"
import { awaited, until } from "../support/waiting.ts"

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: unknown
}

const ask = (url: string, method: string, path: string, json?: unknown) =>
  Effect.promise(async (): Promise<Answer> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { "cc-key": key, ...(json === undefined ? {} : { "content-type": "application/json" }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) })
    })
    return {
      status: answer.status,
      retryAfter: answer.headers.get("retry-after"),
      body: await answer.json()
    }
  })

const id = "00000000-0000-4000-8000-000000000001"
const requests = [
  ["GET", "/workflows"],
  ["GET", `/run/${id}`],
  ["POST", "/run", { workflow_id: id }],
  ["GET", `/events/runs/${id}`],
  ["GET", "/nowhere"]
] as const

it.live("processes wait for the database, answer 503 while it is away, log little, and end in order", () =>
  Effect.gen(function* () {
    const link = yield* linkTo(yield* freshDatabase)
    const settings = {
      DATABASE_URL: link.url,
      SLUICE_MASTER_KEY: masterKey,
      SLUICE_DATA_DIR: yield* dataDir,
      SLUICE_HEALTH_PORT: "0",
      // Long enough to see on a busy machine that it still answers.
      SLUICE_DRAIN_SECONDS: "8"
    }
    yield* link.cut
    // The machine of the one seems to be 3 s ahead.
    const skewed = "data:text/javascript,const now = Date.now; Date.now = () => now() %2B 3000"
    const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} --import="${skewed}"`
    const [api, scheduler] = [
      yield* sluice(["api"], { ...settings, NODE_OPTIONS }),
      yield* sluice(["scheduler"], settings)
    ]
    yield* Effect.forEach([api, scheduler], ({ said }) => said(/Waiting for the database at DATABASE_URL/))
    const health = yield* healthOf(api)
    const atStart = yield* readinessOf(health)
    assert.isFalse(atStart?.ok)
    assert.match(
      atStart?.reasons.join() ?? "",
      /^This process is starting: it waits for its database since \d{4}-\d{2}-\d{2}T[\d:.]+Z$/
    )
    yield* link.restore
    const url = yield* ready(api)
    yield* scheduler.said(/scheduler started/)
    const readiness = ask(url, "GET", "/readyz")
    const isBack = until("a ready process", readiness, ({ status }) => status === 200)
    const atFirst = yield* isBack
    assert.approximately(Object(atFirst.body).clock_skew_ms, 3_000, 900)
    assert.match(api.output(), /The clock of this machine is [23]\.\d s ahead of that of the database/)

    let refusals = 0
    const isRefusal = ({ body, retryAfter, status }: Answer) => {
      refusals++
      assert.strictEqual(status, 503)
      assert.match(retryAfter ?? "", /^[1-9]\d*$/)
      assert.deepStrictEqual(Object.keys(Object(body)).sort(), ["error", "message", "statusCode"])
    }
    const allAreRefused = Effect.gen(function* () {
      isRefusal(yield* ask(url, "GET", "/readyz"))
      for (const [method, path, json] of requests) isRefusal(yield* ask(url, method, path, json))
      assert.strictEqual((yield* ask(url, "GET", "/healthz")).status, 200)
    })

    yield* link.cut
    for (let round = 0; round < 10; round++) yield* allAreRefused
    yield* link.restore
    yield* isBack
    yield* link.freeze
    yield* awaited("refusals while the database hangs", allAreRefused)
    yield* link.restore
    yield* isBack
    // Keys are looked up again: this one does not exist.
    assert.strictEqual((yield* ask(url, "GET", "/me")).status, 401)

    for (const { child, output } of [api, scheduler]) {
      const lines = output()
        .split("\n")
        .filter((line) => /level=(?!INFO)/.test(line))
      assert.isBelow(lines.length, refusals / 4, output())
      assert.isNull(child.exitCode)
    }

    api.child.kill("SIGTERM")
    scheduler.child.kill("SIGTERM")
    const leaving = yield* until("a process that leaves", readiness, ({ status }) => status === 503)
    assert.include(Object(leaving.body), { message: "This process is shutting down" })
    assert.deepStrictEqual(yield* readinessOf(health), { ok: false, reasons: ["This process is shutting down"] })
    assert.strictEqual((yield* ask(url, "GET", "/me")).status, 401)
    assert.deepStrictEqual(yield* Effect.all([api.ended, scheduler.ended]), [0, 0])
  }).pipe(Effect.scoped)
)

it.live("a process that loses the database while it starts begins its start again", () =>
  Effect.gen(function* () {
    const link = yield* linkTo(yield* migratedDatabase)
    let cuts = 0
    for (let messages = 10; ; messages += 15) {
      const isCut = yield* Effect.gen(function* () {
        const isCut = link.cutAfter(messages)
        const scheduler = yield* sluice(["scheduler"], {
          DATABASE_URL: link.url,
          SLUICE_MASTER_KEY: masterKey,
          SLUICE_DATA_DIR: yield* dataDir
        })
        yield* scheduler.said(/scheduler started/)
        return isCut()
      }).pipe(Effect.scoped)
      if (!isCut) break
      cuts += 1
    }
    assert.isAbove(cuts, 0)
  })
)
