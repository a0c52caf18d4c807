/** Migrations keep what processes of the version before need: decision 0019. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../../support/Source.ts"

const folder = join(root, "adapters/postgres/migrations")

const breaking: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bdrop\s+(table|column|function|trigger|sequence|constraint)\b/i, "drops what the version before uses"],
  [/\brename\b/i, "renames what the version before uses"],
  [/\balter\s+column\s+\w+\s+(set\s+data\s+)?type\b/i, "changes a type"],
  [/\bset\s+not\s+null\b/i, "forbids what the version before writes"],
  [/\badd\s+(constraint|check|unique|primary|foreign)\b/i, "forbids what the version before writes"],
  [/\badd\s+column\b(?![^`;]*\bdefault\b)[^`;]*\bnot\s+null\b/i, "adds a column that the version before does not fill"],
  [/\b(update|delete\s+from)\s+\w+\s+(set|where)\b/i, "rewrites rows"]
]

/** What keeps a migration from being applied while the version before runs. */
const problemsOf = (name: string, text: string): ReadonlyArray<string> => {
  const created = new Set([...text.matchAll(/create\s+table\s+(\w+)/gi)].map(([, table]) => table))
  const indexes = [...text.matchAll(/create\s+(?:unique\s+)?index\s+(if\s+not\s+exists\s+)?\w+\s+on\s+(\w+)/gi)]
  const isAnnounced = /dropped after \d+\.\d+/.test(text)
  return [
    ...breaking.flatMap(([pattern, problem]) => (pattern.test(text) && !isAnnounced ? [`${name} ${problem}`] : [])),
    ...indexes.flatMap(([, isThere, table]) =>
      isThere === undefined && !created.has(table) ? [`${name} makes an index of ${table}, which may be large`] : []
    ),
    ...(/lock_timeout/.test(text) ? [] : [`${name} may wait for a lock without a bound`])
  ]
}

describe("migrations", () => {
  it("after the first only add, and wait for no lock for long", () => {
    const files = readdirSync(folder)
      .filter((name) => name.endsWith(".ts"))
      .sort()
    assert.strictEqual(files[0], "0001_schema.ts")
    assert.deepStrictEqual(
      files.slice(1).flatMap((name) => problemsOf(name, readFileSync(join(folder, name), "utf8"))),
      []
    )
  })

  it("that would break the version before are found", () => {
    const bad: Readonly<Record<string, string>> = {
      "drops what": "alter table runs drop column mark",
      renames: "alter table runs rename column mark to place",
      "changes a type": "alter table runs alter column attempts type bigint",
      forbids: "alter table runs alter column mark set not null",
      "adds a column": "alter table runs add column kind text not null",
      rewrites: "update runs set mark = null",
      "may be large": "create index runs_by_mark on runs (mark)"
    }
    for (const [problem, text] of Object.entries(bad)) {
      const found = problemsOf("0002", `set local lock_timeout = '5s'; ${text}`)
      assert.lengthOf(found, 1, text)
      assert.include(found[0] ?? "", problem)
    }
    const good = [
      "create table notes (id uuid primary key); create index notes_by_id on notes (id)",
      "alter table runs add column kind text",
      "alter table runs add column kind text not null default 'usual'",
      "create index if not exists runs_by_mark on runs (mark)",
      "-- dropped after 0.3\nalter table runs drop column mark"
    ]
    for (const text of good) assert.deepStrictEqual(problemsOf("0002", `set local lock_timeout = '5s'; ${text}`), [])
    assert.deepStrictEqual(problemsOf("0002", "alter table runs add column kind text"), [
      "0002 may wait for a lock without a bound"
    ])
  })
})
