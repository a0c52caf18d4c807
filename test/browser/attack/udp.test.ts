/**
 * A page that tries every way out which is not TCP: WebRTC, WebTransport, QUIC, prefetching and a service worker. A socket
 * on loopback is the canary; the browser's own network log tells what was sent elsewhere, and which names were resolved.
 */
import { createSocket } from "node:dgram"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Confinement from "../../../adapters/playwright/Confinement.ts"
import * as LocalChromium from "../../../adapters/playwright/LocalChromium.ts"
import * as Guard from "../../../adapters/playwright/walls/Guard.ts"
import { chromiumPath } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"

/** Counts the packets that arrive at a UDP port of loopback until the scope closes. */
const canary = Effect.map(
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly heard: () => number; readonly close: () => void }>((resume) => {
      const socket = createSocket("udp4")
      let packets = 0
      socket.on("message", () => {
        packets++
      })
      socket.bind(0, "127.0.0.1", () =>
        resume(Effect.succeed({ port: socket.address().port, heard: () => packets, close: () => void socket.close() }))
      )
    }),
    ({ close }) => Effect.sync(close)
  ),
  ({ heard, port }) => ({ port, heard })
)

/** Runs in the page. Succeeds when every attempt has come to its end. */
const attempts = async (port: number): Promise<string> => {
  const connection = new RTCPeerConnection({
    iceServers: [
      { urls: [`stun:127.0.0.1:${port}`, "stun:stun-name.test:3478"] },
      { urls: `turn:127.0.0.1:${port}?transport=udp`, username: "a", credential: "b" },
      { urls: "turn:turn-name.test:3478?transport=udp", username: "a", credential: "b" },
      { urls: "turn:turn-tcp-name.test:3478?transport=tcp", username: "a", credential: "b" }
    ]
  })
  connection.createDataChannel("data")
  const gathered = new Promise<void>((resolve) => {
    connection.onicegatheringstatechange = () => connection.iceGatheringState === "complete" && resolve()
  })
  await connection.setLocalDescription(await connection.createOffer())
  const other = new RTCPeerConnection()
  if (connection.localDescription !== null) await other.setRemoteDescription(connection.localDescription)
  await other.setLocalDescription(await other.createAnswer())
  if (other.localDescription !== null) await connection.setRemoteDescription(other.localDescription)
  for (const address of ["127.0.0.1", "candidate-name.test", "6a1b8f6e-4e0c-4b7e-9e0f-1c1e2d3f4a5b.local"]) {
    const candidate = `candidate:1 1 udp 2122260223 ${address} ${port} typ host`
    await connection.addIceCandidate({ candidate, sdpMid: "0" }).catch(() => undefined)
  }
  for (const rel of ["dns-prefetch", "preconnect", "prefetch"]) {
    const link = document.createElement("link")
    Object.assign(link, { rel, href: `https://${rel}-name.test/` })
    document.head.append(link)
  }
  const anchor = document.createElement("a")
  anchor.href = "https://anchor-name.test/"
  document.body.append(anchor)
  for (const host of [`127.0.0.1:${port}`, "transport-name.test:443"]) {
    await new WebTransport(`https://${host}/`).ready.catch(() => undefined)
  }
  await navigator.serviceWorker.register(`/worker.js?${port}`)
  await navigator.serviceWorker.ready
  const answer = await new Promise<string>((resolve) => {
    navigator.serviceWorker.onmessage = ({ data }) => resolve(String(data))
    navigator.serviceWorker.ready.then(({ active }) => active?.postMessage("go"))
  })
  await Promise.race([gathered, new Promise((resolve) => setTimeout(resolve, 10_000))])
  return answer
}

/** The worker of the site, which tries WebTransport and fetches beyond the page. */
const worker = `onmessage = async ({ source }) => {
  const port = location.search.slice(1)
  for (const host of ["127.0.0.1:" + port, "worker-transport-name.test:443"])
    await new WebTransport("https://" + host + "/").ready.catch(() => undefined)
  const reached = await Promise.all(["https://127.0.0.1:" + port + "/", "https://worker-name.test/"].map((url) =>
    fetch(url, { mode: "no-cors" }).then(() => "reached", () => "refused")))
  source.postMessage(reached.join(" "))
}`

interface NetLog {
  readonly constants: { readonly logEventTypes: Readonly<Record<string, number>> }
  readonly events: ReadonlyArray<{
    readonly type: number
    readonly params?: { readonly address?: string; readonly host?: string }
  }>
}

/** The UDP packets and the looked-up names in the browser's network log. */
const told = ({ constants, events }: NetLog) => {
  const ofType = (name: string) => events.filter(({ type }) => type === constants.logEventTypes[name])
  return {
    sent: ofType("UDP_BYTES_SENT").length,
    lookedUp: ofType("DNS_TRANSACTION").length + ofType("HOST_RESOLVER_SYSTEM_TASK").length
  }
}

const confinements = Confinement.plans(chromiumPath, null)

/** Opens the page in a browser that goes out through a guard, with these switches beside those that it always has. */
const attacked = (more: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "sluice-test-udp-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
    // The browser may be of another user.
    chmodSync(folder, 0o777)
    const log = join(folder, "network.json")
    const { heard, port } = yield* canary
    const origin = yield* serve({
      "/": html("<p>here</p>"),
      "/worker.js": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/javascript", "alt-svc": `h3=":${port}"; ma=3600` })
          .end(worker)
    })
    const guard = yield* Guard.make({ allowed: new Set([origin]), allowPrivateNetworks: false, upstream: null })
    const args = [...LocalChromium.behind(guard.server), `--log-net-log=${log}`, ...more]
    const answer = yield* Effect.acquireUseRelease(
      Effect.promise(() => LocalChromium.start(chromiumPath, args, confinements)),
      ({ chromium }) =>
        Effect.promise(async () => {
          const page = await (await chromium.newContext()).newPage()
          await page.goto(origin)
          return page.evaluate(attempts, port)
        }),
      ({ close }) => Effect.promise(close)
    )
    return { answer, heard: heard(), ...told(JSON.parse(readFileSync(log, "utf8")) as NetLog) }
  }).pipe(Effect.scoped)

describe("a page that tries every way out beside TCP", () => {
  it.live("sends no packet by UDP, and has no name resolved past the guard", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* attacked([]), { answer: "refused refused", heard: 0, sent: 0, lookedUp: 0 })
    })
  )

  it.live("is heard by the same canary where the browser lets WebRTC use UDP and resolve names", () =>
    Effect.gen(function* () {
      // Of several switches of a name the last one counts.
      const { heard, lookedUp, sent } = yield* attacked([
        "--webrtc-ip-handling-policy=default",
        "--host-resolver-rules="
      ])
      assert.isAbove(heard, 0)
      assert.isAbove(sent, 0)
      assert.isAbove(lookedUp, 0)
    })
  )
})
