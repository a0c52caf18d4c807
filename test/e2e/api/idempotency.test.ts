import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../../../apps/api/Api.ts"
import { migratedDatabase } from "../../support/databases.ts"
import { daily, graph } from "../../support/fixtures.ts"
import * as ServerFork from "../../support/ServerFork.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const workflow = { name: "Nightly", ...graph() }

const mutating: Array<readonly [method: string, path: string]> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path } }) => {
    if (method !== "GET") mutating.push([method, path])
  }
})

/** Bodies that endpoints do something with. The others are sent one that is refused, which is an answer too. */
const bodies: Readonly<Record<string, (workflowId: string) => unknown>> = {
  "POST /workflows": () => workflow,
  "PUT /workflows/:workflow_id": () => workflow,
  "PUT /workflows/:workflow_id/run-window": () => daily(9, 17),
  "POST /workflows/:workflow_id/run-window/preview": () => daily(9, 17),
  "PUT /workflows/:workflow_id/pace": () => ({ max_starts_per_minute: 30, max_running: 2 }),
  "POST /runs/unpause": (id) => ({ pause_resource: "workflow", resource_ids: [id] }),
  "POST /api-keys": () => ({ role: "Viewer", name: "Reader" }),
  "POST /invitations": () => ({ role: "Viewer" }),
  "POST /run": (id) => ({ workflow_id: id })
}

/** Endpoints that tell a secret once, and the field that tells it. */
const secrets: Readonly<Record<string, string>> = {
  "POST /api-keys": "key",
  "POST /invitations": "token",
  "POST /encryption-key/rotation": "encryption_key",
  "POST /sign-in-links": "link"
}

it.layer(layerInMemory)("a request with an Idempotency-Key", (it) => {
  const setUp = Effect.gen(function* () {
    const { member, send } = yield* Service
    const { key } = yield* member("Owner")
    const made = yield* send({ method: "POST", path: "/workflows", key, json: workflow })
    const workflowId = String(made.body.id)
    const started = yield* send({ method: "POST", path: "/run", key, json: { workflow_id: workflowId } })
    const fill = (path: string) =>
      path
        .replace(":workflow_id", workflowId)
        .replace(":session_id", String(started.body.session_id))
        .replace(/:\w+/g, "00000000-0000-4000-8000-000000000000")
    return { key, fill, workflowId }
  })

  it.effect.each(mutating)("%s %s is carried out once, and answered again as it was", ([method, path]) =>
    Effect.gen(function* () {
      const { dump, send } = yield* Service
      const { fill, key, workflowId } = yield* setUp
      const json = bodies[`${method} ${path}`]?.(workflowId) ?? {}
      const ask = (body: unknown, named = "order 66".replace(" ", "-")) =>
        send({ method, path: fill(path), key, json: body, headers: { "idempotency-key": named } })
      const first = yield* ask(json)
      const after = yield* dump
      const again = yield* ask(json)
      const told = secrets[`${method} ${path}`]
      if (told !== undefined) {
        assert.deepStrictEqual([first.status, again.status], [201, 409])
        assert.include(again.body.message, "secret")
        assert.notInclude(after, String(first.body[told]))
      } else {
        assert.deepStrictEqual([again.status, again.text], [first.status, first.text])
        assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"))
        assert.deepStrictEqual(
          [first.headers.get("idempotency-replayed"), again.headers.get("idempotency-replayed")],
          [null, "true"]
        )
      }
      const other = yield* ask({ ...(json as object), more: 1 })
      assert.deepStrictEqual([other.status, other.body.statusCode, other.body.error], [409, 409, "Conflict"])
      assert.include(other.body.message, "order-66")
      for (const bad of ["x".repeat(256), "two words", "é"]) {
        const refused = yield* ask(json, bad)
        assert.deepStrictEqual([refused.status, refused.body.error], [400, "Bad Request"])
        assert.include(refused.body.message, "Idempotency-Key")
      }
      assert.strictEqual(yield* dump, after)
    })
  )

  it.effect("belongs to its API key, its method and its address", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const headers = { "idempotency-key": "one" }
      const create = (key: string | null, path = "/workflows") =>
        send({ method: "POST", path, key, json: workflow, headers })
      const first = yield* create(owner.key)
      assert.strictEqual((yield* create(owner.key)).body.id, first.body.id)
      assert.notStrictEqual((yield* create((yield* member("Owner")).key)).body.id, first.body.id)
      assert.strictEqual((yield* create(owner.key, "/workflows?x=1")).status, 409)
      assert.strictEqual((yield* create(null)).status, 401)
      assert.strictEqual((yield* create("sk_wrong")).status, 401)
    })
  )

  it.effect("of which twenty come at once starts one run", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { key, workflowId } = yield* setUp
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () =>
          send({
            method: "POST",
            path: "/run",
            key,
            json: { workflow_id: workflowId },
            headers: { "idempotency-key": "same" }
          })
        ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf([...new Set(answers.map(({ body, status }) => `${status} ${body.session_id}`))], 1)
      assert.lengthOf((yield* send({ method: "GET", path: "/runs", key })).body as never, 2)
    })
  )
})

const post = (url: string, key: string, workflowId: string, named: string) =>
  fetch(`${url}/run`, {
    method: "POST",
    headers: { "cc-key": key, "content-type": "application/json", "idempotency-key": named },
    body: JSON.stringify({ workflow_id: workflowId, run_input_variables: { text: "x".repeat(100_000) } })
  }).then(async (answer) => ({ status: answer.status, text: await answer.text() }))

it.live(
  "two processes that are asked the same at once start one run, and a killed one leaves none behind that was not answered",
  () =>
    Effect.gen(function* () {
      const database = yield* migratedDatabase
      const one = yield* ServerFork.start(database)
      const two = yield* ServerFork.start(database)
      const count = (url: string, named: number) =>
        Effect.promise(async () => {
          const answers = await Promise.all(
            Array.from({ length: 10 }, (_, turn) =>
              post(turn % 2 === 0 ? one.url : url, one.key, one.workflowId, `n-${named}`)
            )
          )
          assert.lengthOf([...new Set(answers.map(({ status, text }) => `${status} ${text}`))], 1)
          assert.strictEqual(answers[0]?.status, 201)
        })
      for (let named = 0; named < 5; named++) yield* count(two.url, named)
      // The second process is killed when it has answered some; its client asks the first one again.
      const started = yield* Effect.promise(async () => {
        const sessions = new Map<number, Set<string>>()
        let someAnswered = () => {}
        const some = new Promise<void>((resolve) => {
          someAnswered = resolve
        })
        let answers = 0
        const asked = Array.from({ length: 30 }, async (_, named) => {
          const seen = new Set<string>()
          sessions.set(named, seen)
          const told = await post(two.url, one.key, one.workflowId, `k-${named}`).catch(() => null)
          if (++answers === 5) someAnswered()
          const again = await post(one.url, one.key, one.workflowId, `k-${named}`)
          for (const answer of told === null ? [again] : [told, again]) seen.add(`${answer.status} ${answer.text}`)
        })
        await some
        process.kill(two.pid, "SIGKILL")
        await Promise.all(asked)
        return sessions
      })
      for (const [named, seen] of started) {
        assert.strictEqual(seen.size, 1, `k-${named}`)
        assert.match([...seen].join(), /^201 /)
      }
      const runs = yield* Effect.promise(() =>
        fetch(`${one.url}/runs?limit=100`, { headers: { "cc-key": one.key } }).then((answer) => answer.json())
      )
      assert.lengthOf(runs as Array<unknown>, 35)
    }).pipe(Effect.scoped)
)
