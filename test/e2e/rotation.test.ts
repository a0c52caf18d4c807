import { existsSync, readFileSync } from "node:fs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { migratedDatabase } from "../support/databases.ts"
import {
  completed,
  dataDir,
  key,
  masterKey,
  migratedDataDir,
  type Process,
  ready,
  sluice
} from "../support/processes.ts"
import { isAll, scale } from "../support/scale.ts"
import { seal, unseal } from "../support/sealed.ts"
import { until } from "../support/waiting.ts"

const formerKey = "5a".repeat(32)
const newMaster = "cd".repeat(32)
/** Many more than are exchanged in one step, so that the process is killed between two steps. */
const entries = 150 * scale
const path = "/encryption-key/rotation"
const canary = "canary in clear"

type Body = Readonly<Record<string, unknown>>

const ask = (url: string, apiKey: string, method: string, path: string, json?: unknown) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { "cc-key": apiKey, ...(json === undefined ? {} : { "content-type": "application/json" }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) })
    })
    const body = await answer.json()
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(body)}`)
    return { status: answer.status, body: body as Body }
  })

const pair = (user: number) => ({ permissioned_user_id: `user-${user}`, domain: "https://app.example.com" })

const kill = ({ child, ended }: Process) =>
  Effect.suspend(() => {
    child.kill("SIGKILL")
    return ended
  })

describe.concurrent("rotations", () => {
  it.live("keys are exchanged under load, through kill -9 of the process, while clients with either key go on", () =>
    Effect.gen(function* () {
      const database = yield* migratedDatabase
      const settings = {
        DATABASE_URL: database,
        SLUICE_DATA_DIR: yield* dataDir,
        SLUICE_MASTER_KEY: masterKey,
        SLUICE_RATE_LIMITS: "off"
      }
      const connected = yield* Layer.build(PgClient.layer({ url: Redacted.make(database), maxConnections: 1 }))
      const client = Context.get(connected, SqlClient.SqlClient)
      const sql = <A>(statement: string) => Effect.orDie(client.unsafe<A & object>(statement))
      assert.strictEqual(
        (yield* completed(["migrate"], { ...settings, SLUICE_BOOTSTRAP_ENCRYPTION_KEY: formerKey })).code,
        0
      )
      const api = yield* sluice(["api"], settings)
      const url = yield* ready(api)
      yield* Effect.forEach(
        Array.from({ length: entries }, (_, user) => user),
        (user) =>
          ask(url, key, "POST", "/vault", {
            ...pair(user),
            password: seal(formerKey, `${canary} ${user}`),
            cookies: [{ name: "c", value: canary }]
          }),
        { concurrency: 8, discard: true }
      )
      const stored = () => sql<{ body: string }>("select body from vault_entries")
      const before = new Set((yield* stored()).flatMap(({ body }) => [JSON.parse(body).fields.password]))
      const updated = new Map(
        ((yield* ask(url, key, "GET", "/vault")).body as unknown as ReadonlyArray<Body>).map((one) => [
          one.id,
          one.updated_at
        ])
      )

      const begun = yield* ask(url, key, "POST", path, {})
      assert.strictEqual(begun.status, 201)
      const presentKey = String(begun.body.encryption_key)
      const made = yield* ask(url, key, "POST", "/api-keys", { role: "Member" })
      const newApiKey = String(made.body.key)

      /** Reads every credential with both kinds of clients. */
      const everybodyReads = Effect.gen(function* () {
        for (const [apiKey, clientKey] of [
          [key, formerKey],
          [newApiKey, presentKey]
        ] as const) {
          const all = (yield* ask(url, apiKey, "GET", "/vault")).body as unknown as ReadonlyArray<Body>
          assert.lengthOf(all, entries)
          for (const one of all) assert.include(String(unseal(clientKey, String(one.password))), canary)
        }
      })

      // Killed as soon as it has begun, and a little later each time; each night until nothing is left to exchange.
      const mostKills = isAll ? Number.POSITIVE_INFINITY : 1
      let kills = 0
      for (let delay = 0; ; delay += 240) {
        const state = ask(url, key, "GET", path)
        const from = Number((yield* state).body.checked)
        const scheduler = yield* sluice(["scheduler"], settings)
        // It is looked at from its start on: on a busy machine it may exchange everything between two looks.
        const isMoved = ({ body }: { readonly body: Body }) =>
          (kills < mostKills && Number(body.checked) > from) || body.may_finish === true
        const moved = yield* until("an entry to be exchanged", state, isMoved)
        if (moved.body.may_finish === true) break
        yield* Effect.sleep(delay)
        yield* kill(scheduler)
        kills++
        // Both write meanwhile: the new value is there, and readable for both.
        for (const [apiKey, clientKey, user] of [
          [key, formerKey, kills],
          [newApiKey, presentKey, entries - kills]
        ] as const) {
          const json = { ...pair(user), password: seal(clientKey, `${canary} written ${kills}`) }
          const written = yield* ask(url, apiKey, "PUT", "/vault", json)
          assert.strictEqual(unseal(clientKey, String(written.body.password)), `${canary} written ${kills}`)
          updated.delete(written.body.id)
        }
        yield* everybodyReads
      }
      assert.isAbove(kills, 0)
      const after = (yield* stored()).map(({ body }) => JSON.parse(body).fields.password)
      assert.deepStrictEqual(
        after.filter((sealed) => before.has(sealed)),
        []
      )
      yield* everybodyReads
      const finished = yield* ask(url, key, "POST", `${path}/finish`)
      assert.deepInclude(finished.body, { rotating: false, version: 2 })
      for (const one of (yield* ask(url, key, "GET", "/vault")).body as unknown as ReadonlyArray<Body>) {
        assert.include(String(unseal(presentKey, String(one.password))), canary)
        assert.deepStrictEqual(one.cookies, [{ name: "c", value: canary }])
        if (updated.has(one.id)) assert.strictEqual(one.updated_at, updated.get(one.id))
      }
      const late = { ...pair(0), password: seal(formerKey, "late") }
      assert.strictEqual((yield* ask(url, key, "PUT", "/vault", late)).status, 400)
      assert.notInclude(JSON.stringify(yield* stored()), canary)

      // The master key, with many workspaces.
      yield* sql(`insert into workspaces (id, name, created_at)
        select gen_random_uuid(), 'Many', now() from generate_series(1, 300)`)
      const both = { ...settings, SLUICE_MASTER_KEY: newMaster, SLUICE_PREVIOUS_MASTER_KEY: masterKey }
      const starting = yield* sluice(["api"], both)
      const rolled = yield* ready(starting)
      const reads = (url: string) =>
        Effect.map(ask(url, key, "GET", `/vault?${new URLSearchParams(pair(0))}`), ({ body, status }) => {
          assert.strictEqual(status, 200)
          assert.include(String(unseal(presentKey, String(body.password))), canary)
        })
      yield* reads(rolled)
      // Until it begins, a process with the former key alone continues.
      yield* reads(url)
      const under = () =>
        sql<{ master_key: string; n: number }>("select master_key, count(*)::int as n from wrapped_keys group by 1")
      assert.lengthOf(yield* under(), 1)
      const exchanging = yield* sluice(["keys", "rotate", "master"], both)
      yield* until("a key under the new master key", under(), (rows) => rows.length > 1)
      yield* kill(exchanging)
      assert.lengthOf(yield* under(), 2)
      yield* reads(rolled)
      const rest = yield* completed(["keys", "rotate", "master"], both)
      assert.deepInclude(rest, { code: 0 })
      assert.match(rest.output, /Rewrapped \d+ keys; .*\n.*without SLUICE_PREVIOUS_MASTER_KEY/)
      assert.lengthOf(yield* under(), 1)
      yield* reads(rolled)
      yield* reads(yield* ready(yield* sluice(["api"], { ...settings, SLUICE_MASTER_KEY: newMaster })))
      assert.notInclude(JSON.stringify(yield* sql("select * from wrapped_keys")), presentKey)
    }).pipe(Effect.scoped)
  )

  it.live.runIf(isAll)("the commands of keys say which setting and which workspace they need", () =>
    Effect.gen(function* () {
      const database = yield* migratedDatabase
      const settings = { DATABASE_URL: database, SLUICE_DATA_DIR: yield* dataDir, SLUICE_MASTER_KEY: masterKey }
      assert.strictEqual((yield* completed(["migrate"], settings)).code, 0)
      const connected = yield* Layer.build(PgClient.layer({ url: Redacted.make(database), maxConnections: 1 }))
      yield* Effect.orDie(
        Context.get(connected, SqlClient.SqlClient).unsafe(
          "insert into workspaces (id, name, created_at) select gen_random_uuid(), 'Many', now() from generate_series(1, 2)"
        )
      )
      const without = yield* completed(["keys", "rotate", "master"], settings)
      assert.strictEqual(without.code, 1)
      assert.include(without.output, "SLUICE_PREVIOUS_MASTER_KEY")
      for (const args of [
        ["keys", "encryption"],
        ["keys", "list"]
      ]) {
        const several = yield* completed(args, settings)
        assert.strictEqual(several.code, 1, "there are several workspaces")
        assert.include(several.output, "Expected a workspace in --workspace")
      }
    }).pipe(Effect.scoped)
  )

  it.live(
    "the master key of embedded data exchanges itself, and a killed exchange leaves what the next start opens",
    () =>
      Effect.gen(function* () {
        const folder = yield* migratedDataDir
        const settings = { SLUICE_DATA_DIR: folder, SLUICE_BOOTSTRAP_ENCRYPTION_KEY: formerKey }
        const [file, next] = [`${folder}/master.key`, `${folder}/master.key.next`]
        assert.strictEqual((yield* completed(["migrate"], settings)).code, 0)
        const first = readFileSync(file, "utf8")
        const shown = { code: 0, output: `${formerKey}\n` }

        const exchanging = yield* sluice(["keys", "rotate", "master"], settings)
        yield* until(
          "the next master key",
          Effect.sync(() => existsSync(next) || readFileSync(file, "utf8") !== first),
          (isThere) => isThere
        )
        yield* kill(exchanging)
        if (isAll) assert.deepStrictEqual(yield* completed(["keys", "encryption"], settings), shown)

        const again = yield* completed(["keys", "rotate", "master"], settings)
        assert.deepInclude(again, { code: 0 })
        assert.include(again.output, "The former master key is no longer in use")
        assert.isFalse(existsSync(next))
        const second = readFileSync(file, "utf8")
        assert.match(second, /^[0-9a-f]{64}\n$/)
        assert.notStrictEqual(second, first)
        assert.deepStrictEqual(yield* completed(["keys", "encryption"], settings), shown)
      }).pipe(Effect.scoped)
  )

  it.live.runIf(isAll)(
    "the commands of keys refuse a former master key of embedded data, and rotate the key of a workspace",
    () =>
      Effect.gen(function* () {
        const folder = yield* migratedDataDir
        const settings = { SLUICE_DATA_DIR: folder, SLUICE_BOOTSTRAP_ENCRYPTION_KEY: formerKey }
        assert.strictEqual((yield* completed(["migrate"], settings)).code, 0)
        const first = readFileSync(`${folder}/master.key`, "utf8")
        assert.deepInclude(yield* completed(["keys", "rotate", "master"], settings), { code: 0 })
        const alone = yield* completed(["keys", "encryption"], { ...settings, SLUICE_MASTER_KEY: first.trim() })
        assert.match(alone.output, /Cannot start with this master key/)

        const begun = yield* completed(["keys", "rotate", "workspace"], settings)
        assert.match(begun.output, /^[0-9a-f]{64}\nThe new encryption key/)
        const early = yield* completed(["keys", "rotate", "workspace", "--finish"], settings)
        assert.strictEqual(early.code, 1)
        assert.match(early.output, /Cannot finish the rotation of the encryption key yet/)
        const status = yield* completed(["keys", "rotate", "workspace", "--status"], settings)
        assert.match(status.output, /version 2; version 1 is accepted as well/)
      }).pipe(Effect.scoped)
  )
})
