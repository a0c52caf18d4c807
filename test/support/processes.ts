/**
 * The command `sluice` as real processes, and plain requests to their service.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { embeddedTemplate } from "./embeddedTemplate.ts"
import { programOf, programs } from "./programs.ts"
import * as promtool from "./promtool.ts"
import { executablePath } from "./realBrowser.ts"
import { awaited, until } from "./waiting.ts"

export const key = "sk_test_0123456789012345678901234567890123"
export const masterKey = "ab".repeat(32)
export const encryptionKey = "cd".repeat(32)

export interface Process {
  readonly child: ChildProcess
  readonly output: () => string
  /** Resolves when the output matches. */
  readonly said: (pattern: RegExp) => Effect.Effect<RegExpMatchArray>
  readonly ended: Effect.Effect<number | null>
}

/**
 * Runs `sluice` with these settings until the scope closes: from the sources of a checkout where one is named, or else as
 * `programs.ts` says.
 */
export const sluice = (args: ReadonlyArray<string>, env: Record<string, string>, checkout?: string) =>
  Effect.acquireRelease(
    Effect.sync((): Process => {
      const program = checkout === undefined ? programOf("sluice") : programs.sluice
      const child = spawn(process.execPath, [program, ...args], {
        cwd: checkout ?? ".",
        env: {
          ...process.env,
          SLUICE_CHROMIUM: executablePath,
          SLUICE_BOOTSTRAP_KEY: key,
          SLUICE_BOOTSTRAP_ENCRYPTION_KEY: encryptionKey,
          PORT: "0",
          SLUICE_DRAIN_SECONDS: "0",
          NO_COLOR: "1",
          ...env
        }
      })
      let text = ""
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          text += String(chunk)
        })
      }
      const output = () => text
      const exit = Effect.callback<number | null>((resume) => {
        if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.succeed(child.exitCode))
        child.once("exit", (code) => resume(Effect.succeed(code)))
      })
      const name = `sluice ${args.join(" ")}`
      const ended = awaited(`the end of ${name}`, exit, output)
      const said = (pattern: RegExp) =>
        Effect.map(
          until(`${name} to say ${pattern}`, Effect.sync(output), (all) => pattern.test(all)),
          // It has just matched.
          (all) => all.match(pattern) as RegExpMatchArray
        )
      return { child, said, ended, output }
    }),
    ({ child, ended }) => {
      child.kill("SIGKILL")
      return ended
    }
  )

/** Runs `sluice` to its end. */
export const completed = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  checkout?: string
) {
  const process = yield* sluice(args, env, checkout)
  const code = yield* process.ended
  return { code, output: process.output() }
}, Effect.scoped)

export const dataDir = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-e2e-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A data folder with an embedded database with all tables, all empty. Making one takes seconds. */
export const migratedDataDir = Effect.tap(dataDir, (folder) =>
  Effect.promise(async () => {
    const database = join(folder, "database")
    mkdirSync(database, { mode: 0o700 })
    execFileSync("tar", ["-xf", await embeddedTemplate(), "-C", database], { stdio: "ignore" })
  })
)

export const ready = (process: Process) =>
  Effect.map(process.said(/sluice ready (http:\S+)/), (found) => String(found[1]))

/** The address of the health port of a process that has `SLUICE_HEALTH_PORT`. */
export const healthOf = (process: Process) =>
  Effect.map(process.said(/Health port opened.*?(http:\/\/[\d.:]+)/), (found) => String(found[1]))

/** The readiness that a health port answers, with its reasons; `null` without an answer. */
export const readinessOf = (health: string) =>
  Effect.promise(() =>
    fetch(`${health}/readyz`).then(
      async (answer) => ({ ok: answer.ok, reasons: Object(await answer.json()).reasons as ReadonlyArray<string> }),
      () => null
    )
  )

/** Asks a health port until its process is ready. */
export const untilReady = (health: string) =>
  until("a process to be ready", readinessOf(health), (now) => now?.ok === true)

/** The problems of the metrics of a process. */
export const metricsComplaints = (health: string) =>
  Effect.promise(async () => promtool.complaintsAbout(await (await fetch(`${health}/metrics`)).text()))

export const send = (url: string, method: string, path: string, json?: unknown) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { "cc-key": key, ...(json === undefined ? {} : { "content-type": "application/json" }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) })
    })
    return (await answer.json()) as Record<string, never> & { readonly [name: string]: never }
  })

/** Asks for the record of a run until it has the status. */
export const untilStatus = Effect.fnUntraced(function* (url: string, session: string, status: string) {
  const look = Effect.map(
    send(url, "GET", `/run/${session}`),
    (record) => record as unknown as { readonly status: string; readonly errors: unknown }
  )
  const isEnded = (record: { readonly status: string }) => [status, "execution.failed"].includes(record.status)
  const record = yield* until(status, look, isEnded)
  if (record.status !== status) throw new Error(JSON.stringify(record.errors))
  return record
})
