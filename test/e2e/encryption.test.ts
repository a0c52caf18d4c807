import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { freshDatabase } from "../support/databases.ts"

const key = "sk_test_0123456789012345678901234567890123"
const encryptionKey = "AB".repeat(32)

/** Runs `sluice` to its end. */
const sluice = (args: ReadonlyArray<string>, env: Record<string, string>) =>
  Effect.callback<{ readonly code: number; readonly output: string }>((resume) => {
    const child = execFile(
      process.execPath,
      ["apps/cli/main.ts", ...args],
      { env: { ...process.env, NO_COLOR: "1", PORT: "0", ...env }, timeout: 60_000 },
      (_, stdout, stderr) => resume(Effect.succeed({ code: child.exitCode ?? -1, output: stdout + stderr }))
    )
  })

it.live(
  "the encryption key of the first workspace may be given, is shown to who has the shell, and needs its master key",
  () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-e2e-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const url = yield* freshDatabase
      const settings = { DATABASE_URL: url, SLUICE_DATA_DIR: folder, SLUICE_MASTER_KEY: "ab".repeat(32) }
      const bootstrap = { SLUICE_BOOTSTRAP_KEY: key, SLUICE_BOOTSTRAP_ENCRYPTION_KEY: encryptionKey }

      const malformed = yield* sluice(["migrate"], { ...settings, SLUICE_BOOTSTRAP_ENCRYPTION_KEY: "canary-short" })
      assert.strictEqual(malformed.code, 1)
      assert.include(malformed.output, "64 hexadecimal digits")
      assert.notInclude(malformed.output, "canary")

      assert.strictEqual((yield* sluice(["migrate"], { ...settings, ...bootstrap })).code, 0)
      const shown = yield* sluice(["keys", "encryption"], settings)
      assert.deepStrictEqual(shown, { code: 0, output: `${encryptionKey.toLowerCase()}\n` })

      const stored = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select * from workspace_keys`).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
      )
      const before = yield* stored
      assert.notInclude(JSON.stringify(before), encryptionKey.toLowerCase())
      for (const command of ["api", "worker", "migrate"]) {
        const wrong = yield* sluice([command], { ...settings, SLUICE_MASTER_KEY: "cd".repeat(32) })
        assert.strictEqual(wrong.code, 1)
        assert.match(wrong.output, /Cannot start with this master key: .* Set SLUICE_MASTER_KEY/)
      }
      assert.deepStrictEqual(yield* stored, before)
      const { SLUICE_MASTER_KEY: _, ...without } = settings
      assert.include((yield* sluice(["keys", "encryption"], without)).output, "Cannot start without a master key")
    }).pipe(Effect.scoped),
  180_000
)
