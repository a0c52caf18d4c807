import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result, Schema } from "effect"
import * as EntryBody from "../../../core/vault/EntryBody.ts"
import * as EntryRules from "../../../core/vault/EntryRules.ts"
import { CannotUnseal } from "../../../core/vault/keys/Sealing.ts"
import { effectiveExpiresAt, type Fields, VaultEntry, withoutBrowserState } from "../../../core/vault/VaultEntry.ts"
import { UserId, WorkspaceId } from "../../../core/workspace/Ids.ts"

const caller = {
  workspaceId: WorkspaceId.make(randomUUID()),
  userId: UserId.make(randomUUID()),
  role: "Member"
} as const

const pair = { permissioned_user_id: "robot", domain: "https://app.example.com" }
const provider = { secret_provider_id: randomUUID(), secret_ref: "op://vault/item" }
const hour = 3_600_000

/** In these tests a sealed value is `sealed:` and its JSON text. Anything else does not unseal. */
const sealed = (value: Schema.Json) => `sealed:${JSON.stringify(value)}`
const open = (text: string): Result.Result<Redacted.Redacted<Schema.Json>, CannotUnseal> =>
  text.startsWith("sealed:")
    ? Result.succeed(Redacted.make(JSON.parse(text.slice(7))))
    : Result.fail(new CannotUnseal({ reason: "key" }))

const given = (body: unknown, before: Fields | null, providerIsKnown = true): EntryRules.Given => {
  const reading = EntryBody.read(body)
  const { cookies, local_storage, session_storage } = reading.sent
  const kept = Object.entries({ cookies, local_storage, session_storage }).filter(([, value]) => value !== undefined)
  return {
    reading,
    opened: Object.fromEntries(EntryRules.sealedIn(reading.sent, before).map(([name, text]) => [name, open(text)])),
    browserState: Object.fromEntries(kept.map(([name, value]) => [name, value === null ? null : "state"])),
    providerIsKnown,
    sameTfaSecret: before !== null && reading.sent.tfa_secret === before.tfa_secret,
    samePasskey: before !== null && reading.sent.passkey === before.passkey
  }
}

const create = (body: unknown, now = 0, providerIsKnown = true) =>
  EntryRules.create(given(body, null, providerIsKnown), { caller, id: randomUUID(), now })

const made = (fields: object, now = 0): VaultEntry => Result.getOrThrow(create({ ...pair, ...fields }, now))

const update = (before: VaultEntry, fields: object, now = 1) =>
  EntryRules.update(given({ ...pair, ...fields }, before.fields), now)(before)

const changed = (before: VaultEntry, fields: object, now = 1) => Result.getOrThrow(update(before, fields, now))

const paths = (result: Result.Result<unknown, { readonly problems: ReadonlyArray<{ readonly path: string }> }>) =>
  Result.isSuccess(result) ? [] : result.failure.problems.map(({ path }) => path)

const long = "x".repeat(20_000)
const secret = sealed("JBSWY3DPEHPK3PXP")

/** Bodies that are refused, beside a pair that is in order, and where their problems lie. */
const refused: ReadonlyArray<readonly [what: string, fields: object, paths: ReadonlyArray<string>]> = [
  ["no user", { permissioned_user_id: undefined }, ["permissioned_user_id"]],
  ["an empty user", { permissioned_user_id: "" }, ["permissioned_user_id"]],
  ["a long user", { permissioned_user_id: long }, ["permissioned_user_id"]],
  ["null for the pair", { permissioned_user_id: null, domain: null }, ["permissioned_user_id", "domain"]],
  ["a domain that is none", { domain: "not a domain" }, ["domain"]],
  ["a domain with a password", { domain: "https://u:p@app.example.com" }, ["domain"]],
  ["a secret in clear", { password: "hunter2" }, ["password"]],
  ["secrets of other types", { user_name: 7, password: {}, tfa_secret: [] }, ["user_name", "password", "tfa_secret"]],
  ["a sealed object", { password: sealed({ a: 1 }) }, ["password"]],
  ["a long secret", { password: long }, ["password"]],
  ["another method", { tfa_method: "PIGEON" }, ["tfa_method"]],
  ["an authenticator without a secret", { tfa_method: "AUTHENTICATOR" }, ["tfa_secret"]],
  ["an authenticator with no secret in it", { tfa_method: "AUTHENTICATOR", tfa_secret: sealed(null) }, ["tfa_secret"]],
  ["an authenticator with an empty one", { tfa_method: "AUTHENTICATOR", tfa_secret: sealed("") }, ["tfa_secret"]],
  ["a secret that makes no codes", { tfa_secret: sealed("0189") }, ["tfa_secret"]],
  ["a number that makes no codes", { tfa_secret: sealed(123_456) }, ["tfa_secret"]],
  ["a secret of 7 digits", { tfa_secret: sealed("otpauth://totp/a?secret=JBSWY3DP&digits=7") }, ["tfa_secret"]],
  ["no interval", { expiry_time_from_last_use: "soon" }, ["expiry_time_from_last_use"]],
  ["a number for an interval", { expiry_time_from_session_data_set: 5 }, ["expiry_time_from_session_data_set"]],
  ["no concurrency", { max_concurrency: 0 }, ["max_concurrency"]],
  ["a broken concurrency", { max_concurrency: 1.5 }, ["max_concurrency"]],
  ["a word for a switch", { persist_cookies: "yes" }, ["persist_cookies"]],
  ["cookies that are no array", { cookies: {} }, ["cookies"]],
  [
    "broken cookies",
    { cookies: [{ name: "a", value: "b" }, { name: 1, value: "b" }, "c"] },
    ["cookies[1].name", "cookies[2]"]
  ],
  ["a cookie without a value", { cookies: [{ name: "a" }] }, ["cookies[0].value"]],
  ["storage that is no object", { local_storage: [], session_storage: "x" }, ["local_storage", "session_storage"]],
  ["a header that is two", { headers: [{ name: "A", value: "b\r\nC: d" }] }, ["headers[0].value"]],
  ["a proxy value alone", { proxy_value: "10.0.0.1" }, ["proxy_setting"]],
  ["another proxy", { proxy_setting: "fast" }, ["proxy_setting"]],
  ["a random proxy with a value", { proxy_setting: "random", proxy_value: "x" }, ["proxy_value"]],
  ["a static proxy that is no address", { proxy_setting: "static", proxy_value: "10.0.0.256" }, ["proxy_value"]],
  ["a country that is none", { proxy_setting: "country", proxy_value: "Germany" }, ["proxy_value"]],
  ["a country left out", { proxy_setting: "country" }, ["proxy_value"]],
  ["a custom proxy in clear", { proxy_setting: "custom", proxy_value: "http://p.example:1" }, ["proxy_value"]],
  ["a custom proxy left out", { proxy_setting: "custom" }, ["proxy_value"]],
  ...["http://u:%ff@p.example:1", "socks5://p.example:0", "https://p.example:65536"].map(
    (url) =>
      [
        `a custom proxy that no run could use: ${url}`,
        { proxy_setting: "custom", proxy_value: sealed(url) },
        ["proxy_value"]
      ] as const
  ),
  ["a custom proxy that is no URL", { proxy_setting: "custom", proxy_value: sealed("p.example") }, ["proxy_value"]],
  [
    "a custom proxy of another scheme",
    { proxy_setting: "custom", proxy_value: sealed("ftp://p.example") },
    ["proxy_value"]
  ],
  ["a broken proxy of the older form", { proxy: { enable: "yes" } }, ["proxy.enable"]],
  ["an older proxy that is no address", { proxy: { target_ip: "nowhere" } }, ["proxy.target_ip"]],
  ["a provider without a reference", { secret_provider_id: provider.secret_provider_id }, ["secret_ref"]],
  ["a reference without a provider", { secret_ref: "op://vault/item" }, ["secret_provider_id"]],
  ["a provider that is no id", { ...provider, secret_provider_id: "1password" }, ["secret_provider_id"]],
  ["origins that are no list", { allowed_origins: "https://a.example" }, ["allowed_origins"]],
  [
    "origins that are none",
    {
      allowed_origins: [
        "https://a.example",
        "https://a.example/login",
        "a.example",
        "https://*.example",
        "https://a.example:443",
        "HTTPS://A.example",
        "ftp://a.example",
        "https://u@a.example",
        "null",
        ""
      ]
    },
    Array.from({ length: 9 }, (_, at) => `allowed_origins[${at + 1}]`)
  ],
  [
    "too many origins",
    { allowed_origins: Array.from({ length: 51 }, (_, at) => `https://a${at}.example`) },
    ["allowed_origins"]
  ],
  ["a time to live alone", { secret_cache_ttl_seconds: 60 }, ["secret_cache_ttl_seconds"]],
  ["a negative time to live", { ...provider, secret_cache_ttl_seconds: -1 }, ["secret_cache_ttl_seconds"]],
  [
    "a provider beside a password",
    { ...provider, password: sealed("x"), user_name: sealed("y") },
    ["user_name", "password"]
  ],
  [
    "many at once",
    {
      domain: "",
      password: "x",
      tfa_method: "AUTHENTICATOR",
      proxy_setting: "random",
      proxy_value: "x",
      max_concurrency: -1
    },
    ["domain", "max_concurrency", "password", "tfa_secret", "proxy_value"]
  ]
]

/** Bodies that are kept, and what of them. */
const accepted: ReadonlyArray<readonly [what: string, fields: object, expected: Partial<Fields>]> = [
  ["nothing", {}, { user_name: null, persist_cookies: false, allow_multiple_sessions: false, max_concurrency: null }],
  [
    "null for everything",
    { password: null, tfa_method: null, persist_cookies: null, proxy_setting: null, cookies: null },
    { password: null, tfa_method: null, persist_cookies: false, cookies: null }
  ],
  [
    "what the service computes",
    { id: 1, tfa_email: "x", created_at: "y", effective_expires_at: 3, surprise: true },
    {}
  ],
  [
    "secrets as they came",
    { user_name: sealed("bob"), password: sealed(1234) },
    { user_name: sealed("bob"), password: sealed(1234) }
  ],
  ["nothing, said in two ways", { user_name: "", password: sealed(null) }, { user_name: null, password: null }],
  ["an authenticator", { tfa_method: "AUTHENTICATOR", tfa_secret: secret }, { tfa_secret: secret }],
  ["a secret that counts", { tfa_secret: sealed("otpauth://hotp/a?secret=JBSWY3DP&counter=5") }, { tfa_method: null }],
  [
    "a provider for an authenticator",
    { ...provider, tfa_method: "AUTHENTICATOR", secret_cache_ttl_seconds: 0 },
    { ...provider, secret_cache_ttl_seconds: 0 }
  ],
  ["a random proxy", { proxy_setting: "random" }, { proxy_setting: "random", proxy_value: null }],
  ["a static proxy", { proxy_setting: "static", proxy_value: "2001:db8::1" }, { proxy_value: "2001:db8::1" }],
  ["a country", { proxy_setting: "country", proxy_value: "de" }, { proxy_value: "de" }],
  [
    "a custom proxy",
    { proxy_setting: "custom", proxy_value: sealed("socks5://u:p@p.example:1080") },
    { proxy_value: sealed("socks5://u:p@p.example:1080") }
  ],
  ["an older proxy", { proxy: { target_ip: "10.0.0.1" } }, { proxy_setting: "static", proxy_value: "10.0.0.1" }],
  ["an older proxy without an address", { proxy: { enable: true } }, { proxy_setting: "random", proxy_value: null }],
  [
    "an older proxy that is off",
    { proxy: { enable: false, target_ip: "10.0.0.1" } },
    { proxy_setting: null, proxy_value: null }
  ],
  [
    "intervals as they came",
    { expiry_time_from_last_use: "7 days 00:00:00" },
    { expiry_time_from_last_use: "7 days 00:00:00" }
  ]
]

describe("a new entry", () => {
  it.each(refused)("is refused with %s, at the right places", (_what, fields, expected) => {
    const result = create({ ...pair, ...fields })
    assert.deepStrictEqual(paths(result).sort(), [...expected].sort())
    if (Result.isFailure(result)) assert.notMatch(result.failure.message, /hunter2|0189|[^p]p\.example/)
  })

  it.each(accepted)("is kept with %s", (_what, fields, expected) => assert.deepInclude(made(fields).fields, expected))

  it.each([null, 1, "x", []])("is no %s", (body) => assert.deepStrictEqual(paths(create(body)), [""]))

  it("cannot be bound to a provider that the workspace does not have", () => {
    assert.deepStrictEqual(paths(create({ ...pair, ...provider }, 0, false)), ["secret_provider_id"])
  })
})

describe("a changed entry", () => {
  const full = made({
    user_name: sealed("bob"),
    password: sealed("x"),
    tfa_secret: secret,
    tfa_method: "AUTHENTICATOR",
    user_alias: "Bob",
    persist_cookies: true,
    max_concurrency: 3,
    proxy_setting: "static",
    proxy_value: "10.0.0.1"
  })

  it("keeps what is left out, and loses what is null", () => {
    const after = changed(
      full,
      { password: sealed("y"), user_alias: null, persist_cookies: null, max_concurrency: null },
      7
    )
    assert.deepStrictEqual(after, {
      ...full,
      updatedAt: 7,
      fields: { ...full.fields, password: sealed("y"), user_alias: null, max_concurrency: null }
    })
  })

  it("keeps its pair, in whatever way it was addressed", () => {
    assert.strictEqual(changed(full, { domain: "APP.example.com" }).domain, "https://app.example.com")
  })

  it("loses the value of another proxy setting, but must have one where the new one needs it", () => {
    assert.deepInclude(changed(full, { proxy_setting: "random" }).fields, {
      proxy_setting: "random",
      proxy_value: null
    })
    assert.deepInclude(changed(full, { proxy_setting: "static" }).fields, { proxy_value: "10.0.0.1" })
    assert.deepInclude(changed(full, { proxy_setting: null }).fields, { proxy_setting: null, proxy_value: null })
    assert.deepStrictEqual(paths(update(full, { proxy_setting: "custom" })), ["proxy_value"])
    assert.deepStrictEqual(paths(update(full, { proxy_value: "x" })), ["proxy_value"])
  })

  it("is bound to a provider in place of its secrets, and is free of all of it again", () => {
    const bound = changed(full, { ...provider, secret_cache_ttl_seconds: 5 })
    assert.deepInclude(bound.fields, { ...provider, user_name: null, password: null, tfa_secret: null })
    assert.deepStrictEqual(paths(update(bound, { password: sealed("y") })), ["password"])
    const free = changed(bound, { secret_provider_id: null, tfa_secret: secret, password: sealed("y") })
    assert.deepInclude(free.fields, {
      secret_provider_id: null,
      secret_ref: null,
      secret_cache_ttl_seconds: null,
      password: sealed("y")
    })
    assert.deepStrictEqual(paths(update(bound, { secret_ref: null })), ["secret_ref"])
  })

  it("may not lose the secret of its authenticator, but may leave the authenticator", () => {
    assert.deepStrictEqual(paths(update(full, { tfa_secret: null })), ["tfa_secret"])
    assert.isNull(changed(full, { tfa_secret: null, tfa_method: "SMS" }).fields.tfa_secret)
    assert.deepStrictEqual(paths(update(made({}), { tfa_method: "AUTHENTICATOR" })), ["tfa_secret"])
  })

  it("counts on with the same secret, and from the start with another", () => {
    const counting = { ...full, hotpCounter: 9 }
    assert.strictEqual(changed(counting, { user_alias: "x" }).hotpCounter, 9)
    assert.strictEqual(changed(counting, { tfa_secret: secret }).hotpCounter, 9)
    assert.isNull(changed(counting, { tfa_secret: sealed("otpauth://hotp/a?secret=JBSWY3DP&counter=5") }).hotpCounter)
  })
})

describe("an entry that was kept before there were allowed origins", () => {
  it("has none", () => {
    const { allowed_origins: _none, ...fields } = made({}).fields
    const kept: unknown = JSON.parse(JSON.stringify({ ...made({}), fields }))
    assert.isNull(Schema.decodeUnknownSync(VaultEntry)(kept).fields.allowed_origins)
  })
})

describe("session data", () => {
  const at = Date.parse("2026-01-31T00:00:00Z")
  const cookies = [{ name: "a", value: "b" }]
  const intervals = { expiry_time_from_session_data_set: "1 month", expiry_time_from_last_use: "7 days 00:00:00" }

  it("is as old as when it was last given", () => {
    const entry = made({ cookies }, at)
    assert.strictEqual(entry.sessionDataSetAt, at)
    assert.strictEqual(changed(entry, { user_alias: "x" }, at + 1).sessionDataSetAt, at)
    assert.strictEqual(changed(entry, { local_storage: {} }, at + 2).sessionDataSetAt, at + 2)
    assert.isNull(changed(entry, { cookies: null }, at + 3).sessionDataSetAt)
    assert.isNull(made({ headers: [{ name: "A", value: "b" }] }, at).sessionDataSetAt)
    assert.isNull(withoutBrowserState(entry, at + 4).sessionDataSetAt)
  })

  it("expires at the earlier end of its two intervals", () => {
    const expiry = (fields: object, lastUsedAt: number | null = null) =>
      effectiveExpiresAt({ ...made({ cookies, ...fields }, at), lastUsedAt })
    assert.isNull(expiry({}))
    assert.strictEqual(expiry({ expiry_time_from_session_data_set: "01:30:00" }), at + 1.5 * hour)
    assert.strictEqual(expiry({ expiry_time_from_last_use: "1 day" }), at + 24 * hour)
    assert.strictEqual(expiry({ expiry_time_from_last_use: "1 day" }, at + hour), at + 25 * hour)
    assert.strictEqual(expiry({ expiry_time_from_last_use: "1 day" }, at - 99 * hour), at + 24 * hour)
    assert.strictEqual(expiry(intervals), at + 7 * 24 * hour)
    assert.strictEqual(expiry(intervals, at + 27 * 24 * hour), Date.parse("2026-02-28T00:00:00Z"))
    assert.isNull(effectiveExpiresAt(made(intervals, at)))
  })
})
