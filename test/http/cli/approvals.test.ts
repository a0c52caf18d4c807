/** The commands about approvals, run in this process against a server with a worker. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Worker from "../../../core/run/Worker.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf } from "../../support/browser.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { signedIn } from "../../support/Terminal.ts"
import { until } from "../../support/waiting.ts"

const home = "https://bank.example/"
const browser = ScriptedBrowser.layer({
  [home]: [{ selector: "#pay", text: "Pay", leadsTo: `${home}paid` }],
  [`${home}paid`]: []
})

const working = Worker.run({ name: "w", capacity: 2, leaseMillis: 30_000, graceMillis: 0 }).pipe(
  Effect.provide(Layer.fresh(AgentExecutor.layer.pipe(Layer.provide(browser)))),
  Effect.forkScoped
)

it.layer(layerInMemory)("the commands about approvals", (it) => {
  it.effect("show what a run is about to do, and approve or refuse exactly that", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* working
        const { member, send } = yield* Service
        const { ok, owner, run } = yield* signedIn
        const program = yield* member("Member", owner)
        const steps = [{ action: "CLICK", parameters: { selector: "#pay", approval: { by: "Owner" } } }]
        const json = { name: "Pays", ...graphOf(home, steps), input_schema: {}, output_schema: {} }
        const { body: workflow } = yield* send({ method: "POST", path: "/workflows", key: program.key, json })
        const waiting = Effect.gen(function* () {
          const submission = { method: "POST", path: "/run", key: program.key, json: { workflow_id: workflow.id } }
          const id = String((yield* send(submission)).body.session_id)
          const open = send({ method: "GET", path: `/run/${id}/user_interaction`, key: owner.key })
          yield* until("the question", open, ({ status }) => status === 200)
          return id
        })
        const ended = (id: string, status: string) =>
          until(
            status,
            send({ method: "GET", path: `/run/${id}`, key: owner.key }),
            ({ body }) => body.status === `execution.${status}`
          )

        const first = yield* waiting
        const shown = yield* ok("runs", "question", first)
        assert.include(shown, 'is about to click "Pay"')
        assert.include(shown, `Leads to: GET ${home}paid`)
        const digest = /^Digest: ([0-9a-f]{64})$/m.exec(shown)?.[1] ?? assert.fail(shown)
        assert.strictEqual(JSON.parse(yield* ok("runs", "question", first, "--json")).approval.digest, digest)
        const other = yield* run(["runs", "approve", first, "--digest", "0".repeat(64)])
        assert.notStrictEqual(other.code, 0)
        assert.include(other.problem, "look at it again")
        assert.strictEqual(yield* ok("runs", "approve", first, "--digest", digest), `Approved the act of run ${first}`)
        yield* ended(first, "success")

        const second = yield* waiting
        yield* ok("runs", "refuse", second, "--digest", digest, "--reason", "Paid before")
        yield* ended(second, "failed")
        assert.include(yield* ok("runs", "show", second), "Paid before")
      })
    )
  )
})
