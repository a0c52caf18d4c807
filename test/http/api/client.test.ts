import { readFileSync } from "node:fs"
import { type AddressInfo, connect, createServer } from "node:net"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Client from "../../../apps/api/Client.ts"
import * as PromiseClient from "../../../apps/api/PromiseClient.ts"
import { daily, graph } from "../../support/fixtures.ts"
import { importsOf, root, sources } from "../../support/Source.ts"
import * as TestService from "../../support/service.ts"
import { layer as worker } from "../../support/worker.ts"

const { Service } = TestService

const services = Layer.mergeAll(worker.pipe(Layer.provideMerge(TestService.layerInMemory)), FetchHttpClient.layer)

const connected = Effect.fnUntraced(function* (baseUrl?: string) {
  const { member, url } = yield* Service
  const { key } = yield* member("Owner")
  return yield* Client.make({ baseUrl: baseUrl ?? url, key: Redacted.make(key) })
})

/** Passes connections on to the service, and cuts the first one on which `text` comes by. */
const cutting = Effect.fnUntraced(function* (text: string) {
  const { url } = yield* Service
  const { port } = new URL(url)
  let cuts = 0
  const server = createServer((near) => {
    const far = connect(Number(port), "127.0.0.1")
    near.pipe(far)
    far.on("data", (chunk) => {
      near.write(chunk)
      if (cuts === 0 && chunk.includes(text)) {
        cuts++
        near.destroy()
        far.destroy()
      }
    })
    far.on("end", () => near.end())
    near.on("error", () => far.destroy())
    far.on("error", () => near.destroy())
    near.on("close", () => far.destroy())
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cuts: () => cuts }
})

const told = ["execution.queued", "execution.start", "execution.step", "execution.step", "execution.success"]

it.layer(services, { excludeTestServices: true })("the typed client", (it) => {
  it.effect("creates a workflow, runs it, follows it to its end and reads its record", () =>
    Effect.gen(function* () {
      const client = yield* connected()
      const { id } = yield* client.workflows.create({ payload: { name: "Nightly", ...graph() } })
      const { session_id } = yield* client.runs.start({
        payload: { workflow_id: id, run_input_variables: { steps: ["One", "Two"] } }
      })
      const events = yield* Stream.runCollect(Client.events(client, session_id))
      assert.deepStrictEqual(
        events.map(({ event }) => event),
        told
      )
      const record = yield* client.runs.record({ params: { session_id } })
      assert.deepStrictEqual([record.status, record.data], ["execution.success", { done: true }])
      const rest = yield* Stream.runCollect(Client.events(client, session_id, { after: events[2]?.id ?? "" }))
      assert.deepStrictEqual(rest, events.slice(3))
      const nothing = yield* Stream.runCollect(Client.events(client, session_id, { after: events.at(-1)?.id ?? "" }))
      assert.deepStrictEqual(nothing, [])
    })
  )

  it.effect("takes events up again where a connection was lost, missing none and repeating none", () =>
    Effect.gen(function* () {
      const proxy = yield* cutting("execution.step")
      const client = yield* connected(proxy.url)
      const { id } = yield* client.workflows.create({ payload: { name: "Nightly", ...graph() } })
      const { session_id } = yield* client.runs.start({
        payload: { workflow_id: id, run_input_variables: { steps: ["One", "Two"] } }
      })
      const events = yield* Stream.runCollect(Client.events(client, session_id))
      assert.strictEqual(proxy.cuts(), 1)
      assert.deepStrictEqual(
        events.map(({ event }) => event),
        told
      )
    }).pipe(Effect.scoped)
  )

  it.effect("fails with what the service answered, as it is described", () =>
    Effect.gen(function* () {
      const { url } = yield* Service
      const client = yield* connected()
      const missing = yield* Effect.result(client.workflows.get({ params: { workflow_id: "nonsense" } }))
      assert.deepInclude(missing._tag === "Failure" ? missing.failure : null, { statusCode: 404 })
      const { id } = yield* client.workflows.create({ payload: { name: "Nightly", ...graph() } })
      const window = { ...daily(9, 17), time_zone: "PST" }
      const refused = yield* Effect.flip(
        client.runWindows.setRunWindow({ params: { workflow_id: id }, payload: window })
      )
      assert.deepInclude(refused, { statusCode: 400, error: "InvalidRunWindow" })
      assert.include(Client.reasonOf(refused), "time_zone")
      const nobody = yield* Client.make({ baseUrl: url, key: Redacted.make("sk_nobody") })
      assert.deepInclude(yield* Effect.flip(nobody.workspaces.me()), { statusCode: 401, _tag: "Unauthorized" })
    })
  )

  it.effect("names each refusal, so that a program handles it by its kind", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const client = yield* connected()
      const missing = client.workflows.get({ params: { workflow_id: "nonsense" } })
      const handled = yield* missing.pipe(Effect.catchTag("NotFound", ({ message }) => Effect.succeed(message)))
      assert.include(handled, "nonsense")
      const invalid = client.workflows.create({ payload: { name: "", ...graph() } }).pipe(
        Effect.as("created"),
        Effect.catchTag("BadRequest", ({ errors }) => Effect.succeed(errors?.map(({ path }) => path)))
      )
      assert.deepStrictEqual(yield* invalid, ["name"])
      const { key } = yield* member("Owner")
      const promises = PromiseClient.connect({ baseUrl: url, key })
      const rejected = yield* Effect.promise(() =>
        promises.workflows.get({ params: { workflow_id: "nonsense" } }).then(
          () => null,
          ({ _tag, kind, status }) => ({ _tag, kind, status })
        )
      )
      assert.deepStrictEqual(rejected, { _tag: "Refused", kind: "NotFound", status: 404 })
      // A request of which nothing is required may be left out.
      assert.deepStrictEqual(yield* Effect.promise(() => promises.workflows.list()), [])
    })
  )
})

it("importing the client brings no part of the server along", () => {
  const files = new Map(sources("apps", "core", "adapters").map((source) => [source.path, source]))
  const reached = new Set(["apps/api/Client.ts"])
  const packages = new Set<string>()
  for (const path of reached) {
    const source = files.get(path)
    assert.isDefined(source, path)
    for (const module of importsOf(source)) {
      if (files.has(module)) reached.add(module)
      else packages.add(module)
    }
  }
  assert.include([...reached], "apps/api/Api.ts")
  const server = /^adapters\/|Http\.ts$|\/Server\.ts$|request\/Body\.ts$/
  assert.deepStrictEqual(
    [...reached].filter((path) => server.test(path)),
    []
  )
  assert.deepStrictEqual(
    [...packages].filter((name) => /^node:|^@effect\/|^effect\/(sql|cli|crypto)|playwright|pglite/.test(name)),
    []
  )
})

it("the package and Deno export the same modules, the client among them", () => {
  const read = (name: string) => (JSON.parse(readFileSync(join(root, name), "utf8")) as { exports: object }).exports
  assert.deepStrictEqual(read("package.json"), read("deno.json"))
  assert.propertyVal(read("package.json"), "./client", "./apps/api/Client.ts")
})
