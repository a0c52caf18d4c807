import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import { formatters } from "../../../adapters/log/LogFormat.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as Dispatcher from "../../../core/event/webhook/Dispatcher.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import * as RunLog from "../../../core/run/RunLog.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { canary, leaksIn, part, plainCanary } from "../../support/canaries.ts"
import { graph } from "../../support/fixtures.ts"
import { receiver } from "../../support/receiver.ts"
import { layerWith, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

type Line = Readonly<Record<string, unknown>>

const json: Array<string> = []
const others: Array<string> = []

const captured = Layer.merge(
  Logger.layer([
    Logger.make((entry) => {
      json.push(formatters.json?.log(entry) ?? "")
      others.push(formatters.pretty?.log(entry) ?? "", formatters.logfmt?.log(entry) ?? "")
    })
  ]),
  Layer.succeed(References.MinimumLogLevel, "All")
)

const lines = (): ReadonlyArray<Line> => json.map((line) => JSON.parse(line) as Line)
/** Waits until so many lines are there. */
const untilThere = (count: number, isMeant: (line: Line) => boolean) =>
  until(`${count} lines`, Effect.sync(lines), (all) => all.filter(isMeant).length >= count)

const requests = (id: string) => lines().filter((line) => line.message === "Request" && line.request_id === id)

const service = Layer.effectDiscard(
  Effect.gen(function* () {
    const { under } = yield* ArtifactLinks
    const links = (workspace: WorkspaceId) => under("https://sluice.example.com", workspace)
    yield* Effect.forkScoped(Dispatcher.run({ ...Dispatcher.defaults, links }))
  })
).pipe(
  Layer.provideMerge(
    layerWith({
      sending: { ...HttpSender.defaults, allowPrivateNetworks: true },
      stores: Layer.provideMerge(RunLog.layer, Memory.layer)
    })
  ),
  Layer.provide(captured)
)

it.layer(Layer.fresh(service), { excludeTestServices: true })("the log", (it) => {
  it.effect("has one line for each request, with its route, its sender and the id it is answered with", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const absent = "00000000-0000-4000-8000-000000000001"
      const asked = [
        { path: "/workflows", key: owner.key, status: 200, route: "/workflows", known: true },
        { path: `/run/${absent}`, key: owner.key, status: 404, route: "/run/:session_id", known: true },
        { path: "/workflows", key: "sk_wrong", status: 401, route: "/workflows", known: false },
        { path: "/live/anything/view", key: null, status: 401, route: "/live/:session_id/view", known: false },
        { path: "/artifacts/anything", key: null, status: 404, route: "/artifacts/:id", known: false },
        { path: "/nowhere/at-all", key: null, status: 404, route: "none", known: false },
        { path: "/docs/", key: null, status: 308, route: "none", known: false },
        { path: "/healthz", key: null, status: 200, route: "/healthz", known: false }
      ]
      for (const [index, { key, known, path, route, status }] of asked.entries()) {
        const id = `asked:${index}`
        const answer = yield* send({ method: "GET", path, key, headers: { "x-request-id": id } })
        assert.strictEqual(answer.headers.get("x-request-id"), id, path)
        assert.strictEqual(answer.status, status, path)
        const [line, ...more] = requests(id)
        assert.isEmpty(more, path)
        assert.deepInclude(line, { method: "GET", route, status, level: path === "/healthz" ? "debug" : "info" })
        assert.strictEqual(line?.workspace_id, known ? owner.caller.workspaceId : undefined, path)
        assert.strictEqual(line?.key_id, known ? owner.keyId : undefined, path)
        assert.strictEqual(line?.session_id, path.includes(absent) ? absent : undefined, path)
        assert.isAtLeast(Number(line?.ms), 0)
      }
    })
  )

  it.effect("takes no id of a request that is long or holds anything but plain characters", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      for (const sent of ["two words", 'a"b', "x".repeat(129), "-begins", "a,b"]) {
        const answer = yield* send({ method: "GET", path: "/healthz", headers: { "x-request-id": sent } })
        const id = answer.headers.get("x-request-id") ?? ""
        assert.match(id, /^[0-9a-f-]{36}$/, sent)
        assert.lengthOf(requests(id), 1)
      }
    })
  )

  it.effect("has every transition of a run and its deliveries, found by its session id", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      const hook = yield* receiver(200)
      const json = { name: "W", ...graph() }
      const workflowId = (yield* send({ method: "POST", path: "/workflows", key, json })).body.id
      const secret = "a secret of the receiver"
      const traceId = "0af7651916cd43dd8448eb211c80319c"
      const started = yield* send({
        method: "POST",
        path: "/run",
        key,
        headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
        json: { workflow_id: workflowId, webhook: { url: `${hook.url}/own`, secret } }
      })
      const session = String(started.body.session_id)
      yield* send({ method: "POST", path: `/run/${session}/interrupt`, key })
      const found = () => lines().filter(({ session_id }) => session_id === session)
      yield* untilThere(2, (line) => line.session_id === session && line.message === "Delivery accepted")
      const transitions = found().filter(({ message }) => /^Run /.test(String(message)))
      assert.deepStrictEqual(
        transitions.map(({ event }) => event),
        ["execution.queued", "execution.stopped"]
      )
      const of = { workflow_id: workflowId, trace_id: traceId }
      for (const line of transitions) assert.deepInclude(line, { ...of, attempt: 0 })
      assert.deepInclude(transitions[1], { error_code: "INTERRUPTED-E0001", run_ms: null })
      const [delivery] = found().filter(({ message }) => message === "Delivery accepted")
      assert.deepInclude(delivery, { ...of, host: new URL(hook.url).host, status: 200, delivery_attempt: 1 })
      const routes = found().flatMap(({ message, route, trace_id }) =>
        message === "Request" ? [[route, trace_id]] : []
      )
      assert.deepStrictEqual(routes, [
        ["/run", traceId],
        ["/run/:session_id/interrupt", undefined]
      ])
    })
  )

  it.effect("holds no secret of an address, a header, a body or the address of a webhook", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key, keyId } = yield* member("Owner")
      const planted = {
        query: plainCanary("query"),
        path: plainCanary("path"),
        body: canary("body"),
        key: plainCanary("key"),
        id: plainCanary("request id"),
        hook: plainCanary("hook")
      }
      const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "W", ...graph() } })
      const hook = yield* receiver(500)
      yield* send({
        method: "POST",
        path: "/run",
        key,
        json: {
          workflow_id: made.body.id,
          run_input_variables: { password: planted.body.value },
          webhook: { url: `${hook.url}/${planted.hook.value}`, secret: planted.body.value }
        }
      })
      for (const path of [
        `/artifacts/${planted.path.value}?signature=${planted.query.value}`,
        `/live/${planted.path.value}/view?token=${planted.query.value}`,
        `/run/${planted.path.value}?token=${planted.query.value}`,
        `/docs/guide/${planted.path.value}`,
        `/${planted.path.value}`
      ]) {
        yield* send({
          method: "GET",
          path,
          key: planted.key.value,
          headers: { "x-request-id": `"${planted.id.value}"` }
        })
      }
      yield* send({ method: "POST", path: `/inbound/sms?secret=${planted.query.value}`, json: planted.body.value })
      yield* send({ method: "POST", path: "/vault", key, json: { password: planted.body.value } })
      yield* untilThere(1, ({ message }) => message === "Delivery failed and is tried again")
      const evidence = [...json, ...others].map((bytes) => ({ channel: "log", bytes }))
      assert.deepStrictEqual(leaksIn(evidence, [part, ...Object.values(planted)]), [])
      assert.isTrue(lines().some((line) => line.key_id === keyId && line.route === "/vault"))
      assert.notInclude(json.join("\n"), key)
    })
  )
})
