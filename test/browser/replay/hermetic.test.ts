import { createServer, type IncomingMessage, type Server } from "node:http"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ReplayRecord from "../../../core/execution/replay/ReplayRecord.ts"
import * as ReplayRun from "../../../core/execution/replay/ReplayRun.ts"
import { graphOf } from "../../support/browser.ts"
import { listening } from "../../support/listening.ts"
import { offlineBrowser, recorded } from "../../support/replays.ts"

/** A server that counts its connections, whatever they are for. */
const counting = Effect.fnUntraced(function* (make: () => Server) {
  const count = { connections: 0 }
  const server = make()
  server.on("connection", () => count.connections++)
  server.on("upgrade", (_request, socket) => socket.destroy())
  return { count, port: yield* listening(server) }
})

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

/** A page that reaches out by every way that pages have, to its own host and to another one. */
const restless = (other: string) => `<!doctype html><title>Home</title>
  <link rel="icon" href="/own-icon.png"><link rel="dns-prefetch" href="http://localhost:${other}">
  <link rel="preconnect" href="http://localhost:${other}"><link rel="prefetch" href="http://localhost:${other}/next">
  <h1 id="name">Invoices</h1><p id="rows">waiting</p><p id="year"></p><p id="far">…</p>
  <a id="file" href="/invoice.csv" download>CSV</a><a id="export" href="/export">Export</a>
  <input type="file" id="upload" onchange="picked.textContent = this.files[0].name"><p id="picked"></p><iframe src="/frame" name="inner"></iframe>
  <img src="http://localhost:${other}/pixel.png">
  <script>
    year.textContent = new Date().getFullYear()
    fetch("/rows?_=" + Date.now(), {
      method: "POST", headers: { "content-type": "application/json" },
      body: JSON.stringify({ wanted: "open", nonce: Math.random() })
    }).then((answer) => answer.json()).then(({ rows }) => { document.getElementById("rows").textContent = rows.join(" ") })
    // Asked for beforehand, as the header is none of those that every site may send.
    fetch("http://localhost:${other}/far", { headers: { "x-asks": "1" } }).then((answer) => answer.text())
      .then((text) => { far.textContent = text }, (error) => { far.textContent = String(error) })
    const tell = () => {
      navigator.sendBeacon("http://localhost:${other}/beacon", "x")
      navigator.sendBeacon("/beacon", "x")
      new WebSocket("ws://localhost:${other}/socket")
      new WebSocket("ws://" + location.host + "/socket")
      new EventSource("/events")
      navigator.serviceWorker?.register("/worker.js").catch(() => {})
      new Worker(URL.createObjectURL(new Blob(["fetch('http://localhost:${other}/worker')"])))
      try { new RTCPeerConnection({ iceServers: [{ urls: "stun:localhost:${other}" }] }).createDataChannel("x") } catch {}
    }
    tell()
    addEventListener("pagehide", tell)
  </script>`

it.live("a replay has all that its run had, and not one connection is made by it", () =>
  Effect.gen(function* () {
    const other = yield* counting(() =>
      createServer(({ headers, url }, answer) => {
        const cors = { "access-control-allow-origin": headers.origin ?? "*", "access-control-allow-headers": "x-asks" }
        if (url === "/far") return void answer.writeHead(200, { ...cors, "content-type": "text/plain" }).end("far away")
        answer.writeHead(204).end()
      })
    )
    let orders = 0
    const site = yield* counting(() =>
      createServer(async (request, answer) => {
        const path = (request.url ?? "").split("?")[0]
        const send = (type: string, body: string, headers: Record<string, string> = {}) =>
          void answer.writeHead(200, { "content-type": type, ...headers }).end(body)
        if (path === "/") return send("text/html", `<a id="in" href="/in">In</a>`)
        if (path === "/in") return void answer.writeHead(303, { location: "/home", "set-cookie": "in=yes" }).end()
        if (path === "/home" && !/in=yes/.test(request.headers.cookie ?? "")) return send("text/html", "<h1>Out</h1>")
        if (path === "/home") return send("text/html; charset=utf-8", restless(String(other.port)))
        if (path === "/frame") return send("text/html; charset=iso-8859-1", "<p id='inner'>fram\u00e9d</p>")
        if (path === "/rows")
          return send("application/json", JSON.stringify({ rows: [`${++orders}`, await bodyOf(request)] }))
        if (path === "/scan.txt") return send("text/plain", "scanned")
        if (path === "/count") return send("application/json", JSON.stringify({ orders: ++orders }))
        if (path === "/invoice.csv" || path === "/export") {
          return send("text/csv", "number,total\n17,4.50\n", {
            "content-disposition": "attachment; filename=invoice.csv"
          })
        }
        return void answer.writeHead(204).end()
      })
    )
    const origin = `http://127.0.0.1:${site.port}`
    const read = (path: string) => ({ type: "string", path })
    const api = {
      action: "API_FLOW",
      parameters: {
        steps: [{ id: "count", method: "GET", url: `${origin}/count` }],
        field_json_map: { count: "response.body.orders" }
      }
    }
    const workflow = graphOf(`${origin}/`, [
      { action: "CLICK", parameters: { selector: "css=#in" } },
      {
        action: "EXTRACT_DATAMODEL",
        parameters: {
          selector: "//p[@id='rows'][text()!='waiting']",
          wait_time: 10_000,
          extract_data_model: {
            type: "object",
            properties: {
              name: read("//h1"),
              far: read("//p[@id='far'][.!='…']"),
              rows: read("//p[@id='rows']"),
              year: read("//p[@id='year']")
            }
          }
        }
      },
      api,
      { action: "FILE_UPLOAD", parameters: { signed_file_url: `${origin}/scan.txt`, selector: "css=#upload" } },
      {
        action: "EXTRACT_DATAMODEL",
        parameters: { extract_data_model: { type: "object", properties: { picked: read("//p[@id='picked']") } } }
      },
      { action: "CLICK", parameters: { selector: "css=#file" } },
      { action: "FILE_DOWNLOAD", parameters: { timeout_seconds: 30 } },
      { action: "CLICK", parameters: { selector: "css=#export" } },
      { action: "FILE_DOWNLOAD", parameters: { timeout_seconds: 30 } },
      { action: "NAVIGATE", parameters: { url: `${origin}/home` } }
    ])
    const { text } = yield* recorded({ workflow: { ...workflow, output_schema: {} } })
    const kept = yield* ReplayRecord.decode(text ?? "")
    assert.isTrue(kept.ending.success, JSON.stringify(kept.ending))
    assert.deepInclude(kept.ending.output, { picked: "scan.txt", far: "far away" })
    assert.isAbove(other.count.connections, 0)

    site.count.connections = 0
    other.count.connections = 0
    const replayed = yield* ReplayRun.replay(kept)
    assert.deepStrictEqual(replayed.ending, kept.ending)
    assert.deepStrictEqual([site.count.connections, other.count.connections], [0, 0])
    const said = replayed.unanswered.map(({ method, url }) => `${method} ${url}`)
    assert.include(said, `CONNECT localhost:${other.port}`)
    assert.include(said, `CONNECT 127.0.0.1:${site.port}`)
  }).pipe(Effect.scoped, Effect.provide(offlineBrowser))
)
