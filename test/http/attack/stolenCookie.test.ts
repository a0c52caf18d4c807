/** A cookie goes to every port of its host: whoever listens on another one has it, and may send any header with it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Cookie from "../../../apps/api/console/Cookie.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"

const session = "/console/session"

const signedIn = Effect.fnUntraced(function* ({ key }: Member) {
  const { send, url } = yield* Service
  const opened = yield* send({ method: "POST", path: session, json: { key }, headers: { origin: url } })
  assert.strictEqual(opened.status, 200)
  const cookie = (opened.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
  return { cookie, page: String(opened.body.page_secret), origin: url }
})

it.layer(layerInMemory)("the cookie of a session", (it) => {
  it.effect("alone reads nothing, changes nothing, makes no key, and ends nothing", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const { cookie, origin, page } = yield* signedIn(owner)
      const stolen = { cookie, origin, "sec-fetch-site": "same-origin" }
      const made = { method: "POST", path: "/api-keys", json: { role: "Owner" } } as const
      for (const wrong of [{}, { "x-sluice-session": "" }, { "x-sluice-session": `${page}x` }]) {
        const headers = { ...stolen, ...wrong }
        assert.strictEqual((yield* send({ ...made, headers })).status, 401)
        assert.strictEqual((yield* send({ method: "GET", path: "/vault", headers })).status, 401)
        assert.deepStrictEqual((yield* send({ method: "GET", path: session, headers })).body, {})
        yield* send({ method: "DELETE", path: session, headers })
      }
      const headers = { ...stolen, "x-sluice-session": page }
      assert.strictEqual((yield* send({ ...made, headers })).status, 201)
      // The other secret alone is nothing either.
      assert.strictEqual((yield* send({ ...made, headers: { origin, "x-sluice-session": page } })).status, 401)
    })
  )

  it.effect("makes nothing that outlives its session, ten minutes after the sign-in", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const { cookie, origin, page } = yield* signedIn(owner)
      const headers = { cookie, origin, "x-sluice-session": page }
      const ask = (path: string, json: unknown = {}) => send({ method: "POST", path, json, headers })
      const making: ReadonlyArray<readonly [string, unknown]> = [
        ["/api-keys", { role: "Viewer" }],
        [`/api-keys/${owner.keyId}/rotate`, { grace_seconds: 3_600 }],
        ["/invitations", { role: "Viewer" }],
        ["/workspaces", { name: "Another" }],
        ["/encryption-key/rotation", {}]
      ]
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual((yield* ask("/api-keys", { role: "Viewer" })).status, 201)
      yield* TestClock.adjust("2 minutes")
      for (const [path, json] of making) {
        const refused = yield* ask(path, json)
        assert.strictEqual(refused.status, 403, path)
        assert.include(String(refused.body.message), "sign in again", path)
      }
      // Everything else goes on, and so does the key itself.
      assert.strictEqual((yield* send({ method: "GET", path: "/api-keys", headers })).status, 200)
      const byKey = yield* send({ method: "POST", path: "/api-keys", json: { role: "Viewer" }, key: owner.key })
      assert.strictEqual(byKey.status, 201)
      // A new sign-in ends the session that it takes the place of.
      const again = yield* send({ method: "POST", path: session, json: { key: owner.key }, headers })
      assert.strictEqual(again.status, 200)
      assert.strictEqual((yield* send({ method: "GET", path: "/me", headers })).status, 401)
    })
  )
})

describe("the cookie of a service with an https address", () => {
  const publicUrl = Option.some("https://example.com/sluice")
  const secret = Redacted.make(`sk_${"a".repeat(20)}${"b".repeat(23)}`)

  it("is bound to its host, and no other name is read", () => {
    const { page, setCookie } = Cookie.opening(secret, 60, { host: "example.com", publicUrl })
    assert.match(
      setCookie,
      /^__Host-sluice_session_default=\S+; Path=\/; Max-Age=60; HttpOnly; SameSite=Strict; Secure$/
    )
    const cookie = setCookie.split(";")[0] ?? ""
    const read = (written: string) => {
      const headers = { host: "example.com", cookie: written, "x-sluice-session": page }
      return Cookie.secretOf({ method: "GET", headers }, publicUrl)
    }
    assert.deepStrictEqual(read(cookie)?.pipe(Redacted.value), Redacted.value(secret))
    assert.isNull(read(cookie.replace("__Host-", "")))
  })
})
