/**
 * The conformance runner of the Model Context Protocol against the route: every scenario that a server with tools alone has
 * to pass, by each revision. The others ask for tools, prompts and resources of their own.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { isAll } from "../../support/scale.ts"
import { layerWith, Service } from "../../support/service.ts"

const runner = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"))

const scenarios = {
  "2025-06-18": ["server-initialize", "tools-list", ...(isAll ? ["ping"] : [])],
  "2025-11-25": ["server-initialize", "dns-rebinding-protection", ...(isAll ? ["ping", "tools-list"] : [])],
  "2026-07-28": ["server-stateless", "dns-rebinding-protection", "http-header-validation", "tools-list"]
}

/** The checks of what a server need not offer: they call a tool of the runner's own, or subscribe to changes of lists. */
const ofOthers: ReadonlySet<string> = new Set([
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
  "sep-2575-server-sends-subscription-ack",
  "sep-2575-server-tags-subscription-id"
])

/** Passes requests on with a key: the runner sends none. */
const withKey = (url: string, key: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((received, answer) => {
        const target = new URL(received.url ?? "/", url)
        const headers = { ...received.headers, "cc-key": key }
        const sent = request(target, { method: received.method ?? "GET", headers, setHost: false }, (got) => {
          answer.writeHead(got.statusCode ?? 502, got.headers)
          got.pipe(answer)
        })
        sent.on("error", () => answer.destroy())
        received.pipe(sent)
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(
          Effect.succeed({
            url: `http://localhost:${port}/mcp`,
            close: () => {
              server.closeAllConnections()
              server.close()
            }
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  )

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** Runs one scenario: what became of its checks. */
const ran = (url: string, scenario: string, revision: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "conformance-"))),
    (folder) =>
      Effect.callback<ReadonlyArray<Check>>((resume) => {
        const args = ["server", "--url", url, "--scenario", scenario, "--spec-version", revision, "-o", folder]
        execFile(process.execPath, [runner, ...args], { cwd: folder }, (_error, stdout, stderr) => {
          const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
          const written = files.find((name) => name.endsWith("checks.json"))
          resume(
            written === undefined
              ? Effect.die(new Error(`${scenario} has no checks: ${stdout}${stderr}`))
              : Effect.sync(() => JSON.parse(readFileSync(join(folder, written), "utf8")))
          )
        })
      }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

it.layer(layerWith({ stores: Memory.layer }))("the protocol of the tools for agents", (it) => {
  for (const [revision, names] of Object.entries(scenarios)) {
    for (const scenario of names) {
      it.effect(`passes ${scenario} by the revision ${revision}`, () =>
        Effect.gen(function* () {
          const { member, url } = yield* Service
          const proxy = yield* withKey(url, (yield* member("Member")).key)
          const checks = (yield* ran(proxy.url, scenario, revision)).filter(({ id }) => !ofOthers.has(id))
          assert.isNotEmpty(checks.filter(({ status }) => status === "SUCCESS"))
          assert.deepStrictEqual(
            checks.filter(({ status }) => status === "FAILURE" || status === "WARNING"),
            []
          )
        }).pipe(Effect.scoped)
      )
    }
  }
})
