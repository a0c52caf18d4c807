/** Data that pages receive after they were loaded. */
import { createHash } from "node:crypto"
import { challenge } from "../Challenge.ts"
import { json, page, result } from "../Html.ts"
import { click, number, read, step, text, texts } from "../Workflow.ts"

const prices = [
  { name: "Bolt", price: 1.2 },
  { name: "Nut", price: 0.4 },
  { name: "Screw", price: 0.9 }
]

/** One text as a frame of the WebSocket protocol. */
const frame = (text: string): Buffer => {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, payload.length]), payload])
}

export const challenges = [
  challenge({
    name: "prices from the server, one after the other",
    difficulty: "The server sends a new price again and again, and the last is the one that counts.",
    routes: {
      "": page(
        `<b id="price" data-final="no"></b>`,
        `const source = new EventSource("prices")
        source.onmessage = ({ data }) => { $("#price").textContent = data }
        source.addEventListener("end", () => { $("#price").dataset.final = "yes"; source.close() })`
      ),
      prices: () => (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        const left = ["10.10", "10.40", "9.95"]
        const send = () => {
          const price = left.shift()
          response.write(price === undefined ? "event: end\ndata: \n\n" : `data: ${price}\n\n`)
          if (price === undefined) response.end()
          else setTimeout(send, 60)
        }
        send()
      }
    },
    workflow: [read({ price: number("//*[@id='price']") }, "//*[@id='price'][@data-final='yes']")],
    expected: { price: 9.95 }
  }),
  challenge({
    name: "price over a socket",
    difficulty: "The price comes over a WebSocket, with no request that could be waited for.",
    routes: {
      "": page(
        `<b id="price"></b>`,
        `const socket = new WebSocket(location.href.replace("http", "ws") + "socket")
        socket.onmessage = ({ data }) => { $("#price").textContent = data }`
      ),
      socket:
        ({ headers }) =>
        (response) => {
          const accept = createHash("sha1")
            .update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
            .digest("base64")
          const { socket } = response
          socket?.write(
            `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
          )
          socket?.write(frame("waiting"))
          setTimeout(() => socket?.write(frame("42.50")), 150)
        }
    },
    workflow: [read({ price: number("//*[@id='price']") }, "//*[@id='price'][. = '42.50']")],
    expected: { price: 42.5 }
  }),
  challenge({
    name: "data of a request",
    difficulty: "The page shows rounded figures, and the exact ones are only in the answer that it asked for.",
    routes: {
      "": page(
        `<ul></ul>`,
        `fetch("api/prices?currency=EUR").then((answer) => answer.json()).then(({ prices }) => {
          $("ul").innerHTML = prices.map(({ name, price }) => "<li>" + name + " " + Math.round(price) + "</li>").join("")
        })`
      ),
      "api/prices": json({ currency: "EUR", prices, next: null })
    },
    workflow: [
      step("EXTRACT_NETWORK", {
        url: "api/prices",
        selector: "//ul/li[3]",
        extract_data_model: {
          type: "object",
          properties: {
            currency: { type: "string", path: "$.currency", selected: true },
            first: { type: "number", path: "$.prices[0].price", selected: true },
            prices: { type: "array", path: "$.prices", selected: true, items: { type: "object" } }
          }
        }
      })
    ],
    expected: { currency: "EUR", first: 1.2, prices }
  }),
  challenge({
    name: "data of the newest request",
    difficulty: "The same address is asked again with every choice, and the newest answer is the one that counts.",
    state: () => ({ asked: 0 }),
    routes: {
      "": page(
        `<button>Refresh</button><p id="shown">0</p>`,
        `const load = async () => { $("#shown").textContent = (await (await fetch("api/rate")).json()).count }
        $("button").onclick = load
        load()`
      ),
      "api/rate": ({ state }) => json({ count: ++state.asked })
    },
    workflow: [
      read({}, "//*[@id='shown'][.='1']"),
      click("//button"),
      step("EXTRACT_NETWORK", {
        url: "regex:/api/rate$",
        selector: "//*[@id='shown'][.='2']",
        extract_data_model: {
          type: "object",
          properties: { count: { type: "integer", path: "$.count", selected: true } }
        }
      })
    ],
    expected: { count: 2 }
  }),
  challenge({
    name: "requests page by page",
    difficulty: "The data are asked for directly, page by page, and only who is signed in to the page is answered.",
    routes: {
      "": { headers: { "set-cookie": "sid=known; HttpOnly" }, body: page(`<h1>Signed in</h1>`) },
      "api/goods": ({ cookies, query }) => {
        if (cookies.sid !== "known") return { status: 401, body: "{}" }
        const at = Number(query.get("cursor") ?? 0)
        return json({ goods: prices.slice(at, at + 1), next: at + 1 < prices.length ? String(at + 1) : null })
      }
    },
    workflow: [
      step("API_FLOW", {
        steps: [
          {
            id: "goods",
            label: "Goods",
            method: "GET",
            url: "{{window.location.href}}api/goods",
            replay_target: {},
            repeat: {
              cursor: { from: "next", into: "query.cursor" },
              until: { cursor_absent: true },
              accumulate: "goods",
              max_iterations: 10
            }
          }
        ],
        target_step_id: "goods",
        credentials: "include",
        field_json_map: { goods: "steps.goods.items" }
      }),
      read({ title: text("//h1") })
    ],
    expected: { goods: prices, title: "Signed in" }
  }),
  challenge({
    name: "data in a script of the page",
    difficulty: "What is wanted is shown nowhere, and stands as JSON in a script element.",
    routes: {
      "": page(`<script type="application/ld+json" id="data">{"name":"Lamp","sku":"L-9"}</script>${result}`)
    },
    workflow: [
      read({ raw: text("//script[@id='data']") }),
      read({ sku: text("{{$eval(context.raw).sku}}"), all: texts("//script[@id='data']/@type") })
    ],
    expected: { raw: `{"name":"Lamp","sku":"L-9"}`, sku: "L-9", all: ["application/ld+json"] }
  })
]
