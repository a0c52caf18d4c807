import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { graph } from "../../support/fixtures.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { makeDead, makeWebhook } from "../../support/webhooks.ts"

const secrets = ["hunter2", "T0/B0", "sig=", "#part"]
const url = "https://robot:hunter2@hooks.example.com:8443/services/T0/B0?sig=x#part"

it.layer(layerInMemory)("the address of a webhook", (it) => {
  it.effect("is shown to those who may post to it, and its host to a Viewer", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const json = { name: "Nightly", ...graph() }
      const made = yield* send({ method: "POST", path: "/workflows", key: owner.key, json })
      const run = { workflow_id: made.body.id }
      const started = yield* send({ method: "POST", path: "/run", key: owner.key, json: run })
      const session = String(started.body.session_id)
      const { id } = yield* makeWebhook(owner.caller, { url })
      const dead = yield* makeDead(owner.caller, session)
      for (const role of ["Viewer", "Member", "Owner"] as const) {
        const { key } = yield* member(role, owner)
        for (const path of [
          "/webhook-endpoints",
          `/webhook-endpoints/${id}`,
          "/webhook-deliveries",
          `/webhooks/${session}`,
          `/run/${session}`
        ]) {
          const { status, text } = yield* send({ method: "GET", path, key })
          assert.strictEqual(status, 200, path)
          if (role === "Viewer") for (const secret of [...secrets, dead.url]) assert.notInclude(text, secret, path)
          else if (path.startsWith("/webhook-endpoints")) assert.include(text, url)
          else if (path === "/webhook-deliveries") assert.include(text, dead.url)
        }
        const shown = yield* send({ method: "GET", path: `/webhook-endpoints/${id}`, key })
        assert.strictEqual(shown.body.url, role === "Viewer" ? "https://hooks.example.com:8443/hidden" : url)
      }
    })
  )
})
