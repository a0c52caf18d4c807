import { gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { chromium } from "../../support/realBrowser.ts"
import { dataOf, failureOf } from "../../support/shop.ts"
import { type Answer, html, serve } from "../../support/site.ts"

const json =
  (value: unknown, headers: Record<string, string | Array<string>> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value))

const bomb = gzipSync(Buffer.alloc(200_000_000))

const pages: Readonly<Record<string, Answer>> = {
  "/": html(`<h1>Shop</h1><script>
    document.cookie = "visit=1; path=/"
    setTimeout(() => fetch("/api/orders?page=1", { headers: { authorization: "Bearer abc" } }), 300)
  </script>`),
  "/api/orders": json({ data: { orders: [{ id: "A-1", total: 12.5 }] } }),
  "/api/sign-in": (request, response) => {
    const cookies = request.headers.cookie ?? ""
    response.writeHead(200, { "content-type": "application/json", "set-cookie": "session=s-1; Path=/; HttpOnly" })
    response.end(JSON.stringify({ visited: cookies.includes("visit=1"), method: request.method }))
  },
  "/api/me": (request, response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ cookie: request.headers.cookie ?? "", agent: request.headers["user-agent"] ?? "" })),
  "/api/large": (_request, response) => void response.writeHead(200, { "content-length": "1000000000" }).end(),
  "/api/away": (_request, response) => void response.writeHead(302, { location: "/api/me" }).end(),
  "/api/round": (_request, response) => void response.writeHead(302, { location: "/api/round" }).end(),
  "/api/out": (_request, response) => void response.writeHead(302, { location: "http://10.0.0.1/secret" }).end(),
  "/api/bomb": (_request, response) =>
    void response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(bomb),
  "/api/endless": (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" })
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536))) {}
      if (!response.destroyed) response.once("drain", more)
    }
    more()
  },
  "/api/silent": () => undefined,
  "/rates": html(`<p id="n">0</p><script>
    const load = async (n) => { document.querySelector("#n").textContent = n; await fetch("/api/rate?n=" + n) }
    load(1).then(() => load(2))
  </script>`),
  "/api/rate": ({ url }, response) => {
    const rate = Number(new URL(url ?? "", "http://site").searchParams.get("n"))
    const answer = () => json({ rate })(undefined as never, response)
    if (rate === 1) answer()
    else setTimeout(answer, 300)
  },
  "/me": html(`<p id="cookie"></p><script>document.querySelector("#cookie").textContent = document.cookie</script>`),
  "/hidden": html(`<!-- a comment --><style>p { color: red }</style><script>1</script>
    <p onclick="x()" style="color: blue" class="shown">Seen</p><p hidden>Gone</p><p style="display: none">Away</p>
    <input type="hidden" value="token"><table><tr><td><a href="/1">one</a><a href="/2">two</a></td></tr><tr><td><a href="/3">three</a></td></tr></table>`),
  "/turnstile":
    html(`<div class="cf-turnstile" data-sitekey="x"><input type="hidden" name="cf-turnstile-response" value=""></div>
    <script>setTimeout(() => { document.querySelector("input").value = "solved" }, 400)</script>`),
  "/recaptcha": html(`<div class="g-recaptcha" data-sitekey="x"></div>
    <textarea name="g-recaptcha-response" style="display: none"></textarea>`),
  "/hcaptcha": html(
    `<div class="h-captcha" data-sitekey="x"></div><textarea name="h-captcha-response" style="display: none"></textarea>`
  )
}

const run =
  (path: string, steps: ReadonlyArray<Step>, options: Parameters<typeof walk>[2] = {}) =>
  (site: string) =>
    walk(graphOf(`${site}${path}`, steps), { site }, options)

const flow = (steps: ReadonlyArray<object>, more: object = {}): Step => ({
  action: "API_FLOW",
  parameters: { steps, ...more }
})
const get = (id: string, more: object = {}) => ({ id, method: "GET", url: `/api/${id}`, ...more })
const text = (name: string, path: string): Step => ({
  action: "EXTRACT_DATAMODEL",
  parameters: { extract_data_model: { type: "object", properties: { [name]: { type: "string", path } } } }
})
const captcha = (captcha_type: string, more: object = {}): Step => ({
  action: "CAPTCHA",
  parameters: { captcha_type, ...more }
})

it.live("the actions on data do in a real browser what they do in memory", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const site = yield* serve(pages)
      yield* Effect.gen(function* () {
        // An answer that comes after the node began to wait for it.
        const network = yield* run("/", [
          {
            action: "EXTRACT_NETWORK",
            parameters: {
              url: "/api/orders",
              full_request: true,
              extract_data_model: {
                type: "object",
                properties: {
                  sent: { path: "request.headers.authorization" },
                  ids: { type: "array", path: "response.body.data.orders.id" }
                }
              }
            }
          }
        ])(site)
        assert.deepEqual(dataOf(network), { sent: "REDACTED", ids: ["A-1"] })

        // An answer is there, and a newer one was asked for and is still to come.
        const newest = yield* run("/rates", [
          {
            action: "EXTRACT_NETWORK",
            parameters: {
              url: "/api/rate",
              selector: "//p[.='2']",
              extract_data_model: { type: "object", properties: { rate: { type: "integer", path: "$.rate" } } }
            }
          }
        ])(site)
        assert.deepEqual(dataOf(newest), { rate: 2 })

        // The session of the page: its cookies are sent, those that are set are in the page.
        const session = yield* run("/", [
          flow(
            [{ ...get("sign-in", { id: "signin" }), method: "POST", body: { type: "json", value: {} } }, get("away")],
            {
              field_json_map: { first: "steps.signin.body", me: "steps.away.body.cookie", url: "steps.away.url" }
            }
          ),
          flow([get("me", { expected_status: [200] })], {
            credentials: "omit",
            field_json_map: { without: "response.body.cookie" }
          }),
          flow([get("away", { expected_status: [302] })], {
            redirect_policy: "manual",
            field_json_map: { to: "response.headers.location" }
          }),
          flow([{ ...get("large"), method: "HEAD" }], {
            field_json_map: { size: "response.headers.`content-length`" }
          }),
          { action: "NAVIGATE", parameters: { url: "/me" } },
          text("page", "//p")
        ])(site)
        assert.deepEqual(dataOf(session), {
          first: { visited: true, method: "POST" },
          me: "visit=1; session=s-1",
          url: `${site}/api/me`,
          without: "",
          to: "/api/me",
          size: "1000000000",
          page: "visit=1"
        })

        for (const [step, code, message] of [
          [get("bomb"), "API-E0002", "larger than"],
          [get("endless"), "API-E0002", "larger than"],
          [get("round"), "API-E0002", "redirected more than 20 times"],
          [get("out"), "API-E0003", "private"],
          [get("private", { url: "http://127.0.0.1:9/" }), "API-E0003", "private"],
          [get("silent", { timeout_ms: 300 }), "API-E0001", "no answer within 300 ms"]
        ] as const) {
          const failure = failureOf(yield* run("/", [flow([step])])(site))
          assert.strictEqual(failure.code, code, failure.message)
          assert.include(failure.message, message)
        }

        const models = yield* run("/hidden", [
          {
            action: "EXTRACT_DATAMODEL",
            parameters: {
              extract_data_model: {
                type: "object",
                properties: {
                  where: { type: "string", path: "{{window.location.href}}" },
                  clean: { path: "{{document.sanitized}}" },
                  rows: {
                    type: "array",
                    path: "//tr",
                    items: { type: "array", path: "/td/a", items: { type: "string", path: "/@href" } }
                  },
                  links: { type: "array", path: "//a/@href", items: "string" },
                  missing: { type: ["string", "null"], path: "//nothing", mode: "xpath", description: "none" }
                }
              }
            }
          }
        ])(site)
        const { clean, ...rest } = dataOf(models)
        assert.deepEqual(rest, {
          where: `${site}/hidden`,
          rows: [["/1", "/2"], ["/3"]],
          links: ["/1", "/2", "/3"],
          missing: null
        })
        assert.include(String(clean), '<p class="shown">Seen</p>')
        assert.notMatch(String(clean), /comment|color|Gone|Away|token|script/)

        dataOf(yield* run("/", [captcha("turnstile"), captcha("recaptcha_v2"), captcha("hcaptcha")])(site))
        dataOf(yield* run("/turnstile", [captcha("turnstile")])(site))
        assert.strictEqual(
          failureOf(yield* run("/hcaptcha", [captcha("hcaptcha", { wait_time: 100 })])(site)).code,
          "CAPTCHA-E0001"
        )
        assert.strictEqual(failureOf(yield* run("/recaptcha", [captcha("recaptcha_v2")])(site)).code, "CAPTCHA-E0001")
      }).pipe(Effect.provide(chromium([site])))
    })
  )
)
