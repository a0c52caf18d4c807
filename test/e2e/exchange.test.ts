/** A workspace that moves from one installation to another in a folder, by real processes. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fillWorkspace } from "../support/exchangedWorkspace.ts"
import { completed, dataDir, encryptionKey, key, migratedDataDir, ready, send, sluice } from "../support/processes.ts"
import { until } from "../support/waiting.ts"

const installation = Effect.gen(function* () {
  const stores = { SLUICE_DATA_DIR: yield* migratedDataDir }
  const { code, output } = yield* completed(["migrate"], stores)
  assert.strictEqual(code, 0, output)
  const url = yield* ready(yield* sluice(["api"], stores))
  const settings = { SLUICE_URL: url, SLUICE_KEY: key, XDG_CONFIG_HOME: yield* dataDir }
  const run = (...args: ReadonlyArray<string>) =>
    Effect.map(completed(args, settings), ({ code, output }) => {
      assert.strictEqual(code, 0, output)
      return output
    })
  return { url, settings, run }
})

const textsOf = (folder: string) =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")] as const)
  )

describe("a workspace in a folder", () => {
  it.live("moves to another installation with the ids of its workflows, through kill -9 of the import", () =>
    Effect.gen(function* () {
      const [home, from, to] = yield* Effect.all([dataDir, installation, installation], { concurrency: 2 })
      const ask = (method: string, path: string, json?: unknown) =>
        Effect.tap(send(from.url, method, path, json), (body) =>
          Effect.sync(() => assert.notProperty(body, "statusCode", `${method} ${path}: ${JSON.stringify(body)}`))
        )
      const { secrets } = yield* fillWorkspace(ask, encryptionKey)
      const folder = join(home, "from")
      yield* from.run("workspaces", "export", folder)
      const texts = textsOf(folder)
      assert.isAbove(texts.size, 8)
      for (const secret of secrets) {
        assert.isTrue([...texts.values()].every((text) => !text.includes(secret)))
      }

      const first = yield* sluice(["workspaces", "import", folder], to.settings)
      const workflows = Effect.map(
        send(to.url, "GET", "/workflows"),
        (all) => (all as unknown as Array<unknown>).length
      )
      yield* until("the first workflow", workflows, (count) => count > 0)
      first.child.kill("SIGKILL")
      yield* first.ended
      assert.include(yield* to.run("workspaces", "import", folder, "--activate"), "  robot https://portal.example.com")

      // The credential is made by hand.
      const robot = { permissioned_user_id: "robot", domain: "https://portal.example.com" }
      yield* send(to.url, "POST", "/vault", robot)
      const back = join(home, "to")
      yield* to.run("workspaces", "export", back)
      assert.deepStrictEqual(textsOf(back), texts)
      assert.include(yield* to.run("workspaces", "import", folder, "--activate"), "0 changes")
    }).pipe(Effect.scoped)
  )
})
