/** What all commands have in common: with `--json` one shape of answers and failures, exit codes, and no prompts. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Completions } from "effect/cli"
import { StreamLost } from "../../../apps/api/Client.ts"
import type * as Failure from "../../../apps/cli/Failure.ts"
import { isServing, serving, sluice } from "../../../apps/cli/Sluice.ts"
import { classOf, exitCodes, fixes } from "../../../apps/cli/user/Ending.ts"
import { daily, graph } from "../../support/fixtures.ts"
import { sources } from "../../support/Source.ts"
import { isAll } from "../../support/scale.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { signedIn, terminal } from "../../support/Terminal.ts"

type Described = Completions.CommandDescriptor

interface Leaf {
  readonly path: string
  readonly flags: ReadonlyArray<string>
  readonly required: number
}

const leavesOf = (command: Described, path: ReadonlyArray<string> = []): ReadonlyArray<Leaf> => {
  const own = {
    path: path.join(" "),
    flags: command.flags.map(({ name }) => name),
    required: command.arguments.filter(({ required }) => required).length
  }
  const below = command.subcommands.flatMap((one) => leavesOf(one, [...path, one.name]))
  return below.length === 0 || command.arguments.length > 0 ? [own, ...below] : below
}

const leaves = leavesOf(Completions.fromCommand(sluice))

/** Commands without an answer: they serve until a signal, or speak a protocol of their own. */
const withoutAnswer: ReadonlyArray<string> = [...serving.map(({ name }) => name), "mcp"]

const answering = leaves.filter(({ path }) => !withoutAnswer.includes(path))

const codes = new Set<string>(Object.keys(fixes))

/** The problem of a failure with `--json`; `null` where it has the documented shape. */
const problemOf = (path: string, failure: Failure.Failure | null): string | null => {
  if (failure === null) return `${path}: succeeded`
  if (!Object.values(exitCodes).some((code) => code === failure.exitCode)) return `${path}: ${failure.exitCode}`
  try {
    const { error, ...others } = JSON.parse(failure.text)
    const { code, fix, message, problems = [], ...more } = error
    const isWhole =
      [code, fix, message].every((one) => typeof one === "string" && one !== "") && Array.isArray(problems)
    const isKnown = codes.has(code) || /^[A-Z][A-Z0-9_]+$/.test(code)
    return isWhole && isKnown && Object.keys({ ...others, ...more }).length === 0 ? null : `${path}: ${failure.text}`
  } catch {
    return `${path}: ${failure.text}`
  }
}

describe("every command that answers", () => {
  it("takes --json, and each that serves is known", () => {
    assert.deepStrictEqual(
      leaves.filter(({ flags }) => !flags.includes("json")).map(({ path }) => path),
      withoutAnswer
    )
    assert.isAbove(answering.length, 60)
    for (const { path } of answering) assert.isFalse(isServing(path.split(" ")), path)
    assert.isTrue(isServing(["--log-level", "debug", "worker"]))
  })

  it.effect("says in one JSON value that its flags are wrong, and ends with 2", () =>
    Effect.gen(function* () {
      const { run } = yield* terminal
      for (const { path } of answering) {
        const { failure, stdout } = yield* run([...path.split(" "), "--no-such-flag", "--json"])
        assert.isNull(problemOf(path, failure))
        assert.deepStrictEqual([failure?.exitCode, stdout], [exitCodes.wrong, ""], path)
        const said = yield* run([...path.split(" "), "--no-such-flag"])
        assert.match(said.failure?.text ?? "", /has no flag --no-such-flag\n`sluice .* --help` shows all settings$/)
      }
    }).pipe(Effect.scoped)
  )

  it.live("asks nobody without a terminal, and says in one JSON value that no service is there", () =>
    Effect.gen(function* () {
      const { folder, run } = yield* terminal
      const environment = { SLUICE_URL: "http://127.0.0.1:9", SLUICE_KEY: "sk_none" }
      const connecting = answering.filter(({ flags }) => flags.includes("url"))
      const ends: Array<readonly [path: string, exitCode: number | undefined]> = []
      for (const { path, required } of connecting) {
        const named = Array.from({ length: required }, (_, at) => join(folder, `none-${at}`))
        // It waits for a service to come back, as long as it is told to.
        const more = path === "runs wait" ? ["none", "--timeout", "1"] : []
        const { failure, stdout } = yield* run([...path.split(" "), ...named, ...more, "--json"], environment)
        assert.isNull(problemOf(path, failure))
        assert.strictEqual(stdout, "", path)
        ends.push([path, failure?.exitCode])
      }
      // Some look at a file or a value first.
      const others = ends.filter(([, code]) => code !== exitCodes.unavailable)
      assert.deepStrictEqual(
        others.filter(([, code]) => code !== exitCodes.wrong),
        [["runs wait", exitCodes.timeout]]
      )
      assert.isBelow(others.length, 25)
    }).pipe(Effect.scoped)
  )
})

it("a failure would be found where it is text, lacks a part, or has an unknown code", () => {
  const error = { code: "wrong", message: "m", fix: "f" }
  const said = (value: unknown, exitCode = 2) =>
    problemOf("x", { exitCode, text: typeof value === "string" ? value : JSON.stringify(value) })
  assert.isNull(said({ error }))
  assert.isNull(said({ error: { ...error, code: "RUN_WINDOW_CONFLICT", problems: [] } }))
  for (const bad of ["text", { error: { ...error, fix: "" } }, { error: { ...error, code: "odd" } }, { ...error }]) {
    assert.isNotNull(said(bad))
  }
  assert.isNotNull(said({ error }, 5))
})

it("a stream of events that stays lost is a service that cannot be reached", () => {
  assert.strictEqual(classOf(new StreamLost({ sessionId: "s", after: "0" })), "unavailable")
})

it("only one place asks at a terminal, and it refuses where there is none", () => {
  const asking = sources("apps").filter(({ text }) => text.includes("Prompt.run("))
  assert.deepStrictEqual(
    asking.map(({ path }) => path),
    ["apps/cli/user/Secrets.ts"]
  )
})

/** The commands that work in the stores alone. Each starts a database, so their answers are for the night. */
const inStores = ["migrate", "keys encryption", "keys rotate master", "prune", "backup", "restore", "import"]

const script = `import { test } from "@playwright/test"
test("titles", async ({ page }) => {
  await page.goto("https://example.com")
  await page.getByRole("button", { name: "Search" }).click()
})
`

it.live("with --json, every command prints one JSON value, or lines of them where it follows something", () =>
  Effect.gen(function* () {
    const { send } = yield* Service
    const { file, folder, owner, run } = yield* signedIn
    const { key } = owner
    const called = new Set<string>()
    const calling = (path: string, args: ReadonlyArray<string>, environment = {}, input = "") => {
      called.add(path)
      return run([...path.split(" "), ...args, "--json"], environment, input)
    }
    // biome-ignore lint/suspicious/noExplicitAny: answers have no common type.
    const parsed = (path: string, text: string): any => {
      try {
        return JSON.parse(text)
      } catch {
        return assert.fail(`${path} printed no JSON: ${text}`)
      }
    }
    const value = (path: string, args: ReadonlyArray<string> = [], environment = {}, input = "") =>
      Effect.map(calling(path, args, environment, input), ({ failure, stdout }) => {
        assert.isNull(failure, `${path}: ${failure?.text}`)
        const read = parsed(path, stdout)
        assert.isObject(read, path)
        return read
      })
    const list = (path: string, args: ReadonlyArray<string> = []) =>
      Effect.map(calling(path, args), ({ failure, stdout }) => {
        assert.isNull(failure, `${path}: ${failure?.text}`)
        const read = parsed(path, stdout)
        assert.isArray(read, path)
        return read
      })
    const lines = (path: string, args: ReadonlyArray<string> = [], input = "") =>
      Effect.map(calling(path, args, {}, input), ({ failure, stdout }) => {
        assert.isNull(failure, `${path}: ${failure?.text}`)
        return stdout.split("\n").map((line) => parsed(path, line))
      })
    const refused = (path: string, args: ReadonlyArray<string>, exitCode: number, environment = {}) =>
      Effect.map(calling(path, args, environment), ({ failure, stdout }) => {
        assert.isNull(problemOf(path, failure))
        assert.strictEqual(failure?.exitCode, exitCode, path)
        return stdout
      })

    yield* value("login", ["--url", owner === undefined ? "" : (yield* Service).url], { SLUICE_KEY: key })
    yield* value("console")

    const json = { name: "Invoices", ...graph(), run_window: daily(9, 17) }
    const { body } = yield* send({ method: "POST", path: "/workflows", key, json })
    const id = String(body.id)
    yield* list("workflow list")
    const pulled = join(folder, "invoices.json")
    yield* value("workflow pull", [id])
    yield* value("workflow pull", [id, "--as", "ts"])
    yield* value("workflow pull", [id, pulled])
    yield* value("workflow push", [pulled])
    yield* value("workflow diff", [pulled])
    yield* value("workflow validate", [pulled])
    yield* value("workflow explain", [id])
    yield* value("workflow pace", [id])
    yield* refused("workflow try", [pulled], exitCodes.missing)
    yield* refused("workflow canary", [id], exitCodes.missing)
    yield* refused("workflow describe", ["open the invoices", "--start", "nowhere"], exitCodes.wrong)
    yield* value("workflow export", [id, join(folder, "invoices.spec.ts"), "--playwright"])
    yield* value("workflow import", [file("titles.spec.ts", script)])
    yield* value("init", [join(folder, "code")])
    yield* value("install", ["--skills", "--to", join(folder, "skills")])

    const { session_id } = yield* value("run", [id])
    yield* value("workflow run", [id])
    yield* value("runs ls")
    yield* value("runs summary")
    yield* value("runs show", [session_id])
    yield* lines("runs logs", [session_id])
    yield* value("runs why", [session_id])
    yield* refused("replay", [session_id], exitCodes.missing)
    yield* refused("runs question", [session_id], exitCodes.missing)
    for (const verb of ["runs approve", "runs refuse"]) {
      yield* refused(verb, [session_id, "--digest", "0".repeat(64)], exitCodes.conflict)
    }
    yield* value("runs tag", [session_id, "--add", "october"])
    yield* value("runs release", [session_id])
    yield* value("runs interrupt", [session_id])
    yield* value("runs retry", [session_id])
    const ended = parsed("runs wait", yield* refused("runs wait", [session_id], exitCodes.unsuccessful))
    assert.strictEqual(ended[0].status, "execution.stopped")
    yield* value("batch", [file("rows.csv", "a\n1\n"), "--workflow", id])

    const window = file("window.json", JSON.stringify(daily(8, 18)))
    yield* value("window validate", [window])
    const line = JSON.stringify({ id: "1", window: daily(8, 18), at: "2026-01-01T09:00:00Z" })
    yield* lines("window eval", [], line)
    yield* value("window show", [id])
    yield* value("window preview", [id, window])
    yield* value("window set", [id, window])
    const { run_windows } = yield* value("window history", [id])
    yield* value("window restore", [id, String(run_windows.at(-1).run_window_revision)])
    yield* value("window tz-diff", [join(folder, "openings.json"), "--save"])

    yield* list("schedule list")
    const daytime = ["--workflow", id, "--name", "Daily", "--cron", "0 9 * * *", "--time-zone", "UTC"]
    const schedule = (yield* value("schedule create", daytime)).id
    yield* value("schedule show", [schedule])
    yield* value("schedule preview", [schedule])
    yield* value("schedule run-now", [schedule])
    yield* value("schedule pause", [schedule])
    yield* value("schedule resume", [schedule])
    yield* value("schedule delete", [schedule])

    const robot = ["robot", "https://portal.example.com"]
    const secret = { SLUICE_ENCRYPTION_KEY: owner.encryptionKey }
    yield* value("vault put", robot, secret, JSON.stringify({ user_name: "robot", password: "p" }))
    yield* value("vault test", robot, secret)
    yield* list("vault list")
    yield* refused("vault check", robot, exitCodes.wrong)

    yield* value("audit ls")
    yield* lines("audit export")
    yield* refused("webhook listen", [], exitCodes.wrong)
    const files = ["files", "https://files.example.com/in", "--type", "webdav"]
    const destination = (yield* value("destination create", files)).id
    const bank = ["bank", "sftp://files.example.com/~/in", "--type", "sftp", "--host-key", `SHA256:${"A".repeat(43)}`]
    const sftpUser = ["--username", "robot", "--password-from", "SFTP_PASSWORD"]
    yield* value("destination create", [...bank, ...sftpUser], { SFTP_PASSWORD: "p" })
    yield* refused("destination create", ["files", "file:///in"], exitCodes.wrong)
    yield* list("destination list")
    yield* value("destination deliveries")
    yield* refused("destination retry", ["none"], exitCodes.missing)
    yield* value("destination delete", [destination])

    const limit = (yield* value("limits create", ["portal.example", "--running", "3", "--tag", "portal"])).id
    yield* list("limits list")
    yield* value("limits change", [limit, "--starts", "20"])
    yield* value("limits pause", [limit, "--reason", "Maintenance"])
    yield* value("limits resume", [limit])
    yield* value("limits override", [limit, "--running", "1", "--until", "2100-01-01T00:00:00Z"])
    yield* value("limits override", [limit])
    yield* refused("limits delete", ["none"], exitCodes.missing)
    yield* value("limits delete", [limit])

    const hook = { HOOK: "https://hooks.example.com/services/one" }
    yield* value("alerts add-slack", ["night", "--url-from", "HOOK"], hook)
    yield* value(
      "alerts add-teams",
      ["team", "--url-from", "HOOK", "--quiet", "22:00-07:00", "--time-zone", "Europe/Berlin"],
      hook
    )
    const people = ["--from", "sluice@example.com", "--to", "ada@example.com"]
    const receiver = (yield* value("alerts add-mail", ["ada", "smtp.example.com", ...people])).id
    yield* list("alerts receivers")
    yield* value("alerts list")
    yield* refused("alerts test", ["none"], exitCodes.missing)
    yield* value("alerts delete", [receiver])

    const made = yield* value("keys create", ["--role", "Viewer"])
    yield* list("keys list")
    yield* value("keys rotate key", [made.id])
    yield* value("keys revoke", [made.id])
    const invitation = yield* value("keys invite")
    yield* list("keys invitations")
    yield* value("keys uninvite", [invitation.id])
    yield* value("keys rotate workspace", ["--status"])
    yield* list("workspaces list")
    yield* refused("workspaces create", ["Other"], exitCodes.forbidden)
    yield* value("workspaces export", [join(folder, "export")])
    yield* value("workspaces import", [join(folder, "export"), "--dry-run"])
    yield* value("verify", ["--from", "1970-01-01T00:00:00Z"])
    const bundle = file("bundle.tar", "no archive")
    yield* refused("verify bundle", [bundle], exitCodes.failed)
    const nowhere = { SLUICE_BROWSER_ENDPOINTS: "ws://127.0.0.1:9", DATABASE_URL: "postgres://none@127.0.0.1:9/none" }
    const checked = yield* refused("doctor", [], exitCodes.failed, nowhere)
    assert.isArray(parsed("doctor", checked))

    assert.sameMembers(
      [...called, ...inStores],
      answering.map(({ path }) => path)
    )
  }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)

it.live.runIf(isAll)("with --json, so does every command that works in the stores of an installation", () =>
  Effect.gen(function* () {
    const { folder, run } = yield* terminal
    const called = new Set<string>()
    const value = (path: string, args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
      Effect.map(run([...path.split(" "), ...args, "--json"], environment), ({ failure, stdout }) => {
        called.add(path)
        assert.isNull(failure, `${path}: ${failure?.text}`)
        return JSON.parse(stdout)
      })
    const stored = { SLUICE_DATA_DIR: join(folder, "data") }
    yield* value("migrate", [], stored)
    assert.match((yield* value("keys encryption", [], stored)).encryption_key, /^[0-9a-f]{64}$/)
    assert.deepStrictEqual(Object.keys(yield* value("keys rotate master", [], stored)), ["rewrapped", "kept"])
    assert.isFalse((yield* value("prune", ["--dry-run"], stored)).removed)
    const copy = [join(folder, "backup"), "--keys", join(folder, "key")]
    const { rows } = yield* value("backup", copy, stored)
    const other = { SLUICE_DATA_DIR: join(folder, "other") }
    assert.strictEqual((yield* value("restore", copy, other)).rows, rows)
    const refused = yield* run(["import", "--from", join(folder, "data"), "--json"], other)
    assert.isNull(problemOf("import", refused.failure))
    assert.sameMembers([...called, "import"], inStores)
  }).pipe(Effect.scoped)
)
