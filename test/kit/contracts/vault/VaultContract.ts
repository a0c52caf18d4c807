/**
 * The promises of every implementation of the stores of the vault: `VaultEntries`, `WrappedKeys` and `ReceivedCodes`.
 * They receive sealed values only, and no secrets.
 */
import { Effect, Option } from "effect"
import { type ReceivedCode, ReceivedCodes } from "../../../../core/vault/inbox/ReceivedCodes.ts"
import { type WrappedKey, WrappedKeys } from "../../../../core/vault/keys/WrappedKeys.ts"
import { kind, VaultEntries } from "../../../../core/vault/VaultEntries.ts"
import type { VaultEntry } from "../../../../core/vault/VaultEntry.ts"
import { WorkspaceId } from "../../../../core/workspace/Ids.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkspace } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = ReceivedCodes | VaultEntries | WrappedKeys | WorkspaceStore

const wrapped = (digit: string) => digit.repeat(120)

const keyOf = (owner: WorkspaceId, overrides: Partial<WrappedKey> = {}): WrappedKey => ({
  owner,
  version: 1,
  wrapped: wrapped("1"),
  under: "0123456789abcdef",
  createdAt: 1,
  retiredAt: null,
  ...overrides
})

const entry = (caller: Caller, permissionedUserId: string): VaultEntry => ({
  id: beside(caller.workspaceId),
  workspaceId: caller.workspaceId,
  permissionedUserId,
  domain: "https://app.example.com \u0000 \ud800",
  createdBy: caller.userId,
  createdAt: 1_700_000_000_123,
  updatedAt: 1_700_000_000_456,
  sessionDataSetAt: 1,
  lastUsedAt: null,
  hotpCounter: 2 ** 48,
  fields: {
    user_name: "00",
    password: null,
    tfa_secret: "ff",
    passkey: "ee",
    cookies: "aa",
    local_storage: null,
    session_storage: null,
    headers: null,
    user_alias: "Röbot ✓",
    tfa_method: "AUTHENTICATOR",
    user_agent: null,
    persist_local_storage: true,
    persist_cookies: false,
    persist_session_storage: false,
    skip_csrf_cookies: false,
    cookie_domain_to_store: null,
    allow_multiple_sessions: true,
    max_concurrency: 3,
    prevent_concurrency_during_login: false,
    expiry_time_from_last_use: "1 day",
    expiry_time_from_session_data_set: null,
    ip_address: null,
    location: null,
    proxy_setting: "custom",
    proxy_value: "bb",
    secret_provider_id: null,
    secret_ref: null,
    secret_cache_ttl_seconds: null,
    allowed_origins: ["https://login.example.net"]
  }
})

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`the stores of the vault ${title}`, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("keep one wrapped key for a workspace: the first of concurrent ones", () =>
    Effect.gen(function* () {
      const keys = yield* WrappedKeys
      const { workspaceId } = yield* makeWorkspace()
      assert.deepStrictEqual(yield* keys.of(workspaceId), [])
      const inserted = yield* Effect.all(
        ["1", "2", "3", "4"].map((digit) =>
          keys.insert(keyOf(workspaceId, { wrapped: wrapped(digit), createdAt: Number(digit) }))
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(inserted.map((key) => key.wrapped)).size, 1)
      assert.deepStrictEqual(yield* keys.of(workspaceId), inserted.slice(0, 1))
      assert.deepStrictEqual(
        (yield* keys.list).filter(({ owner }) => owner === workspaceId),
        inserted.slice(0, 1)
      )
    })
  ),
  promise("rewrap a key once under concurrent calls, and remove none that is not retired", () =>
    Effect.gen(function* () {
      const keys = yield* WrappedKeys
      const { workspaceId } = yield* makeWorkspace()
      const first = yield* keys.insert(keyOf(workspaceId))
      const second = yield* keys.insert(keyOf(workspaceId, { version: 2, wrapped: wrapped("2"), createdAt: 5 }))
      const rewrapped = yield* Effect.all(
        ["a", "b", "c"].map((digit) => keys.rewrap(first, { wrapped: wrapped(digit), under: digit })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(rewrapped.filter(Boolean), 1)
      const [after, ...others] = yield* keys.of(workspaceId)
      assert.include(["a", "b", "c"], after?.under)
      assert.strictEqual(after?.wrapped, wrapped(after?.under ?? ""))
      assert.deepStrictEqual(others, [second])
      yield* keys.remove(workspaceId, 1)
      assert.lengthOf(yield* keys.of(workspaceId), 2)
      assert.isTrue(yield* keys.retire(workspaceId, 1, 7))
      assert.isFalse(yield* keys.retire(workspaceId, 1, 8))
      assert.strictEqual((yield* keys.of(workspaceId))[0]?.retiredAt, 7)
      yield* keys.remove(workspaceId, 1)
      assert.deepStrictEqual(yield* keys.of(workspaceId), [second])
      const own = yield* keys.insert({ ...keyOf(workspaceId), owner: "installation" })
      assert.deepStrictEqual(yield* keys.of("installation"), [own])
    })
  ),
  promise("give the code that arrived last at an address, to its workspace, as long as it is fresh", () =>
    Effect.gen(function* () {
      const codes = yield* ReceivedCodes
      const { workspaceId } = yield* makeWorkspace()
      const stranger = (yield* makeWorkspace()).workspaceId
      const code = (address: string, sealed: string, receivedAt: number, kind: "code" | "link" = "code") => ({
        id: beside(workspaceId),
        kind,
        address,
        sealed,
        receivedAt
      })
      const [older, newer, tied] = [
        code("p+U+s@x", "01", 1_000),
        code("p+u+s@x", "02", 2_000),
        code("P+u+S@X", "03", 2_000)
      ]
      for (const one of [newer, older, tied, code("p+other+s@x", "04", 9_000)]) yield* codes.keep(workspaceId, one)
      yield* codes.keep(workspaceId, code("p+u+s@x", "06", 7_000, "link"))
      yield* codes.keep(stranger, code("p+u+s@x", "05", 8_000))
      const sealedOf = Effect.map(Option.map(({ sealed }: ReceivedCode) => sealed))
      const latest = (since: number, of = workspaceId, kind: "code" | "link" = "code") =>
        sealedOf(codes.latest(of, "P+U+S@x", { kind, since, senders: [] }))
      const take = (since: number) => sealedOf(codes.take(workspaceId, "p+u+s@X", { kind: "code", since, senders: [] }))

      assert.deepStrictEqual(
        yield* codes.latest(workspaceId, "p+u+s@X", { kind: "code", since: 2_000, senders: [] }),
        Option.some({ ...tied, address: "p+u+s@x" })
      )
      assert.isTrue(Option.isNone(yield* latest(2_001)))
      assert.isTrue(Option.isNone(yield* latest(0, WorkspaceId.make(beside(workspaceId)))))
      assert.deepStrictEqual(yield* latest(0, workspaceId, "link"), Option.some("06"))
      assert.isTrue(Option.isNone(yield* take(2_001)))
      const taken = yield* Effect.all(
        Array.from({ length: 4 }, () => take(1_000)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(taken.flatMap(Option.toArray), ["03"])
      assert.isTrue(Option.isNone(yield* latest(0)), "those that it replaced are gone with it")

      yield* codes.keep(workspaceId, code("p+u+s@x", "07", 3_000))
      assert.deepStrictEqual(yield* latest(0), Option.some("07"), "what arrives later is there")
      assert.strictEqual(yield* codes.discardBefore(7_000), 1)
      assert.isTrue(Option.isNone(yield* latest(0)))
      assert.strictEqual(yield* codes.discardBefore(10_000), 3)
      assert.isTrue(Option.isNone(yield* latest(0, workspaceId, "link")))
    })
  ),
  promise("keep entries as they are, one for a user and a site", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const entries = yield* VaultEntries
      const one = entry(caller, "robot")
      yield* entries.insert(caller.workspaceId, one)
      assert.deepStrictEqual(yield* entries.get(caller.workspaceId, one.id), Option.some(one))
      assert.deepStrictEqual(yield* entries.find(caller.workspaceId, kind.key(one)), Option.some(one))
      assert.strictEqual(
        (yield* Effect.flip(entries.insert(caller.workspaceId, entry(caller, "robot"))))._tag,
        "KeyTaken"
      )
      yield* entries.insert(caller.workspaceId, entry(caller, "Robot"))
    })
  )
]
