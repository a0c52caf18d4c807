/** What the audit trail has of sign-ins, and of access to what is secret. No secret that is sent or answered is in it. */
import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ArtifactFiles } from "../../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { ArtifactStore } from "../../../core/run/artifact/ArtifactStore.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { countedMillis } from "../../../core/workspace/audit/CountedEntries.ts"
import { RunId } from "../../../core/workspace/Ids.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { graph } from "../../support/fixtures.ts"
import { claim, enter, start } from "../../support/live.ts"
import { seal } from "../../support/sealed.ts"
import { type Answer, layerInMemory, type Member, Service } from "../../support/service.ts"

interface Entry {
  readonly action: string
  readonly resource_id: string | null
  readonly resource_name: string | null
  readonly user_id: string | null
  readonly key_id: string | null
  readonly before: unknown
  readonly after: Record<string, unknown> | null
}

/** The entries of an Owner's workspace, oldest first, after a check that none of these secrets is in them. */
const trail = Effect.fnUntraced(function* (owner: Member, secrets: ReadonlyArray<string>) {
  const { text, body, status } = yield* (yield* Service).send({ method: "GET", path: "/audit", key: owner.key })
  assert.strictEqual(status, 200)
  for (const secret of secrets) {
    assert.isAbove(secret.length, 5)
    assert.notInclude(text, secret)
  }
  assert.notMatch(text, /[0-9a-f]{64}/, "a hash or a sealed value")
  return (body.entries as ReadonlyArray<Entry>).toReversed()
})

const session = "/console/session"
const own = Effect.map(Service, ({ url }) => ({ origin: url }))

const signIn = (json: object) =>
  Effect.gen(function* () {
    return yield* (yield* Service).send({ method: "POST", path: session, json, headers: yield* own })
  })

/** What a page of the console sends with each request, and the secrets in it. */
const sentBy = ({ body, headers }: Answer) => {
  const cookie = (headers.get("set-cookie") ?? "").split(";")[0] ?? ""
  const page = String(body.page_secret)
  return { headers: { cookie, "x-sluice-session": page }, secrets: [cookie.split("=")[1] ?? "", page] }
}

/** An Owner of the first workspace. */
const founder = Effect.gen(function* () {
  const owner = yield* (yield* Service).member("Owner")
  yield* (yield* WorkspaceStore).change(owner.caller.workspaceId, (one) => ({ ...one, founding: true }))
  return owner
})

it.layer(layerInMemory)("the audit trail", (it) => {
  it.effect("has each sign-in link that is made and used, and each console session that starts and ends", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const viewer = yield* member("Viewer", owner)
      const made = yield* send({ method: "POST", path: "/sign-in-links", key: viewer.key })
      const link = String(made.body.link)
      const byLink = sentBy(yield* signIn({ link }))
      const byKey = sentBy(yield* signIn({ key: viewer.key }))
      const out = { method: "DELETE", path: session, headers: { ...byLink.headers, ...(yield* own) } }
      yield* send(out)
      yield* send(out)
      const secrets = [viewer.key, link, ...byLink.secrets, ...byKey.secrets]
      const entries = yield* trail(owner, secrets)
      assert.deepStrictEqual(
        entries.map(({ action }) => action),
        [
          "sign_in_link.create",
          "sign_in_link.use",
          "console_session.start",
          "console_session.start",
          "console_session.end"
        ]
      )
      for (const entry of entries)
        assert.deepInclude(entry, {
          resource_id: viewer.keyId,
          key_id: entry.action === "sign_in_link.create" ? entry.key_id : viewer.keyId,
          user_id: viewer.caller.userId
        })
      assert.deepStrictEqual(entries[0]?.after, { expires_at: made.body.expires_at })
    })
  )

  it.effect("has failed sign-ins of an address once a minute with their count, in the first workspace", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const owner = yield* founder
      const other = yield* member("Owner")
      const fail = (json: object) => Effect.map(signIn(json), ({ status }) => assert.strictEqual(status, 401))
      const wrong = ["sk_wrong-planted-key", "sk_wrong-planted-link"] as const
      yield* fail({ key: wrong[0] })
      const counts = Effect.map(trail(owner, wrong), (entries) => {
        for (const { action, user_id, key_id } of entries)
          assert.deepStrictEqual({ action, user_id, key_id }, { action: "sign_in.fail", user_id: null, key_id: null })
        return entries.map(({ after }) => after)
      })
      const once = { address: "127.0.0.1", attempts: 1 }
      assert.deepStrictEqual(yield* counts, [once])
      for (let count = 0; count < 3; count++) yield* fail({ link: wrong[1] })
      assert.deepStrictEqual(yield* counts, [once])
      yield* TestClock.adjust(countedMillis)
      const more = { address: "127.0.0.1", attempts: 3 }
      assert.deepStrictEqual(yield* counts, [once, more])
      // A flood that goes on has one entry a minute, and the first failure after a quiet minute one at once.
      yield* fail({ key: wrong[0] })
      assert.deepStrictEqual(yield* counts, [once, more])
      yield* TestClock.adjust(countedMillis)
      assert.deepStrictEqual(yield* counts, [once, more, once])
      yield* TestClock.adjust(countedMillis)
      yield* fail({ key: wrong[0] })
      assert.deepStrictEqual(yield* counts, [once, more, once, once])
      assert.deepStrictEqual(yield* trail(other, wrong), [])
    })
  )

  it.effect("has who was answered the code of a credential, and none where there was no code", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const me = yield* member("Member", owner)
      const secret = "JBSWY3DPEHPK3PXP"
      const pair = { permissioned_user_id: "robot", domain: "https://app.example.com" }
      const sealed = seal(owner.encryptionKey, secret)
      const { body } = yield* send({
        method: "POST",
        path: "/vault",
        key: me.key,
        json: { ...pair, tfa_secret: sealed }
      })
      const ask = (user: string) =>
        send({
          method: "GET",
          path: `/vault/tfa-code?${new URLSearchParams({ ...pair, permissioned_user_id: user })}`,
          key: me.key
        })
      const { body: answered, status } = yield* ask("robot")
      assert.strictEqual(status, 200)
      assert.strictEqual((yield* ask("nobody")).status, 404)
      const entries = yield* trail(owner, [secret, sealed, String(answered.code)])
      assert.deepStrictEqual(
        entries.map(({ action }) => action),
        ["credential.create", "credential.read_code"]
      )
      assert.deepInclude(entries[1], {
        resource_id: String(body.id),
        resource_name: "robot on https://app.example.com",
        user_id: me.caller.userId,
        before: null,
        after: { tfa_method: "AUTHENTICATOR" }
      })
    })
  )

  it.effect("has live views that are opened, control that is taken and returned, and bundles that are downloaded", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const me = yield* member("Member", owner)
      const run = yield* start(me, graph())
      yield* claim
      const connection = (control: boolean) =>
        send({ method: "GET", path: `/live/sessions/${run}/connection?control=${control}`, key: me.key })
      const { body: link } = yield* connection(true)
      const { body: entered } = yield* enter(run, link.authToken)
      // A token that is used, and one for another run, open nothing.
      yield* enter(run, link.authToken)
      const another = yield* connection(false)
      yield* enter(yield* start(me, graph()), another.body.authToken)
      const control = (action: string) =>
        send({
          method: "POST",
          path: `/live/${run}/control`,
          json: { action, holder: "page-of-a-person-1" },
          headers: { authorization: `Bearer ${entered.ticket}` }
        })
      for (const action of ["take", "take", "renew", "release", "release"]) yield* control(action)
      const bundle = yield* send({ method: "GET", path: `/run/${run}/bundle`, key: me.key })
      assert.strictEqual(bundle.status, 200)
      const secrets = [String(link.authToken), String(another.body.authToken), String(entered.ticket), me.key]
      const entries = (yield* trail(owner, secrets)).filter(({ resource_id }) => resource_id === run)
      const { userId } = me.caller
      assert.deepStrictEqual(
        entries.map(({ action, after, user_id }) => ({ action, after, user_id })),
        [
          { action: "live_view.open", after: { may: "control" }, user_id: userId },
          { action: "live_view.take_control", after: null, user_id: userId },
          { action: "live_view.return_control", after: null, user_id: userId },
          { action: "evidence.download", after: { as: "bundle" }, user_id: userId }
        ]
      )
    })
  )

  it.effect("has pictures and videos that are opened, once a minute with their count, and no other address", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const owner = yield* member("Owner")
      const id = yield* start(owner, graph())
      const { run } = yield* (yield* RunStore).get(owner.caller.workspaceId, RunId.make(id))
      const links = yield* (yield* ArtifactLinks).lasting(url, 60_000)
      const kept = Effect.fnUntraced(function* (kind: "screenshot" | "video" | null) {
        const artifact = randomUUID()
        const bytes = new Uint8Array(100)
        yield* (yield* ArtifactFiles).put(artifact, { mediaType: "image/png", fileName: null, bytes })
        if (kind !== null) {
          yield* (yield* ArtifactStore).begin({
            id: artifact,
            runId: RunId.make(id),
            workflowId: run.workflowId,
            kind,
            at: 0
          })
        }
        return { artifact, address: links.artifact(artifact).url }
      })
      const fetched = (address: string, init: RequestInit = {}) =>
        Effect.promise(async () => {
          const answer = await fetch(address, init)
          await answer.arrayBuffer()
          return answer.status
        })
      const [picture, video, unknown] = [yield* kept("screenshot"), yield* kept("video"), yield* kept(null)]
      assert.strictEqual(yield* fetched(unknown.address), 200)
      assert.strictEqual(yield* fetched(picture.address, { method: "HEAD" }), 200)
      assert.strictEqual(yield* fetched(picture.address.replace("signature=", "signature=0")), 404)
      assert.strictEqual(yield* fetched(picture.address), 200)
      for (const range of ["bytes=0-9", "bytes=10-19", "bytes=20-"]) {
        assert.strictEqual(yield* fetched(video.address, { headers: { range } }), 206)
      }
      const signature = new URL(video.address).searchParams.get("signature") ?? ""
      const opened = Effect.map(trail(owner, [signature]), (entries) =>
        entries
          .filter(({ action }) => action === "evidence.open")
          .map(({ after, resource_id, user_id }) => {
            assert.deepStrictEqual({ resource_id, user_id }, { resource_id: id, user_id: null })
            return after
          })
      )
      const shown = { as: "screenshot", requests: 1, artifact_id: picture.artifact }
      const played = { as: "video", requests: 1, artifact_id: video.artifact }
      assert.deepStrictEqual(yield* opened, [shown, played])
      yield* TestClock.adjust(countedMillis)
      assert.deepStrictEqual(yield* opened, [shown, played, { ...played, requests: 2 }])
    })
  )
})

it.layer(Layer.fresh(layerInMemory))("the audit trail of the first workspace", (it) => {
  it.effect("has refused API keys of an address once a minute with their count, and nothing of the keys", () =>
    Effect.gen(function* () {
      const { member, revoke, send } = yield* Service
      const owner = yield* founder
      const former = yield* member("Viewer", owner)
      yield* revoke(former)
      const wrong = "sk_wrong-planted-key"
      const refused = (by: { readonly key?: string; readonly headers?: Record<string, string> }, path = "/me") =>
        Effect.map(send({ method: "GET", path, ...by }), ({ status }) => assert.strictEqual(status, 401))
      const entries = Effect.map(trail(owner, [wrong, former.key]), (all) =>
        all
          .filter(({ action }) => action === "key.refuse")
          .map(({ after, key_id, resource_id, user_id }) => {
            assert.deepStrictEqual({ key_id, resource_id, user_id }, { key_id: null, resource_id: null, user_id: null })
            return after
          })
      )
      // A request without a key presents none that could be refused.
      yield* refused({})
      assert.deepStrictEqual(yield* entries, [])
      const once = { address: "127.0.0.1", attempts: 1 }
      yield* refused({ key: former.key })
      assert.deepStrictEqual(yield* entries, [once])
      for (let count = 0; count < 5; count++) yield* refused({ key: `${wrong}${count}` }, "/workflows")
      yield* refused({ headers: { authorization: `Bearer ${wrong}` } })
      assert.deepStrictEqual(yield* entries, [once])
      yield* TestClock.adjust(countedMillis)
      assert.deepStrictEqual(yield* entries, [once, { ...once, attempts: 6 }])
    })
  )
})
