/** A terminal of a user, for the commands that talk to a service, run in this process. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import {
  type Cause,
  ConfigProvider,
  Console,
  Effect,
  Exit,
  Layer,
  Option,
  Queue,
  Schema,
  Stdio,
  Stream,
  Terminal
} from "effect"
import { CliOutput, Command } from "effect/cli"
import * as Failure from "../../apps/cli/Failure.ts"
import { presenter } from "../../apps/cli/guards/WrongSettings.ts"
import { answering } from "../../apps/cli/Sluice.ts"
import { exitCodes, Refused } from "../../apps/cli/user/Ending.ts"
import { Service } from "./service.ts"

const sluice = Command.runWith(Command.make("sluice").pipe(Command.withSubcommands(answering)), { version: "0" })

/**
 * A terminal at which a person answers one prompt after the other, each with a text and Enter, or leaves by Ctrl+C (`null`).
 * What it shows is appended to `shown`.
 */
const person = (answers: ReadonlyArray<string | null>, shown: Array<string>) => {
  const left = [...answers]
  const key = { ctrl: false, meta: false, shift: false }
  return Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.die("not asked for"),
    readLine: Effect.die("not asked for"),
    readInput: Effect.gen(function* () {
      const queue = yield* Queue.make<Terminal.UserInput, Cause.Done>()
      const answer = left.shift() ?? null
      for (const sign of answer ?? "") {
        yield* Queue.offer(queue, { input: Option.some(sign), key: { ...key, name: sign } })
      }
      if (answer === null) yield* Queue.end(queue)
      else yield* Queue.offer(queue, { input: Option.none(), key: { ...key, name: "return" } })
      return queue
    }),
    display: (text) => Effect.sync(() => void shown.push(text))
  })
}

export interface Ran {
  readonly code: number
  readonly out: string
  /** The sentences of the failure. */
  readonly problem: string
  /** What the process prints on standard output, and its failure: its exit code, and what it says on standard error. */
  readonly stdout: string
  readonly failure: Failure.Failure | null
}

/** A terminal of a user, with a folder for files. */
export const terminal = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-cli-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  /** Runs a command. With `answers`, a person answers its prompts at a terminal, whose screen is a part of `out`. */
  const run = (
    args: ReadonlyArray<string>,
    environment: Readonly<Record<string, string>> = {},
    input = "",
    answers: ReadonlyArray<string | null> | null = null
  ): Effect.Effect<Ran> => {
    const lines: Array<string> = []
    const printed: Array<string> = []
    const write = (...parts: ReadonlyArray<unknown>) => void lines.push(parts.join(" "))
    const log = (...parts: ReadonlyArray<unknown>) => {
      write(...parts)
      printed.push(parts.join(" "))
    }
    const captured = { ...globalThis.console, log, error: write } as unknown as Console.Console
    return sluice(args).pipe(
      Effect.exit,
      Effect.provideService(Console.Console, captured),
      Effect.provideService(CliOutput.Presenter, presenter),
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({
          XDG_CONFIG_HOME: join(folder, "config"),
          // Not that of the checkout, in which the service may have run.
          SLUICE_DATA_DIR: join(folder, "data"),
          ...environment
        })
      ),
      Effect.provide(
        Stdio.layerTest({
          stdin: Stream.make(new TextEncoder().encode(input)),
          stdinIsTerminal: Effect.succeed(answers !== null)
        })
      ),
      Effect.provide(
        answers === null
          ? NodeServices.layer
          : Layer.merge(NodeServices.layer, Layer.succeed(Terminal.Terminal, person(answers, lines)))
      ),
      Effect.map((exit) => {
        const error = Exit.isSuccess(exit) ? undefined : exit.cause.reasons.find(({ _tag }) => _tag === "Fail")
        const failure = error !== undefined && "error" in error ? error.error : undefined
        const code = Exit.isSuccess(exit) ? 0 : Schema.is(Refused)(failure) ? exitCodes[failure.class] : -1
        const problem = code === -1 ? JSON.stringify(exit) : failure instanceof Error ? failure.message : ""
        const json = Failure.isJson(args)
        const ended = Exit.isSuccess(exit) ? null : Failure.of(exit.cause, { isServing: false, json })
        return { code, out: lines.join("\n"), problem, stdout: printed.join("\n"), failure: ended }
      })
    )
  }
  const file = (name: string, text: string | Uint8Array) => {
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

/** A terminal that is signed in with a key of an Owner of a new workspace. */
export const signedIn = Effect.gen(function* () {
  const { member, url } = yield* Service
  const owner = yield* member("Owner")
  const user = yield* terminal
  const { code, problem } = yield* user.run(["login", "--url", url], { SLUICE_KEY: owner.key })
  assert.strictEqual(code, 0, problem)
  return { ...user, owner, url }
})
