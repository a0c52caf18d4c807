import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Worker from "../../../core/run/Worker.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf } from "../../support/browser.ts"
import { overHttp } from "../../support/mcpClient.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

const home = "https://bank.example/"
const sent = { address: `${home}transfers` }
const browser = ScriptedBrowser.layer({
  [home]: [
    { selector: "#amount", value: "100.00", form: sent },
    { selector: "#pay", text: "Pay", leadsTo: `${home}paid`, form: sent }
  ],
  [`${home}paid`]: [{ selector: "//h1", text: "Paid" }]
})

/** A worker in the process of the server, for as long as the test lives. */
const working = Worker.run({ name: "w", capacity: 4, leaseMillis: 30_000, graceMillis: 0 }).pipe(
  Effect.provide(Layer.fresh(AgentExecutor.layer.pipe(Layer.provide(browser)))),
  Effect.forkScoped
)

type Body = Readonly<Record<string, unknown>>

/** A run that waits for an approval, submitted by a key. */
const waiting = Effect.fnUntraced(function* (member: Member, by: "Member" | "Owner" = "Member") {
  const { send } = yield* Service
  const approval = { by, within: 60, show: ["Invoice {{context.inputs.number}}"] }
  const steps = [{ action: "CLICK", parameters: { selector: "#pay", approval } }]
  const json = { name: "Pays", ...graphOf(home, steps), input_schema: {}, output_schema: {} }
  const made = yield* send({ method: "POST", path: "/workflows", key: member.key, json })
  assert.strictEqual(made.status, 201, made.text)
  const body = { workflow_id: made.body.id, run_input_variables: { number: "A-1" } }
  const run = yield* send({ method: "POST", path: "/run", key: member.key, json: body })
  const path = `/run/${run.body.session_id}`
  const record = Effect.map(send({ method: "GET", path, key: member.key }), ({ body }) => body)
  const events = Effect.map(record, (body) => body.events as ReadonlyArray<{ event: string; payload: Body }>)
  const event = (name: string) =>
    Effect.map(
      until(name, events, (all) => all.some((one) => one.event === name)),
      (all) => all.find((one) => one.event === name)?.payload ?? assert.fail(name)
    )
  const open = (key: string) => send({ method: "GET", path: `${path}/user_interaction`, key })
  const decide = (key: string, json: Body) => send({ method: "POST", path: `${path}/approval`, key, json })
  const ended = until("the end of the run", record, ({ execution_end }) => execution_end !== null)
  const asked = yield* event("interaction.waiting")
  return { id: String(run.body.session_id), path, asked, event, open, decide, ended }
})

const digestOf = ({ approval }: Body): string => (approval as { readonly digest: string }).digest

it.layer(layerInMemory)("a run that waits for an approval", (it) => {
  describe("is shown to those who may decide, and does what they decide", () => {
    it.effect("approved by another key, it continues, and the decision is in its events and in the audit trail", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { member, send } = yield* Service
          const me = yield* member("Member")
          const owner = yield* member("Owner", me)
          const run = yield* waiting(me, "Owner")
          const { body } = yield* run.open((yield* member("Viewer", me)).key)
          assert.deepInclude(body, {
            kind: "approval",
            message: `The step "CLICK 1" is about to click "Pay" on ${home}, which leads to ${home}paid`,
            missing_properties: []
          })
          const { digest, ...act } = body.approval as Body
          assert.deepInclude(act, {
            by: "Owner",
            change: null,
            action: "CLICK",
            element: { tag: "a", text: "Pay", name: null },
            target: { page: home, address: `${home}paid`, method: "get" },
            values: { selector: "#pay" },
            fields: [{ name: "#amount", value: "100.00" }],
            show: ["Invoice A-1"]
          })
          assert.isObject(act.box)
          assert.match(String(body.screenshot_url), /^http/)
          assert.deepStrictEqual(run.asked.approval, { by: "Owner", digest, change: null })

          const done = yield* run.decide(owner.key, { digest, decision: "approve", reason: "Checked" })
          assert.strictEqual(done.status, 200, done.text)
          assert.deepInclude(yield* run.ended, { status: "execution.success" })
          assert.deepStrictEqual((yield* run.event("interaction.finished")).approval, {
            by: "Owner",
            digest,
            change: null,
            approved: true,
            reason: "Checked",
            user_id: owner.caller.userId
          })
          const audit = yield* send({ method: "GET", path: "/audit?action=run.approve", key: owner.key })
          const [entry] = audit.body.entries as ReadonlyArray<Body>
          assert.deepInclude(entry, { resource_id: run.id, reason: "Checked", user_id: owner.caller.userId })
          assert.include(JSON.stringify(entry), String(digest))
        })
      )
    )

    it.effect("refused, it fails with the reason", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { member } = yield* Service
          const me = yield* member("Member")
          const run = yield* waiting(me)
          const other = yield* member("Member", me)
          const digest = digestOf(run.asked)
          assert.strictEqual((yield* run.decide(other.key, { digest, decision: "refuse", reason: "No" })).status, 200)
          const { errors, outcome_certainty } = yield* run.ended
          assert.strictEqual(outcome_certainty, "not_started")
          const [error] = errors as ReadonlyArray<Body>
          assert.deepInclude(error, { error_code: "APPROVAL-E0002" })
          assert.include(String(error?.message), "A person refused the act: No")
        })
      )
    )

    it.effect("without an answer in time, it fails, and accepts none after that", () =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* working
          const { member } = yield* Service
          const me = yield* member("Member")
          const run = yield* waiting(me)
          const other = yield* member("Member", me)
          yield* TestClock.adjust("61 seconds")
          const { errors } = yield* run.ended
          assert.deepInclude((errors as ReadonlyArray<Body>)[0], { error_code: "APPROVAL-E0001" })
          assert.deepInclude(yield* run.event("interaction.failed"), { reason: "timeout" })
          const late = yield* run.decide(other.key, { digest: digestOf(run.asked), decision: "approve" })
          assert.deepInclude({ status: late.status, code: late.body.code }, { status: 409, code: "RUN_ENDED" })
        })
      )
    )
  })

  it.effect("submitted by an agent, is shown to it and decided by somebody else, by no tool and not by its key", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* working
        const { member, send, url } = yield* Service
        const owner = yield* member("Owner")
        const agent = yield* member("Member", owner)
        const steps = [{ action: "CLICK", parameters: { selector: "#pay", approval: { by: "Member" } } }]
        const json = { name: "Pays", ...graphOf(home, steps), input_schema: {}, output_schema: {} }
        const made = yield* send({ method: "POST", path: "/workflows", key: owner.key, json })
        const { call } = yield* overHttp(url, agent.key)
        const { session_id } = (yield* call("run_workflow", { workflow_id: made.body.id })).data
        const read = Effect.map(call("get_run", { session_id }), ({ data }) => data)
        const asked = yield* until("the question", read, (data) => data.needs_person !== undefined)
        assert.include(asked.needs_person.what, "signed in with another key than this one")
        assert.include(asked.needs_person.open, `/#/runs/${session_id}`)
        assert.deepInclude(asked.untrusted_from_page.question, { kind: "approval", current_step: "CLICK 1" })
        const path = `/run/${session_id}`
        const { body } = yield* send({ method: "GET", path: `${path}/user_interaction`, key: agent.key })
        const decision = { digest: digestOf(body), decision: "approve" }
        const decide = (key: string) => send({ method: "POST", path: `${path}/approval`, key, json: decision })
        assert.strictEqual((yield* decide(agent.key)).status, 403)
        // Nor by a person who is signed in with the key of the agent, as the agent could be.
        const session = yield* send({
          method: "POST",
          path: "/console/session",
          headers: { origin: url },
          json: { key: agent.key }
        })
        assert.strictEqual(session.status, 200, session.text)
        const cookie = (session.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
        const own = yield* send({
          method: "POST",
          path: `${path}/approval`,
          headers: { cookie, origin: url, "x-sluice-session": String(session.body.page_secret) },
          json: decision
        })
        assert.strictEqual(own.status, 403, own.text)
        assert.include(own.text, "with the key that submitted it")
        assert.strictEqual((yield* decide(owner.key)).status, 200)
        const ended = yield* until("the end", read, (data) => data.ended === true)
        assert.strictEqual(ended.status, "execution.success")
      })
    )
  )

  it.effect("is decided about by no other: the key that submitted it, a lesser role, another act, a GET", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* working
        const { member, send } = yield* Service
        const me = yield* member("Owner")
        const other = yield* member("Member", me)
        const scoped = yield* member("Owner", me, ["run"])
        const run = yield* waiting(me, "Owner")
        const digest = digestOf(run.asked)
        const refused = (key: string, json: Body = { digest, decision: "approve" }) =>
          Effect.map(run.decide(key, json), ({ body, status }) => [status, body.code ?? body.message] as const)

        const own = yield* run.decide(me.key, { digest, decision: "approve" })
        assert.strictEqual(own.status, 403)
        assert.include(own.text, "with the key that submitted it")
        assert.strictEqual((yield* refused(other.key))[0], 403)
        assert.strictEqual((yield* refused(scoped.key))[0], 403)
        assert.strictEqual((yield* refused((yield* member("Viewer", me)).key))[0], 403)
        assert.strictEqual((yield* refused((yield* member("Owner")).key))[0], 404)
        const owner = yield* member("Owner", me)
        assert.deepStrictEqual(yield* refused(owner.key, { digest: "0".repeat(64), decision: "approve" }), [
          409,
          "OTHER_ACT"
        ])
        assert.strictEqual((yield* refused(owner.key, { digest: "x", decision: "approve" }))[0], 400)
        const answer = { method: "POST", path: `${run.path}/user_interaction`, key: owner.key, json: { a: 1 } }
        assert.deepInclude((yield* send(answer)).body, { code: "APPROVAL_ASKED" })
        const inputs = { ...answer, path: `${run.path}/new_input_variables`, json: { input_variables: { a: 1 } } }
        assert.deepInclude((yield* send(inputs)).body, { code: "APPROVAL_ASKED" })
        assert.oneOf((yield* send({ method: "GET", path: `${run.path}/approval`, key: owner.key })).status, [404, 405])

        // It still waits, and the first decision of those who may is the one that counts.
        assert.strictEqual((yield* run.decide(owner.key, { digest, decision: "approve" })).status, 200)
        assert.oneOf((yield* refused(owner.key, { digest, decision: "refuse" }))[0], [404, 409])
        assert.deepInclude(yield* run.ended, { status: "execution.success" })
      })
    )
  )
})
