import { existsSync } from "node:fs"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { freshDatabase } from "../support/databases.ts"
import { completed, dataDir, masterKey, migratedDataDir } from "../support/processes.ts"

const encryptionKey = "AB".repeat(32)

it.live("the first workspace's encryption key can be set, is shown in the shell, and needs its master key", () =>
  Effect.gen(function* () {
    const folder = yield* dataDir
    const url = yield* freshDatabase
    const settings = { DATABASE_URL: url, SLUICE_DATA_DIR: folder, SLUICE_MASTER_KEY: masterKey }
    const bootstrap = { SLUICE_BOOTSTRAP_ENCRYPTION_KEY: encryptionKey }

    const short = { SLUICE_BOOTSTRAP_ENCRYPTION_KEY: "canary-short" }
    const [malformed, migrated] = yield* Effect.all(
      [completed(["migrate"], { ...settings, ...short }), completed(["migrate"], { ...settings, ...bootstrap })],
      { concurrency: 2 }
    )
    assert.strictEqual(malformed.code, 2)
    assert.include(malformed.output, "64 hexadecimal digits")
    assert.notInclude(malformed.output, "canary")
    assert.strictEqual(migrated.code, 0)
    const shown = yield* completed(["keys", "encryption"], settings)
    assert.deepStrictEqual(shown, { code: 0, output: `${encryptionKey.toLowerCase()}\n` })

    const again = yield* completed(["migrate"], { ...settings, ...bootstrap })
    assert.notInclude(again.output, "SLUICE_BOOTSTRAP")
    const canaries = {
      SLUICE_BOOTSTRAP_KEY: `sk_${"canary".repeat(6)}`,
      SLUICE_BOOTSTRAP_ENCRYPTION_KEY: "ca".repeat(32)
    }
    const late = yield* completed(["migrate"], { ...settings, ...canaries })
    assert.strictEqual(late.code, 0)
    const lines = late.output.split("\n").filter((line) => line.includes("SLUICE_BOOTSTRAP"))
    assert.lengthOf(lines, 1)
    assert.match(
      String(lines[0]),
      /level=WARN.*SLUICE_BOOTSTRAP_KEY and SLUICE_BOOTSTRAP_ENCRYPTION_KEY are ignored: .* has a workspace already.*sluice keys create/
    )
    for (const canary of Object.values(canaries)) assert.notInclude(late.output, canary)

    const stored = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select * from wrapped_keys`).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
    )
    const before = yield* stored
    assert.notInclude(JSON.stringify(before), encryptionKey.toLowerCase())
    yield* Effect.forEach(
      ["api", "worker", "scheduler", "migrate"],
      (command) =>
        Effect.gen(function* () {
          const wrong = yield* completed([command], { ...settings, SLUICE_MASTER_KEY: "cd".repeat(32) })
          assert.strictEqual(wrong.code, 1)
          assert.match(wrong.output, /Cannot start with this master key: .* Set SLUICE_MASTER_KEY/)
          assert.notInclude(wrong.output, "started")
        }),
      { concurrency: 4, discard: true }
    )
    assert.deepStrictEqual(yield* stored, before)
    const { SLUICE_MASTER_KEY: _, ...without } = settings
    assert.include((yield* completed(["keys", "encryption"], without)).output, "Cannot start without a master key")
  }).pipe(Effect.scoped)
)

it.live("a restore without the master key of the backup names --keys, and leaves the folder as it was", () =>
  Effect.gen(function* () {
    const own = yield* migratedDataDir
    const other = yield* dataDir
    assert.strictEqual((yield* completed(["migrate"], { SLUICE_DATA_DIR: own })).code, 0)
    const backup = yield* completed(["backup", join(other, "backup")], { SLUICE_DATA_DIR: own })
    assert.strictEqual(backup.code, 0, backup.output)
    const target = join(other, "data")
    const { code, output } = yield* completed(["restore", join(other, "backup")], { SLUICE_DATA_DIR: target })
    assert.strictEqual(code, 1)
    assert.match(output, /^Cannot restore the backup: name the file with its master key by --keys FILE, /m)
    assert.isFalse(existsSync(target))
  }).pipe(Effect.scoped)
)
