/**
 * A site that echoes its input in every part of a page and a response: texts, attributes, addresses, file names and
 * headers. And the workflows that use it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import { graphOf, type Step } from "../../support/browser.ts"
import { html, serve } from "../../support/site.ts"

const desk = `<title>Desk</title><style>#wall { position: fixed; inset: 0; background: #eee; z-index: 9 }</style>
  <h1>Desk</h1>
  <input id="word" autofocus style="position: absolute; left: 100px; top: 100px; width: 400px; height: 40px">
  <div id="said" style="margin-top: 140px"></div>
  <script>
    const add = (tag, more) => said.append(Object.assign(document.createElement(tag), more))
    const same = (secret) => encodeURIComponent(secret)
    const say = async () => {
      const secret = word.value
      said.replaceChildren()
      document.title = 'Desk of ' + secret
      add('p', { id: 'shown', textContent: 'It is ' + secret, title: secret })
      add('a', { id: 'save', textContent: 'Save ' + secret, href: '/report?key=' + same(secret) })
      add('h2', { textContent: 'Your order' })
      add('button', { type: 'button', className: 'order', id: 'order-' + PLACE, name: secret, title: secret, textContent: 'Place order',
        onclick: () => { location = '/done?of=' + same(secret) } })
      if (PLACE > 0) {
        const wall = Object.assign(document.createElement('div'), { id: 'wall' })
        wall.innerHTML = '<p></p><button>Accept all</button>'
        wall.firstChild.textContent = 'We use cookies, ' + secret
        wall.lastChild.onclick = () => wall.remove()
        document.body.append(wall)
      }
      await fetch('/api/orders?key=' + same(secret), {
        method: 'POST',
        headers: { authorization: 'Bearer ' + same(secret), 'x-word': same(secret), 'content-type': 'application/json' },
        body: JSON.stringify({ said: secret, orders: 1 })
      })
      add('p', { id: 'told', textContent: 'told' })
    }
    word.onchange = say
  </script>`

const sent = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

/** The request as the site sends it back. */
const repeat =
  (received: Array<string>) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const { searchParams } = new URL(request.url ?? "", "http://desk")
    void sent(request).then((body) => {
      received.push(body)
      response
        .writeHead(200, {
          "content-type": "application/json",
          "x-again": encodeURIComponent(searchParams.get("key") ?? "")
        })
        .end(JSON.stringify({ orders: [{ id: "A-1" }], key: searchParams.get("key"), headers: request.headers, body }))
    })
  }

const report = (request: IncomingMessage, response: ServerResponse): void => {
  const key = new URL(request.url ?? "", "http://desk").searchParams.get("key") ?? ""
  const name = `report of ${key}.csv`
  response
    .writeHead(200, {
      "content-type": "text/csv",
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`
    })
    .end("a;b")
}

/** Serves the site, and answers what its pages have sent to it so far. Its button has a new name, and something lies before it, from the `settled`th time on that it is opened. */
export const open = (settled: number) => {
  let opened = 0
  const received: Array<string> = []
  const origin = serve({
    "/desk": html(desk.replaceAll("PLACE", "0")),
    "/order": (request, response) =>
      html(desk.replaceAll("PLACE", String(Math.max(0, ++opened - settled + 1))))(request, response),
    "/done": html("<h1>Done</h1>"),
    "/report": report,
    "/api/orders": repeat(received)
  })
  return Effect.map(origin, (address) => ({ origin: address, received }))
}

const secret = "{{context.inputs.DESK.PASSWORD}}"

const tell: ReadonlyArray<Step> = [
  { action: "INPUT_TEXT", parameters: { selector: "//input[@id='word']", text: secret, submit_after_input: true } },
  { action: "CLICK", parameters: { selector: "//p[@id='told']", wait_time: 20_000 } }
]

const workflow = (name: string, origin: string, path: string, steps: ReadonlyArray<Step>, more: object = {}) => ({
  name,
  max_retries: 0,
  enable_network_listener: true,
  record: true,
  input_schema: { type: "object", properties: {} },
  output_schema: { type: "object", properties: {} },
  vault_schema: { DESK: { type: "credential", domain: origin } },
  ...graphOf(`${origin}${path}`, steps),
  ...more
})

const model = (properties: object) => ({ type: "object", properties })

/** A file whose name and address are secret, and requests that are. */
export const transfers = (origin: string) =>
  workflow("Saves and asks", origin, "/desk", [
    ...tell,
    { action: "CLICK", parameters: { selector: "//a[@id='save']" } },
    { action: "FILE_DOWNLOAD", parameters: { metadata: { with: secret, [secret]: "as a name" } } },
    {
      action: "EXTRACT_NETWORK",
      parameters: {
        url: "/api/orders",
        full_request: true,
        extract_data_model: model({
          address: { path: "request.url" },
          asked: { path: "request.headers" },
          body: { path: "request.body" },
          answered: { path: "response.headers" },
          all: { path: "response.body" }
        })
      }
    },
    {
      action: "API_FLOW",
      parameters: {
        steps: [
          {
            id: "first",
            method: "POST",
            url: `${origin}/api/orders?key={{$encodeUrlComponent(context.inputs.DESK.PASSWORD)}}`,
            headers: {
              authorization: "Bearer {{$encodeUrlComponent(context.inputs.DESK.PASSWORD)}}",
              "x-word": "{{$encodeUrlComponent(context.inputs.DESK.PASSWORD)}}"
            },
            body: { type: "json", value: { said: secret } },
            extract: [
              { name: "again", source: "response_body", expression: "headers.authorization" },
              { name: "header", source: "response_header", header: "x-again" }
            ]
          },
          {
            id: "second",
            method: "GET",
            url: `${origin}/api/orders?key={{steps.first.header}}`,
            headers: { "x-word": "{{steps.first.again}}" },
            expected_status: [418]
          }
        ],
        field_json_map: { told: "steps.first" }
      }
    }
  ])

/** A model finds, reads and decides on a page that shows its input. */
export const asked = (origin: string) =>
  workflow(
    "Asks a model",
    origin,
    "/desk",
    [
      ...tell,
      {
        action: "BOOL_CONDITION",
        parameters: { execution: "PROMPT", prompt: `Is it ${secret}?` },
        to: { yes: 4, no: 5 }
      },
      {
        action: "EXTRACT_DATAMODEL",
        parameters: {
          execution: "LLM_DOM",
          selector: "//body",
          prompt: `What is said of ${secret}?`,
          extract_data_model: model({ said: { type: "string", description: `What is said of ${secret}` } })
        }
      },
      { action: "CLICK", parameters: { execution: "LLM_VISION", prompt: `Place the order of ${secret}` } },
      { action: "CLICK", parameters: { execution: "LLM_DOM", prompt: `Press what is not there, ${secret}` } }
    ],
    { output_schema: model({ said: { type: "string" } }) }
  )

/** An element that is remembered, and later has another name and lies behind something else. */
export const recovered = (origin: string) =>
  workflow(
    "Finds again",
    origin,
    "/order",
    [
      ...tell,
      { action: "CLICK", parameters: { selector: "//button[@id='order-0']", wait_time: 4_000 } },
      {
        action: "EXTRACT_DATAMODEL",
        parameters: {
          selector: "//h1[.='Done']",
          wait_time: 5_000,
          extract_data_model: model({ title: { type: "string", path: "//h1" } })
        }
      }
    ],
    {
      output_schema: model({ title: { type: "string" } }),
      enable_xpath_recovery: true,
      enable_popup_handling: true
    }
  )

/** Waits for what a person types. */
export const typed = (origin: string) =>
  workflow("Is controlled", origin, "/desk", [
    { action: "DELAY", parameters: { delay_time: 3 } },
    { action: "CLICK", parameters: { selector: "//p[@id='told']", wait_time: 60_000 } },
    { action: "SCREENSHOT", parameters: {} }
  ])
