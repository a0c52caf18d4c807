import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { chromium as playwright } from "playwright-core"
import * as AgentExecutor from "../../apps/worker/AgentExecutor.ts"
import * as Attempt from "../../core/run/Attempt.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { chromium, executablePath, graphOf } from "../support/browser.ts"
import { graph } from "../support/fixtures.ts"
import { layer, type Member, Service } from "../support/service.ts"
import { html, serve } from "../support/site.ts"

const start = Effect.fn(function* (member: Member, body: object) {
  const { send } = yield* Service
  const { key } = member
  const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "Live", ...body } })
  const run = yield* send({ method: "POST", path: "/run", key, json: { workflow_id: made.body.id } })
  return String(run.body.session_id)
})

const claim = Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 }))

const connect = (member: Member, session: string) =>
  Effect.flatMap(Service, ({ send }) =>
    send({ method: "GET", path: `/live/sessions/${session}/connection`, key: member.key })
  )

const enter = (session: string, token: unknown) =>
  Effect.flatMap(Service, ({ send }) => send({ method: "POST", path: `/live/${session}/view`, json: { token } }))

const look = (session: string, ticket: unknown) =>
  Effect.flatMap(Service, ({ send }) =>
    send({ method: "GET", path: `/live/${session}/view`, headers: { authorization: `Bearer ${ticket}` } })
  )

it.layer(layer, { timeout: "30 seconds" })("a live connection", (it) => {
  it.effect("is refused before the run has begun and once it has ended", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const me = yield* member("Member")
      const session = yield* start(me, graph())
      const waiting = yield* connect(me, session)
      assert.deepStrictEqual([waiting.status, waiting.body.statusCode], [409, 409])
      assert.include(String(waiting.body.message), "execution.queued")
      yield* claim
      assert.strictEqual((yield* connect(me, session)).status, 200)
      yield* send({ method: "POST", path: `/run/${session}/interrupt`, key: me.key })
      const ended = yield* connect(me, session)
      assert.strictEqual(ended.status, 409)
      assert.include(String(ended.body.message), "execution.stopped")
    })
  )

  it.effect("lets one page in, within 60 seconds, to its own run", () =>
    Effect.gen(function* () {
      const { dump, member, url } = yield* Service
      const me = yield* member("Viewer")
      const owner = yield* member("Owner", me)
      const session = yield* start(owner, graph())
      yield* claim
      const { body, headers } = yield* connect(me, session)
      assert.deepStrictEqual(body, {
        url: `${url}/live/${session}#token=${body.authToken}`,
        sessionId: session,
        authToken: body.authToken
      })
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.notInclude(yield* dump, String(body.authToken))
      const entered = yield* enter(session, body.authToken)
      assert.strictEqual(entered.status, 200)
      assert.strictEqual((yield* enter(session, body.authToken)).status, 401)
      assert.strictEqual((yield* enter(session, 7)).status, 400)

      const other = yield* start(owner, graph())
      yield* claim
      const token = (yield* connect(me, other)).body.authToken
      assert.strictEqual((yield* enter(session, token)).status, 401)
      assert.strictEqual((yield* enter(other, token)).status, 401)
      const late = (yield* connect(me, other)).body.authToken
      yield* TestClock.adjust(60_000)
      assert.strictEqual((yield* enter(other, late)).status, 401)

      const { ticket } = entered.body
      const seen = yield* look(session, ticket)
      assert.deepInclude(seen.body, { status: "execution.start", ended: false, step: null, picture: null })
      assert.strictEqual((yield* look(other, ticket)).status, 401)
      assert.strictEqual((yield* look(session, `${ticket}x`)).status, 401)
      assert.strictEqual((yield* look(session, "")).status, 401)
      yield* TestClock.adjust(5 * 60_000)
      assert.strictEqual((yield* look(session, ticket)).status, 401)
    })
  )

  it.effect("is shown by a page that may do nothing but ask where it came from", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const page = yield* send({ method: "GET", path: "/live/00000000-0000-4000-8000-000000000000" })
      assert.strictEqual(page.status, 200)
      assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'sha256-/)
      assert.strictEqual((yield* send({ method: "GET", path: "/live/nonsense" })).status, 404)
    })
  )
})

it.live(
  "the page in a real browser shows the step, the picture and the end of a run, and nothing is captured before it looks",
  () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const released = yield* Deferred.make<void>()
      const site = yield* serve({
        "/": html("<h1>The page of the run</h1>"),
        "/gate": (_request, response) =>
          void Effect.runPromise(Deferred.await(released)).then(() => response.writeHead(200).end("<p>done"))
      })
      const me = yield* member("Member")
      const steps = [{ action: "NAVIGATE", parameters: { url: "/gate" } }]
      const session = yield* start(me, graphOf(`${site}/`, steps))
      const [claimed] = yield* claim
      assert.isDefined(claimed)
      const worker = AgentExecutor.layer.pipe(Layer.provide(Layer.fresh(chromium([site]))))
      const running = yield* Effect.forkScoped(
        (claimed === undefined ? Effect.void : Attempt.carryOut(claimed)).pipe(Effect.provide(worker))
      )
      const stepped = Effect.map(send({ method: "GET", path: `/run/${session}`, key: me.key }), ({ text }) =>
        text.includes('"current_step":"NAVIGATE 1"')
      )
      yield* Effect.repeat(stepped, { until: (is) => is, schedule: Schedule.spaced("50 millis") })
      const ticket = (yield* enter(session, (yield* connect(me, session)).body.authToken)).body.ticket
      assert.isNull((yield* look(session, ticket)).body.picture)

      const watching = yield* Effect.acquireRelease(
        Effect.promise(() => playwright.launch({ executablePath })),
        (browser) => Effect.promise(() => browser.close())
      )
      const { url } = (yield* connect(me, session)).body
      yield* Effect.promise(async () => {
        const page = await watching.newPage()
        const errors: Array<string> = []
        page.on("pageerror", (error) => errors.push(error.message))
        page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())))
        await page.goto(String(url))
        assert.notInclude(page.url(), "token")
        await page.getByText("Running").waitFor()
        await page.getByText("NAVIGATE 1").waitFor()
        await page.locator("#picture").waitFor({ state: "visible" })
        const width = await page.locator("#picture").evaluate((image: HTMLImageElement) => image.naturalWidth)
        assert.strictEqual(width, 1280)
        await Effect.runPromise(Deferred.succeed(released, undefined))
        await page.getByText("Succeeded").waitFor()
        assert.deepStrictEqual(errors, [])
      })
      yield* Fiber.join(running)
      const ended = yield* send({ method: "GET", path: `/run/${session}`, key: me.key })
      assert.strictEqual(ended.body.status, "execution.success")
    }).pipe(Effect.scoped, Effect.provide(layer)),
  60_000
)
