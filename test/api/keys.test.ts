/** Further workspaces, and keys with scopes, an expiry, a last use and a successor. */
import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { UserId, WorkspaceId } from "../../core/workspace/Ids.ts"
import { Keys } from "../../core/workspace/Keys.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { workspaceOf } from "../support/fixtures.ts"
import { type Answer, layer as layerService, Service } from "../support/service.ts"

const asking = (key: string) =>
  Effect.map(
    Service,
    ({ send }) =>
      (method: string, path: string, json?: unknown) =>
        send({ method, path, key, ...(json === undefined ? {} : { json }) })
  )

/** A key of an Owner of the workspace that was made with the installation. */
const founder = Effect.gen(function* () {
  const [workspaces, keys] = [yield* WorkspaceStore, yield* Keys]
  const workspaceId = WorkspaceId.make(randomUUID())
  yield* workspaces.create({ ...workspaceOf(workspaceId), founding: true })
  const key = yield* keys.make
  yield* workspaces.addKey({
    id: randomUUID(),
    hash: yield* keys.hash(key),
    name: null,
    workspaceId,
    userId: UserId.make(randomUUID()),
    role: "Owner",
    createdAt: 0,
    revokedAt: null
  })
  return yield* asking(Redacted.value(key))
})

const owner = Effect.gen(function* () {
  return yield* asking((yield* (yield* Service).member("Owner")).key)
})

const madeKey = ({ body }: Answer) => ({ id: String(body.id), key: String(body.key) })

layer(layerService, { timeout: "30 seconds" })("the keys of a workspace", (it) => {
  it.effect("begin with a further workspace, which only Owners of the first one make", () =>
    Effect.gen(function* () {
      const ask = yield* founder
      const made = yield* ask("POST", "/workspaces", { name: "Second" })
      assert.strictEqual(made.status, 201, made.text)
      const first = made.body.api_key as { readonly id: string; readonly key: string; readonly user_id: string }
      const theirs = yield* asking(first.key)
      assert.deepStrictEqual((yield* theirs("GET", "/me")).body, {
        user_id: first.user_id,
        role: "Owner",
        workspace_id: made.body.id
      })
      assert.strictEqual((yield* theirs("GET", "/encryption-key/rotation")).status, 200)
      // It is in the trails of both, and neither shows the key.
      for (const one of [ask, theirs]) {
        const trail = yield* one("GET", "/audit?action=workspace")
        assert.lengthOf(trail.body.entries as ReadonlyArray<unknown>, 1)
        assert.notInclude(trail.text, first.key)
      }
      const refused = yield* theirs("POST", "/workspaces", { name: "Third" })
      assert.strictEqual(refused.status, 403)
      assert.include(refused.body.message as string, "first workspace of the installation")
      assert.strictEqual((yield* ask("POST", "/workspaces", { name: "" })).status, 400)
    })
  )

  it.effect("are restricted by their scopes, and the answer names the one that is needed", () =>
    Effect.gen(function* () {
      const ask = yield* owner
      const made = yield* ask("POST", "/api-keys", { role: "Owner", scopes: ["read", "run"], name: "CI" })
      assert.deepStrictEqual(made.body.scopes, ["read", "run"])
      const scoped = yield* asking(madeKey(made).key)
      assert.strictEqual((yield* scoped("GET", "/workflows")).status, 200)
      assert.strictEqual((yield* scoped("POST", "/run", { workflow_id: randomUUID() })).status, 404)
      const edit = yield* scoped("POST", "/error-codes", { error_code: "X" })
      assert.deepStrictEqual(
        [edit.status, edit.body.message],
        [403, "Cannot edit with a key of the scopes read, run: the scope edit or higher is needed"]
      )
      assert.strictEqual((yield* scoped("GET", "/api-keys")).status, 403)
      // A restricted key of an Owner manages nothing, so the last one that does cannot be revoked.
      const keys = (yield* ask("GET", "/api-keys")).body as unknown as ReadonlyArray<{ id: string; scopes: unknown }>
      const full = keys.find(({ scopes }) => scopes === null)
      assert.strictEqual((yield* ask("DELETE", `/api-keys/${full?.id}`)).status, 409)
      assert.strictEqual((yield* ask("POST", "/api-keys", { role: "Owner", scopes: [] })).status, 400)
      assert.strictEqual((yield* ask("POST", "/api-keys", { role: "Owner", scopes: ["manage"] })).status, 400)
    })
  )

  it.effect("expire when they should, and say when they were last used", () =>
    Effect.gen(function* () {
      const ask = yield* owner
      const { id, key } = madeKey(yield* ask("POST", "/api-keys", { role: "Viewer", expires_in_seconds: 90 }))
      const short = yield* asking(key)
      assert.strictEqual((yield* short("GET", "/me")).status, 200)
      const used = Effect.map(ask("GET", "/api-keys"), ({ body }) => {
        const all = body as unknown as ReadonlyArray<{ readonly id: string; readonly last_used_at: string | null }>
        return all.find((one) => one.id === id)?.last_used_at ?? null
      })
      assert.isNull(yield* used)
      yield* TestClock.adjust("61 seconds")
      // The note is written in the background, and each request gives it time.
      assert.isString(yield* Effect.repeat(used, { until: (at) => at !== null }))
      assert.strictEqual((yield* short("GET", "/me")).status, 200)
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual((yield* short("GET", "/me")).status, 401)
    })
  )

  it.effect("are replaced by new ones while the former ones are accepted for a time", () =>
    Effect.gen(function* () {
      const ask = yield* owner
      const former = madeKey(yield* ask("POST", "/api-keys", { role: "Member", scopes: ["run"], name: "Worker" }))
      const rotated = yield* ask("POST", `/api-keys/${former.id}/rotate`, { grace_seconds: 60 })
      assert.strictEqual(rotated.status, 201)
      assert.deepInclude(rotated.body, { name: "Worker", role: "Member", scopes: ["run"], expires_at: null })
      const [old, fresh] = [yield* asking(former.key), yield* asking(madeKey(rotated).key)]
      const me = (yield* old("GET", "/me")).body
      assert.deepStrictEqual((yield* fresh("GET", "/me")).body, me)
      yield* TestClock.adjust("62 seconds")
      assert.strictEqual((yield* old("GET", "/me")).status, 401)
      assert.strictEqual((yield* fresh("GET", "/me")).status, 200)
      assert.strictEqual((yield* ask("POST", `/api-keys/${former.id}/rotate`, {})).status, 404)
      const { entries } = (yield* ask("GET", "/audit?action=key.rotate")).body
      assert.lengthOf(entries as ReadonlyArray<unknown>, 1)
      const now = yield* ask("POST", `/api-keys/${madeKey(rotated).id}/rotate`, { grace_seconds: 0 })
      assert.strictEqual(now.status, 201)
      assert.strictEqual((yield* fresh("GET", "/me")).status, 401)
    })
  )
})
