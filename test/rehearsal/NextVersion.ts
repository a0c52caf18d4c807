/** A checkout of the next version: this one, with a migration that adds what decision 0019 allows. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import * as Migrations from "../../adapters/postgres/Migrations.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const migration = `
export const rehearsed: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  "alter table gates add column rehearsed integer not null default 0",
  "alter table runs add column rehearsed text",
  "create table rehearsals (id uuid primary key, run_id uuid references runs)",
  "create index rehearsals_of_runs on rehearsals (run_id)"
]
`

/** Makes it in a folder that is removed when the scope closes. */
export const make = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-next-"))
    for (const name of ["apps", "adapters", "core", "package.json"]) {
      cpSync(join(root, name), join(folder, name), { recursive: true })
    }
    for (const name of ["node_modules", ".cache"]) symlinkSync(join(root, name), join(folder, name))
    const last = Migrations.newest
    const next = `${String(Number(last.slice(0, 4)) + 1).padStart(4, "0")}_rehearsed`
    writeFileSync(join(folder, `adapters/postgres/migrations/${next}.ts`), migration)
    const file = join(folder, "adapters/postgres/Migrations.ts")
    const text = readFileSync(file, "utf8")
      .replace("import { schema }", `import { rehearsed } from "./migrations/${next}.ts"\nimport { schema }`)
      .replace(new RegExp(`"${last}": \\w+`), (entry) => `${entry}, "${next}": rehearsed`)
    if (!text.includes(`"${next}": rehearsed`)) throw new Error("The migrations are listed in another way")
    writeFileSync(file, text)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)
