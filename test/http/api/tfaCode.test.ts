import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { addressOf, InboxDomain } from "../../../core/vault/inbox/Inbox.ts"
import { ReceivedCodes } from "../../../core/vault/inbox/ReceivedCodes.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import { seal } from "../../support/sealed.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"
import * as SetClock from "../../support/setClock.ts"

const clock = SetClock.make()
const service = (inboxDomain: string | null) =>
  Layer.fresh(layerInMemory).pipe(Layer.provide(Layer.merge(Layer.succeed(InboxDomain, inboxDomain), clock.layer)))

const domain = "https://app.example.com"
const address = (query: string, type = "totp") => `otpauth://${type}/Site:robot?${query}`
const seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
const seeds = {
  SHA1: seed,
  SHA256: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
  SHA512: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA"
}

const codeOf = (member: Member, user: string, site = domain) =>
  Effect.flatMap(Service, ({ send }) =>
    send({
      method: "GET",
      path: `/vault/tfa-code?${new URLSearchParams({ permissioned_user_id: user, domain: site })}`,
      key: member.key
    })
  )

const keep = (member: Member, permissioned_user_id: string, fields: object) =>
  Effect.flatMap(Service, ({ send }) =>
    send({ method: "POST", path: "/vault", key: member.key, json: { permissioned_user_id, domain, ...fields } })
  )

const withSecret = (member: Member, user: string, secret: string | number) =>
  keep(member, user, { tfa_method: "AUTHENTICATOR", tfa_secret: seal(member.encryptionKey, secret) })

/** A code that arrives for a user by mail, at an instant. */
const arrive = Effect.fnUntraced(function* (
  member: Member,
  user: string,
  code: string,
  receivedAt: number,
  authentication?: string
) {
  const { workspaceId } = member.caller
  yield* (yield* ReceivedCodes).keep(workspaceId, {
    id: randomUUID(),
    kind: "code",
    address: addressOf(workspaceId, { permissionedUserId: user, domain }, "inbox.example"),
    sealed: yield* (yield* Sealing).seal(workspaceId, Redacted.make(code)),
    receivedAt,
    ...(authentication === undefined ? {} : { authentication })
  })
})

it.layer(service(null))("a code of an authenticator", (it) => {
  it.effect("is that of RFC 6238 at each instant of its vectors, with the seconds that it is good for", () =>
    Effect.gen(function* () {
      const me = yield* (yield* Service).member("Member")
      for (const [algorithm, secret] of Object.entries(seeds)) {
        const made = yield* withSecret(me, algorithm, address(`secret=${secret}&algorithm=${algorithm}&digits=8`))
        assert.strictEqual(made.status, 201)
      }
      yield* withSecret(me, "plain", seed)
      for (const [seconds, ...codes] of [
        [59, "94287082", "46119246", "90693936"],
        [1_111_111_109, "07081804", "68084774", "25091201"],
        [1_111_111_111, "14050471", "67062674", "99943326"],
        [1_234_567_890, "89005924", "91819424", "93441116"],
        [2_000_000_000, "69279037", "90698825", "38618901"],
        [20_000_000_000, "65353130", "77737706", "47863826"]
      ] as const) {
        yield* clock.set(seconds * 1_000)
        const left = 30 - (seconds % 30)
        for (const [index, algorithm] of Object.keys(seeds).entries()) {
          const { body, headers, status } = yield* codeOf(me, algorithm)
          assert.strictEqual(status, 200)
          assert.strictEqual(headers.get("cache-control"), "no-store")
          assert.deepStrictEqual(body, { type: "authenticator", code: codes[index], expires_in_seconds: left })
        }
        const plain = yield* codeOf(me, "plain", "app.example.com")
        assert.deepStrictEqual(plain.body, { type: "authenticator", code: codes[0].slice(2), expires_in_seconds: left })
      }
    })
  )

  it.effect("by a counter is that of RFC 4226, another one for each of concurrent requests", () =>
    Effect.gen(function* () {
      const { send, member } = yield* Service
      const me = yield* member("Member")
      yield* withSecret(me, "counter", address(`secret=${seed}&counter=2`, "hotp"))
      const next = Effect.map(codeOf(me, "counter"), ({ body }) => body)
      assert.deepStrictEqual(yield* next, { type: "authenticator", code: "359152" })
      const four = yield* Effect.all(
        Array.from({ length: 4 }, () => next),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(four.map(({ code }) => code).sort(), ["254676", "287922", "338314", "969429"])
      // The same secret in a new seal counts on; another one starts over.
      const change = (secret: string) =>
        send({
          method: "PUT",
          path: "/vault",
          key: me.key,
          json: { permissioned_user_id: "counter", domain, tfa_secret: seal(me.encryptionKey, secret) }
        })
      yield* change(address(`secret=${seed}&counter=2`, "hotp"))
      assert.strictEqual((yield* next).code, "162583")
      yield* change(address(`secret=${seed}&counter=0`, "hotp"))
      assert.strictEqual((yield* next).code, "755224")
    })
  )

  it.effect("is made of a secret that was kept without a method", () =>
    Effect.gen(function* () {
      const me = yield* (yield* Service).member("Member")
      yield* keep(me, "older", { tfa_secret: seal(me.encryptionKey, seed) })
      assert.deepInclude((yield* codeOf(me, "older")).body, { type: "authenticator" })
    })
  )

  it.effect("is made of a secret that was sealed as a number, as its digits", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const me = yield* member("Member")
      const digits = 234_567_234_567
      assert.strictEqual((yield* withSecret(me, "text", String(digits))).status, 201)
      assert.strictEqual((yield* withSecret(me, "number", digits)).status, 201)
      const [text, number] = [yield* codeOf(me, "text"), yield* codeOf(me, "number")]
      assert.strictEqual(number.status, 200)
      assert.strictEqual(number.body.code, text.body.code)
    })
  )

  it.effect("is a 422 where the stored secret makes none, and says nothing of it", () =>
    Effect.gen(function* () {
      const { dump, member } = yield* Service
      const me = yield* member("Member")
      const made = yield* withSecret(me, "broken", seed)
      const entries = yield* VaultEntries
      const kept = Option.getOrThrow(yield* entries.get(me.caller.workspaceId, String(made.body.id)))
      yield* entries.remove(me.caller.workspaceId, kept.id)
      for (const tfa_secret of [
        null,
        "canary",
        seal(me.encryptionKey, "canary 0189"),
        seal(me.encryptionKey, 7),
        seal("11".repeat(32), seed)
      ]) {
        yield* entries.insert(me.caller.workspaceId, { ...kept, fields: { ...kept.fields, tfa_secret } })
        const before = yield* dump
        const { body, headers, status, text } = yield* codeOf(me, "broken")
        assert.deepStrictEqual([status, body.statusCode, body.error], [422, 422, "Unprocessable Entity"])
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.notInclude(text, "canary")
        assert.strictEqual(yield* dump, before)
        yield* entries.remove(me.caller.workspaceId, kept.id)
      }
    })
  )

  it.effect("is refused with the right status where there is none", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const me = yield* member("Member")
      for (const [user, tfa_method] of [
        ["sms", "SMS"],
        ["link", "MAGIC_LINK"],
        ["mail", "EMAIL"],
        ["none", null]
      ] as const) {
        yield* keep(me, user, { tfa_method })
      }
      const statuses = {
        sms: [409, "Conflict"],
        link: [409, "Conflict"],
        mail: [403, "Forbidden"],
        none: [404, "Not Found"],
        nobody: [404, "Not Found"]
      }
      for (const [user, [expected, error]] of Object.entries(statuses)) {
        const { body, status } = yield* codeOf(me, user)
        assert.deepStrictEqual([status, body.statusCode, body.error], [expected, expected, error])
      }
      assert.include(String((yield* codeOf(me, "sms")).body.message), "dedicated phone number")
      for (const query of ["", "?permissioned_user_id=", "?domain=&permissioned_user_id="]) {
        const { body, status } = yield* send({ method: "GET", path: `/vault/tfa-code${query}`, key: me.key })
        assert.deepStrictEqual([status, body.statusCode], [400, 400])
        const paths = (body.errors as ReadonlyArray<{ path: string }>).map(({ path }) => path).sort()
        assert.deepStrictEqual(paths, ["domain", "permissioned_user_id"])
      }
      const viewer = yield* member("Viewer", me)
      assert.strictEqual((yield* codeOf(viewer, "none")).status, 403)
    })
  )
})

it.layer(service("inbox.example"))("a code that comes by mail", (it) => {
  it.effect("is the last one that arrived within five minutes, to its own credential", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const me = yield* member("Member")
      const stranger = yield* member("Member")
      const start = 1_800_000_000_000
      yield* clock.set(start)
      const made = yield* keep(me, "Robot+1", { tfa_method: "EMAIL" })
      yield* keep(me, "other", { tfa_method: "EMAIL" })
      yield* keep(stranger, "Robot+1", { tfa_method: "EMAIL" })
      const prefix = me.caller.workspaceId.slice(-8)
      assert.strictEqual(made.body.tfa_email, `${prefix}+Robot=2b1+app-example-com@inbox.example`)
      assert.strictEqual(made.body.tfa_phone_number, undefined)

      const none = yield* codeOf(me, "Robot+1")
      assert.deepStrictEqual(
        [none.status, none.body.error, none.headers.get("cache-control")],
        [404, "Not Found", "no-store"]
      )
      yield* arrive(me, "Robot+1", "111111", start - 60_000)
      yield* arrive(me, "Robot+1", "222222", start)
      yield* arrive(me, "Robot+1", "333333", start - 30_000)
      yield* arrive(stranger, "Robot+1", "444444", start)
      yield* clock.set(start + 300_000)
      const fresh = yield* codeOf(me, "Robot+1")
      const expected = { type: "email", code: "222222", received_at: new Date(start).toISOString() }
      assert.deepStrictEqual(
        [fresh.status, fresh.body, fresh.headers.get("cache-control")],
        [200, expected, "no-store"]
      )
      assert.deepStrictEqual((yield* codeOf(me, "Robot+1")).body, expected)
      assert.strictEqual((yield* codeOf(me, "other")).status, 404)
      yield* clock.set(start + 300_001)
      assert.strictEqual((yield* codeOf(me, "Robot+1")).status, 404)
    })
  )

  it.effect("is that of the site, or of an origin that an Owner named, before a newer one of another sender", () =>
    Effect.gen(function* () {
      const me = yield* (yield* Service).member("Owner")
      const start = 1_800_000_000_000
      yield* clock.set(start)
      yield* keep(me, "one", { tfa_method: "EMAIL" })
      yield* keep(me, "two", { tfa_method: "EMAIL", allowed_origins: ["https://login.idp.example"] })
      for (const [user, sender] of [
        ["one", "example.com"],
        ["two", "idp.example"]
      ] as const) {
        yield* arrive(me, user, "111111", start, `spf=pass smtp.mailfrom=${sender} dkim=none`)
        yield* arrive(me, user, "666666", start + 1, "spf=pass smtp.mailfrom=other.example dkim=none")
        assert.strictEqual((yield* codeOf(me, user)).body.code, "111111")
      }
    })
  )

  it.effect("keeps no code in clear", () =>
    Effect.gen(function* () {
      const { dump, member } = yield* Service
      const me = yield* member("Member")
      yield* arrive(me, "robot", "canary-code", 0)
      assert.notInclude(yield* dump, "canary-code")
    })
  )
})
