/**
 * Requests never hold the event loop: costly ones are refused, or worked out in another thread.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as ThreadSandbox from "../../../adapters/threads/ThreadSandbox.ts"
import { chain, setting } from "../../support/chains.ts"
import * as HeldLoop from "../../support/heldLoop.ts"
import { type Answer, layerWith, type Member, Service } from "../../support/service.ts"

const doubling = (levels: number) => ({
  type: "object",
  properties: { value: { $ref: "#/definitions/level0" } },
  definitions: Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, level) => [
      `level${level}`,
      level === levels ? { type: "string" } : { allOf: [0, 1].map(() => ({ $ref: `#/definitions/level${level + 1}` })) }
    ])
  )
})

/** Each level of a value is looked at twice as often as the one above it. */
const growing = {
  type: "object",
  properties: { value: { $ref: "#/definitions/level" } },
  definitions: {
    level: { type: "object", properties: { next: { allOf: [0, 1].map(() => ({ $ref: "#/definitions/level" })) } } }
  }
}

const nested = (levels: number): object => (levels === 0 ? {} : { next: nested(levels - 1) })

const unique = { type: "object", properties: { value: { type: "array", uniqueItems: true } } }

const saving = (schema: object) => ({ ...chain(0, () => setting("1")), input_schema: schema })

/** Checks of inputs that do not end are given up early, so that no test has to wait for long. */
const sandbox: typeof ThreadSandbox.defaults = {
  ...ThreadSandbox.defaults,
  deadlineMillis: (name) =>
    name === "checkInput" || name === "rehearse" ? 400 : ThreadSandbox.defaults.deadlineMillis(name)
}

layer(layerWith({ sandbox: { ...sandbox, waiting: 1 } }))("a service whose threads are busy", (it) => {
  it.effect("answers 503 with Retry-After when too many checks of a workspace wait", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Member")
      const saved = yield* send({ method: "POST", path: "/workflows", key: owner.key, json: saving(growing) })
      const path = `/workflows/${saved.body.id}/validate-input`
      const json = { run_input_variables: { value: nested(40) } }
      const ask = send({ method: "POST", path, key: owner.key, json })
      const answers = yield* Effect.all(
        Array.from({ length: 4 }, () => ask),
        { concurrency: "unbounded" }
      )
      const refused = answers.filter(({ status }) => status === 503)
      assert.isNotEmpty(refused, JSON.stringify(answers.map(({ status }) => status)))
      for (const { body, headers } of refused) {
        assert.strictEqual(headers.get("retry-after"), "5")
        assert.deepInclude(body, { statusCode: 503, error: "Service Unavailable" })
        assert.match(String(body.message), /checks of .* are waiting/)
      }
    })
  )
})

layer(layerWith({ sandbox }))("the event loop of the service", (it) => {
  const ready = Effect.gen(function* () {
    const { member, send } = yield* Service
    const owner = yield* member("Member")
    // The first use starts a thread, and compiles what every request needs.
    const json = { ...chain(3, () => setting("1 + 1")), input_schema: doubling(2) }
    const answer = yield* send({ method: "POST", path: "/workflows", key: owner.key, json })
    assert.strictEqual(answer.status, 201, answer.text)
    return owner
  })

  /** Sends a body while the loop is watched. */
  const watched = Effect.fnUntraced(function* (method: string, path: string, member: Member, body: unknown) {
    const { send } = yield* Service
    const raw = new TextEncoder().encode(JSON.stringify(body))
    const headers = { "content-type": "application/json" }
    const ask = send({ method, path, key: member.key, raw, headers })
    const { cost, value: answer } = yield* HeldLoop.least(ask)
    assert.isBelow(cost, HeldLoop.most, `${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`)
    return answer
  })

  const refused = (answer: Answer, reason: RegExp): void => {
    assert.strictEqual(answer.status, 400, answer.text.slice(0, 500))
    assert.match(answer.text, reason)
  }

  describe("is not held by a workflow that is saved", () => {
    it.effect.each([
      ["a chain of references", saving(doubling(20)), /apply more than \d+ schemas/],
      ["a schema that refers to itself at the same place", saving({ allOf: [{ $ref: "#" }] }), /refers to itself/],
      ["a path of 8,000 names", chain(1, () => setting(`a${".a".repeat(8_000)}`)), /at most|more than \d+ names/],
      [
        "a pattern that takes long to be judged",
        saving({ type: "object", properties: { value: { type: "string", pattern: `^${".?".repeat(290)}$` } } }),
        /Cannot use the pattern|longer than/
      ]
    ] as const)("with %s, which is refused", ([, body, reason]) =>
      Effect.gen(function* () {
        refused(yield* watched("POST", "/workflows", yield* ready, body), reason)
      })
    )

    it.effect.each([
      ["a list of a path of 4,900 names", chain(1, () => setting(`[a${".a".repeat(4_900)}]`)), [201]],
      ["3,000 TRANSFORMs", chain(3_000, (index) => setting(`1${"+1".repeat(100)}`, `value${index}`)), [201]],
      [
        "a schema of 1,000 properties",
        saving({
          type: "object",
          properties: Object.fromEntries(
            Array.from({ length: 1_000 }, (_, index) => [`p${index}`, { type: "string", minLength: 1 }])
          )
        }),
        [201, 400]
      ]
    ] as const)("with %s", ([, body, expected]) =>
      Effect.gen(function* () {
        const answer = yield* watched("POST", "/workflows", yield* ready, body)
        assert.include(expected, answer.status as never, answer.text.slice(0, 300))
      })
    )
  })

  describe("is not held by an input", () => {
    it.effect.each([
      ["20,000 elements that are to differ", unique, Array.from({ length: 20_000 }, (_, index) => ({ index }))],
      ["levels that are each checked twice as often", growing, nested(40)]
    ] as const)("of %s", ([, schema, value]) =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const owner = yield* ready
        const saved = yield* send({ method: "POST", path: "/workflows", key: owner.key, json: saving(schema) })
        assert.strictEqual(saved.status, 201, saved.text)
        const viewer = yield* member("Viewer", owner)
        const path = `/workflows/${saved.body.id}/validate-input`
        const checked = yield* watched("POST", path, viewer, { run_input_variables: { value } })
        assert.include([200, 400], checked.status, checked.text.slice(0, 300))
        if (checked.status === 400) refused(checked, /takes longer than/)
        const run = { workflow_id: saved.body.id, run_input_variables: { value } }
        const submitted = yield* watched("POST", "/run", owner, run)
        assert.include([200, 201, 400], submitted.status, submitted.text.slice(0, 300))
      })
    )
  })

  describe("is not held by a conversation that builds a workflow", () => {
    const sessions = "/workflow-builder/agent/session"

    it.effect.each([
      ["a chain of references", doubling(20), /apply more than \d+ schemas/],
      [
        "a pattern that takes long to be judged",
        { type: "object", properties: { value: { type: "string", pattern: `^${".?".repeat(290)}$` } } },
        /Cannot use the pattern|longer than/
      ]
    ] as const)("on a schema with %s", ([, inputSchema, reason]) =>
      Effect.gen(function* () {
        const body = { name: "New", startUrl: "https://site.test", inputSchema }
        refused(yield* watched("POST", sessions, yield* ready, body), reason)
      })
    )

    it.effect("on a workflow of 3,000 TRANSFORMs", () =>
      Effect.gen(function* () {
        const { send } = yield* Service
        const owner = yield* ready
        const json = chain(3_000, (index) => setting(`1${"+1".repeat(100)}`, `value${index}`))
        const saved = yield* send({ method: "POST", path: "/workflows", key: owner.key, json })
        assert.strictEqual(saved.status, 201, saved.text)
        const opened = yield* watched("POST", `${sessions}/from-workflow`, owner, { workflowId: saved.body.id })
        assert.strictEqual(opened.status, 201, opened.text)
      })
    )

    it.effect("on inputs whose check grows with each level, also as an answer", () =>
      Effect.gen(function* () {
        const { send } = yield* Service
        const owner = yield* ready
        const required = { ...growing, required: ["value"] }
        const saved = yield* send({ method: "POST", path: "/workflows", key: owner.key, json: saving(required) })
        const workflowId = saved.body.id
        const value = nested(40)
        const given = { workflowId, inputVariables: { value } }
        refused(yield* watched("POST", `${sessions}/from-workflow`, owner, given), /takes longer than/)
        const asking = yield* send({
          method: "POST",
          path: `${sessions}/from-workflow`,
          key: owner.key,
          json: { workflowId }
        })
        assert.strictEqual(asking.status, 201, asking.text)
        const conversation = `/workflow-builder/agent/${asking.body.conversationId}`
        const said = yield* send({ method: "GET", path: `${conversation}/messages`, key: owner.key })
        const [question] = said.body.messages as ReadonlyArray<{ readonly id: string }>
        const answer = { messageId: question?.id, responses: { value } }
        refused(yield* watched("POST", `${conversation}/respond`, owner, answer), /takes longer than/)
      })
    )
  })

  it.effect("serves other workspaces while one keeps its threads busy", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* ready
      const saved = yield* send({ method: "POST", path: "/workflows", key: owner.key, json: saving(growing) })
      const path = `/workflows/${saved.body.id}/validate-input`
      const json = { run_input_variables: { value: nested(40) } }
      const other = yield* member("Member")
      const busy = Effect.all(
        [1, 2, 3].map(() => send({ method: "POST", path, key: owner.key, json })),
        { concurrency: "unbounded" }
      )
      const prompt = send({
        method: "POST",
        path: "/workflows",
        key: other.key,
        json: chain(3, () => setting("1 + 1"))
      })
      const first = yield* Effect.race(
        Effect.as(busy, "the busy one"),
        Effect.map(prompt, ({ status }) => `the other: ${status}`)
      )
      assert.strictEqual(first, "the other: 201")
    })
  )

  it.effect("does not let one workspace change what a schema means in another", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const create = (key: string, schema: object) =>
        send({ method: "POST", path: "/workflows", key, json: saving(schema) })
      const one = yield* member("Member")
      const other = yield* member("Member")
      for (const id of ["http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema"]) {
        yield* create(one.key, { $id: id, type: "object" })
        yield* create(one.key, { $id: id, type: "no type" })
        yield* create(one.key, { type: "object", properties: { a: { $id: id, type: "string" } } })
        assert.strictEqual((yield* create(other.key, { type: "object" })).status, 201)
        const wrong = yield* create(other.key, { type: "no type" })
        refused(wrong, /input_schema/)
      }
    })
  )
})
