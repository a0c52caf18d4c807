import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { graphOf } from "../../support/browser.ts"
import { sharedBrowser } from "../../support/realBrowser.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { html, serve } from "../../support/site.ts"

type Fields = Readonly<Record<string, unknown>>

const site = serve({
  "/": html(`<form action="/login"><input id="user" name="user"><input id="password" name="password" type="password">
    <button>Sign in</button></form><img src="/logo.png">`),
  "/older": html(`<button id="pay" onclick="fetch('/api').then(() => document.body.append('Paid'))">Pay</button>
    <div id="news" style="position: fixed; inset: 0; background: white"><button id="close" onclick="news.remove()">Close</button></div>`),
  "/logo.png": (_request, response) => void response.writeHead(200, { "content-type": "image/png" }).end(),
  "/login": (_request, response) =>
    void response
      .writeHead(200, { "content-type": "text/html", "set-cookie": "sid=cookie-secret" })
      .end(`<p id="out"></p><script src="/app.js"></script>`),
  "/app.js": (_request, response) =>
    void response
      .writeHead(200, { "content-type": "text/javascript" })
      .end(`fetch("/api?access_token=query-secret&page=2", { headers: { authorization: "Bearer header-secret" } })
        .then((answer) => answer.json()).then(({ name }) => { out.textContent = name })`),
  "/api": (request, response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ name: "Ann", refresh_token: "body-secret", cookie: request.headers.cookie }))
})

it.live("a debug run in a real browser leaves what it saw and asked for behind, and none of its secrets", () =>
  Effect.gen(function* () {
    const { member, send } = yield* Service
    const origin = yield* site
    const { key } = yield* member("Member")
    const get = (path: string) => send({ method: "GET", path, key })
    const graph = graphOf(`${origin}/`, [
      { action: "INPUT_TEXT", parameters: { selector: "css=#user", text: "ann" } },
      { action: "INPUT_TEXT", parameters: { selector: "css=#password", text: "typed-secret" } },
      { action: "CLICK", parameters: { selector: "css=button" } },
      { action: "CLICK", parameters: { selector: "//p[text()='Ann']", click_type: "hover" } }
    ])
    const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "Sign in", ...graph } })
    assert.strictEqual(made.status, 201, made.text)
    const json = { workflow_id: made.body.id, debug: true }
    const session = (yield* send({ method: "POST", path: "/run", key, json })).body.session_id
    const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
    yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one)).pipe(
      Effect.provide(AgentExecutor.layer.pipe(Layer.provide(sharedBrowser)))
    )
    assert.strictEqual((yield* get(`/run/${session}`)).body.status, "execution.success")

    const documents = yield* Effect.forEach(graph.nodes, ({ id }) =>
      Effect.gen(function* () {
        const { body } = yield* get(`/run/${session}/debug-snapshots/${id}`)
        assert.lengthOf(body.screenshots as ReadonlyArray<unknown>, 1)
        const { pathname, search } = new URL(String(body.page_snapshot_url))
        return (yield* send({ method: "GET", path: pathname + search })).text
      })
    )
    assert.include(documents[3], 'value="ann"')
    assert.include(documents[5], '<p id="out">Ann</p>')

    const quiet = yield* get(`/run/${session}/network`)
    const noisy = yield* get(`/run/${session}/network?include_noise=true`)
    const paths = ({ body }: typeof quiet) =>
      (body.events as ReadonlyArray<Fields>).map(({ url }) => new URL(String(url)).pathname)
    assert.deepInclude(quiet.body, { complete: true, truncated: false })
    assert.sameMembers(paths(quiet), ["/", "/login", "/app.js", "/api"])
    assert.include(paths(noisy), "/logo.png")
    const api = (quiet.body.events as ReadonlyArray<Fields>).find(({ url }) => String(url).includes("/api?"))
    assert.strictEqual(api?.url, `${origin}/api?access_token=REDACTED&page=2`)
    assert.deepInclude(api?.request_headers, { authorization: "REDACTED", cookie: "REDACTED" })
    assert.strictEqual(api?.response_body, '{"name":"Ann","refresh_token":"REDACTED","cookie":"REDACTED"}')
    for (const kept of [noisy.text, ...documents]) {
      assert.notMatch(kept, /(typed|cookie|query|header|body)-secret/)
    }
  }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)

it.live("a run does what the START of an older workflow sets: pop-ups closed, answers kept, a video recorded", () =>
  Effect.gen(function* () {
    const { member, send } = yield* Service
    const origin = yield* site
    const { key } = yield* member("Member")
    const { edges, nodes } = graphOf(`${origin}/older`, [
      { action: "CLICK", parameters: { selector: "css=#pay", wait_time: 2_000 } },
      { action: "CLICK", parameters: { selector: "//body[contains(., 'Paid')]", click_type: "hover" } }
    ])
    const older = {
      video_record_session: true,
      popup_xpaths: ["//button[@id='close']"],
      extract_network_urls: ["/api"]
    }
    const [start, ...others] = nodes
    const json = {
      name: "Pay",
      edges,
      nodes: [{ ...start, parameters: { ...start?.parameters, ...older } }, ...others]
    }
    const made = yield* send({ method: "POST", path: "/workflows", key, json })
    assert.strictEqual(made.status, 201, made.text)
    const run = yield* send({ method: "POST", path: "/run", key, json: { workflow_id: made.body.id } })
    const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
    yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one)).pipe(
      Effect.provide(AgentExecutor.layer.pipe(Layer.provide(sharedBrowser)))
    )
    const path = `/run/${run.body.session_id}`
    const { body, text } = yield* send({ method: "GET", path, key })
    assert.strictEqual(body.status, "execution.success", text)
    assert.lengthOf(body.video_urls as ReadonlyArray<unknown>, 1)
    assert.include(text, "popup_xpaths")
    const network = yield* send({ method: "GET", path: `${path}/network`, key })
    const api = (network.body.events as ReadonlyArray<Fields>).find(({ url }) => url === `${origin}/api`)
    assert.include(String(api?.response_body), '"name":"Ann"')
  }).pipe(Effect.scoped, Effect.provide(layerInMemory))
)
