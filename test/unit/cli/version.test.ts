import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "@effect/vitest"
import { commitOf, version, versionOf } from "../../../apps/cli/Version.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-version-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const named = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b.c", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b.c" }

const git = (place: string, ...args: ReadonlyArray<string>): string =>
  spawnSync("git", ["-C", place, ...args], { encoding: "utf8", env: { ...process.env, ...named } }).stdout.trim()

it("two builds of one version have different names, by their commit", () => {
  const checkout = join(folder, "checkout")
  mkdirSync(checkout)
  writeFileSync(join(checkout, "package.json"), JSON.stringify({ version: "1.2.3" }))
  assert.strictEqual(versionOf(checkout), "1.2.3")
  git(checkout, "init", "--quiet", "--initial-branch", "work/one")
  assert.isNull(commitOf(checkout))
  git(checkout, "commit", "--quiet", "--allow-empty", "--message", "one")
  const first = git(checkout, "rev-parse", "HEAD")
  assert.match(first, /^[0-9a-f]{40}$/)
  assert.strictEqual(versionOf(checkout), `1.2.3+${first.slice(0, 12)}`)

  const beside = join(folder, "beside")
  git(checkout, "worktree", "add", "--quiet", "-b", "other", beside)
  git(beside, "commit", "--quiet", "--allow-empty", "--message", "two")
  const second = git(beside, "rev-parse", "HEAD")
  assert.notStrictEqual(second, first)
  assert.strictEqual(commitOf(beside), second)
  git(checkout, "pack-refs", "--all")
  assert.deepStrictEqual([commitOf(checkout), commitOf(beside)], [first, second])
  git(checkout, "checkout", "--quiet", "--detach")
  assert.strictEqual(commitOf(checkout), first)
})

it("a package has the commit of its manifest", () => {
  const commit = "0123456789abcdef".repeat(3).slice(0, 40)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "1.2.3", gitHead: commit }))
  assert.strictEqual(versionOf(folder), "1.2.3+0123456789ab")
})

it("this checkout names its commit", () => {
  assert.match(version, /^\d+\.\d+\.\d+(\+[0-9a-f]{12})?$/)
})
