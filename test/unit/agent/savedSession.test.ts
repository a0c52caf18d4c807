import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Session from "../../../core/browser/Session.ts"
import * as SavedSession from "../../../core/execution/SavedSession.ts"
import type { BrowserState, Cookie, Fields, VaultEntry } from "../../../core/vault/VaultEntry.ts"
import { entryOf } from "../../support/entries.ts"

const now = 1_700_000_000_000
const soon = 1_700_000_100
const own = "https://app.example.com"

const state = (parts: Partial<BrowserState>): BrowserState => ({
  cookies: null,
  local_storage: null,
  session_storage: null,
  headers: null,
  ...parts
})

const restored = (cookie: Cookie, fields: Partial<Fields> = {}, domain = own) =>
  SavedSession.brought(entryOf(fields, { domain }), state({ cookies: [cookie] }), now).cookies[0]

const plain: Session.Cookie = {
  name: "a",
  value: "1",
  domain: "app.example.com",
  path: "/",
  expires: null,
  httpOnly: false,
  secure: false,
  sameSite: null
}

/**
 * The given fields of a cookie beside its name and value, and the fields that a browser gets beside `plain`, if any.
 */
const cookies: ReadonlyArray<readonly [given: Partial<Cookie>, Partial<Session.Cookie> | undefined]> = [
  [{}, {}],
  [{ domain: null, path: null, expirationDate: null, sameSite: null, session: null, storeId: "0" }, {}],
  [{ domain: "" }, {}],
  [{ domain: ".Example.com" }, { domain: ".example.com" }],
  [{ domain: "example.com" }, { domain: "example.com" }],
  [{ domain: "example.com", hostOnly: false }, { domain: ".example.com" }],
  [{ domain: ".example.com", hostOnly: true }, { domain: "example.com" }],
  [{ domain: ".10.1.2.3", hostOnly: false }, { domain: "10.1.2.3" }],
  [{ path: "/shop" }, { path: "/shop" }],
  [
    { httpOnly: true, secure: true },
    { httpOnly: true, secure: true }
  ],
  [{ expirationDate: soon }, { expires: soon }],
  [{ expirationDate: soon, session: true }, { expires: null }],
  [{ expirationDate: now / 1_000 }, undefined],
  [{ expirationDate: 1 }, undefined],
  [{ expirationDate: 1, session: true }, {}],
  [
    { sameSite: "no_restriction", secure: true },
    { sameSite: "None", secure: true }
  ],
  [
    { sameSite: "None", secure: true },
    { sameSite: "None", secure: true }
  ],
  [{ sameSite: "no_restriction" }, { sameSite: null }],
  [{ sameSite: "lax" }, { sameSite: "Lax" }],
  [{ sameSite: "Strict" }, { sameSite: "Strict" }],
  [{ sameSite: "unspecified" }, { sameSite: null }]
]

describe("a cookie that is kept", () => {
  it.each(cookies)("is given to the browser as it says: %j", (given, expected) => {
    const found = restored({ name: "a", value: "1", ...given })
    assert.deepStrictEqual(found, expected === undefined ? undefined : { ...plain, ...expected })
  })

  it.each([
    "csrftoken",
    "XSRF-TOKEN",
    "_csrf",
    "__RequestVerificationToken",
    "authenticity_token",
    "__Host-csrf",
    ".AspNetCore.Antiforgery.x"
  ])("named %s is left out where those against forgery are not wanted", (name) => {
    assert.isUndefined(restored({ name, value: "1" }, { skip_csrf_cookies: true }))
    assert.isDefined(restored({ name, value: "1" }))
    assert.isDefined(restored({ name: "session", value: "1" }, { skip_csrf_cookies: true }))
  })
})

describe("what an entry brings", () => {
  const storageOf = (local_storage: BrowserState["local_storage"], domain = own) =>
    SavedSession.brought(entryOf({}, { domain }), state({ local_storage }), now).localStorage

  it("is storage for its own origin, or for each that it names", () => {
    assert.deepStrictEqual(storageOf({ a: "1", n: 2, o: { b: [true] }, none: null }), {
      [own]: { a: "1", n: "2", o: '{"b":[true]}' }
    })
    assert.deepStrictEqual(storageOf({ a: "1" }, "localhost:3000"), {
      "https://localhost:3000": { a: "1" },
      "http://localhost:3000": { a: "1" }
    })
    assert.deepStrictEqual(storageOf({ "https://a.example.com": { k: "v" }, "http://b.example.com:8080/": {} }), {
      "https://a.example.com": { k: "v" },
      "http://b.example.com:8080": {}
    })
    assert.deepStrictEqual(storageOf({ "https://a.example.com": "text" }), {
      [own]: { "https://a.example.com": "text" }
    })
    assert.deepStrictEqual(storageOf({}), {})
  })

  it("is its headers for its own origins, its user agent and its place", () => {
    const headers = [{ name: "X-Key", value: "k" }]
    const brought = SavedSession.brought(entryOf({ user_agent: "Robot/1", location: "DE" }), state({ headers }), now)
    assert.deepStrictEqual(brought.headers, [{ origins: [own], headers }])
    assert.strictEqual(brought.userAgent, "Robot/1")
    assert.strictEqual(brought.place.timeZone, "Europe/Berlin")
  })

  it("is heard first from the first of several", () => {
    const one = SavedSession.brought(
      entryOf({ user_agent: "One" }),
      state({ cookies: [{ name: "a", value: "1" }] }),
      now
    )
    const other = SavedSession.brought(
      entryOf({ user_agent: "Other", location: "JP" }),
      state({ cookies: [{ name: "a", value: "2" }] }),
      now
    )
    const both = SavedSession.join([one, other])
    assert.strictEqual(both.userAgent, "One")
    assert.strictEqual(both.place.locale, "ja-JP")
    // The later one of a name counts in a browser.
    assert.deepStrictEqual(
      both.cookies.map(({ value }) => value),
      ["2", "1"]
    )
    assert.deepStrictEqual(SavedSession.join([]), Session.empty)
  })
})

const keepsAll = { persist_cookies: true, persist_local_storage: true, persist_session_storage: true }

const remembered = (parts: Partial<Session.StoredState>): Session.StoredState => ({
  cookies: [],
  localStorage: {},
  sessionStorage: {},
  ...parts
})

const left = (
  fields: Partial<Fields>,
  before: Partial<BrowserState>,
  after: Partial<Session.StoredState>,
  domain = own
) => SavedSession.left(entryOf(fields, { domain }), state(before), remembered(after), now)

describe("what is kept of a session", () => {
  it("is nothing without a switch", () => {
    const after = { cookies: [plain], localStorage: { [own]: { a: "1" } }, sessionStorage: { [own]: { a: "1" } } }
    assert.deepStrictEqual(left({}, {}, after), {})
    assert.deepStrictEqual(Object.keys(left({ persist_cookies: true }, {}, after)), ["cookies"])
    assert.deepStrictEqual(Object.keys(left({ persist_local_storage: true }, {}, after)), ["local_storage"])
    assert.deepStrictEqual(Object.keys(left({ persist_session_storage: true }, {}, after)), ["session_storage"])
  })

  const domains = [
    "app.example.com",
    ".app.example.com",
    "sub.app.example.com",
    ".example.com",
    "login.example.com",
    "example.org"
  ]

  it.each([
    [null, ["app.example.com", ".app.example.com", "sub.app.example.com", ".example.com"]],
    [
      "example.com",
      ["app.example.com", ".app.example.com", "sub.app.example.com", ".example.com", "login.example.com"]
    ],
    [
      ".example.com",
      ["app.example.com", ".app.example.com", "sub.app.example.com", ".example.com", "login.example.com"]
    ],
    ["https://login.example.com/", ["login.example.com"]],
    ["ample.com", []]
  ])("is the cookies of the site, or those of the domain to store: %s", (cookie_domain_to_store, expected) => {
    const kept = left(
      { persist_cookies: true, cookie_domain_to_store },
      {},
      { cookies: domains.map((domain) => ({ ...plain, domain })) }
    )
    const found = (kept.cookies ?? []).map(({ domain }) => domain)
    assert.deepStrictEqual(found, expected)
  })

  it("is a cookie with all that the browser knows of it, and the store that it was in", () => {
    const secure: Session.Cookie = {
      ...plain,
      value: "new",
      domain: ".example.com",
      expires: soon,
      httpOnly: true,
      secure: true,
      sameSite: "None"
    }
    const before = [{ name: "a", value: "old", domain: ".example.com", path: "/", storeId: "7" }]
    assert.deepStrictEqual(left({ persist_cookies: true }, { cookies: before }, { cookies: [secure, plain] }).cookies, [
      {
        name: "a",
        value: "new",
        domain: ".example.com",
        path: "/",
        expirationDate: soon,
        httpOnly: true,
        hostOnly: false,
        secure: true,
        session: false,
        storeId: "7",
        sameSite: "no_restriction"
      },
      {
        name: "a",
        value: "1",
        domain: "app.example.com",
        path: "/",
        httpOnly: false,
        hostOnly: true,
        secure: false,
        session: true,
        sameSite: "unspecified"
      }
    ])
  })

  it("is nothing of a part that is as it was, and null for one of which nothing is left", () => {
    const before = {
      cookies: [
        { name: "a", value: "1", sameSite: "no_restriction", storeId: "0" },
        { name: "long", value: "1", expirationDate: soon + 10 * 365 * 86_400 }
      ],
      local_storage: { b: "2", a: 1 },
      session_storage: { [own]: { a: "1" } }
    }
    const after = {
      cookies: [
        { ...plain, name: "long", expires: soon + 400 * 86_400 },
        { ...plain, sameSite: "Lax" as const }
      ],
      localStorage: { [own]: { a: "1", b: "2" }, "https://elsewhere.example.org": { x: "1" } },
      sessionStorage: { [own]: { a: "1" }, "https://empty.app.example.com": {} }
    }
    assert.deepStrictEqual(left(keepsAll, before, after), {})
    assert.deepStrictEqual(left(keepsAll, before, {}), { cookies: null, local_storage: null, session_storage: null })
    assert.deepStrictEqual(left(keepsAll, {}, {}), {})
  })

  const sub = "https://sub.app.example.com"

  it.each<readonly [string, BrowserState["local_storage"], Session.Storage, BrowserState["local_storage"]]>([
    ["flat as it was", { a: "0" }, { [own]: { a: "1" }, [sub]: { b: "2" } }, { a: "1" }],
    ["by origin as it was", { [own]: { a: "0" } }, { [own]: { a: "1" } }, { [own]: { a: "1" } }],
    ["flat for the site alone", null, { [own]: { a: "1" }, [sub]: {} }, { a: "1" }],
    ["by origin for several", {}, { [own]: { a: "1" }, [sub]: { b: "2" } }, { [own]: { a: "1" }, [sub]: { b: "2" } }],
    [
      "of origins that it had, although they are of another site",
      { "https://sso.example.org": { a: "0" } },
      { "https://sso.example.org": { a: "1" }, "https://ads.example.org": { b: "2" } },
      { "https://sso.example.org": { a: "1" } }
    ]
  ])("is storage %s", (_what, local_storage, localStorage, expected) => {
    assert.deepStrictEqual(
      left({ persist_local_storage: true }, { local_storage }, { localStorage }).local_storage,
      expected
    )
  })

  const Cookies = Schema.Array(
    Schema.Struct({
      name: Schema.Literals(["a", "b", "c"]),
      value: Schema.String,
      domain: Schema.Literals(["app.example.com", ".app.example.com", ".example.com"]),
      path: Schema.Literals(["/", "/x"]),
      expires: Schema.NullOr(Schema.Literals([soon, soon + 86_400])),
      httpOnly: Schema.Boolean,
      secure: Schema.Boolean,
      sameSite: Schema.NullOr(Schema.Literals(["Strict", "Lax"]))
    })
  )
  const Stored = Schema.Record(Schema.Literals([own, sub]), Schema.Record(Schema.String, Schema.String))

  it.prop("comes back as it was", { cookies: Cookies, localStorage: Stored }, ({ cookies, localStorage }) => {
    const unique = [...new Map(cookies.map((one) => [`${one.domain} ${one.path} ${one.name}`, one])).values()]
    const kept = left(keepsAll, {}, { cookies: unique, localStorage })
    const before = state({ cookies: kept.cookies ?? null, local_storage: kept.local_storage ?? null })
    const entry = entryOf(keepsAll)
    const brought = SavedSession.brought(entry, before, now)
    assert.deepStrictEqual([...brought.cookies], unique)
    const filled = Object.fromEntries(Object.entries(localStorage).filter(([, one]) => Object.keys(one).length > 0))
    assert.deepStrictEqual(brought.localStorage, filled)
    assert.deepStrictEqual(SavedSession.left(entry, before, brought, now), {})
  })
})

describe("an entry that a run uses", () => {
  const set: Partial<VaultEntry> = { sessionDataSetAt: now - 3_600_000 }
  const parts = { cookies: "c", local_storage: "l", session_storage: "s", headers: "h" }

  it("is used now, and has no session that is over", () => {
    const valid = SavedSession.used(entryOf({ ...parts, expiry_time_from_session_data_set: "01:00:01" }, set), now)
    assert.deepInclude(valid.fields, parts)
    assert.deepInclude(valid, { lastUsedAt: now, sessionDataSetAt: now - 3_600_000, updatedAt: 0 })
    for (const fields of [
      { expiry_time_from_session_data_set: "01:00:00" },
      { expiry_time_from_last_use: "30 minutes" }
    ]) {
      const over = SavedSession.used(entryOf({ ...parts, ...fields }, { ...set, lastUsedAt: now - 1_800_000 }), now)
      assert.deepInclude(over.fields, { cookies: null, local_storage: null, session_storage: null, headers: "h" })
      assert.deepInclude(over, { lastUsedAt: now, sessionDataSetAt: null })
    }
  })

  it("keeps what a run leaves, part by part, unless it was cleared or is not to be kept", () => {
    const before = entryOf({ ...parts, persist_cookies: true }, set)
    const store = SavedSession.kept(before, { cookies: "new", local_storage: "new" }, now)
    const after = store(before)
    assert.deepInclude(after.fields, { ...parts, cookies: "new" })
    assert.deepInclude(after, { sessionDataSetAt: now, updatedAt: before.updatedAt })
    assert.deepInclude(store({ ...before, fields: { ...before.fields, headers: "put" } }).fields, { headers: "put" })
    const switchedOff = { ...before, fields: { ...before.fields, persist_cookies: false } }
    assert.strictEqual(store(switchedOff), switchedOff)
    const cleared = { ...before, clears: 1, fields: { ...before.fields, cookies: null } }
    assert.strictEqual(store(cleared), cleared)
    const signedOut = SavedSession.kept(before, { cookies: null }, now)
    assert.strictEqual(signedOut(before).sessionDataSetAt, before.sessionDataSetAt)
    assert.isNull(signedOut(entryOf({ cookies: "c", persist_cookies: true }, set)).sessionDataSetAt)
  })
})
