/** Further workspaces, and keys with scopes, an expiry, a last use and a successor. */
import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { UserId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { InvitationStore } from "../../../core/workspace/invitation/Invitations.ts"
import { Keys } from "../../../core/workspace/Keys.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { workspaceOf } from "../../support/fixtures.ts"
import { type Answer, layer as layerService, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

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

layer(layerService)("the keys of a workspace", (it) => {
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
      assert.isString(yield* until("the note of the last use", used, (at) => at !== null))
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

  it.effect("are made once by the token of an invitation, which needs no key", () =>
    Effect.gen(function* () {
      const { dump, send } = yield* Service
      const ask = yield* owner
      const accept = (token: unknown, key?: string) =>
        send({ method: "POST", path: "/invitations/accept", json: { token }, ...(key === undefined ? {} : { key }) })
      const made = yield* ask("POST", "/invitations", { role: "Member", scopes: ["read", "run"], name: "Ada" })
      assert.deepInclude(made.body, {
        role: "Member",
        scopes: ["read", "run"],
        name: "Ada",
        state: "open",
        used_at: null,
        api_key_id: null
      })
      const week = Date.parse(String(made.body.expires_at)) - Date.parse(String(made.body.created_at))
      assert.strictEqual(week, 7 * 86_400_000)
      const token = String(made.body.token)
      assert.notInclude(yield* dump, token.slice(-40))

      const all = yield* Effect.all(
        Array.from({ length: 4 }, () => accept(token)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(all.map(({ status }) => status).sort(), [201, 404, 404, 404])
      const [accepted] = all.filter(({ status }) => status === 201)
      assert.deepInclude(accepted?.body, { role: "Member", scopes: ["read", "run"], name: "Ada", expires_at: null })
      const theirs = yield* asking(String(accepted?.body.key))
      const { user_id, workspace_id } = (yield* theirs("GET", "/me")).body
      assert.strictEqual((yield* ask("GET", "/me")).body.workspace_id, workspace_id)
      assert.deepInclude(accepted?.body, { user_id, workspace_id })

      const listed = yield* ask("GET", "/invitations")
      assert.notInclude(listed.text, "token")
      const { id } = made.body
      assert.deepInclude(JSON.parse(listed.text)[0], { id, state: "used", api_key_id: accepted?.body.id, user_id })
      const used = yield* ask("DELETE", `/invitations/${id}`)
      assert.deepStrictEqual([used.status, used.text.includes(String(accepted?.body.id))], [409, true])

      const trail = yield* ask("GET", "/audit")
      const entries = trail.body.entries as ReadonlyArray<{ readonly action: string; readonly user_id: string }>
      assert.sameMembers(
        entries.map(({ action }) => action),
        ["invitation.create", "invitation.accept", "key.create"]
      )
      assert.strictEqual(entries.find(({ action }) => action === "invitation.accept")?.user_id, user_id)
      assert.notInclude(trail.text, token)
    })
  )

  it.effect("are not made by a token that was revoked, has expired or is another one, without telling which", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const ask = yield* owner
      const accept = (token: string) => send({ method: "POST", path: "/invitations/accept", json: { token } })
      const invite = (json: object) =>
        Effect.map(ask("POST", "/invitations", { role: "Viewer", ...json }), ({ body }) => body)
      const [revoked, expired, open] = [
        yield* invite({}),
        yield* invite({ expires_in_seconds: 60 }),
        yield* invite({ expires_in_seconds: 30 * 86_400 })
      ]
      assert.strictEqual((yield* ask("DELETE", `/invitations/${revoked.id}`)).status, 200)
      assert.strictEqual((yield* ask("DELETE", `/invitations/${revoked.id}`)).status, 404)
      yield* TestClock.adjust("60 seconds")
      const token = String(open.token)
      const other = token.endsWith("A") ? "B" : "A"
      const answers = yield* Effect.forEach(
        [String(revoked.token), String(expired.token), token.slice(0, -1) + other, token.slice(0, 60), "", "inv_"],
        accept
      )
      for (const { status, text } of answers) assert.deepStrictEqual([status, text], [404, answers[0]?.text])
      const states = (JSON.parse((yield* ask("GET", "/invitations")).text) as ReadonlyArray<{ state: string }>).map(
        ({ state }) => state
      )
      assert.deepStrictEqual(states, ["expired", "open"])
      assert.strictEqual((yield* accept(token)).status, 201)
      for (const json of [{ expires_in_seconds: 59 }, { expires_in_seconds: 2_592_001 }, { scopes: [] }]) {
        assert.strictEqual((yield* ask("POST", "/invitations", { role: "Viewer", ...json })).status, 400)
      }
      // What was used or has expired is listed for 90 days.
      const store = yield* InvitationStore
      const workspaceId = WorkspaceId.make(String((yield* ask("GET", "/me")).body.workspace_id))
      const [first] = yield* store.list(workspaceId)
      const expiresAt = (yield* Clock.currentTimeMillis) - 90 * 86_400_000
      yield* store.change(workspaceId, first?.id ?? "", (before) => Result.succeed({ ...before, expiresAt }))
      yield* invite({ role: "Owner" })
      const roles = (JSON.parse((yield* ask("GET", "/invitations")).text) as ReadonlyArray<{ role: string }>).map(
        ({ role }) => role
      )
      assert.deepStrictEqual(roles, ["Viewer", "Owner"])
    })
  )
})
