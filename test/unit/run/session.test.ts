import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Redacted, References, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { settingNames } from "../../../apps/cli/SettingNames.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type * as Session from "../../../core/browser/Session.ts"
import * as ConversationStart from "../../../core/builder/ConversationStart.ts"
import * as StartingState from "../../../core/builder/host/StartingState.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { SettingNames } from "../../../core/runtime/SettingNames.ts"
import { Accounts } from "../../../core/vault/Accounts.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import { LoginCodes } from "../../../core/vault/otp/LoginCodes.ts"
import * as Proxies from "../../../core/vault/Proxies.ts"
import { Vault } from "../../../core/vault/Vault.ts"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { altered } from "../../support/alteredSessions.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const shop = "https://shop.example"
const pair = { permissioned_user_id: "robot", domain: shop }

const cookie: Session.Cookie = {
  name: "session",
  value: "canary-left",
  domain: "shop.example",
  path: "/",
  expires: null,
  httpOnly: true,
  secure: true,
  sameSite: "Lax"
}

const site: ScriptedBrowser.ScriptedSite = {
  [`${shop}/`]: [
    { selector: "//sign-in", leaves: { cookies: [cookie], localStorage: { [shop]: { token: "canary-local" } } } },
    { selector: "//other", leaves: { cookies: [{ ...cookie, value: "canary-other" }] } },
    { selector: "//clear" },
    { selector: "//crash" }
  ]
}

const [signIn, other, clear, crash, missing] = ["//sign-in", "//other", "//clear", "//crash", "//missing"].map(
  (selector): Step => ({ action: "CLICK", parameters: { selector, wait_time: 0 } })
) as [Step, Step, Step, Step, Step]

/** The sessions that were opened, and the effect of a click on `//clear`. */
const watched: { opened: Array<Session.Session>; clear: Effect.Effect<void> } = { opened: [], clear: Effect.void }

const browser = Layer.effect(
  Browser,
  Effect.map(Browser, ({ open }) => {
    const gone = new PageFailure({ kind: "crash", reason: "the page or its browser went away" })
    return Browser.of({
      open: Effect.fnUntraced(function* (session) {
        watched.opened.push(session)
        const page = yield* open(session)
        return altered(page, {
          elements: {
            click: (query, kind) => {
              if (query.selector === "//crash") return Effect.fail(gone)
              const first = query.selector === "//clear" ? watched.clear : Effect.void
              return Effect.andThen(first, page.elements.click(query, kind))
            }
          }
        })
      })
    })
  })
).pipe(Layer.provide(ScriptedBrowser.layer(site)))

const lines: Array<string> = []
const captured = Layer.merge(
  Logger.layer([Logger.make((entry) => void lines.push(Logger.formatJson.log(entry)))]),
  Layer.succeed(References.MinimumLogLevel, "All")
)

const pool = Result.getOrThrow(
  Proxies.parsePool("http://u:canary-pool@198.51.100.1:8080#country=DE socks5://gate.example:1080#country=US")
)

const services = Layer.mergeAll(Runs.layer, Workflows.layer, Vault.layer, AgentExecutor.layer).pipe(
  Layer.provideMerge(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(
    Layer.mergeAll(
      Memory.layer,
      Crypto.layer,
      browser,
      captured,
      Layer.succeed(Proxies.ProxyPool, pool),
      Layer.succeed(SettingNames, settingNames)
    )
  )
)

const provided = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof services>>) =>
  Effect.suspend(() => {
    watched.opened = []
    watched.clear = Effect.void
    lines.length = 0
    return test.pipe(Effect.provide(Layer.fresh(services)))
  })

/** A workspace with one credential, and how to run steps with it. */
const begin = Effect.fnUntraced(function* (fields: object, settings: object = {}) {
  const caller = yield* makeWorkspace("Owner")
  const vault = yield* Vault
  yield* vault.create(caller, { ...pair, ...fields })
  const named = { permissionedUserId: pair.permissioned_user_id, domain: shop }
  const entry = Effect.map(vault.get(caller, named), (view) => ({ ...view.entry, ...view.browserState }))
  const run = Effect.fnUntraced(function* (...steps: ReadonlyArray<Step>) {
    const { workflow } = yield* (yield* Workflows).create(caller, {
      name: "Shop",
      ...graphOf(`${shop}/`, steps),
      vault_schema: { SHOP: { type: "credential", domain: shop } },
      ...settings
    })
    const runs = yield* Runs
    const input = { SHOP: pair.permissioned_user_id }
    const { id } = yield* runs.submit(caller, { workflowId: workflow.id, input, options: {} })
    const [claimed] = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
    if (claimed === undefined) throw new Error("Expected a run to be claimed")
    yield* Attempt.carryOut(claimed)
    return (yield* runs.get(caller, id)).run
  })
  return { caller, vault, entry, run, put: (more: object) => vault.update(caller, { ...pair, ...more }) }
})

const keepsAll = { persist_cookies: true, persist_local_storage: true, persist_session_storage: true }
const given = [{ name: "given", value: "canary-given", domain: "shop.example" }]
const names = (cookies: ReadonlyArray<{ readonly name: string }> | null) => (cookies ?? []).map(({ name }) => name)

describe("a run with a credential", () => {
  it.effect("begins where the last one ended, where the credential is to keep that", () =>
    provided(
      Effect.gen(function* () {
        const { entry, run } = yield* begin({ ...keepsAll, cookies: given })
        yield* TestClock.adjust("1 hour")
        assert.strictEqual((yield* run(signIn)).status, "execution.success")
        const kept = yield* entry
        assert.deepStrictEqual(names(kept.cookies), ["given", "session"])
        assert.deepStrictEqual(kept.local_storage, { token: "canary-local" })
        assert.isNull(kept.session_storage)
        assert.deepInclude(kept, { sessionDataSetAt: 3_600_000, lastUsedAt: 3_600_000 })
        for (const sealed of [kept.fields.cookies, kept.fields.local_storage]) assert.notInclude(sealed, "canary")

        yield* TestClock.adjust("1 hour")
        yield* run()
        const [, second] = watched.opened
        assert.deepStrictEqual(names(second?.cookies ?? null), ["given", "session"])
        assert.deepStrictEqual(second?.localStorage, { [shop]: { token: "canary-local" } })
        // It left nothing else behind than it found.
        assert.deepInclude(yield* entry, { sessionDataSetAt: 3_600_000, lastUsedAt: 7_200_000 })
      })
    )
  )

  it.effect("leaves what was given as it is, where nothing is kept", () =>
    provided(
      Effect.gen(function* () {
        const { entry, run } = yield* begin({ cookies: given, headers: [{ name: "X-Key", value: "canary" }] })
        const before = yield* entry
        yield* run(signIn)
        assert.deepStrictEqual((yield* entry).fields, before.fields)
        assert.deepStrictEqual(watched.opened[0]?.headers, [
          { origins: [shop], headers: [{ name: "X-Key", value: "canary" }] }
        ])
      })
    )
  )

  it.effect("keeps its session when it fails, but not when its browser went away", () =>
    provided(
      Effect.gen(function* () {
        const { entry, run } = yield* begin(keepsAll)
        const failed = yield* run(signIn, missing)
        assert.strictEqual(failed.status, "execution.failed")
        assert.deepStrictEqual(
          (yield* entry).cookies?.map(({ value }) => value),
          ["canary-left"]
        )
        assert.strictEqual((yield* run(other, crash)).errors[0]?.code, "BROWSER-E0001")
        assert.deepStrictEqual(
          (yield* entry).cookies?.map(({ value }) => value),
          ["canary-left"]
        )
        assert.notMatch(JSON.stringify(failed), /canary/)
      })
    )
  )

  it.effect("does not bring back what was cleared while it ran, and keeps what was given meanwhile", () =>
    provided(
      Effect.gen(function* () {
        const { caller, entry, put, run, vault } = yield* begin({ ...keepsAll, cookies: given })
        watched.clear = Effect.orDie(vault.clearBrowserState(caller, pair))
        yield* run(signIn, clear)
        assert.deepInclude(yield* entry, { cookies: null, local_storage: null, sessionDataSetAt: null })

        watched.clear = Effect.orDie(
          Effect.asVoid(put({ session_storage: { meanwhile: "1" }, persist_session_storage: false }))
        )
        yield* run(signIn, clear)
        assert.deepInclude(yield* entry, { session_storage: { meanwhile: "1" } })
        assert.deepStrictEqual(names((yield* entry).cookies), ["session"])
      })
    )
  )

  it.effect("brings nothing of a session that has expired, and takes it away", () =>
    provided(
      Effect.gen(function* () {
        const { entry, run } = yield* begin({ cookies: given, expiry_time_from_last_use: "01:00:00" })
        yield* TestClock.adjust("59 minutes")
        yield* run()
        yield* TestClock.adjust("59 minutes")
        yield* run()
        yield* TestClock.adjust("60 minutes")
        yield* run()
        assert.deepStrictEqual(
          watched.opened.map(({ cookies }) => cookies.length),
          [1, 1, 0]
        )
        assert.deepInclude(yield* entry, { cookies: null, sessionDataSetAt: null })
      })
    )
  )

  it.effect("two that end at once leave one whole state", () =>
    provided(
      Effect.gen(function* () {
        const { entry, run } = yield* begin({ ...keepsAll, allow_multiple_sessions: true })
        yield* Effect.all([run(signIn), run(other)], { concurrency: 2 })
        const [kept] = (yield* entry).cookies ?? []
        assert.include(["canary-left", "canary-other"], kept?.value)
        assert.strictEqual((yield* entry).cookies?.length, 1)
      })
    )
  )

  it.effect("says nothing of what it brings in what is logged", () =>
    provided(
      Effect.gen(function* () {
        const { run } = yield* begin({ ...keepsAll, cookies: given, headers: [{ name: "X-Key", value: "canary" }] })
        yield* run(signIn, missing)
        const entries = yield* VaultEntries
        const failing = Effect.die(new Error("canary: the store is away"))
        watched.clear = Effect.sync(() => void Object.assign(entries, { change: () => failing }))
        assert.strictEqual((yield* run(other, clear)).status, "execution.success")
        assert.include(lines.join("\n"), "The browser state of a credential could not be stored: Die")
        assert.notMatch(lines.join("\n"), /canary/)
      })
    )
  )
})

describe("a run goes out through", () => {
  const proxyOf = Effect.fnUntraced(function* (fields: object, settings: object = {}) {
    const { caller, run, vault } = yield* begin(fields, settings)
    const { errors, status } = yield* run()
    const [view] = yield* vault.list(caller, {})
    const proxy = watched.opened[0]?.proxy
    return {
      status,
      errors,
      assigned: view?.proxyString ?? null,
      proxy: proxy === undefined || proxy === null ? null : Proxies.named(proxy)
    }
  })

  it.effect.each([
    ["the proxy of its credential", { proxy_setting: "country", proxy_value: "US" }, {}, "gate.example:1080"],
    [
      "that one, whatever the workflow says",
      { proxy_setting: "country", proxy_value: "US" },
      { proxy_setting: "off" },
      "gate.example:1080"
    ],
    [
      "that of the workflow otherwise",
      {},
      { proxy_setting: "static", proxy_value: "198.51.100.1" },
      "198.51.100.1:8080"
    ],
    ["the workflow's own one", {}, { proxy_setting: "custom", proxy_value: "http://own.example:1" }, "own.example:1"],
    ["none", {}, { proxy_setting: "off" }, null]
  ] as const)("%s", ([_what, fields, settings, expected]) =>
    provided(
      Effect.gen(function* () {
        const seen = yield* proxyOf(fields, settings)
        assert.strictEqual(seen.status, "execution.success")
        assert.strictEqual(seen.proxy, expected)
        assert.strictEqual(seen.assigned, "proxy_setting" in fields ? expected : null)
      })
    )
  )

  it.effect("no proxy of a workflow with what could be read there", () =>
    provided(
      Effect.gen(function* () {
        const custom = { proxy_setting: "custom", proxy_value: "http://mallory.example:1" }
        const plain = yield* proxyOf({ allowed_origins: ["http://shop.example"] }, custom)
        assert.deepInclude(plain, { status: "execution.failed", proxy: null })
        assert.include(JSON.stringify(plain.errors), "an Owner names the proxy in the credential")
        watched.opened.length = 0
        const { run } = yield* begin({ cookies: given }, custom)
        assert.strictEqual((yield* run()).status, "execution.success")
        assert.deepStrictEqual(
          watched.opened[0]?.cookies.map(({ secure }) => secure),
          [true]
        )
      })
    )
  )

  it.effect("one that was sealed", () =>
    provided(
      Effect.gen(function* () {
        const { caller, put, run } = yield* begin({})
        const url = Redacted.make("socks5://u:canary@own.example:1080")
        yield* put({ proxy_setting: "custom", proxy_value: yield* (yield* Sealing).seal(caller.workspaceId, url) })
        yield* run()
        const [session] = watched.opened
        assert.deepInclude(session?.proxy, { scheme: "socks5", host: "own.example", port: 1080, isOwn: false })
        assert.strictEqual(
          Option.fromNullishOr(session?.proxy).pipe(
            Option.map(({ password }) => Redacted.value(password)),
            Option.getOrNull
          ),
          "canary"
        )
      })
    )
  )

  it.effect("nothing when the proxy that it is to take is missing: it fails before the browser opens", () =>
    provided(
      Effect.gen(function* () {
        const seen = yield* proxyOf({ proxy_setting: "country", proxy_value: "FR" })
        assert.strictEqual(seen.status, "execution.failed")
        assert.deepInclude(seen.errors[0], {
          code: "PROXY-E0001",
          category: "SERVICE_UNAVAILABLE",
          message:
            "Cannot use the country proxy of the run: this service has no proxy in the country FR (SLUICE_PROXIES)"
        })
        assert.deepStrictEqual(watched.opened, [])
      })
    )
  )
})

describe("a conversation that builds a workflow", () => {
  it.effect("has what its credential brings, and goes out as its workflow says", () =>
    provided(
      Effect.gen(function* () {
        const { caller, entry } = yield* begin({ ...keepsAll, cookies: given })
        const { workflow } = yield* (yield* Workflows).create(caller, {
          name: "Shop",
          ...graphOf(`${shop}/`, []),
          vault_schema: { SHOP: { type: "credential", domain: shop } },
          proxy_setting: "country",
          proxy_value: "US"
        })
        const beginningOf = yield* StartingState.ofConversations.pipe(
          Effect.provide(Layer.merge(Accounts.layer, LoginCodes.layer))
        )
        const inputs = { SHOP: pair.permissioned_user_id }
        const stored = yield* (yield* Workflows).get(caller, workflow.id)
        const opening: ConversationStart.Opening = { _tag: "Of", stored, inputs, until: null, lastBrowserState: true }
        const begun = yield* ConversationStart.begin(caller, opening, yield* ConversationStart.ids, 0)
        const { accounts, session, unavailable } = yield* beginningOf(begun.conversation)
        assert.deepStrictEqual([[...accounts.keys()], unavailable], [["SHOP"], []])
        assert.deepStrictEqual(names(session.cookies), ["given"])
        assert.strictEqual(session.proxy?.host, "gate.example")
        assert.strictEqual((yield* entry).lastUsedAt, 0)
        const blank = yield* ConversationStart.begin(
          caller,
          { ...opening, lastBrowserState: false },
          yield* ConversationStart.ids,
          0
        )
        const bare = yield* beginningOf(blank.conversation)
        assert.deepInclude(bare.session, { cookies: [], localStorage: {}, sessionStorage: {} })
        assert.strictEqual(bare.session.proxy?.host, "gate.example")
      })
    )
  )
})
