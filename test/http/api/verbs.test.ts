import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { Audit } from "../../../core/workspace/audit/Audit.ts"
import { fencesOf, pages } from "../../docs/Pages.ts"
import { held } from "../../kit/contracts/start/CredentialRuns.ts"
import { daily, graph } from "../../support/fixtures.ts"
import { type Answer, layerInMemory, Service } from "../../support/service.ts"

/** A window that is closed at the epoch, where the clock of these tests stands. */
const closed = daily(9, 17)

const inputs = { input_schema: { type: "object", properties: { month: { type: "string" } }, required: ["month"] } }

const setUp = Effect.fnUntraced(function* (more: object = {}) {
  const { member, send } = yield* Service
  const me = yield* member("Member")
  const post = (path: string, json: unknown, headers?: Record<string, string>) =>
    send({ method: "POST", path, key: me.key, json, ...(headers === undefined ? {} : { headers }) })
  const record = (id: string) =>
    Effect.map(send({ method: "GET", path: `/run/${id}`, key: me.key }), ({ body }) => body)
  const workflow = { name: "Nightly", ...graph(), ...more }
  const id = String((yield* post("/workflows", workflow)).body.id)
  const start = (input: object = {}) =>
    Effect.map(post("/run", { workflow_id: id, run_input_variables: input }), ({ body }) => String(body.session_id))
  return { me, post, record, send, start, id, workflow }
})

interface Result {
  readonly session_id: string | null
  readonly outcome: string
  readonly message: string | null
  readonly retry_session_id?: string | null
  readonly errors?: ReadonlyArray<{ readonly path: string; readonly message: string }>
  readonly status: string | number
  readonly error?: Readonly<Record<string, unknown>> | null
}

const resultsOf = ({ body, status }: Answer) => {
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body.results as ReadonlyArray<Result>
}

const outcomesOf = (answer: Answer) => resultsOf(answer).map(({ outcome }) => outcome)

const claim = Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "w", limit: 10, leaseMillis: 60_000 }))

/** Ends the run that starts next, after its attempt has left a mark. */
const endNext = Effect.fnUntraced(function* (
  _tag: "Success" | "Failed",
  kind: "acting" | "committing" | "committed" | null = null
) {
  const runs = yield* RunStore
  const [claimed] = yield* claim
  if (claimed === undefined) throw new Error("Nothing waits")
  const mark = kind === null ? null : { kind, node: { id: "n", name: "Pay" }, at: 0 }
  if (mark !== null) {
    const progress = { acted: true, committed: kind !== "acting", mark }
    yield* runs.report(held(claimed), { events: [], progress })
  }
  yield* runs.settle(held(claimed), (locked, at) => Transition.finish(locked, { _tag, data: {}, errors: [] }, at))
  return String(claimed.run.id)
})

it.layer(layerInMemory)("the verbs for several runs", (it) => {
  it.effect("release starts exactly the named runs past their window, and the record says by whom and when", () =>
    Effect.gen(function* () {
      const { id, me, post, record, start } = yield* setUp({ run_window: closed })
      const all = yield* Effect.forEach([1, 2, 3, 4], () => start())
      const [first = "", second = ""] = all
      assert.deepInclude(yield* record(first), { status: "execution.paused", release: null })
      const session_ids = [second, first.toUpperCase(), second, "no id"]
      const shown = yield* post("/runs/release", { session_ids, dry_run: true })
      assert.deepInclude(shown.body, { dry_run: true, counts: { released: 2, not_found: 1 } })
      assert.deepStrictEqual(yield* claim, [])
      const done = yield* post("/runs/release", { session_ids })
      assert.deepStrictEqual(
        resultsOf(done).map((one) => [one.session_id, one.outcome, one.status]),
        [
          [second, "released", "execution.queued"],
          [first.toUpperCase(), "released", "execution.queued"],
          ["no id", "not_found", null]
        ]
      )
      const read = yield* record(first)
      assert.deepInclude(read, {
        status: "execution.queued",
        holds: [],
        can_start_at: "1970-01-01T00:00:00.000Z",
        release: { at: "1970-01-01T00:00:00.000Z", by: me.caller.userId, past_pause: false }
      })
      assert.deepInclude((read.events as ReadonlyArray<object>).at(-1), { event: "execution.released" })
      const started = yield* claim
      assert.deepStrictEqual(
        started.map(({ run }) => String(run.id)),
        [first, second]
      )
      assert.deepStrictEqual(outcomesOf(yield* post("/runs/release", { session_ids: [first] })), ["not_waiting"])
      // One entry of the audit trail for the one call that did something.
      const entries = yield* Effect.flatMap(Audit, (audit) =>
        audit.list(me.caller.workspaceId, { actions: ["run.release"], limit: 10 })
      )
      assert.deepStrictEqual(
        entries.map(({ after, userId }) => ({ after, userId })),
        [
          {
            after: { past_pause: false, runs: 2, session_ids: [second, first.toUpperCase()] },
            userId: me.caller.userId
          }
        ]
      )
      yield* post(`/workflows/${id}/pause`, {})
      const [third] = resultsOf(yield* post("/runs/release", { session_ids: [all[2]] }))
      assert.include(String(third?.message), "past_pause")
      const past = yield* post("/runs/release", { session_ids: [all[2]], past_pause: true })
      assert.deepStrictEqual(outcomesOf(past), ["released"])
      assert.lengthOf(yield* claim, 1)
    })
  )

  it.effect("interrupt ends waiting and running runs in one request, each once, with the reason in their errors", () =>
    Effect.gen(function* () {
      const { post, record, start } = yield* setUp()
      const session_ids = yield* Effect.forEach(Array.from({ length: 300 }), () => start(), { concurrency: 16 })
      const [claimed] = yield* claim
      if (claimed === undefined) throw new Error("Nothing waits")
      const [done, settled] = yield* Effect.all(
        [
          post("/runs/interrupt", { session_ids, reason: "The portal is away" }),
          Effect.flatMap(RunStore, (runs) =>
            Effect.result(
              runs.settle(held(claimed), (locked, at) => Transition.finish(locked, { _tag: "Success", data: {} }, at))
            )
          )
        ],
        { concurrency: "unbounded" }
      )
      // One of the two has ended the run, and what the caller is told is what the record says.
      const of = resultsOf(done).find(({ session_id }) => session_id === claimed.run.id)
      const ended = (yield* record(claimed.run.id)).status
      assert.strictEqual(of?.outcome, settled._tag === "Success" ? "already_ended" : "interrupted")
      assert.strictEqual(of?.status, ended)
      assert.strictEqual(ended, settled._tag === "Success" ? "execution.success" : "execution.stopped")
      assert.strictEqual(
        outcomesOf(done).filter((one) => one === "interrupted").length,
        settled._tag === "Success" ? 299 : 300
      )
      const stopped = yield* record(session_ids.find((one) => one !== claimed.run.id) ?? "")
      assert.include(JSON.stringify(stopped.errors), "The portal is away")
      const again = yield* post("/runs/interrupt", { session_ids })
      assert.deepStrictEqual(again.body.counts, { already_ended: 300 })
    })
  )

  it.effect("retry makes a new run of the same or the latest version and input, and both records name the other", () =>
    Effect.gen(function* () {
      const { id, me, post, record, send, start, workflow } = yield* setUp(inputs)
      const waiting = yield* start({ month: "2026-09" })
      assert.deepStrictEqual(outcomesOf(yield* post("/runs/retry", { session_ids: [waiting] })), ["not_ended"])
      const failed = yield* endNext("Failed")
      const version = (yield* record(failed)).version_id
      yield* send({ method: "PUT", path: `/workflows/${id}`, key: me.key, json: { ...workflow, description: "New" } })
      const dry = yield* post("/runs/retry", { session_ids: [failed], dry_run: true })
      assert.deepStrictEqual(outcomesOf(dry), ["retried"])
      // Of two at the same time one makes the run, and the other says so.
      const both = yield* Effect.all(
        [post("/runs/retry", { session_ids: [failed] }), post("/runs/retry", { session_ids: [failed] })],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(both.flatMap(outcomesOf).toSorted(), ["already_retried", "retried"])
      const [same, ...others] = [...new Set(both.flatMap(resultsOf).map((one) => one.retry_session_id))]
      assert.deepStrictEqual(others, [])
      assert.deepInclude(yield* record(String(same)), {
        version_id: version,
        input_variables: { month: "2026-09" },
        retry: { of: failed, by: me.caller.userId, reason: null }
      })
      assert.deepInclude(yield* record(failed), { retried_as: [same], retry: null })
      const second = yield* endNext("Failed", "acting")
      const edit = (month: unknown) =>
        post("/runs/retry", { session_ids: [second], version: "latest", run_input_variables: { month } })
      const [refused] = resultsOf(yield* edit(9))
      assert.strictEqual(refused?.outcome, "invalid_input")
      assert.include(String(refused?.message), "month")
      assert.deepStrictEqual(
        refused?.errors?.map(({ path }) => path),
        ["run_input_variables.month"]
      )
      const [latest] = resultsOf(yield* edit("2026-10"))
      const read = yield* record(String(latest?.retry_session_id))
      assert.deepInclude(read, { input_variables: { month: "2026-10" }, status: "execution.queued" })
      assert.notStrictEqual(read.version_id, version)
      yield* endNext("Failed")
      yield* send({ method: "DELETE", path: `/workflows/${id}`, key: me.key })
      const gone = yield* post("/runs/retry", { session_ids: [latest?.retry_session_id] })
      assert.deepStrictEqual(outcomesOf(gone), ["workflow_deleted"])
    })
  )

  it.effect("retry refuses what must not be repeated, unless it is forced with a reason that the record keeps", () =>
    Effect.gen(function* () {
      const { post, record, start } = yield* setUp()
      const kinds = [
        ["Failed", "committed", "has carried out the node"],
        ["Failed", "committing", "may have carried out the node"],
        ["Success", null, "It succeeded"]
      ] as const
      for (const [tag, kind, message] of kinds) {
        yield* start()
        const id = yield* endNext(tag, kind)
        const [refused] = resultsOf(yield* post("/runs/retry", { session_ids: [id] }))
        assert.strictEqual(refused?.outcome, "not_repeatable")
        assert.include(String(refused?.message), message)
        const unreasoned = yield* post("/runs/retry", { session_ids: [id], force: true, reason: " " })
        assert.strictEqual(unreasoned.status, 400)
        const forced = yield* post("/runs/retry", { session_ids: [id], force: true, reason: "The bank lost it" })
        const [done] = resultsOf(forced)
        const retry = yield* record(String(done?.retry_session_id))
        assert.deepInclude(retry.retry, { of: id, reason: "The bank lost it" })
        yield* post("/runs/interrupt", { session_ids: [retry.session_id] })
      }
    })
  )

  it.effect("each leave one entry of the audit trail for a call that did something, and none for a dry run", () =>
    Effect.gen(function* () {
      const { me, post, record, start } = yield* setUp({ run_window: closed })
      const session_ids = [yield* start(), yield* start()]
      const calls = [
        ["/runs/tags", { add: ["october"] }, "run.tag", "tagged"],
        ["/runs/release", {}, "run.release", "released"],
        ["/runs/interrupt", { reason: "The portal is away" }, "run.interrupt", "interrupted"],
        ["/runs/retry", {}, "run.retry", "retried"]
      ] as const
      for (const [path, more, action, outcome] of calls) {
        const entries = Effect.flatMap(Audit, (audit) =>
          audit.list(me.caller.workspaceId, { actions: [action], limit: 10 })
        )
        const [first = ""] = session_ids
        const before = yield* record(first)
        const body = { session_ids: [...session_ids, "no id"], ...more }
        const dry = yield* post(path, { ...body, dry_run: true })
        assert.deepInclude(dry.body, { dry_run: true, counts: { [outcome]: 2, not_found: 1 } }, path)
        assert.deepStrictEqual([yield* record(first), yield* entries], [before, []])
        const done = yield* post(path, body)
        assert.deepStrictEqual(outcomesOf(done), [outcome, outcome, "not_found"])
        // Sent again after an answer that was lost: what was done is reported as done.
        assert.notInclude(outcomesOf(yield* post(path, body)), outcome)
        const [entry, ...others] = yield* entries
        assert.deepInclude(entry?.after, { runs: 2, session_ids })
        assert.deepStrictEqual([others, entry?.userId], [[], me.caller.userId])
      }
    })
  )

  it.effect("a batch answers each submission alone, in order, and once under its idempotency key", () =>
    Effect.gen(function* () {
      const { id, post, record } = yield* setUp(inputs)
      const good = (month: string) => ({ workflow_id: id, run_input_variables: { month } })
      const runs = [good("1"), { workflow_id: id }, { workflow_id: "no id" }, 7, good("2")]
      const first = yield* post("/runs/batch", { runs }, { "idempotency-key": "batch-1" })
      const results = resultsOf(first)
      assert.deepStrictEqual(
        results.map(({ status }) => status),
        [201, 400, 404, 400, 201]
      )
      assert.property(results[1]?.error, "run_input_variables_errors")
      assert.strictEqual(first.body.submitted, 2)
      for (const [index, month] of [[0, "1"] as const, [4, "2"] as const]) {
        const read = yield* record(String(results[index]?.session_id))
        assert.deepStrictEqual(read.input_variables, { month })
      }
      const replayed = yield* post("/runs/batch", { runs }, { "idempotency-key": "batch-1" })
      assert.deepStrictEqual(replayed.body, first.body)
      const many = yield* post("/runs/batch", { runs: Array.from({ length: 100 }, () => good("3")) })
      assert.strictEqual(new Set(resultsOf(many).map(({ session_id }) => session_id)).size, 100)
      const tooMany = yield* post("/runs/batch", { runs: Array.from({ length: 1_001 }, () => good("4")) })
      assert.deepInclude(tooMany.body, { statusCode: 400, code: "VALIDATION_FAILED" })
      const named = yield* post("/runs/release", { session_ids: Array.from({ length: 10_001 }, String) })
      assert.strictEqual(named.status, 400)
    })
  )

  it.effect("apply to the runs of a filter, a page at a time, and refuse one without a known condition", () =>
    Effect.gen(function* () {
      const { id, post, record, start } = yield* setUp({ run_window: closed })
      const other = yield* setUp()
      const all = yield* Effect.forEach([1, 2, 3, 4, 5], () => start())
      yield* other.start()
      const filter = { workflow_id: id, hold: ["run_window"] }
      const dry = yield* post("/runs/release", { filter, dry_run: true })
      assert.deepInclude(dry.body, { counts: { released: 5 }, next_cursor: null })
      const first = yield* post("/runs/release", { filter, limit: 2 })
      assert.deepInclude(first.body, { counts: { released: 2 } })
      const rest = yield* post("/runs/release", { filter, cursor: first.body.next_cursor })
      assert.deepInclude(rest.body, { counts: { released: 3 }, next_cursor: null })
      assert.deepStrictEqual(
        [...resultsOf(first), ...resultsOf(rest)].map((one) => one.session_id),
        all.toReversed()
      )
      assert.deepInclude((yield* post("/runs/release", { filter })).body, { counts: {}, results: [] })
      for (const wrong of [{}, { tagz: "a" }, { status: "x" }, { workflow_id: 7 }, [], { cursor: "a" }]) {
        const refused = yield* post("/runs/interrupt", { filter: wrong })
        assert.deepInclude(refused.body, { statusCode: 400, code: "VALIDATION_FAILED" }, JSON.stringify(wrong))
      }
      assert.strictEqual((yield* post("/runs/interrupt", {})).status, 400)
      assert.strictEqual((yield* post("/runs/interrupt", { filter, session_ids: all })).status, 400)
      const stopped = yield* post("/runs/interrupt", { filter: { workflow_id: id, status: "execution.queued" } })
      assert.deepInclude(stopped.body, { counts: { interrupted: 5 } })
      assert.strictEqual((yield* record(all[0] ?? "")).status, "execution.stopped")
    })
  )

  it.effect("tags come with a submission, a batch, a schedule and a workflow, and find them", () =>
    Effect.gen(function* () {
      const { id, me, post, record, send, workflow } = yield* setUp()
      const get = (path: string) => send({ method: "GET", path, key: me.key })
      const of = { workflow_id: id }
      const run = yield* post("/run", { ...of, tags: ["october", "b", "october"] })
      assert.deepStrictEqual((yield* record(String(run.body.session_id))).tags, ["october", "b"])
      yield* post("/runs/batch", { runs: [{ ...of, tags: ["october"] }, of] })
      const terms = { ...of, cron: "0 9 * * *", time_zone: "UTC", tags: ["october", "october"] }
      const schedule = yield* post("/schedules", terms)
      assert.deepStrictEqual(schedule.body.tags, ["october"])
      yield* post(`/schedules/${schedule.body.id}/run-now`, {})
      const found = yield* get("/runs?tag=october")
      assert.strictEqual(found.headers.get("x-total-count"), "3")

      const path = `/workflows/${id}`
      yield* send({ method: "PUT", path, key: me.key, json: { ...workflow, tags: ["billing", "billing"] } })
      assert.deepStrictEqual((yield* get(path)).body.tags, ["billing"])
      const listed = (text: string) => JSON.parse(text).map((one: { readonly id: string }) => one.id)
      assert.deepStrictEqual(listed((yield* get("/workflows?tag=billing")).text), [id])
      assert.deepStrictEqual(listed((yield* get("/workflows?tag=other")).text), [])

      const wrong = { tags: ["ok", " bad"] }
      const many = { tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }
      for (const [to, json] of [
        ["/run", { ...of, ...wrong }],
        ["/run", { ...of, ...many }],
        ["/schedules", { ...terms, ...wrong }],
        ["/workflows", { ...workflow, ...many }]
      ] as const) {
        const refused = yield* post(to, json)
        assert.strictEqual(refused.status, 400, to)
        assert.include(refused.text, "tags")
      }
    })
  )

  it.effect("tags are added and removed, and select the runs of a filter", () =>
    Effect.gen(function* () {
      const { id, post, record, start } = yield* setUp()
      const [first = "", second = ""] = [yield* start(), yield* start()]
      yield* post("/runs/interrupt", { session_ids: [first] })
      const tagged = yield* post("/runs/tags", { session_ids: [first, second], add: ["october", "b"], remove: ["x"] })
      assert.deepStrictEqual(outcomesOf(tagged), ["tagged", "tagged"])
      assert.deepStrictEqual((yield* record(first)).tags, ["october", "b"])
      const again = yield* post("/runs/tags", { filter: { workflow_id: id, tag: "october" }, add: ["b"] })
      assert.deepInclude(again.body, { counts: { unchanged: 2 } })
      const dry = yield* post("/runs/tags", { session_ids: [second], remove: ["b"], dry_run: true })
      assert.deepStrictEqual(outcomesOf(dry), ["tagged"])
      yield* post("/runs/tags", { session_ids: [second], remove: ["october"] })
      assert.deepStrictEqual((yield* record(second)).tags, ["b"])
      const many = Array.from({ length: 50 }, (_, index) => `t${index}`)
      assert.deepStrictEqual(outcomesOf(yield* post("/runs/tags", { session_ids: [second], add: many })), [
        "too_many_tags"
      ])
      for (const wrong of [{}, { add: [" a"] }, { add: ["a".repeat(101)] }, { add: [""] }, { add: ["a\u0000"] }]) {
        const refused = yield* post("/runs/tags", { session_ids: [second], ...wrong })
        assert.strictEqual(refused.status, 400, JSON.stringify(wrong))
      }
      assert.deepStrictEqual((yield* record(second)).tags, ["b"])
    })
  )

  it.effect("take the bodies of their page as they stand there", () =>
    Effect.gen(function* () {
      const { id, post, start } = yield* setUp()
      const page = pages().find(({ path }) => path === "docs/several-runs.md") ?? assert.fail("There is no page")
      const examples = fencesOf(page)
      const paths = ["/runs/release", "/runs/interrupt", "/runs/retry", "/runs/tags", "/runs/batch"]
      assert.lengthOf(examples, paths.length)
      for (const [index, path] of paths.entries()) {
        const named = path === "/runs/batch" ? id : yield* start()
        const body = String(examples[index]?.text).replaceAll("01890a5d-ac96-774b-bcce-b302099a8057", named)
        for (const { outcome, status } of resultsOf(yield* post(path, JSON.parse(body)))) {
          assert.isTrue(["released", "interrupted", "not_ended", "tagged"].includes(outcome) || status === 201, path)
        }
      }
    })
  )

  it.effect("a Viewer may use none of them, and a stranger's runs are not found", () =>
    Effect.gen(function* () {
      const { me, send, start } = yield* setUp()
      const { member } = yield* Service
      const [viewer, stranger] = [yield* member("Viewer", me), yield* member("Owner")]
      const session_ids = [yield* start()]
      for (const path of ["/runs/release", "/runs/interrupt", "/runs/retry", "/runs/tags"]) {
        const ask = (key: string) =>
          send({ method: "POST", path, key, json: { session_ids, ...(path === "/runs/tags" ? { add: ["a"] } : {}) } })
        assert.strictEqual((yield* ask(viewer.key)).status, 403, path)
        assert.deepStrictEqual(outcomesOf(yield* ask(stranger.key)), ["not_found"], path)
      }
    })
  )
})
