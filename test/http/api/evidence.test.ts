import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { EvidenceStore } from "../../../core/run/evidence/EvidenceStore.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

const login = "https://shop.example/login"
const list = "https://shop.example/orders"
const id = (index: number) => `00000000-0000-4000-8000-00000000000${index}`

const site: ScriptedBrowser.ScriptedSite = {
  [login]: [
    { selector: "//h1", text: "Sign <in>" },
    { selector: "#go", leadsTo: list }
  ],
  [list]: [{ selector: "//h1", text: "Orders" }]
}

/** START, a click, END; `selector` decides whether the click succeeds. */
const workflow = (selector: string, more: object = {}) => ({
  name: "Orders",
  nodes: [
    { id: id(1), name: "Open", action: "START", parameters: { url: login } },
    { id: id(2), name: "Sign in", action: "CLICK", parameters: { selector, wait_time: 10 } },
    { id: id(3), name: "Done", action: "END", parameters: {} }
  ],
  edges: { [id(1)]: { to: id(2) }, [id(2)]: { to: id(3) } },
  vault_schema: { USER: { type: "credential", domain: "https://shop.example" } },
  ...more
})

/** Carries out every run that waits, in a browser of written-down pages. Those of one credential come one after the other. */
const work = Effect.gen(function* () {
  const runs = yield* RunStore
  while (true) {
    const claimed = yield* runs.claim({ worker: "w", limit: 100, leaseMillis: 30_000 })
    if (claimed.length === 0) return
    yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one), { discard: true })
  }
}).pipe(
  Effect.provide(AgentExecutor.layer.pipe(Layer.provide(ScriptedBrowser.layer(site)), Layer.fresh)),
  Effect.scoped
)

const create = (member: Member, body: object) =>
  Effect.gen(function* () {
    const { send } = yield* Service
    return String((yield* send({ method: "POST", path: "/workflows", key: member.key, json: body })).body.id)
  })

const start = (member: Member, workflow_id: string, more: object = {}) =>
  Effect.gen(function* () {
    const { send } = yield* Service
    const pair = { permissioned_user_id: "u-1", domain: "https://shop.example" }
    yield* send({ method: "POST", path: "/vault", key: member.key, json: pair })
    const json = { workflow_id, run_input_variables: { USER: "u-1" }, ...more }
    return String((yield* send({ method: "POST", path: "/run", key: member.key, json })).body.session_id)
  })

const get = (member: Member, path: string) =>
  Effect.flatMap(Service, ({ send }) => send({ method: "GET", path, key: member.key }))

type Fields = Readonly<Record<string, unknown>>

it.layer(layerInMemory)("what a run leaves behind", (it) => {
  describe("debug snapshots", () => {
    it.effect("show the page as each node began, END included, without a key and unable to run", () =>
      Effect.gen(function* () {
        const { send, url } = yield* Service
        const me = yield* (yield* Service).member("Member")
        const session = yield* start(me, yield* create(me, workflow("#go")), { debug: true })
        yield* work
        const documents: Array<string> = []
        for (const node of [id(1), id(2), id(3)]) {
          const { body, status } = yield* get(me, `/run/${session}/debug-snapshots/${node}`)
          assert.strictEqual(status, 200)
          assert.deepInclude(body, { session_id: session, node_id: node })
          const pictures = body.screenshots as ReadonlyArray<Fields>
          assert.deepStrictEqual(
            pictures.map(({ error_screenshot, node_id, retry_index }) => [node_id, error_screenshot, retry_index]),
            [[node, false, 0]]
          )
          const address = new URL(String(body.page_snapshot_url))
          assert.strictEqual(address.origin, url)
          assert.strictEqual(address.searchParams.get("expires"), "3600000")
          const served = yield* send({ method: "GET", path: address.pathname + address.search })
          assert.strictEqual(served.headers.get("content-type"), "text/html; charset=utf-8")
          assert.match(served.headers.get("content-security-policy") ?? "", /^sandbox;/)
          assert.strictEqual(served.headers.get("x-content-type-options"), "nosniff")
          documents.push(served.text)
        }
        assert.deepStrictEqual(
          documents.map((document) => /<p>.*<\/p>/.exec(document)?.[0] ?? ""),
          ["", "<p>Sign &#60;in&#62;</p><p></p>", "<p>Orders</p>"]
        )
        const record = yield* get(me, `/run/${session}`)
        assert.lengthOf(record.body.screenshot_urls as ReadonlyArray<unknown>, 3)
      })
    )

    it.effect("show the failure at the node that failed, and nothing for END", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const session = yield* start(me, yield* create(me, workflow("#nobody")), { debug: true })
        yield* work
        const failed = (yield* get(me, `/run/${session}/debug-snapshots/${id(2)}`)).body
        assert.isString(failed.page_snapshot_url)
        assert.deepStrictEqual(
          (failed.screenshots as ReadonlyArray<Fields>).map(({ error_screenshot }) => error_screenshot),
          [false, true]
        )
        assert.deepInclude((yield* get(me, `/run/${session}/debug-snapshots/${id(3)}`)).body, {
          page_snapshot_url: null,
          screenshots: []
        })
      })
    )

    it.effect("are none without debug, and unknown for a node that the run does not have", () =>
      Effect.gen(function* () {
        const { member } = yield* Service
        const me = yield* member("Member")
        const session = yield* start(me, yield* create(me, workflow("#go")))
        yield* work
        const path = `/run/${session}/debug-snapshots`
        assert.deepInclude((yield* get(me, `${path}/${id(2)}`)).body, { page_snapshot_url: null, screenshots: [] })
        assert.strictEqual((yield* get(me, `${path}/${id(9)}`)).status, 404)
        assert.strictEqual((yield* get(me, `${path}/%00`)).status, 400)
        assert.strictEqual((yield* get(yield* member("Owner"), `${path}/${id(2)}`)).status, 404)
      })
    )
  })

  describe("the network log", () => {
    it.effect("is complete once a recorded run has ended, and leaves noise out unless it is asked for", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const recorded = yield* create(me, workflow("#go", { enable_network_listener: true }))
        const session = yield* start(me, recorded)
        const path = `/run/${session}/network`
        assert.deepStrictEqual((yield* get(me, path)).body, {
          session_id: session,
          complete: false,
          truncated: false,
          events: []
        })
        yield* work
        const { body } = yield* get(me, path)
        assert.deepInclude(body, { complete: true, truncated: false })
        assert.deepStrictEqual(
          (body.events as ReadonlyArray<Fields>).map(({ id, method, status, url }) => [id, method, status, url]),
          [
            ["1-000001", "GET", 200, login],
            ["1-000002", "GET", 200, list]
          ]
        )
        assert.strictEqual((yield* get(me, `${path}?include_noise=true`)).status, 200)
        assert.strictEqual((yield* get(me, `${path}?include_noise=perhaps`)).status, 400)
      })
    )

    it.effect("of a run that was not recorded is empty, and says what to set", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const session = yield* start(me, yield* create(me, workflow("#go")))
        const { body } = yield* get(me, `/run/${session}/network`)
        assert.deepInclude(body, { complete: true, truncated: false, events: [] })
        assert.include(String(body.message), "enable_network_listener")
      })
    )
  })

  describe("the replay record", () => {
    it.effect("has an address once a run of a workflow with record has ended, for its workspace alone", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const me = yield* member("Member")
        const session = yield* start(me, yield* create(me, workflow("#go", { record: true })))
        assert.deepInclude((yield* get(me, `/run/${session}/replay`)).body, { replay_record_url: null })
        yield* work
        const { body } = yield* get(me, `/run/${session}/replay`)
        assert.notProperty(body, "message")
        const { pathname, search } = new URL(String(body.replay_record_url))
        const kept = yield* send({ method: "GET", path: `${pathname}${search}` })
        assert.strictEqual(kept.status, 200)
        assert.include(JSON.stringify(kept.body), `"runId":"${session}"`)
        assert.strictEqual((yield* get(yield* member("Owner"), `/run/${session}/replay`)).status, 404)
      })
    )

    it.effect("of a run of a workflow without record is none, and the answer says what to set", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const session = yield* start(me, yield* create(me, workflow("#go")))
        yield* work
        const { body } = yield* get(me, `/run/${session}/replay`)
        assert.isNull(body.replay_record_url)
        assert.include(String(body.message), "set record on the workflow")
      })
    )
  })

  describe("the error report", () => {
    it.effect("groups the failures of a workflow by their code, under both of its addresses", () =>
      Effect.gen(function* () {
        const { member } = yield* Service
        const me = yield* member("Member")
        const failing = yield* create(me, workflow("#nobody"))
        const sessions = [yield* start(me, failing), yield* start(me, failing)]
        yield* work
        const frame = "start_timestamp=1970-01-01T00:00:00Z&end_timestamp=1970-01-02T00:00:00.000Z"
        const { body } = yield* get(me, `/runs/workflow/${failing}/errors?${frame}`)
        assert.deepInclude(body, {
          workflow_id: failing,
          timeframe: { start: "1970-01-01T00:00:00.000Z", end: "1970-01-02T00:00:00.000Z" },
          total_errors: 2
        })
        const group = (body.error_groups as Readonly<Record<string, Fields>>)["SELECTOR-E0001"]
        assert.strictEqual(group?.count, 2)
        const errors = group?.errors as ReadonlyArray<Fields>
        assert.sameMembers(
          errors.map(({ session_id }) => session_id),
          sessions
        )
        assert.deepInclude(errors[0] as Fields, { error_code: "SELECTOR-E0001", error_category: "XPATH_INCORRECT" })
        assert.include(String(errors[0]?.message), 'Node "Sign in": Cannot click #nobody')
        assert.strictEqual(errors[0]?.error_description, "No element of the page matches the selector")
        const older = yield* get(me, `/reporting/errors?workflow_id=${failing}&${frame}`)
        assert.deepStrictEqual(older.body, body)
        const day = "start_time=1970-01-01T00:00:00Z&end_time=1970-01-02T00:00:00Z&error_code=SELECTOR-E0001"
        const everywhere = yield* get(me, `/reporting/errors?${day}`)
        assert.deepStrictEqual(everywhere.body, { ...body, workflow_id: null })
        const listed = yield* get(me, "/runs?error_code=SELECTOR-E0001&status=execution.failed")
        assert.strictEqual(listed.headers.get("x-total-count"), "2")
        const [row] = listed.body as unknown as ReadonlyArray<Fields>
        assert.deepInclude(row, { hold: null, holds: [], trigger: "api", tags: [] })
        assert.strictEqual((row?.error as Fields | undefined)?.error_code, "SELECTOR-E0001")
        const summary = yield* get(me, "/runs/summary?error_code=SELECTOR-E0001")
        assert.deepInclude(summary.body, {
          total: { count: 2, exact: true },
          counted_runs: 2,
          complete: true,
          error_codes: [{ error_code: "SELECTOR-E0001", count: 2 }]
        })
        assert.deepInclude(summary.body.statuses as Fields, { "execution.failed": { count: 2, exact: true } })
        const limited = yield* get(me, `/runs/workflow/${failing}/errors?${frame}&limit=1`)
        assert.strictEqual(limited.body.total_errors, 2)
        assert.lengthOf(
          (limited.body.error_groups as Readonly<Record<string, { errors: ReadonlyArray<unknown> }>>)["SELECTOR-E0001"]
            ?.errors ?? [],
          1
        )
      })
    )

    it.effect("reports each wrong parameter at its name", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const path = `/runs/workflow/${yield* create(me, workflow("#go"))}/errors`
        const paths = (query: string) =>
          Effect.map(get(me, `${path}?${query}`), ({ body, status }) => [
            status,
            ((body.errors ?? []) as ReadonlyArray<Fields>).map((one) => one.path)
          ])
        assert.deepStrictEqual(yield* paths(""), [400, ["start_timestamp", "end_timestamp"]])
        assert.deepStrictEqual(
          yield* paths("start_timestamp=yesterday&end_timestamp=1970-01-02T00:00:00Z&limit=1001"),
          [400, ["start_timestamp", "limit"]]
        )
        assert.deepStrictEqual(
          yield* paths("start_timestamp=1970-01-02T00:00:00Z&end_timestamp=1970-01-01T00:00:00Z"),
          [400, ["end_timestamp"]]
        )
      })
    )
  })

  describe("the record", () => {
    it.effect("names the credentials by their aliases and every field of an error, as the last event does", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const session = yield* start(me, yield* create(me, workflow("#nobody")), {
          run_input_variables: { USER: ["u-1", "u-2"] }
        })
        yield* work
        const { body } = yield* get(me, `/run/${session}`)
        assert.deepInclude(body, {
          status: "execution.failed",
          encrypted_variables: ["USER"],
          was_recovered: false,
          recovered_error_ids: [],
          video_urls: [],
          file_urls: [],
          session_retries: 0
        })
        assert.deepStrictEqual(body.vault_entries, {
          USER: {
            permissioned_user_id: "u-1",
            permissioned_user_ids: ["u-1", "u-2"],
            domain: "https://shop.example"
          }
        })
        const [error] = body.errors as ReadonlyArray<Fields>
        assert.containsAllKeys(error, [
          ...["error_id", "message", "created_at", "full_url", "error_code", "action_type", "action_display_name"],
          ...["node_id", "llm_error_category", "llm_error_sub_type", "llm_error_description", "original_error"]
        ])
        assert.deepInclude(error, { action_type: "CLICK", action_display_name: "Sign in", full_url: login })
        const events = body.events as ReadonlyArray<{ readonly event: string; readonly payload: Fields }>
        const last = events.at(-1)?.payload
        for (const field of [
          "input_variables",
          "encrypted_variables",
          "vault_entries",
          "errors",
          "file_urls",
          "data"
        ]) {
          assert.deepStrictEqual(last?.[field], body[field], field)
        }
        const begun = events.find(({ event }) => event === "execution.start")
        assert.match(String(begun?.payload.live_view_url), new RegExp(`^http://[^/]+/live/${session}#view=`))
      })
    )
  })

  describe("the list", () => {
    it.effect("is filtered by credentials, workflows and statuses in every way that they are written", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const [one, other] = [yield* create(me, workflow("#go")), yield* create(me, workflow("#go"))]
        const mine = yield* start(me, one)
        const { send } = yield* Service
        const pair = { permissioned_user_id: "a,b", domain: "https://shop.example" }
        yield* send({ method: "POST", path: "/vault", key: me.key, json: pair })
        const pooled = yield* start(me, other, { run_input_variables: { USER: ["u-2", "a,b"] } })
        const found = (query: string) =>
          Effect.map(get(me, `/runs?${query}`), ({ body }) =>
            (body as unknown as ReadonlyArray<Fields>).map(({ session_id }) => session_id)
          )
        assert.deepStrictEqual(yield* found("credential_id=u-1"), [mine])
        assert.deepStrictEqual(yield* found("credential_id=a%2Cb"), [pooled])
        for (const query of [
          "credential_ids=u-1,u-2",
          "credential_ids=u-1&credential_ids=u-2",
          "credential_ids[]=u-1&credential_ids%5B%5D=u-2",
          "credential_id=u-1&credential_ids=u-2",
          `workflow_ids=${one},${other}`,
          `workflow_ids[]=${one}&workflow_id=${other}`,
          "status=execution.queued&status=execution.failed",
          "statuses=execution.queued,execution.paused"
        ]) {
          assert.deepStrictEqual(yield* found(query), [pooled, mine], query)
        }
        assert.deepStrictEqual(yield* found("credential_id=u-3"), [])
        assert.deepStrictEqual(yield* found("statuses=execution.failed"), [])
      })
    )

    it.effect("continues where the page before ended, with the cursor that it answered", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const made = yield* create(me, workflow("#go"))
        const sent = [yield* start(me, made), yield* start(me, made), yield* start(me, made)]
        const first = yield* get(me, "/runs?limit=2")
        const cursor = first.headers.get("x-next-cursor") ?? ""
        assert.strictEqual(cursor, `1970-01-01T00:00:00.000Z_${sent[1]}`)
        const second = yield* get(me, `/runs?limit=2&cursor=${encodeURIComponent(cursor)}`)
        const ids = [first, second].flatMap(({ body }) =>
          (body as unknown as ReadonlyArray<Fields>).map(({ session_id }) => session_id)
        )
        assert.deepStrictEqual(ids, [...sent].reverse())
        assert.isNull(second.headers.get("x-next-cursor"))
        const plain = yield* get(me, "/runs?cursor=1970-01-01T00:00:00.000Z")
        assert.deepStrictEqual(plain.body as unknown, [])
      })
    )

    it.effect("reports each wrong parameter at its name as it was written", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        for (const [query, path] of [
          ["workflow_ids[]=x", "workflow_ids[]"],
          ["workflow_ids=x,y", "workflow_ids"],
          ["statuses=execution.success,nope", "statuses"],
          ["credential_ids=a,,b", "credential_ids"],
          ["start_time=1968-12-01T00:00:00Z", "start_time"],
          ["start_time=1969-12-31T00:00:00Z&start_time=1969-12-31T00:00:00Z", "start_time"],
          ["end_time=1970-01-01T01:00:00Z", "end_time"],
          ["start_time=1969-12-31T12:00:00Z&end_time=1969-12-31T11:00:00Z", "end_time"],
          ["limit=10001", "limit"],
          ["cursor=yesterday", "cursor"],
          ["cursor=1970-01-01T00:00:00Z_zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz", "cursor"]
        ] as const) {
          const { body, status } = yield* get(me, `/runs?${query}`)
          assert.strictEqual(status, 400, query)
          assert.isTrue(
            (body.errors as ReadonlyArray<Fields>).every((one) => one.path === path),
            `${query}: ${JSON.stringify(body.errors)}`
          )
        }
      })
    )
  })

  // Last, as time passes here.
})

// In memory: the clock is moved while the run waits, and a database in a separate thread would answer too late.
it.layer(layerInMemory)("what a run leaves behind at its end", (it) => {
  it.effect("of the network has what was being written as the run ended", () =>
    Effect.gen(function* () {
      const me = yield* (yield* Service).member("Member")
      const pause = { id: id(2), name: "Wait", action: "DELAY", parameters: { delay_time: 5 } }
      const { nodes, ...slow } = workflow("#go", { enable_network_listener: true })
      const session = yield* start(me, yield* create(me, { ...slow, nodes: [nodes[0], pause, nodes[2]] }))
      const store = yield* EvidenceStore
      const [writing, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const running = yield* work.pipe(
        Effect.provideService(EvidenceStore, {
          ...store,
          log: (runId, events) =>
            events.length === 0
              ? Effect.void
              : Deferred.succeed(writing, undefined).pipe(
                  Effect.andThen(Deferred.await(goOn)),
                  Effect.andThen(store.log(runId, events))
                )
        }),
        Effect.forkChild
      )
      // The clock moves once the run waits: what comes before takes its time in other threads.
      const waits = Effect.map(get(me, `/run/${session}`), ({ body }) => JSON.stringify(body.events).includes("Wait"))
      yield* until("the step that waits", waits, (isWaiting) => isWaiting)
      const moved = Effect.andThen(
        Effect.promise(() => new Promise((done) => setImmediate(done))),
        TestClock.adjust("100 millis")
      )
      yield* Effect.raceFirst(Deferred.await(writing), Effect.forever(moved))
      yield* TestClock.adjust("10 seconds")
      yield* Deferred.succeed(goOn, undefined)
      yield* Effect.raceFirst(Fiber.join(running), Effect.forever(moved))
      const { body } = yield* get(me, `/run/${session}/network`)
      assert.deepInclude(body, { complete: true, truncated: false })
      assert.lengthOf(body.events as ReadonlyArray<Fields>, 1)
    })
  )
})
