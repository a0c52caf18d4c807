/** The commands of users, run in this process against one server with its stores in memory. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Console, Effect, Exit, Schema } from "effect"
import { Command } from "effect/cli"
import * as Users from "../../apps/cli/commands/user/Users.ts"
import { exitCodes, Refused } from "../../apps/cli/user/Ending.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import { daily, graph } from "../support/fixtures.ts"
import { layerInMemory, Service } from "../support/service.ts"
import { held } from "../support/slots.ts"

const sluice = Command.runWith(Command.make("sluice").pipe(Command.withSubcommands(Users.commands)), {
  version: "0",
  renderErrors: false
})

interface Ran {
  readonly code: number
  readonly out: string
  /** The sentences of the failure. */
  readonly problem: string
}

/** A terminal of a user, with a folder for files. */
const terminal = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-cli-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const run = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}): Effect.Effect<Ran> => {
    const lines: Array<string> = []
    const write = (...parts: ReadonlyArray<unknown>) => void lines.push(parts.join(" "))
    const captured = { ...globalThis.console, log: write, error: write } as unknown as Console.Console
    return sluice(args).pipe(
      Effect.exit,
      Effect.provideService(Console.Console, captured),
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ XDG_CONFIG_HOME: join(folder, "config"), ...environment })
      ),
      Effect.provide(NodeServices.layer),
      Effect.map((exit) => {
        const error = Exit.isSuccess(exit) ? undefined : exit.cause.reasons.find(({ _tag }) => _tag === "Fail")
        const failure = error !== undefined && "error" in error ? error.error : undefined
        const code = Exit.isSuccess(exit) ? 0 : Schema.is(Refused)(failure) ? exitCodes[failure.class] : -1
        const problem = code === -1 ? JSON.stringify(exit) : failure instanceof Error ? failure.message : ""
        return { code, out: lines.join("\n"), problem }
      })
    )
  }
  const file = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  /** Runs a command that must succeed, and answers what it printed. */
  const ok = (...args: ReadonlyArray<string>) =>
    Effect.map(run(args), ({ code, out, problem }) => {
      assert.strictEqual(code, 0, `${args.join(" ")}: ${problem} ${out}`)
      return out
    })
  const json = (...args: ReadonlyArray<string>) => Effect.map(ok(...args, "--json"), (out) => JSON.parse(out))
  return { run, ok, json, file, folder }
})

/** A user with three workflows that are closed at the epoch, where the clock of these tests stands. */
const setUp = Effect.gen(function* () {
  const { member, send, url } = yield* Service
  const { key } = yield* member("Owner")
  const user = yield* terminal
  yield* Effect.flatMap(user.run(["login", "--url", url], { SLUICE_KEY: key }), ({ code, problem }) =>
    Effect.sync(() => assert.strictEqual(code, 0, problem))
  )
  const workflow = (name: string, more: object = { run_window: daily(9, 17) }) =>
    Effect.map(send({ method: "POST", path: "/workflows", key, json: { name, ...graph(), ...more } }), ({ body }) =>
      String(body.id)
    )
  const submit = (id: string, count: number) =>
    send({
      method: "POST",
      path: "/runs/batch",
      key,
      json: { runs: Array.from({ length: count }, (_, n) => ({ workflow_id: id, run_input_variables: { n } })) }
    })
  return { ...user, key, url, workflow, submit }
})

const claim = (limit: number) =>
  Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "w", limit, leaseMillis: 60_000 }))

it.layer(layerInMemory, { timeout: "60 seconds" })("the commands of users", (it) => {
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
          [["runs", "interrupt"], {}]
        ] as const,
        ([args, environment]) => run(args, environment)
      )
      assert.deepStrictEqual(
        refusals.map(({ code }) => code),
        [2, 2, 75, 3, 4, 2, 2]
      )
      assert.include(refusals[0]?.problem, "SLUICE_PROFILE")
      assert.include(refusals[1]?.problem, "SLUICE_KEY")
      assert.include(refusals[2]?.problem, "http://127.0.0.1:9")
      assert.include(refusals[5]?.problem, "weather")
      for (const { out, problem } of refusals) assert.notInclude(`${out}${problem}`, key)
    }).pipe(Effect.scoped)
  )

  it.effect("let an operator understand held runs, release five of many, interrupt and retry the failed", () =>
    Effect.gen(function* () {
      const { json, ok, run, submit, workflow } = yield* setUp
      const [first, second, third] = [yield* workflow("Claims"), yield* workflow("Invoices"), yield* workflow("Prices")]
      yield* submit(first, 250)
      yield* submit(second, 100)
      yield* submit(third, 50)

      const counts = yield* ok("runs", "summary", "--hold", "run_window")
      assert.match(counts, /^400 runs/)
      assert.match(counts, /250 {2}\S+ {2}Claims/)
      const page = yield* json("runs", "ls", "--hold", "run_window", "--workflow_id", first, "--limit", "5")
      assert.strictEqual(page.total, "250")
      const [one] = page.runs as ReadonlyArray<{ readonly session_id: string }>
      const explained = yield* ok("runs", "why", one?.session_id ?? "")
      for (const part of ["closed since", "until", "set by", `sluice runs release ${one?.session_id}`]) {
        assert.include(explained, part)
      }

      const of = ["--workflow_id", first, "--hold", "run_window", "--limit", "5"]
      assert.include(yield* ok("runs", "release", ...of, "--dry-run"), "Would have released 5 of 5 runs")
      assert.lengthOf(yield* claim(400), 0)
      assert.include(yield* ok("runs", "release", ...of), "Released 5 of 5 runs")
      const started = yield* claim(400)
      assert.lengthOf(started, 5)
      const runs = yield* RunStore
      for (const claimed of started) {
        yield* runs.settle(held(claimed), (locked, at) =>
          Transition.finish(locked, { _tag: "Failed", data: {}, errors: [] }, at)
        )
      }

      const stopped = yield* ok("runs", "interrupt", "--workflow_id", second, "--reason", "The portal is away")
      assert.include(stopped, "Interrupted 100 of 100 runs")
      const failed = ["--workflow_id", first, "--status", "execution.failed"]
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
})
