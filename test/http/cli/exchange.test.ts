/** A workspace in a folder, and back: the commands against one server with its stores in memory. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { exitCodes } from "../../../apps/cli/user/Ending.ts"
import { fillWorkspace } from "../../support/exchangedWorkspace.ts"
import { layerWith, Service } from "../../support/service.ts"
import { signedIn } from "../../support/Terminal.ts"

/** A file of a folder. */
interface Item extends Readonly<Record<string, unknown>> {
  readonly schedules: ReadonlyArray<object>
}

const service = layerWith({ stores: Memory.layer })

/** The texts of a folder by their paths. */
const textsOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        return [path.slice(folder.length + 1), readFileSync(path, "utf8")] as const
      })
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
  )

/** Without the ids of workflows, which another workspace of an installation cannot have, too. */
const withoutIds = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, text.replace(/^ {2}"id": ".*",\n/m, "")]))

/** A workspace with something of everything, exported. */
const exported = Effect.gen(function* () {
  const user = yield* signedIn
  const { send } = yield* Service
  const { secrets } = yield* fillWorkspace((method, path, json) => {
    const asked = send({ method, path, key: user.owner.key, ...(json === undefined ? {} : { json }) })
    return Effect.map(asked, ({ body, status }) => {
      assert.isBelow(status, 300, `${method} ${path}: ${JSON.stringify(body)}`)
      return body
    })
  }, user.owner.encryptionKey)
  const folder = join(user.folder, "export")
  const out = yield* user.ok("workspaces", "export", folder)
  return { ...user, folder, home: user.folder, out, secrets }
})

it.layer(service)("a workspace in a folder", (it) => {
  it.effect("is written in stable files without secrets, and differs only where the workspace does", () =>
    Effect.gen(function* () {
      const { folder, home, json, ok, out, owner, run, secrets } = yield* exported
      const { send } = yield* Service
      const texts = textsOf(folder)
      assert.deepStrictEqual(Object.keys(texts), [
        "README.md",
        "components/sign-in.json",
        "credentials.json",
        "error-codes.json",
        "sluice.json",
        "webhooks.json",
        "workflows/invoices-2.json",
        "workflows/invoices.json",
        "workflows/workflow.json"
      ])
      assert.include(out, "3 workflows, 1 component, 1 error code, 2 webhooks, and the names of 1 credential")
      for (const secret of secrets) assert.notInclude(JSON.stringify(texts), secret)
      const again = join(home, "again")
      yield* ok("workspaces", "export", again)
      assert.deepStrictEqual(textsOf(again), texts)
      assert.include(yield* ok("workspaces", "export", again), "Nothing has changed in it")

      const invoices = JSON.parse(texts["workflows/invoices.json"] ?? "")
      const renamed = { ...invoices, name: "Receipts" }
      const [{ id: workflow }] = (yield* json("workflow", "list")).filter(
        ({ id }: { id: string }) => id === invoices.id
      )
      const { body: view } = yield* send({ method: "GET", path: `/workflows/${workflow}`, key: owner.key })
      yield* send({
        method: "PUT",
        path: `/workflows/${workflow}`,
        key: owner.key,
        json: { ...view, name: renamed.name }
      })
      const refused = yield* run(["workspaces", "export", again])
      assert.strictEqual(refused.code, exitCodes.conflict)
      assert.include(refused.problem, "replace them with --force")
      assert.deepStrictEqual(textsOf(again), texts)
      assert.include(yield* ok("workspaces", "export", again, "--force"), "and removed 1")
      assert.property(textsOf(again), "workflows/receipts.json")
      const other = join(home, "other")
      mkdirSync(other)
      writeFileSync(join(other, "notes.txt"), "mine")
      const foreign = yield* run(["workspaces", "export", other, "--force"])
      assert.strictEqual(foreign.code, exitCodes.conflict)
      assert.deepStrictEqual(textsOf(other), { "notes.txt": "mine" })
    }).pipe(Effect.scoped)
  )

  it.effect("makes the same workspace again: its export is equal but for what only one workspace can have", () =>
    Effect.gen(function* () {
      const { folder, secrets } = yield* exported
      const texts = textsOf(folder)
      const { folder: home, json, ok, run } = yield* signedIn
      const dry = yield* ok("workspaces", "import", folder, "--dry-run")
      assert.include(dry, "would make workflow Invoices")
      assert.include(dry, "Nothing was changed")
      assert.deepStrictEqual(yield* json("workflow", "list"), [])

      const made = yield* json("workspaces", "import", folder)
      assert.deepStrictEqual(made.switched_off, { schedules: 2, webhooks: 2 })
      assert.lengthOf(made.new_webhook_secrets, 2)
      assert.deepStrictEqual(made.missing_credentials, [
        { domain: "https://portal.example.com", permissioned_user_id: "robot" }
      ])
      const schedules = yield* json("schedule", "list")
      assert.deepStrictEqual(
        schedules.map(({ state }: { state: string }) => state),
        ["paused", "paused", "paused"]
      )
      const back = join(home, "back")
      yield* ok("workspaces", "export", back)
      assert.notDeepEqual(withoutIds(textsOf(back)), withoutIds(texts))

      const activated = yield* ok("workspaces", "import", folder, "--activate")
      assert.include(activated, "changed schedule")
      assert.notInclude(activated, "made ")
      yield* ok("workspaces", "export", back, "--force")
      assert.deepStrictEqual(withoutIds(textsOf(back)), {
        ...withoutIds(texts),
        // Credentials are made by hand.
        "credentials.json": "[]\n"
      })
      const again = yield* json("workspaces", "import", folder, "--activate")
      assert.deepStrictEqual(again.changes, [])
      const { out } = yield* run(["workspaces", "import", folder, "--activate", "--json"])
      for (const secret of secrets) assert.notInclude(out, secret)
    }).pipe(Effect.scoped)
  )

  it.effect("changes what differs, and leaves what the folder does not have", () =>
    Effect.gen(function* () {
      const { folder, home, json, ok, owner } = yield* exported
      const { send } = yield* Service
      const edited = join(home, "edited")
      cpSync(folder, edited, { recursive: true })
      rmSync(join(edited, "workflows/workflow.json"))
      const path = join(edited, "workflows/invoices.json")
      const invoices = JSON.parse(readFileSync(path, "utf8"))
      const { run_window: _, ...rest } = invoices
      const schedules = invoices.schedules.map((one: { name: string }) =>
        one.name === "daily" ? { ...one, cron: "15 6 * * *" } : one
      )
      writeFileSync(
        path,
        JSON.stringify({ ...rest, name: "Bills", schedules, pace: { max_running: 3, max_starts_per_minute: null } })
      )
      const planned = yield* json("workspaces", "import", edited, "--dry-run")
      const shown = planned.changes.map(({ action, name, what }: Record<string, string>) => `${action} ${what} ${name}`)
      assert.deepStrictEqual(shown, ["change workflow Bills", "change pace Bills", "change schedule daily"])
      assert.isTrue(planned.not_in_folder.some((one: string) => one.startsWith('workflow "请求"')))
      const before = yield* json("schedule", "list")
      assert.deepStrictEqual((yield* json("workspaces", "import", edited)).changes, planned.changes)
      const { body } = yield* send({ method: "GET", path: `/workflows/${invoices.id}`, key: owner.key })
      assert.deepInclude(body, { name: "Bills", run_window: null })
      assert.deepInclude(
        (yield* json("schedule", "list")).find(({ name }: { name: string }) => name === "daily"),
        { cron: "15 6 * * *", state: "active" }
      )
      assert.lengthOf(yield* json("schedule", "list"), before.length)
      assert.lengthOf(yield* json("workflow", "list"), 3)
      assert.include(yield* ok("workspaces", "import", edited), "0 changes")
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the address of a proxy with a password, which is in no folder", () =>
    Effect.gen(function* () {
      const { folder, json, owner } = yield* exported
      const { send } = yield* Service
      const path = join(folder, "workflows/invoices.json")
      const { id, ...fields } = JSON.parse(readFileSync(path, "utf8"))
      const read = Effect.map(send({ method: "GET", path: `/workflows/${id}`, key: owner.key }), ({ body }) => body)
      const { proxy_value } = yield* read
      assert.isString(proxy_value)
      assert.notInclude(readFileSync(path, "utf8"), "proxy_value")
      assert.deepStrictEqual((yield* json("workspaces", "import", folder)).changes, [])
      writeFileSync(path, JSON.stringify({ id, ...fields, description: "Another one" }))
      assert.lengthOf((yield* json("workspaces", "import", folder)).changes, 1)
      assert.deepInclude(yield* read, { description: "Another one", proxy_value })
    }).pipe(Effect.scoped)
  )

  it.effect("is refused with every problem at its path, before anything is made", () =>
    Effect.gen(function* () {
      const { folder, home } = yield* exported
      const { json, run } = yield* signedIn
      const outside = join(home, "outside.json")
      writeFileSync(outside, readFileSync(join(folder, "workflows/invoices.json")))
      const bad = join(home, "bad")
      const refusal = Effect.fnUntraced(function* (spoil: () => void) {
        rmSync(bad, { recursive: true, force: true })
        cpSync(folder, bad, { recursive: true })
        spoil()
        const { code, problem } = yield* run(["workspaces", "import", bad])
        assert.strictEqual(code, exitCodes.wrong, problem)
        return problem
          .split("\n")
          .slice(1)
          .map((line) => line.trim())
      })
      const at = (path: string) => join(bad, path)
      const rewrite = (path: string, edit: (value: never) => unknown) =>
        writeFileSync(at(path), JSON.stringify(edit(JSON.parse(readFileSync(at(path), "utf8")) as never)))
      const change = (path: string, edit: (one: Item) => unknown) => rewrite(path, edit)
      const changeAll = (path: string, edit: (all: ReadonlyArray<object>) => unknown) => rewrite(path, edit)
      const one = Effect.fnUntraced(function* (spoil: () => void, expected: RegExp) {
        const lines = yield* refusal(spoil)
        assert.lengthOf(lines, 1, lines.join("\n"))
        assert.match(lines[0] ?? "", expected)
      })
      const invoices = "workflows/invoices.json"
      yield* one(() => rmSync(at("sluice.json")), /^sluice\.json: The folder has no such file/)
      yield* one(() => rmSync(at("webhooks.json")), /^webhooks\.json: The folder has no such file/)
      yield* one(() => writeFileSync(at(invoices), "{"), /^workflows\/invoices\.json: Expected JSON/)
      yield* one(() => writeFileSync(at(invoices), new Uint8Array([0x22, 0xff, 0x22])), /Expected text in UTF-8/)
      yield* one(
        () => change("sluice.json", (form) => ({ ...form, format_version: 2 })),
        /^sluice\.json: format_version: .*1/
      )
      yield* one(() => change(invoices, (one) => ({ ...one, shedules: [] })), /shedules: .*schedules/)
      yield* one(
        () =>
          change(invoices, (one) => ({
            ...one,
            schedules: [{ ...one.schedules[0], cronn: "1 1 1 1 1" }, ...one.schedules.slice(1)]
          })),
        /schedules\[0\]\.cronn: /
      )
      yield* one(
        () => changeAll("error-codes.json", ([first]) => [first, first]),
        /^error-codes\.json: \[1\]\.error_code: .*\[0\]/
      )
      yield* one(() => changeAll("webhooks.json", (all) => [...all, all[0]]), /^webhooks\.json: \[2\]\.url: .*\[0\]/)
      yield* one(() => cpSync(at(invoices), at("workflows/copy.json")), /id: workflows\/copy\.json has the same id/)
      yield* one(
        () =>
          changeAll("webhooks.json", (all) => all.map((one) => ({ ...one, workflow: "../../outside" })).slice(0, 1)),
        /^webhooks\.json: \[0\]\.workflow: Expected the name of a file/
      )
      yield* one(
        () => writeFileSync(at("workflows/Invoices (copy).json"), "{}"),
        /Expected a file name of small letters/
      )
      yield* one(() => {
        rmSync(at(invoices))
        symlinkSync(outside, at(invoices))
      }, /^workflows\/invoices\.json: .*links are not followed/)
      yield* one(() => {
        rmSync(at("components"), { recursive: true })
        rmSync(at("workflows"), { recursive: true })
        symlinkSync(join(folder, "workflows"), at("workflows"))
        changeAll("webhooks.json", () => [])
      }, /^workflows: Expected a folder, and no symbolic link/)
      yield* one(
        () =>
          change("workflows/workflow.json", (one) => ({
            ...one,
            schedules: [{ ...one.schedules[0], run_input_variables: { month: 1 } }]
          })),
        /^workflows\/workflow\.json: schedules\[0\]\.run_input_variables\.month: /
      )
      const several = yield* refusal(() => {
        change(invoices, (one) => ({
          ...one,
          max_retries: -1,
          schedules: [{ active: true, cron: "never", time_zone: "Mars" }]
        }))
        change("components/sign-in.json", (one) => ({ ...one, name: "" }))
        changeAll("webhooks.json", (all) => [{ ...all[0], url: "ftp://example.com" }, ...all.slice(1)])
      })
      for (const path of [
        "components/sign-in.json: name",
        `${invoices}: max_retries`,
        `${invoices}: schedules[0].cron`,
        `${invoices}: schedules[0].time_zone`,
        "webhooks.json: [0].url"
      ]) {
        assert.isTrue(
          several.some((line) => line.startsWith(`${path}: `)),
          `${path} in ${several.join("\n")}`
        )
      }
      rmSync(join(folder, "components/sign-in.json"))
      const { problem } = yield* run(["workspaces", "import", folder])
      assert.match(problem, /source_component_instance_id: Expected \{"component": NAME\}/)
      assert.deepStrictEqual(yield* json("workflow", "list"), [])
      assert.isTrue(existsSync(outside))
      assert.strictEqual((yield* run(["workspaces", "import", join(home, "nowhere")])).code, exitCodes.wrong)
    }).pipe(Effect.scoped)
  )

  it.effect("is taken up again where it was interrupted", () =>
    Effect.gen(function* () {
      const { folder } = yield* exported
      const texts = textsOf(folder)
      const { member, send } = yield* Service
      const { folder: home, json, ok, owner, run, url } = yield* signedIn
      // A key that may not change webhooks is refused before; one whose request fails leaves what was made.
      const { key } = yield* member("Member")
      const forbidden = yield* run(["workspaces", "import", folder], { SLUICE_URL: url, SLUICE_KEY: key })
      assert.strictEqual(forbidden.code, exitCodes.wrong)
      assert.include(forbidden.problem, "Only a key with the role Owner changes webhooks")

      const half = join(home, "half")
      cpSync(folder, half, { recursive: true })
      const spoiled = join(half, "workflows/workflow.json")
      const last = JSON.parse(readFileSync(spoiled, "utf8"))
      // Only the service renders the input.
      const schedules = [{ ...last.schedules[0], run_input_variables: { month: "{{ nonsense( }}" } }]
      writeFileSync(spoiled, JSON.stringify({ ...last, schedules }))
      const stopped = yield* run(["workspaces", "import", half])
      assert.notStrictEqual(stopped.code, 0)
      assert.lengthOf(yield* json("workflow", "list"), 3)
      const { body } = yield* send({ method: "GET", path: "/webhook-endpoints", key: owner.key })
      assert.lengthOf(body as unknown as ReadonlyArray<unknown>, 0)

      yield* ok("workspaces", "import", folder, "--activate")
      const back = join(home, "back")
      yield* ok("workspaces", "export", back)
      assert.deepStrictEqual(withoutIds(textsOf(back)), { ...withoutIds(texts), "credentials.json": "[]\n" })
    }).pipe(Effect.scoped)
  )
})
