/** The commands of users, run in this process against one server with its stores in memory. */
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Option, Result } from "effect"
import { exitCodes } from "../../../apps/cli/user/Ending.ts"
import { number } from "../../../apps/cli/user/view/Table.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import * as SignInHealth from "../../../core/vault/health/SignInHealth.ts"
import { locate, VaultEntries } from "../../../core/vault/VaultEntries.ts"
import { held } from "../../kit/contracts/start/CredentialRuns.ts"
import { eventually } from "../../support/eventually.ts"
import { daily, graph } from "../../support/fixtures.ts"
import { scale } from "../../support/scale.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { signedIn } from "../../support/Terminal.ts"

/** A user with three workflows that are closed at the epoch, where the clock of these tests stands. */
const setUp = Effect.gen(function* () {
  const { send } = yield* Service
  const { owner, url, ...user } = yield* signedIn
  const { key } = owner
  const workflow = (name: string, more: object = { run_window: daily(9, 17) }) =>
    Effect.map(send({ method: "POST", path: "/workflows", key, json: { name, ...graph(), ...more } }), ({ body }) =>
      String(body.id)
    )
  const submit = Effect.fnUntraced(function* (id: string, count: number) {
    for (let done = 0; done < count; done += 1_000) {
      const length = Math.min(1_000, count - done)
      const runs = Array.from({ length }, (_, n) => ({ workflow_id: id, run_input_variables: { n: done + n } }))
      yield* send({ method: "POST", path: "/runs/batch", key, json: { runs } })
    }
  })
  return { ...user, key, url, workflow, submit }
})

const claim = (limit: number) =>
  Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "w", limit, leaseMillis: 60_000 }))

it.layer(layerInMemory)("the commands of users", (it) => {
  it.effect("prints an address that opens the console once", () =>
    Effect.gen(function* () {
      const { send, url } = yield* Service
      const { ok } = yield* setUp
      const address = yield* ok("console")
      assert.match(address, new RegExp(`^${url}/#sign-in=[\\w-]+$`))
      const json = { link: address.split("=")[1] }
      const enter = send({ method: "POST", path: "/console/session", json, headers: { origin: url } })
      assert.deepStrictEqual([(yield* enter).status, (yield* enter).status], [200, 401])
    })
  )

  it.effect("sign in, keep the key where only its user reads it, and name the variable that is wrong", () =>
    Effect.gen(function* () {
      const { folder, key, run, url } = yield* setUp
      const path = join(folder, "config/sluice/profiles.json")
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      const refusals = yield* Effect.forEach(
        [
          [["runs", "ls"], { SLUICE_PROFILE: "other" }],
          [["runs", "ls"], { SLUICE_URL: "http://127.0.0.1:9" }],
          [["runs", "ls"], { SLUICE_URL: "http://127.0.0.1:9", SLUICE_KEY: key }],
          [["runs", "ls"], { SLUICE_URL: url, SLUICE_KEY: "sk_wrong" }],
          [["runs", "show", "no-id"], {}],
          [["runs", "ls", "--hold", "weather"], {}],
          [["runs", "interrupt"], {}],
          [["runs", "tag", "no-id"], {}]
        ] as const,
        ([args, environment]) => run(args, environment)
      )
      assert.deepStrictEqual(
        refusals.map(({ code }) => code),
        [2, 2, 75, 3, 4, 2, 2, 2]
      )
      assert.include(refusals[0]?.problem, "SLUICE_PROFILE")
      assert.include(refusals[1]?.problem, "SLUICE_KEY")
      assert.include(refusals[2]?.problem, "http://127.0.0.1:9")
      assert.include(refusals[5]?.problem, "weather")
      assert.include(refusals[7]?.problem, "--add")
      // What no run may have is refused before the service is asked.
      for (const args of [
        ["runs", "tag", "no-id", "--add", " x"],
        ["runs", "interrupt", "no-id", "--reason", "x".repeat(1_025)]
      ]) {
        assert.include((yield* run(args)).problem, "InvalidValue")
      }
      for (const { out, problem } of refusals) assert.notInclude(`${out}${problem}`, key)
    }).pipe(Effect.scoped)
  )

  it.effect("let an operator understand held runs, release five of many, interrupt and retry the failed", () =>
    Effect.gen(function* () {
      const { json, ok, run, submit, workflow } = yield* setUp
      const [first, second, third] = [yield* workflow("Claims"), yield* workflow("Invoices"), yield* workflow("Prices")]
      const [many, some] = [60 * scale, 30 * scale]
      yield* submit(first, many)
      yield* submit(second, some)
      yield* submit(third, 10 * scale)

      const counts = yield* ok("runs", "summary", "--hold", "run_window")
      assert.match(counts, new RegExp(`^${number(100 * scale)} runs`))
      assert.match(counts, new RegExp(`${number(many)} {2}\\S+ {2}Claims`))
      const page = yield* json("runs", "ls", "--hold", "run_window", "--workflow_id", first, "--limit", "5")
      assert.strictEqual(page.total, String(many))
      const [one] = page.runs as ReadonlyArray<{ readonly session_id: string }>
      const explained = yield* ok("runs", "why", one?.session_id ?? "")
      for (const part of ["closed since", "until", "set by", `sluice runs release ${one?.session_id}`]) {
        assert.include(explained, part)
      }

      const of = ["--workflow_id", first, "--hold", "run_window", "--limit", "5"]
      assert.include(yield* ok("runs", "release", ...of, "--dry-run"), "Would have released 5 of 5 runs")
      assert.lengthOf(yield* claim(100), 0)
      assert.include(yield* ok("runs", "release", ...of), "Released 5 of 5 runs")
      const started = yield* claim(100)
      assert.lengthOf(started, 5)
      const runs = yield* RunStore
      for (const claimed of started) {
        yield* runs.settle(held(claimed), (locked, at) =>
          Transition.finish(locked, { _tag: "Failed", data: {}, errors: [] }, at)
        )
      }

      const tried = [
        ["interrupt", second, "interrupted", some],
        ["tag", second, "tagged", some],
        ["retry", first, "retried", 5]
      ] as const
      for (const [verb, of, word, count] of tried) {
        const more = verb === "tag" ? ["--add", "october"] : verb === "retry" ? ["--status", "failed"] : []
        assert.include(
          yield* ok("runs", verb, "--workflow_id", of, ...more, "--dry-run"),
          `Would have ${word} ${number(count)} of ${number(count)} runs; nothing was changed`
        )
      }
      assert.strictEqual(
        (yield* json("runs", "ls", "--hold", "run_window", "--workflow_id", second)).total,
        String(some)
      )
      const stopped = yield* ok("runs", "interrupt", "--workflow_id", second, "--reason", "The portal is away")
      assert.include(stopped, `Interrupted ${number(some)} of ${number(some)} runs`)
      const failed = ["--workflow_id", first, "--status", "failed"]
      const retried = yield* json("runs", "retry", ...failed)
      assert.strictEqual(retried.counts.retried, 5)
      const again = yield* ok("runs", "retry", ...failed)
      assert.include(again, "already retried")
      yield* ok("runs", "tag", String(retried.results[0].session_id), "--add", "october")
      assert.strictEqual((yield* json("runs", "ls", "--tag", "october")).total, "1")

      const waited = yield* run(["runs", "wait", String(retried.results[0].session_id)])
      assert.deepInclude(waited, { code: exitCodes.unsuccessful })
      assert.include(yield* ok("runs", "show", String(retried.results[0].session_id)), "october")
    }).pipe(Effect.scoped)
  )

  it.effect("follow a run as it happens, and end as the run did", () =>
    Effect.gen(function* () {
      const { ok, run, workflow } = yield* setUp
      const id = yield* workflow("Followed", {})
      const [runs, signals] = [yield* RunStore, yield* Signals]
      const next = Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), claim(1)), {
        until: (claimed) => claimed.length > 0
      }).pipe(Effect.map(([claimed = assert.fail("Nothing was claimed")]) => claimed))
      const follow = Effect.fnUntraced(function* (args: ReadonlyArray<string>, _tag: "Failed" | "Success") {
        const following = yield* Effect.forkChild(run(args))
        const claimed = yield* eventually(next)
        const ids = { runId: claimed.run.id, workflowId: claimed.run.workflowId }
        const step = { event: "execution.step", ...ids, step: "Open", next: null } as const
        yield* runs.report(held(claimed), { events: [step] })
        yield* runs.settle(held(claimed), (locked, at) => Transition.finish(locked, { _tag, data: {}, errors: [] }, at))
        yield* signals.publish({ _tag: "events" })
        return { ...(yield* eventually(Fiber.join(following))), session: String(claimed.run.id) }
      })
      const failed = yield* follow(["run", id, "--watch", "--tag", "october"], "Failed")
      assert.strictEqual(failed.code, exitCodes.unsuccessful, failed.problem)
      assert.deepStrictEqual(failed.out.split("\n").slice(0, -1), [
        `Run ${failed.session}`,
        "execution.queued",
        "execution.start",
        "execution.step  Open",
        "execution.failed"
      ])
      assert.include(failed.problem, `Run ${failed.session} failed`)
      const succeeded = yield* follow(["run", id, "--watch", "--json"], "Success")
      assert.strictEqual(succeeded.code, 0, succeeded.problem)
      const lines = succeeded.out.split("\n").map((line) => JSON.parse(line))
      assert.deepInclude(lines.at(-1), { session_id: succeeded.session, status: "execution.success" })
      assert.match(yield* ok("runs", "logs", failed.session), /execution\.step {2}Open\n.*execution\.failed$/)

      const waiting = yield* ok("run", id)
      const late = yield* eventually(run(["runs", "wait", waiting, "--timeout", "1"]))
      assert.deepStrictEqual([late.code, late.problem], [exitCodes.timeout, `Run ${waiting} has not ended after 1 s`])
      const logs = yield* Effect.forkChild(run(["runs", "logs", waiting, "--follow"]))
      yield* ok("runs", "interrupt", waiting)
      assert.match((yield* eventually(Fiber.join(logs))).out, /execution\.stopped$/m)
    }).pipe(Effect.scoped)
  )

  it.effect("check a credential past the run window, once at a time, and not where it may lock the account", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { json, key, run, workflow } = yield* setUp
      const [runs, signals] = [yield* RunStore, yield* Signals]
      const [domain, other] = ["https://bank.example", "https://shop.example"]
      for (const json of [
        { permissioned_user_id: "robot", domain },
        { permissioned_user_id: "robot", domain: other }
      ]) {
        assert.strictEqual((yield* send({ method: "POST", path: "/vault", key, json })).status, 201)
      }
      const robot = ["vault", "check", "robot", domain]
      const vault_schema = { BANK: { type: "credential", domain } }
      const id = yield* workflow("Statements", { run_window: daily(9, 17), vault_schema })
      yield* workflow("Prices")

      const started = yield* json(...robot, "--workflow", "Statements", "--input", '{"month": "2026-10"}')
      assert.deepStrictEqual(started, { session_id: started.session_id, workflow_id: id })
      const running = yield* run([...robot, "--workflow", "Statements", "--json"])
      assert.strictEqual(running.code, exitCodes.conflict, running.problem)
      assert.include(running.problem, started.session_id)
      assert.include(running.failure?.text, "CREDENTIAL_CHECK_RUNNING")
      const [claimed = assert.fail("The check was not claimed")] = yield* claim(1)
      assert.deepStrictEqual(claimed.run.input, { month: "2026-10", BANK: "robot" })
      yield* runs.settle(held(claimed), (locked, at) => Transition.finish(locked, { _tag: "Success", data: {} }, at))

      const following = yield* Effect.forkChild(run([...robot, "--workflow", id, "--watch"]))
      const next = yield* eventually(
        Effect.repeat(Effect.delay(claim(1), "10 millis"), { until: (claimed) => claimed.length > 0 })
      )
      const [watched = assert.fail("The check was not claimed")] = next
      yield* runs.settle(held(watched), (locked, at) =>
        Transition.finish(locked, { _tag: "Failed", data: {}, errors: [] }, at)
      )
      yield* signals.publish({ _tag: "events" })
      const failed = yield* eventually(Fiber.join(following))
      assert.strictEqual(failed.code, exitCodes.unsuccessful, failed.problem)
      assert.match(failed.out, new RegExp(`^Run ${watched.run.id}\n[^]*execution\\.failed`))

      const { workspaceId } = watched.run
      const entries = yield* VaultEntries
      const entry = yield* locate(entries, workspaceId, { permissionedUserId: "robot", domain })
      const found = { result: "refused", runId: String(watched.run.id), workflowId: id } as const
      const how = { askedPerson: false, broughtSession: false, isCheck: true }
      yield* entries.change(workspaceId, Option.getOrThrow(entry).id, (one) => {
        const report = { ...found, ...how, at: one.updatedAt }
        return Result.succeed({ ...one, health: SignInHealth.after(one.health ?? null, report, one.updatedAt) })
      })
      for (const [args, code, said] of [
        [robot, exitCodes.conflict, "one more attempt may lock the account"],
        [["vault", "check", "robot", other], exitCodes.wrong, "no run has used this credential yet"],
        [["vault", "check", "robot", other, "--workflow", "Prices"], exitCodes.wrong, "vault_schema"],
        [[...robot, "--workflow", "No such"], exitCodes.missing, "No such"],
        [[...robot, "--input", "[]"], exitCodes.wrong, "--input"],
        [["vault", "check", "nobody", domain], exitCodes.missing, "nobody"]
      ] as const) {
        const refused = yield* run(args)
        assert.strictEqual(refused.code, code, refused.problem)
        assert.include(refused.problem, said)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("show the impact of a window before it is set, and refuse one that was set on a stale base", () =>
    Effect.gen(function* () {
      const { file, json, ok, run, submit, workflow } = yield* setUp
      const id = yield* workflow("Nightly")
      yield* submit(id, 5)
      const shown = yield* ok("window", "show", "Nightly")
      assert.include(shown, "closed until Thu 1970-01-01")
      assert.match(shown, /^Thu 1970-01-01 {2}·+█+·+$/m)
      const always = file("always.json", JSON.stringify(daily(0, 23)))
      assert.include(
        yield* ok("window", "preview", id, always),
        "It would release 5 waiting runs and hold 0 waiting runs"
      )
      assert.strictEqual((yield* json("runs", "ls", "--workflow_id", id, "--hold", "run_window")).total, "5")
      const set = yield* ok("window", "set", id, always)
      assert.include(set, "It would release 5 waiting runs")
      assert.lengthOf(set.match(/^ {2}would release [0-9a-f-]{36}, submitted 1970-01-01 00:00Z$/gm) ?? [], 5)
      assert.include(set, "Set as revision 2")
      assert.strictEqual((yield* json("runs", "ls", "--workflow_id", id, "--hold", "run_window")).total, "0")
      const late = yield* run(["window", "set", id, always, "--revision", "1"])
      assert.strictEqual(late.code, exitCodes.stale, late.problem)
      const wrong = file("wrong.json", JSON.stringify({ ...daily(9, 17), time_zone: "Mars/Olympus" }))
      const refused = yield* run(["window", "preview", id, wrong])
      assert.strictEqual(refused.code, exitCodes.failed)
      assert.include(refused.problem, "time_zone")
    }).pipe(Effect.scoped)
  )

  it.effect("name the workflows that open at other times with other time zone data", () =>
    Effect.gen(function* () {
      const { folder, ok, run, workflow } = yield* setUp
      yield* workflow("Nightly")
      yield* workflow("Without a window", {})
      const saved = join(folder, "openings.json")
      assert.match(
        yield* ok("window", "tz-diff", saved, "--save"),
        /openings of 1 workflows with the time zone data \d{4}/
      )
      assert.include(yield* ok("window", "tz-diff", saved), "1 workflows open at the same times")
      const other = readFileSync(saved, "utf8").replace('"opensAt":32400000', '"opensAt":28800000')
      writeFileSync(saved, other)
      const differs = yield* run(["window", "tz-diff", saved])
      assert.strictEqual(differs.code, exitCodes.failed)
      assert.match(differs.out, /Nightly +UTC +1970-01-01T08:00:00\.000Z +closed/)
      const wrong = yield* run(["window", "tz-diff", join(folder, "none.json")])
      assert.strictEqual(wrong.code, exitCodes.wrong)
    }).pipe(Effect.scoped)
  )

  it.effect("keep workflows in files: pull, change, compare and push, but not over another user's version", () =>
    Effect.gen(function* () {
      const { folder, ok, run, workflow } = yield* setUp
      const id = yield* workflow("Prices", {})
      const [mine, theirs] = [join(folder, "mine.json"), join(folder, "theirs.json")]
      yield* ok("workflow", "pull", "Prices", mine)
      yield* ok("workflow", "pull", id, theirs)
      assert.strictEqual(readFileSync(mine, "utf8"), readFileSync(theirs, "utf8"))
      assert.include(yield* ok("workflow", "diff", mine), "is version 1")
      assert.include(yield* ok("workflow", "push", mine), "is version 1 of the workflow; nothing was saved")
      assert.include(yield* ok("workflow", "validate", mine), "valid")
      const edit = (path: string, from: string, to: string) =>
        writeFileSync(path, readFileSync(path, "utf8").replace(from, to))
      edit(mine, "https://example.com", "https://example.org")
      const differs = yield* run(["workflow", "diff", mine])
      assert.strictEqual(differs.code, exitCodes.failed)
      assert.deepStrictEqual(
        differs.out.split("\n").filter((line) => /^[+-]/.test(line)),
        ['-        "url": "https://example.com"', '+        "url": "https://example.org"']
      )
      assert.include(yield* ok("workflow", "push", mine, "--note", "Another host"), "Saved version 2")
      assert.include(yield* ok("workflow", "diff", mine), "is version 2")
      edit(theirs, "https://example.com", "https://example.net")
      assert.strictEqual((yield* run(["workflow", "push", theirs])).code, exitCodes.stale)
      assert.strictEqual((yield* run(["workflow", "pull", id, theirs])).code, exitCodes.conflict)
      edit(theirs, "START", "BEGIN")
      const invalid = yield* run(["workflow", "validate", theirs])
      assert.strictEqual(invalid.code, exitCodes.failed)
      assert.include(invalid.out, "nodes[0]")
      assert.match(yield* ok("run", "Prices", "--input", '{"month": "2026-10"}'), /^[0-9a-f-]{36}$/)
    }).pipe(Effect.scoped)
  )

  it.effect("keep workflows as code: push a program with its schedule, pull it, change it, and pull JSON as code", () =>
    Effect.gen(function* () {
      const { file, folder, json, ok, run, workflow } = yield* setUp
      const program = (url: string, more = "") => `import * as Code from "@sluice/core/workflow/code"
        const city: string = "Oslo"
        export default Code.workflow({
          name: "Coded",${more}
          inputs: { type: "object", properties: { month: { type: "string" } } },
          schedules: [{ name: "Daily", cron: "0 7 * * *", time_zone: "UTC" }]
        })
          .start("Open", { url: "${url}" })
          .end("Done in " + city)
      `
      const mine = file("mine.ts", program("https://example.com/{{context.inputs.month}}"))
      assert.include(yield* ok("workflow", "validate", mine), "valid")
      assert.include(yield* ok("workflow", "push", mine), 'Saved version 1 of "Coded"')
      const noted = readFileSync(mine, "utf8")
      assert.match(noted, /workflow\(\{\n {2}id: "[\w-]+",\n {2}base_version_id: "[\w-]+",\n/)
      const [listed] = (yield* json("schedule", "list", "--workflow", "Coded")) as unknown as ReadonlyArray<object>
      assert.containSubset(listed, { name: "Daily", cron: "0 7 * * *" })

      // A file is loaded once in a process, so that the next ones have other names.
      const again = file("again.ts", noted)
      assert.include(yield* ok("workflow", "push", again), "nothing was saved")
      assert.lengthOf((yield* json("schedule", "list", "--workflow", "Coded")) as unknown as ReadonlyArray<object>, 1)
      assert.include(yield* ok("workflow", "diff", again), "is version 1")
      const changed = file("changed.ts", noted.replace("example.com", "example.org"))
      assert.strictEqual((yield* run(["workflow", "diff", changed])).code, exitCodes.failed)
      assert.include(yield* ok("workflow", "push", changed), "Saved version 2")
      assert.strictEqual((yield* run(["workflow", "push", again])).code, exitCodes.stale)

      const wrong = file("wrong.ts", program("https://example.com/{{context.inputs.year}}"))
      const invalid = yield* run(["workflow", "validate", wrong])
      assert.strictEqual(invalid.code, exitCodes.failed)
      assert.include(invalid.out, "year")
      const none = yield* run(["workflow", "push", file("none.ts", "export const other = 1\n")])
      assert.strictEqual(none.code, exitCodes.wrong)
      assert.include(none.problem, "default export")
      const broken = yield* run([
        "workflow",
        "push",
        file("broken.ts", program("https://example.com").replace(".end(", ".goTo("))
      ])
      assert.strictEqual(broken.code, exitCodes.wrong)
      assert.include(broken.problem, 'goTo("Done in Oslo"): no step has this name or id')

      const exported = join(folder, "exported.ts")
      assert.include(yield* ok("workflow", "export", "Coded", exported, "--playwright"), `Wrote ${exported}`)
      assert.include(
        readFileSync(exported, "utf8"),
        "await goto(page, `https://example.org/$" + "{text(inputs.month)}`)"
      )
      assert.strictEqual(
        yield* ok("workflow", "export", changed, "--playwright"),
        readFileSync(exported, "utf8").trimEnd()
      )
      assert.strictEqual(
        (yield* run(["workflow", "export", changed, exported, "--playwright"])).code,
        exitCodes.conflict
      )
      assert.strictEqual((yield* run(["workflow", "export", changed])).code, exitCodes.wrong)
      assert.strictEqual((yield* run(["workflow", "export", wrong, "--playwright"])).code, exitCodes.failed)

      const begun = join(folder, "begun")
      assert.include(yield* ok("init", begun), join(begun, "workflow.test.ts"))
      assert.strictEqual((yield* run(["init", begun])).code, exitCodes.conflict)

      const id = yield* workflow("Prices", {})
      const pulled = join(folder, "prices.ts")
      yield* ok("workflow", "pull", id, pulled)
      const text = readFileSync(pulled, "utf8")
      assert.include(text, `id: "${id}"`)
      assert.strictEqual(yield* ok("workflow", "pull", id, "--as", "ts"), text.trimEnd())
      assert.include(yield* ok("workflow", "push", pulled), "is version 1 of the workflow; nothing was saved")
      assert.include(yield* ok("workflow", "explain", pulled), "https://example.com")
      assert.strictEqual(
        (yield* run(["workflow", "pull", id, join(folder, "x.json"), "--as", "ts"])).code,
        exitCodes.wrong
      )
    }).pipe(Effect.scoped)
  )

  it.effect("make a workflow of a recording, and create it only when they are asked to", () =>
    Effect.gen(function* () {
      const { file, json, ok, run } = yield* setUp
      const steps = [
        { type: "navigate", url: "https://shop.example/" },
        { type: "change", value: "Rosebud-1941", selectors: [["#password"]] },
        { type: "customStep", name: "note" }
      ]
      const recording = file("recording.json", JSON.stringify({ title: "Sign in", steps }))
      const shown = yield* ok("workflow", "import", recording)
      for (const part of ["3 steps, 1 kept, 1 translated, 1 not translated", "Credential LOGIN", "Nothing was saved"]) {
        assert.include(shown, part)
      }
      assert.notInclude(shown, "Rosebud")
      const count = Effect.map(ok("workflow", "list"), (text) => text.split("Sign in").length - 1)
      const before = yield* count
      const made = `${recording}.workflow`
      assert.include(yield* ok("workflow", "import", recording, "--to", made), "workflow push")
      assert.strictEqual((yield* run(["workflow", "import", recording, "--to", made])).code, exitCodes.wrong)
      assert.strictEqual(yield* count, before)
      assert.include(yield* ok("workflow", "push", made), "Saved version 1")
      const saved = yield* json("workflow", "import", recording, "--save")
      assert.match(String(saved.workflow_id), /^[0-9a-f-]{36}$/)
      assert.strictEqual(yield* count, before + 2)
      const foreign = yield* run(["workflow", "import", file("letter.txt", "Dear Ada,")])
      assert.strictEqual(foreign.code, exitCodes.wrong)
      assert.include(foreign.problem, "content")
    }).pipe(Effect.scoped)
  )

  it.effect("submit a run for each row of a file, and nothing while a cell is bad", () =>
    Effect.gen(function* () {
      const { file, json, ok, run, workflow } = yield* setUp
      const id = yield* workflow("Payments", {
        input_schema: {
          type: "object",
          properties: { month: { type: "string", minLength: 2 }, amount: { type: "number" } },
          required: ["amount"]
        }
      })
      const good = file("good.csv", 'month,amount\r\n"October, 2026",10.5\r\n,7\r\n')
      const bad = file("bad.csv", "month,amount\nOctober,10\nNovember,many\nDecember,3\n")
      const refused = yield* run(["batch", bad, "--workflow", "Payments"])
      assert.strictEqual(refused.code, exitCodes.wrong)
      assert.include(refused.problem, 'Row 3, column "amount": expected a number, got "many"')
      assert.include(refused.problem, "Nothing was submitted")
      assert.include(yield* ok("batch", good, "--workflow", id, "--dry-run"), "2 rows can be submitted")
      assert.strictEqual((yield* json("runs", "ls", "--workflow_id", id)).total, "0")
      assert.include(yield* ok("batch", good, "--workflow", id), "Submitted 2 of 2 rows")
      assert.include(yield* ok("batch", bad, "--workflow", id, "--skip-bad"), "Submitted 2 of 3 rows")
      const { runs } = yield* json("runs", "ls", "--workflow_id", id, "--text", "October, 2026")
      assert.lengthOf(runs, 1)

      const before = (yield* json("runs", "ls", "--workflow_id", id)).total
      for (const [name, text, problem] of [
        ["open.csv", 'month,amount\nOctober,1\n"November,2\nDecember,3\n', 'Row 3, column "month": its quote is never'],
        ["long.csv", `month,amount\nOctober,1\n"${"x".repeat(1_000_001)}`, 'Row 3, column "month": the row has more'],
        [
          "strict.csv",
          "month,amount\nOctober,1\nx,2\n",
          'Row 3, column "month": must NOT have fewer than 2 characters'
        ],
        ["names.csv", "month,sum\nOctober,1,2\n", 'Row 2, column "sum": expected 2 cells, got 3\nNothing'],
        ["names.csv", `month,sum\n${"October\n".repeat(30)}`, "got 1\nand 11 more\nNothing was submitted: 31 problems"],
        [
          "latin.csv",
          Buffer.from("month,amount\nM\xe4rz,1\n", "latin1"),
          'Row 2, column "month": expected text in UTF-8'
        ]
      ] as const) {
        const refused = yield* run(["batch", file(name, text), "--workflow", id])
        assert.strictEqual(refused.code, exitCodes.wrong)
        assert.include(refused.problem, problem)
        assert.include(refused.problem, "Nothing was submitted")
      }
      assert.strictEqual((yield* json("runs", "ls", "--workflow_id", id)).total, before)

      const length = 3_000 * scale
      const rows = Array.from({ length }, (_, n) => `"Month, ${n}",${n === length / 2 ? "a lot" : n}\n`)
      const long = file("long.csv", `month,amount\n${rows.join("")}`)
      const middle = yield* run(["batch", long, "--workflow", "Payments"])
      assert.strictEqual(middle.code, exitCodes.wrong)
      assert.include(middle.problem, `Row ${length / 2 + 2}, column "amount": expected a number, got "a lot"`)
      assert.include(middle.problem, "Nothing was submitted: 1 problem")
      assert.strictEqual((yield* json("runs", "ls", "--workflow_id", id)).total, "4")
      const order = ["--tag", "october", "--priority", "5", "--start-by", "1970-01-02T00:00:00Z"]
      yield* ok("batch", good, "--workflow", id, ...order)
      const single = yield* ok("run", id, "--input", '{"amount": 1}', ...order)
      const tagged = yield* json("runs", "ls", "--tag", "october")
      assert.strictEqual(tagged.total, "3")
      for (const one of tagged.runs) {
        assert.deepInclude(one, { priority: 5, start_by: "1970-01-02T00:00:00.000Z" })
      }
      assert.match(yield* ok("runs", "show", single), /Start by +1970-01-02 00:00Z\nPriority +5\n/)

      const once = ["run", id, "--input", '{"amount": 1}', "--reference", "order 7", "--reference-unique"]
      const referred = (yield* ok(...once)).trim()
      assert.include((yield* run(once)).problem, `run "${referred}" has it`)
      assert.match(yield* ok("runs", "ls", "--reference", "order 7"), /REFERENCE[\s\S]*order 7[\s\S]*1 of 1 runs/)
      assert.match(yield* ok("runs", "show", referred), /Reference +order 7\n/)
    }).pipe(Effect.scoped)
  )

  it.effect("create, preview, show, run, pause, resume and delete schedules", () =>
    Effect.gen(function* () {
      const { json, ok, run, workflow } = yield* setUp
      yield* workflow("Reports")
      const terms = ["--workflow", "Reports", "--cron", "30 7 * * *", "--time-zone", "Europe/Berlin"]
      assert.include(yield* ok("schedule", "preview", ...terms), "1970-01-01 06:30Z")
      const bounds = [
        "--jitter",
        "60",
        "--catch-up",
        "all",
        "--catch-up-limit",
        "5",
        "--ends-at",
        "1971-01-01T00:00:00Z"
      ]
      const { id } = yield* json("schedule", "create", ...terms, ...bounds)
      assert.match(
        yield* ok("schedule", "show", id),
        /Ends +1971-01-01 00:00Z[\s\S]*all, at most 5\nJitter +less than 60 s[\s\S]*\n\nIt has not fired$/
      )
      const submitted = yield* ok("schedule", "run-now", id)
      assert.include(yield* ok("runs", "show", submitted), "by schedule")
      assert.match(yield* ok("schedule", "show", id), new RegExp(`submitted by hand  ${submitted}`))
      assert.include(yield* ok("schedule", "pause", id, "--reason", "Holidays"), "Paused")
      assert.include(yield* ok("schedule", "list"), "paused")
      assert.include(yield* ok("schedule", "resume", id), "Resumed")
      assert.include(yield* ok("schedule", "preview", id), "06:30Z")
      assert.include(yield* ok("schedule", "delete", id), "Deleted")
      const never = yield* run([
        "schedule",
        "create",
        "--workflow",
        "Reports",
        "--cron",
        "0 0 31 2 *",
        "--time-zone",
        "UTC"
      ])
      assert.strictEqual(never.code, exitCodes.wrong)
      assert.include(never.problem, "cron")
    }).pipe(Effect.scoped)
  )
})
