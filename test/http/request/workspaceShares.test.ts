/** What one workspace may take of a process: a second one is served as before. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Inbound } from "../../../apps/api/inbound/Inbound.ts"
import { addressOf, InboxDomain } from "../../../core/vault/inbox/Inbox.ts"
import { WorkspaceShares } from "../../../core/workspace/request/WorkspaceShares.ts"
import { graph } from "../../support/fixtures.ts"
import { claim, connect, enter, start } from "../../support/live.ts"
import { layerWith, type Member, Service } from "../../support/service.ts"

const secret = "an-inbound-secret-of-thirty-two-letters"
const none = Effect.succeed(null)

const limited = (shares: Partial<(typeof WorkspaceShares)["Service"]>) =>
  layerWith({ stores: Memory.layer, rateLimits: [{ requests: 30, seconds: 60 }] }).pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.succeed(WorkspaceShares, { requests: none, mails: none, liveViews: none, ...shares }),
        Layer.succeed(InboxDomain, "inbox.example"),
        Layer.succeed(Inbound, { secret: Redacted.make(secret), twilioAuthToken: null })
      )
    )
  )

it.layer(limited({ requests: Effect.succeed(4) }))("the requests of a workspace", (it) => {
  it.effect("are counted together, whatever key they have, and one too many is told the limit", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const [beside, stranger] = [yield* member("Viewer", owner), yield* member("Owner")]
      const list = ({ key }: Member) => send({ method: "GET", path: "/workflows", key })
      for (const one of [owner, beside, owner, beside]) assert.strictEqual((yield* list(one)).status, 200)
      yield* TestClock.adjust("20 seconds")
      for (const one of [owner, beside]) {
        const { body, headers, status } = yield* list(one)
        assert.strictEqual(status, 429)
        assert.deepInclude(body, {
          limit: 4,
          remaining: 0,
          retryAfterSeconds: 40,
          setting: "SLUICE_WORKSPACE_REQUESTS"
        })
        assert.match(String(body.message), /This workspace has made 4 requests/)
        assert.strictEqual(headers.get("retry-after"), "40")
      }
      assert.strictEqual((yield* list(stranger)).status, 200)
      // What was refused counted neither for the workspace nor for its key.
      yield* TestClock.adjust("40 seconds")
      const again = yield* list(owner)
      assert.deepStrictEqual([again.status, again.headers.get("x-ratelimit-remaining")], [200, "29"])
    })
  )
})

it.layer(limited({ liveViews: Effect.succeed(1) }))("the live views of a workspace", (it) => {
  it.effect("are one at a time where it may have one, and another workspace has its own", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const opened = Effect.fnUntraced(function* (me: Member) {
        const session = yield* start(me, graph())
        yield* claim
        const { body } = yield* enter(session, (yield* connect(me, session)).body.authToken)
        const abort = yield* Effect.acquireRelease(
          Effect.sync(() => new AbortController()),
          (one) => Effect.sync(() => one.abort())
        )
        return yield* Effect.promise(async () => {
          const headers = { authorization: `Bearer ${body.ticket}` }
          const answer = await fetch(`${url}/live/${session}/view`, { headers, signal: abort.signal })
          return { status: answer.status, body: answer.status === 200 ? {} : await answer.json() }
        })
      })
      const [one, other] = [yield* member("Owner"), yield* member("Owner")]
      assert.strictEqual((yield* opened(one)).status, 200)
      const refused = yield* opened(one)
      assert.strictEqual(refused.status, 429)
      assert.deepInclude(refused.body, { limit: 1, retryAfterSeconds: 5, setting: "SLUICE_WORKSPACE_LIVE_VIEWS" })
      assert.strictEqual((yield* opened(other)).status, 200)
    }).pipe(Effect.scoped)
  )
})

it.layer(limited({ mails: Effect.succeed(2) }))("the mails to a workspace", (it) => {
  it.effect("are refused beyond its share until a minute is over, and those to another one are not", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const domain = "https://app.example.com"
      const withCredential = Effect.fnUntraced(function* (user: string) {
        const { caller, key } = yield* member("Owner")
        const json = { permissioned_user_id: user, domain, tfa_method: "EMAIL" }
        yield* send({ method: "POST", path: "/vault", key, json })
        return addressOf(caller.workspaceId, { permissionedUserId: user, domain }, "inbox.example")
      })
      const [one, other] = [yield* withCredential("one"), yield* withCredential("other")]
      let id = 0
      const mail = (to: string) =>
        send({
          method: "POST",
          path: "/inbound/mail",
          headers: { authorization: `Bearer ${secret}` },
          json: { from: "a@b.example", to, subject: "Code", text: "Your code is 482913", id: `m${id++}` }
        })
      for (let turn = 0; turn < 2; turn++) assert.deepInclude((yield* mail(one)).body, { kept: 1 })
      for (const to of [one, `${one}, ${other}`]) {
        const refused = yield* mail(to)
        assert.strictEqual(refused.status, 429)
        assert.deepInclude(refused.body, { limit: 2, setting: "SLUICE_WORKSPACE_MAILS" })
      }
      assert.deepInclude((yield* mail(other)).body, { kept: 1 })
      yield* TestClock.adjust("1 minute")
      assert.deepInclude((yield* mail(one)).body, { kept: 1 })
    })
  )
})
