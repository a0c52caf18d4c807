import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Tables } from "../../../adapters/memory/Tables.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { Vault } from "../../../core/vault/Vault.ts"
import { Workflows } from "../../../core/workflow/Workflows.ts"
import { graphOf } from "../../support/browser.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import { sharedBrowser } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"

/** Greets a client with its cookie, and signs in on a press of the button. It tells which header it was sent. */
const site = serve({
  "/": ({ headers }, response) => {
    const isKnown = /session=canary-cookie-0123456789/.test(headers.cookie ?? "")
    response.writeHead(200, { "content-type": "text/html" })
    response.end(
      isKnown
        ? `<h1>Welcome back</h1><p id="tenant">${headers["x-tenant"] === "canary-tenant" ? "known" : "unknown"}</p>
           <p id="local"></p><p id="tab"></p>
           <script>local.textContent = localStorage.token; tab.textContent = sessionStorage.step</script>`
        : `<h1>Sign in</h1><a href="/in">In</a>`
    )
  },
  "/in": (_request, response) => {
    response.writeHead(200, {
      "content-type": "text/html",
      "set-cookie": "session=canary-cookie-0123456789; HttpOnly; SameSite=Strict; Path=/"
    })
    response.end(`<h1>Welcome</h1><script>localStorage.token = "local"; sessionStorage.step = "3"</script>`)
  },
  "/favicon.ico": html("")
})

it.live("a run finds itself signed in by the one before, and tells nothing of what it was given for that", () =>
  Effect.gen(function* () {
    const origin = yield* site
    const services = Layer.mergeAll(Runs.layer, Workflows.layer, Vault.layer, AgentExecutor.layer).pipe(
      Layer.provide(Encryption.layer(Redacted.make("00".repeat(32)))),
      Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer, sharedBrowser))
    )
    yield* Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const pair = { permissioned_user_id: "robot", domain: origin }
      yield* (yield* Vault).create(caller, {
        ...pair,
        persist_cookies: true,
        persist_local_storage: true,
        persist_session_storage: true,
        headers: [{ name: "X-Tenant", value: "canary-tenant" }],
        user_agent: "Robot/1"
      })
      const read = (path: string) => ({ type: "string", path })
      const properties = {
        greeting: read("//h1"),
        tenant: read("//p[@id='tenant']"),
        local: read("//p[@id='local']"),
        tab: read("//p[@id='tab']")
      }
      const run = Effect.fnUntraced(function* (clicks: ReadonlyArray<string>) {
        const { workflow } = yield* (yield* Workflows).create(caller, {
          name: "Shop",
          ...graphOf(`${origin}/`, [
            ...clicks.map((selector) => ({ action: "CLICK", parameters: { selector } })),
            { action: "EXTRACT_DATAMODEL", parameters: { extract_data_model: { type: "object", properties } } }
          ]),
          vault_schema: { SHOP: { type: "credential", domain: origin } },
          enable_network_listener: true
        })
        const runs = yield* Runs
        const input = { SHOP: pair.permissioned_user_id }
        const options = { debug: true }
        const { id } = yield* runs.submit(caller, { workflowId: workflow.id, input, options })
        const [claimed] = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
        if (claimed !== undefined) yield* Attempt.carryOut(claimed)
        return (yield* runs.get(caller, id)).run
      })
      const first = yield* run(["//a"])
      assert.deepInclude(first.data, { greeting: "Welcome" }, JSON.stringify(first.errors))
      const second = yield* run([])
      assert.deepInclude(second.data, { greeting: "Welcome back", tenant: "known", local: "local", tab: "3" })

      const tables = yield* Tables
      const kept = JSON.stringify(Object.values(tables), (_key, value) =>
        value instanceof Map ? [...value.entries()] : value
      )
      assert.include(kept, "Welcome back")
      assert.notMatch(kept, /canary/)
    }).pipe(Effect.provide(services))
  }).pipe(Effect.scoped)
)
