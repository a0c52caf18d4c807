/** Sessions of browsers at the console: how they begin, what they may do, and how they end. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SignIns } from "../../../core/workspace/signin/SignIns.ts"
import { type Answer, layerInMemory, type Member, Service } from "../../support/service.ts"

const session = "/console/session"

const own = Effect.map(Service, ({ url }) => ({ origin: url }))

/** The cookie that an answer sets, as the browser sends it back. */
const cookieOf = ({ headers }: Answer): string => (headers.get("set-cookie") ?? "").split(";")[0] ?? ""

/** What a page of the console sends with each request: the cookie, and the secret that the page keeps. */
const sentBy = (answer: Answer): Record<string, string> => ({
  cookie: cookieOf(answer),
  "x-sluice-session": String(answer.body.page_secret)
})

const signedIn = Effect.fnUntraced(function* (member: Member) {
  const { send } = yield* Service
  const answer = yield* send({ method: "POST", path: session, json: { key: member.key }, headers: yield* own })
  assert.strictEqual(answer.status, 200)
  return { answer, sent: sentBy(answer) }
})

it.layer(layerInMemory, { excludeTestServices: true })("sessions of the console", (it) => {
  it.effect("a key is exchanged for a cookie that no script reads, and that has the role of the key", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const viewer = yield* member("Viewer")
      const { answer, sent } = yield* signedIn(viewer)
      assert.match(answer.headers.get("set-cookie") ?? "", /; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)
      assert.deepInclude(answer.body, {
        role: "Viewer",
        workspace_id: viewer.caller.workspaceId,
        workspace_name: "Test"
      })
      assert.notInclude(answer.text, viewer.key)
      const me = yield* send({ method: "GET", path: "/me", headers: sent })
      assert.deepStrictEqual(me.body, {
        user_id: viewer.caller.userId,
        role: "Viewer",
        workspace_id: viewer.caller.workspaceId
      })
      const edit = yield* send({ method: "POST", path: "/workflows", json: {}, headers: { ...sent, ...(yield* own) } })
      assert.strictEqual(edit.status, 403)
      const keys = yield* send({ method: "GET", path: "/api-keys", headers: sent })
      assert.strictEqual(keys.status, 403)
    })
  )

  it.effect("a write is accepted from a page of the service alone, and a read from no other site's page", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const owner = yield* member("Owner")
      const { sent } = yield* signedIn(owner)
      const make = (headers: Record<string, string>) =>
        Effect.map(
          send({ method: "POST", path: "/api-keys", json: { role: "Viewer" }, headers: { ...sent, ...headers } }),
          ({ status }) => status
        )
      assert.strictEqual(yield* make({}), 401)
      assert.strictEqual(yield* make({ origin: "null" }), 401)
      assert.strictEqual(yield* make({ origin: "http://127.0.0.1:1" }), 401)
      assert.strictEqual(yield* make({ origin: `${url}.example.com` }), 401)
      assert.strictEqual(yield* make({ origin: url, "sec-fetch-site": "same-site" }), 401)
      assert.strictEqual(yield* make({ origin: url, "sec-fetch-site": "same-origin" }), 201)
      const read = (site: string) =>
        Effect.map(
          send({ method: "GET", path: "/me", headers: { ...sent, "sec-fetch-site": site } }),
          ({ status }) => status
        )
      assert.deepStrictEqual(
        yield* Effect.forEach(["same-origin", "none", "same-site", "cross-site"], read),
        [200, 200, 401, 401]
      )
      for (const headers of [{}, { origin: "http://127.0.0.1:1" }]) {
        const foreign = yield* send({ method: "POST", path: session, json: { key: owner.key }, headers })
        assert.strictEqual(foreign.status, 403)
        assert.isNull(foreign.headers.get("set-cookie"))
      }
    })
  )

  it.effect("a session ends when it is signed out and when its key is revoked, and a stream of it ends with it", () =>
    Effect.gen(function* () {
      const { member, revoke, send, url } = yield* Service
      const owner = yield* member("Owner")
      const [first, second] = [yield* signedIn(owner), yield* signedIn(owner)]
      const status = (sent: Record<string, string>) =>
        Effect.map(send({ method: "GET", path: "/me", headers: sent }), (answer) => answer.status)
      const out = yield* send({ method: "DELETE", path: session, headers: { ...first.sent, ...(yield* own) } })
      assert.include(out.headers.get("set-cookie") ?? "", "Max-Age=0")
      assert.deepStrictEqual([yield* status(first.sent), yield* status(second.sent)], [401, 200])
      const stream = `/run/clients/00000000-0000-4000-8000-000000000000/events`
      const open = yield* Effect.promise(() => fetch(`${url}${stream}`, { headers: second.sent }))
      assert.strictEqual(open.status, 200)
      yield* Effect.promise(async () => open.body?.cancel())
      yield* revoke(owner)
      assert.strictEqual(yield* status(second.sent), 401)
      const now = yield* send({ method: "GET", path: session, headers: second.sent })
      assert.deepStrictEqual([now.status, now.body], [200, {}])
    })
  )

  it.effect("a link opens one session", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { caller, keyId } = yield* member("Member")
      const link = Redacted.value(yield* (yield* SignIns).link(caller, keyId))
      const enter = Effect.gen(function* () {
        return yield* send({ method: "POST", path: session, json: { link }, headers: yield* own })
      })
      const both = yield* Effect.all([enter, enter], { concurrency: 2 })
      assert.deepStrictEqual(both.map(({ status }) => status).toSorted(), [200, 401])
      // The secret of a session is not that of a link, and the other way round.
      const sent = sentBy(both.find(({ status }) => status === 200) ?? both[0])
      const [name = "", half = ""] = sent.cookie?.split("=") ?? []
      const secret = `${half}${sent["x-sluice-session"]}`
      const again = yield* send({ method: "POST", path: session, json: { link: secret }, headers: yield* own })
      assert.strictEqual(again.status, 401)
      const other = Redacted.value(yield* (yield* SignIns).link(caller, keyId))
      const headers = { cookie: `${name}=${other.slice(0, half.length)}`, "x-sluice-session": other.slice(half.length) }
      const me = yield* send({ method: "GET", path: "/me", headers })
      assert.strictEqual(me.status, 401)
    }).pipe(Effect.provide(SignIns.layer))
  )

  it.effect("a key makes a link that opens a session with its role; a session makes none", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const viewer = yield* member("Viewer")
      const made = yield* send({ method: "POST", path: "/sign-in-links", key: viewer.key })
      assert.strictEqual(made.status, 201)
      assert.strictEqual(made.headers.get("cache-control"), "no-store")
      const json = { link: made.body.link }
      const opened = yield* send({ method: "POST", path: session, json, headers: yield* own })
      assert.deepInclude(opened.body, { role: "Viewer", user_id: viewer.caller.userId })
      const headers = { ...sentBy(opened), ...(yield* own) }
      const refused = yield* send({ method: "POST", path: "/sign-in-links", headers })
      assert.strictEqual(refused.status, 403)
      assert.include(refused.text, "expected an API key")
    })
  )

  it.effect("the open sessions of a user are listed and ended by the user, those of the workspace by an Owner", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const [viewer, other] = [yield* member("Viewer", owner), yield* member("Member", owner)]
      const stranger = yield* member("Owner")
      const [first, second] = [yield* signedIn(viewer), yield* signedIn(other)]
      const list = (by: { readonly key?: string; readonly headers?: Record<string, string> }) =>
        Effect.map(
          send({ method: "GET", path: "/console-sessions", ...by }),
          ({ body }) => body.sessions as ReadonlyArray<Record<string, unknown>>
        )
      const seen = yield* list({ key: owner.key })
      assert.sameMembers(
        seen.map(({ key_id }) => key_id),
        [viewer.keyId, other.keyId]
      )
      const [mine, ...more] = yield* list({ headers: first.sent })
      assert.deepStrictEqual(more, [])
      assert.deepInclude(mine, {
        user_id: viewer.caller.userId,
        key_id: viewer.keyId,
        current: true,
        expires_at: first.answer.body.expires_at
      })
      assert.deepStrictEqual(yield* list({ key: viewer.key }), [{ ...mine, current: false }])
      assert.deepStrictEqual(yield* list({ key: stranger.key }), [])
      const addressOf = (one: Record<string, unknown> | undefined) => `${one?.key_id}/${one?.opened_at}`
      const theirs = addressOf(seen.find(({ key_id }) => key_id === other.keyId))
      const end = (id: string, key: string) =>
        Effect.map(send({ method: "DELETE", path: `/console-sessions/${id}`, key }), ({ status }) => status)
      assert.strictEqual(yield* end(theirs, viewer.key), 404)
      assert.strictEqual(yield* end(theirs, stranger.key), 404)
      assert.strictEqual(yield* end(theirs, owner.key), 200)
      assert.strictEqual(yield* end(theirs, owner.key), 404)
      assert.strictEqual(yield* end(addressOf(mine), viewer.key), 200)
      for (const { sent } of [first, second])
        assert.strictEqual((yield* send({ method: "GET", path: "/me", headers: sent })).status, 401)
      const { body } = yield* send({ method: "GET", path: "/audit?action=console_session.end", key: owner.key })
      assert.deepStrictEqual(
        (body.entries as ReadonlyArray<Record<string, unknown>>).map(({ resource_id, user_id }) => [
          resource_id,
          user_id
        ]),
        [
          [viewer.keyId, viewer.caller.userId],
          [other.keyId, owner.caller.userId]
        ]
      )
    })
  )

  it.effect("a body that is no sign-in, and a key that is unknown, are refused in a sentence", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const headers = yield* own
      for (const json of [{}, { key: 1 }, { key: "" }, [], { link: "x".repeat(300) }]) {
        const answer = yield* send({ method: "POST", path: session, json, headers })
        assert.strictEqual(answer.status, 400)
        assert.include(String(answer.body.message), "Expected a body such as")
      }
      const unknown = yield* send({ method: "POST", path: session, json: { key: "sk_unknown" }, headers })
      assert.strictEqual(unknown.status, 401)
      assert.include(String(unknown.body.message), "This API key is not valid")
    })
  )
})
