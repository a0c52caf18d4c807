import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { eventually } from "../../support/eventually.ts"
import { graph } from "../../support/fixtures.ts"
import { claim, connect, enter, start, watch } from "../../support/live.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

const once = (told: ReadonlyArray<unknown>) => told.length > 0

it.layer(layerInMemory)("a live connection", (it) => {
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
      const { told } = yield* watch(session, ticket, once)
      assert.deepInclude(told[0], {
        status: "execution.start",
        ended: false,
        step: null,
        holder: null,
        may_control: false
      })
      for (const [run, wrong] of [
        [other, ticket],
        [session, `${ticket}x`],
        [session, ""],
        [session, String(ticket).replace(/\.\./, `.${me.caller.userId}.`)]
      ]) {
        assert.strictEqual((yield* watch(String(run), wrong, once)).status, 401)
      }
      yield* TestClock.adjust(5 * 60_000)
      assert.strictEqual((yield* watch(session, ticket, once)).status, 401)
    })
  )

  it.effect("lets only Members take control, one page at a time", () =>
    Effect.gen(function* () {
      const { dump, member, send } = yield* Service
      const owner = yield* member("Owner")
      const [me, viewer] = [yield* member("Member", owner), yield* member("Viewer", owner)]
      const session = yield* start(owner, graph())
      yield* claim
      const connectWith = (who: Member, control: string) =>
        send({ method: "GET", path: `/live/sessions/${session}/connection?control=${control}`, key: who.key })
      assert.strictEqual((yield* connectWith(viewer, "true")).status, 403)
      assert.strictEqual((yield* connectWith(viewer, "false")).status, 200)
      assert.strictEqual((yield* connectWith(me, "perhaps")).status, 400)
      const ticketOf = Effect.fnUntraced(function* (who: Member, control: string) {
        return (yield* enter(session, (yield* connectWith(who, control)).body.authToken)).body.ticket
      })
      const [watching, mine, theirs] = [
        yield* ticketOf(viewer, "false"),
        yield* ticketOf(me, "true"),
        yield* ticketOf(owner, "1")
      ]
      const post = (what: string, ticket: unknown, json: unknown) =>
        send({
          method: "POST",
          path: `/live/${session}/${what}`,
          headers: { authorization: `Bearer ${ticket}` },
          json
        })
      const [page, another] = ["p".repeat(20), "q".repeat(20)]
      const gestures = [{ kind: "text", text: "open sesame" }]
      assert.strictEqual((yield* post("control", watching, { action: "take", holder: page })).status, 403)
      assert.strictEqual((yield* post("gestures", watching, { holder: page, gestures })).status, 403)
      assert.strictEqual((yield* post("control", "", { action: "take", holder: page })).status, 401)
      assert.strictEqual((yield* post("control", mine, { action: "grab", holder: page })).status, 400)
      assert.strictEqual((yield* post("gestures", mine, { holder: page, gestures })).status, 409)
      assert.strictEqual((yield* post("control", mine, { action: "take", holder: page })).status, 200)
      assert.strictEqual((yield* watch(session, watching, once)).told[0]?.holder, page)
      const taken = yield* post("control", theirs, { action: "take", holder: another })
      assert.strictEqual(taken.status, 409)
      assert.include(String(taken.body.message), "another person has control")
      assert.strictEqual((yield* post("gestures", theirs, { holder: another, gestures })).status, 409)
      assert.strictEqual((yield* post("control", theirs, { action: "release", holder: another })).status, 200)
      for (const wrong of [
        [{ kind: "move", x: 2, y: 0 }],
        [{ kind: "text", text: "x".repeat(501) }],
        Array.from({ length: 201 }, () => ({ kind: "move", x: 0, y: 0 })),
        [{ kind: "explode" }],
        "x"
      ]) {
        assert.strictEqual((yield* post("gestures", mine, { holder: page, gestures: wrong })).status, 400)
      }
      assert.strictEqual((yield* post("gestures", mine, { holder: page, gestures })).status, 200)
      assert.notInclude(yield* dump, "sesame")
      yield* TestClock.adjust(14_000)
      assert.strictEqual((yield* post("control", theirs, { action: "renew", holder: another })).status, 409)
      assert.strictEqual((yield* post("control", mine, { action: "renew", holder: page })).status, 200)
      yield* TestClock.adjust(14_000)
      assert.strictEqual((yield* post("control", theirs, { action: "take", holder: another })).status, 409)
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* post("control", theirs, { action: "take", holder: another })).status, 200)
      assert.strictEqual((yield* post("control", theirs, { action: "release", holder: another })).status, 200)
      // A renewal that arrives after the release does not take control again.
      assert.strictEqual((yield* post("control", theirs, { action: "renew", holder: another })).status, 409)
      assert.strictEqual((yield* watch(session, watching, once)).told[0]?.holder, null)
      assert.strictEqual((yield* post("control", mine, { action: "take", holder: page })).status, 200)
      yield* send({ method: "POST", path: `/run/${session}/interrupt`, key: me.key })
      assert.strictEqual((yield* post("control", mine, { action: "take", holder: page })).status, 409)
    })
  )

  it.effect("ends with the key that it was asked for with, and with it the control that was taken", () =>
    Effect.gen(function* () {
      const { member, revoke, send } = yield* Service
      const owner = yield* member("Owner")
      const [me, other] = [yield* member("Member", owner), yield* member("Member", owner)]
      const session = yield* start(owner, graph())
      yield* claim
      const path = `/live/sessions/${session}/connection?control=true`
      const connecting = (who: Member) =>
        Effect.map(send({ method: "GET", path, key: who.key }), ({ body }) => body.authToken)
      const ticketOf = (who: Member) =>
        Effect.flatMap(connecting(who), (token) => Effect.map(enter(session, token), ({ body }) => body.ticket))
      const post = (what: string, ticket: unknown, json: object) =>
        send({ method: "POST", path: `/live/${session}/${what}`, headers: { authorization: `Bearer ${ticket}` }, json })
      const [page, another] = ["p".repeat(20), "q".repeat(20)]
      const [mine, theirs, unused] = [yield* ticketOf(me), yield* ticketOf(other), yield* connecting(me)]
      assert.strictEqual((yield* post("control", mine, { action: "take", holder: page })).status, 200)

      // A stream that is open when the key is revoked ends with the next look.
      let looks = 0
      const watching = yield* Effect.forkChild(
        watch(session, mine, ({ length }) => {
          looks = length
          return false
        })
      )
      yield* until(
        "the first look",
        Effect.sync(() => looks),
        (count) => count > 0
      )
      yield* revoke(me)
      const renewed = (yield* eventually(Fiber.join(watching))).told.at(-1)
      assert.deepInclude(renewed, { may_control: true, ended: false })

      for (const ticket of [mine, renewed?.ticket]) {
        assert.strictEqual((yield* watch(session, ticket, once)).status, 401)
        const gestures = [{ kind: "text", text: "late" }]
        assert.strictEqual((yield* post("gestures", ticket, { holder: page, gestures })).status, 401)
        assert.strictEqual((yield* post("control", ticket, { action: "take", holder: page })).status, 401)
      }
      assert.strictEqual((yield* enter(session, unused)).status, 401)
      assert.strictEqual((yield* post("control", theirs, { action: "take", holder: another })).status, 200)
      assert.deepInclude((yield* watch(session, theirs, once)).told[0], { may_control: true, holder: another })
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
