/** Backups, their restoration, and imports: everything that is kept arrives, on each kind of database. */
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Console, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import * as Snapshot from "../../adapters/postgres/transfer/Snapshot.ts"
import { backup, written } from "../../apps/cli/handlers/transfer/Backup.ts"
import { importData } from "../../apps/cli/handlers/transfer/Import.ts"
import { read, restore } from "../../apps/cli/handlers/transfer/Restore.ts"
import { layerEncryption, layerStorage } from "../../apps/cli/layers/Storage.ts"
import { EventLog } from "../../core/event/EventLog.ts"
import { ArtifactFiles } from "../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactStore } from "../../core/run/artifact/ArtifactStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import { EncryptionKeys } from "../../core/vault/keys/EncryptionKeys.ts"
import * as databases from "../support/databases.ts"
import { embeddedTemplate } from "../support/embeddedTemplate.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-transfer-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const quiet = Effect.provideService(Console.Console, { ...globalThis.console, log: () => {} } as Console.Console)

/** The events that a consumer has not passed yet. */
const consumed = Effect.gen(function* () {
  const seen: Array<string> = []
  yield* (yield* EventLog).consume("test", 100, (entries) =>
    Effect.sync(() => void seen.push(...entries.map(({ event }) => `${event.event} ${event.runId}`)))
  )
  return seen
})

/** A workspace with runs, one of which has ended, events that a consumer has passed in part, and an artifact. */
const some = Effect.gen(function* () {
  const caller = yield* makeWorkspace()
  const workflow = yield* makeWorkflow(caller)
  const runs = yield* RunStore
  const [first, second] = [submission(workflow), submission(workflow)]
  yield* runs.submit({ ...first, input: { text: 'a\u2028b "quoted" \\ \ud800' } })
  yield* runs.change(caller.workspaceId, first.id, Transition.interrupt)
  const passed = yield* consumed
  yield* runs.submit(second)
  const id = randomUUID()
  const store = yield* ArtifactStore
  yield* store.begin({ id, runId: first.id, workflowId: first.workflowId, kind: "file", at: 0 })
  const bytes = new Uint8Array(300_000).fill(7)
  yield* (yield* ArtifactFiles).put(id, { mediaType: "text/plain", fileName: "ü.txt", bytes })
  yield* store.finish(id, bytes.length, 0)
  return { id, passed, caller, first, second, workflow }
})

/** All rows of a run, apart from the numbers of transactions, and the rows of its events in the order of the log. */
const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly row: string }>`
    select to_jsonb(runs)::text as row from runs
    union all select (to_jsonb(run_events) - 'tx')::text from run_events
    union all select to_jsonb(run_labels)::text from run_labels
    union all select to_jsonb(workflow_versions)::text from workflow_versions
    union all select to_jsonb(gates)::text from gates
    order by 1`
  return rows.map(({ row }) => row)
})

const kinds = { embedded: databases.embedded[0], postgres: databases.postgres[0] }

for (const [from, to] of [
  ["postgres", "embedded"],
  ["embedded", "postgres"]
] as const) {
  it.live(`a backup of ${from} restores to an empty ${to}, which continues where the other stood`, () =>
    Effect.gen(function* () {
      const folder = join(yield* temporary, "backup")
      const [before, made] = yield* Effect.gen(function* () {
        const made = yield* some
        yield* written({ folder, withoutArtifacts: false })
        // What comes later is not in the backup.
        const rows = yield* stored
        yield* (yield* RunStore).submit(submission(made.workflow))
        return [rows, made] as const
      }).pipe(Effect.provide(Layer.fresh(Layer.merge(kinds[from], MemoryArtifacts.layer))))

      yield* Effect.gen(function* () {
        yield* read(folder, Effect.void)
        assert.deepStrictEqual(yield* stored, before)
        const kept = Option.getOrThrow(yield* (yield* ArtifactFiles).find(made.id))
        assert.deepStrictEqual([kept.size, kept.fileName, kept.mediaType], [300_000, "ü.txt", "text/plain"])
        // The consumer passes what it had not, and what is new, and nothing twice.
        assert.lengthOf(made.passed, 2)
        assert.deepStrictEqual(yield* consumed, [`execution.queued ${made.second.id}`])
        const next = submission(made.workflow)
        yield* (yield* RunStore).submit(next)
        yield* (yield* RunStore).change(next.workspaceId, made.second.id, Transition.interrupt)
        assert.deepStrictEqual(yield* consumed, [`execution.queued ${next.id}`, `execution.stopped ${made.second.id}`])
        // Triggers work again, and data is not written over.
        const sql = yield* SqlClient.SqlClient
        assert.include(
          String(yield* Effect.flip(sql`delete from run_events`).pipe(Effect.map((e) => e.reason.cause))),
          "only appended"
        )
        const refused = yield* Effect.flip(read(folder, Effect.void))
        assert.include(refused.message, "it has data already")
        assert.lengthOf((yield* (yield* RunStore).list(made.caller.workspaceId, { limit: 10 })).runs, 3)
      }).pipe(Effect.provide(Layer.fresh(Layer.merge(kinds[to], MemoryArtifacts.layer))))
    }).pipe(quiet, Effect.scoped)
  )
}

it.live("a backup that was damaged, or whose keys do not open it, leaves the database empty", () =>
  Effect.gen(function* () {
    const folder = join(yield* temporary, "backup")
    yield* Effect.andThen(some, written({ folder, withoutArtifacts: true })).pipe(
      Effect.provide(Layer.fresh(Layer.merge(kinds.embedded, MemoryArtifacts.layer)))
    )
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const nothing = Effect.map(stored, (rows) => assert.deepStrictEqual(rows, []))
      assert.strictEqual(yield* Effect.flip(read(folder, Effect.fail("wrong key"))), "wrong key")
      yield* nothing
      const file = join(folder, "database", "runs.jsonl.gz")
      const lines = gunzipSync(readFileSync(file)).toString("utf8")
      writeFileSync(file, gzipSync(lines.replace('"attempts":0', '"attempts":1')))
      const refused = yield* Effect.flip(read(folder, Effect.void))
      assert.include(String(refused), "The rows of the table runs are not those that were read")
      yield* nothing
      writeFileSync(file, gzipSync(lines).subarray(0, 100))
      assert.include(String(yield* Effect.flip(read(folder, Effect.void))), "Cannot use")
      yield* nothing
      assert.lengthOf(yield* sql`select from run_labels`, 0)
      rmSync(join(folder, "manifest.json"))
      assert.include(String(yield* Effect.flip(read(folder, Effect.void))), "not completed")
      assert.include(String(yield* Effect.flip(written({ folder, withoutArtifacts: true }))), "it is not empty")
    }).pipe(Effect.provide(Layer.fresh(Layer.merge(kinds.embedded, MemoryArtifacts.layer))))
  }).pipe(quiet, Effect.scoped)
)

it.live("a backup is of one instant, although runs are submitted while it is read", () =>
  Effect.gen(function* () {
    const { workflow } = yield* some
    const sql = yield* SqlClient.SqlClient
    const runs = yield* RunStore
    const seen = new Map<string, number>()
    const taken = yield* Snapshot.take(sql, ({ name }, rows) =>
      Effect.gen(function* () {
        seen.set(name, (seen.get(name) ?? 0) + rows.length)
        // Each is committed on another connection before the next table is read.
        yield* Effect.promise(() => Effect.runPromise(runs.submit(submission(workflow))))
      })
    )
    const { run_events: events, runs: all } = taken.tables
    assert.deepStrictEqual([all?.rows, events?.rows], [2, 3])
    assert.deepStrictEqual([seen.get("runs"), seen.get("run_events")], [2, 3])
    const [now] = yield* sql<{ readonly count: number }>`select count(*)::int as count from runs`
    assert.isAbove(now?.count ?? 0, 4)
  }).pipe(Effect.provide(Layer.fresh(Layer.merge(kinds.postgres, MemoryArtifacts.layer))), Effect.scoped)
)

/** A data folder whose embedded database has all tables and nothing in them. */
const migratedDataDir = Effect.tap(temporary, (folder) =>
  Effect.promise(async () => {
    mkdirSync(join(folder, "database"), { mode: 0o700 })
    execFileSync("tar", ["-xf", await embeddedTemplate(), "-C", join(folder, "database")], { stdio: "ignore" })
  })
)

const nowhere = {
  json: false,
  databaseUrl: Option.none(),
  databaseConnections: 5,
  waitSeconds: Option.some(0),
  testClock: false,
  masterKey: Option.none(),
  previousMasterKey: Option.none(),
  s3Endpoint: Option.none(),
  s3Bucket: Option.none(),
  s3Region: "",
  s3Prefix: "",
  s3AccessKey: Option.none(),
  s3SecretKey: Option.none()
}

it.live("a data folder is backed up with its key apart, restored to another one, and imported to PostgreSQL", () =>
  Effect.gen(function* () {
    const [first, second, third] = [yield* migratedDataDir, yield* migratedDataDir, yield* temporary]
    const [folder, keys] = [join(third, "backup"), join(third, "key")]
    const layerIn = (dataDir: string) => {
      const settings = { ...nowhere, dataDir }
      return Layer.fresh(layerEncryption(settings).pipe(Layer.provideMerge(layerStorage(settings))))
    }
    const { id, key, workspaceId } = yield* Effect.gen(function* () {
      const { caller, id } = yield* some
      const key = Redacted.value(yield* (yield* EncryptionKeys).of(caller.workspaceId))
      return { id, key, workspaceId: caller.workspaceId }
    }).pipe(Effect.provide(layerIn(first)))

    const asked = { ...nowhere, dataDir: first, folder, withoutArtifacts: false }
    const inside = yield* Effect.flip(backup({ ...asked, keys: Option.some(join(folder, "key")) }))
    assert.include(inside.message, "outside of the backup")
    yield* backup({ ...asked, keys: Option.some(keys) })
    const secret = readFileSync(keys, "utf8").trim()
    const parts = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    for (const one of parts) {
      const bytes = readFileSync(join(one.parentPath, one.name))
      const text = (one.name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("latin1")
      assert.notInclude(text, secret, one.name)
      assert.notInclude(text, key, one.name)
    }

    const target = { ...nowhere, dataDir: second, folder }
    assert.include(
      (yield* Effect.flip(restore({ ...target, keys: Option.none() }))).message,
      "name the file with its master key by --keys FILE"
    )
    yield* restore({ ...target, keys: Option.some(keys) })

    const databaseUrl = Option.some(Redacted.make(yield* databases.migratedDatabase))
    const server = { ...nowhere, databaseUrl, dataDir: join(third, "data"), from: second }
    const refused = yield* Effect.flip(
      importData({ ...server, masterKey: Option.some(Redacted.make("ab".repeat(32))) })
    )
    assert.include(refused.message, `set SLUICE_MASTER_KEY to the content of ${second}/master.key`)
    const settings = { ...server, masterKey: Option.some(Redacted.make(secret)) }
    yield* importData(settings)
    yield* Effect.gen(function* () {
      const kept = yield* (yield* EncryptionKeys).of(workspaceId)
      assert.strictEqual(Redacted.value(kept), key)
      assert.isTrue(Option.isSome(yield* (yield* ArtifactFiles).find(id)))
      assert.lengthOf((yield* (yield* RunStore).list(workspaceId, { limit: 10 })).runs, 2)
    }).pipe(Effect.provide(layerEncryption(settings).pipe(Layer.provideMerge(layerStorage(settings)))))
  }).pipe(quiet, Effect.scoped)
)
