/** A client that a common generator makes from the committed description, typed strictly and run against a server. */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { daily, graph } from "../../support/fixtures.ts"
import { root } from "../../support/Source.ts"
import { layerInMemory, Service } from "../../support/service.ts"

/** What a user writes against the generated types. A comment that expects an error fails where there is none. */
const program = `
import createClient from "openapi-fetch"
import type { components, paths } from "./description.ts"

const [url = "", key = "", workflow_id = ""] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl: url, headers: { "cc-key": key } })
const answered = <A>({ data, error }: { readonly data?: A; readonly error?: unknown }): A => {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

const run: components["schemas"]["RunRequest"] = { workflow_id, run_input_variables: { month: "2026-10" }, priority: 5 }
const header = { "Idempotency-Key": "once" }
const submitted = answered(await client.POST("/run", { params: { header }, body: run }))
const again = answered(await client.POST("/run", { params: { header }, body: run }))
const session_id: string = submitted.session_id

const record = answered(await client.GET("/run/{session_id}", { params: { path: { session_id } } }))
const status: string = record.status
const inputs: unknown = record.input_variables["month"]
const startsAt: string | null | undefined = record.can_start_at

const query = { "statuses[]": ["execution.queued", "execution.paused"], workflow_id, limit: 5 }
const listed = answered(await client.GET("/runs", { params: { query } }))
const none = answered(await client.GET("/runs", { params: { query: { status: "execution.failed" } } }))
const ids: ReadonlyArray<string> = listed.map((one) => one.session_id)

const preview = answered(
  await client.POST("/workflows/{workflow_id}/run-window/preview", {
    params: { path: { workflow_id }, query: { openings: 2 } },
    body: WINDOW
  })
)
const opensAt: ReadonlyArray<string> = preview.openings.map((one) => one.opens_at)

const missing = await client.GET("/run/{session_id}", { params: { path: { session_id: workflow_id } } })
const wrong = await client.POST("/run", { body: { ...run, priority: 11 } })
const problem = wrong.error
if (problem === undefined || missing.error === undefined) throw new Error("Both must be refused")
const message: string = problem.message
const paths = "errors" in problem ? problem.errors?.map(({ path }): string => path) : undefined

// @ts-expect-error No such path.
void (() => client.GET("/nothing"))
// @ts-expect-error A workflow is required.
const incomplete: components["schemas"]["RunRequest"] = { priority: 5 }
// @ts-expect-error An id is no number.
const mistyped: number = submitted.session_id
void incomplete
void mistyped

console.log(
  JSON.stringify({
    same: session_id === again.session_id,
    found: ids.includes(session_id),
    others: none.length,
    status,
    inputs,
    startsAt,
    opensAt,
    message,
    paths,
    missing: [missing.error.statusCode, missing.error.error]
  })
)
`

const options = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  target: "es2024",
  module: "nodenext",
  types: ["node"]
}

/** The generator calls the functions of the compiler before version 7, which stands under another name here. */
const olderCompiler = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from "node:module"
registerHooks({ resolve: (name, context, next) => next(name === "typescript" ? "typescript-5" : name, context) })
`)}`

const execute = promisify(execFile)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-generated-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

it.layer(layerInMemory)("a client generated from the description", (it) => {
  it.effect("compiles strictly, submits, reads, lists and previews, and tells what was refused", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Owner")
      const window = daily(9, 17)
      const json = { name: "Nightly", ...graph(), run_window: window }
      const { body } = yield* send({ method: "POST", path: "/workflows", key, json })
      const cwd = yield* folder
      const node = (...args: ReadonlyArray<string>) =>
        Effect.promise(() =>
          execute(process.execPath, args, { cwd }).catch(({ stderr, stdout }) => assert.fail(`${stdout}${stderr}`))
        )
      const modules = join(root, "node_modules")
      symlinkSync(modules, join(cwd, "node_modules"), "junction")
      writeFileSync(join(cwd, "package.json"), '{ "type": "module" }')
      writeFileSync(join(cwd, "main.ts"), program.replace("WINDOW", JSON.stringify(window)))
      writeFileSync(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["main.ts"] }))
      const description = join(root, "test/http/api/openapi.json")
      const generator = join(modules, "openapi-typescript/bin/cli.js")
      yield* node("--import", olderCompiler, generator, description, "-o", "description.ts")
      // Objects of this type take no field: a program that sets one would not compile.
      const types = readFileSync(join(cwd, "description.ts"), "utf8")
      assert.deepStrictEqual(types.match(/^(?!export type).*Record<string, never>.*$/gm) ?? [], [])
      yield* node(join(modules, "typescript/bin/tsc"), "-p", ".")
      const { stdout } = yield* node("main.ts", url, key, String(body.id))
      const said = JSON.parse(stdout)
      assert.deepInclude(said, {
        same: true,
        found: true,
        others: 0,
        status: "execution.paused",
        inputs: "2026-10",
        startsAt: "1970-01-01T09:00:00.000Z",
        opensAt: ["1970-01-01T09:00:00.000Z", "1970-01-02T09:00:00.000Z"],
        paths: ["priority"],
        missing: [404, "Not Found"]
      })
      assert.include(said.message, "priority")
    }).pipe(Effect.scoped)
  )
})
