import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import {
  type Exchange,
  isNoise,
  isText,
  maxBody,
  record as recording,
  redactBody,
  redactHeaders,
  redactUrl
} from "../../../core/browser/Exchange.ts"
import * as NetworkEventJson from "../../../core/browser/NetworkEventJson.ts"
import { Secrets } from "../../../core/redaction/Secrets.ts"
import * as RelativeCost from "../../support/relativeCost.ts"

/** What such a body may cost, in fixed works. A search that starts again at each place takes minutes. */
const most = 5

const record = (...given: Parameters<typeof recording>) => Effect.runSync(recording(...given))

const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"

const exchange: Exchange = {
  method: "POST",
  url: "https://shop.example/api",
  resourceType: "fetch",
  startedAt: 1_000,
  durationMillis: 12.6,
  status: 200,
  failure: null,
  requestHeaders: {},
  responseHeaders: {},
  body: null
}

describe("an address", () => {
  const kept = [
    "https://shop.example/orders?page=2&status=open#top",
    "https://shop.example/orders/123e4567-e89b-42d3-a456-426614174000?id=123e4567-e89b-42d3-a456-426614174000",
    "https://shop.example/?q=a+perfectly+ordinary+question+about+orders",
    "/relative?sort=date&passenger=Ann",
    "not an address"
  ]
  it.each(kept)("is kept as it is when nothing in it is secret: %s", (url) => assert.strictEqual(redactUrl(url), url))

  it.each([
    ["https://shop.example/?token=abc&page=2", "https://shop.example/?token=REDACTED&page=2"],
    ["https://shop.example/?ACCESS_TOKEN=abc", "https://shop.example/?ACCESS_TOKEN=REDACTED"],
    ["https://shop.example/?api%5Fkey=abc", "https://shop.example/?api%5Fkey=REDACTED"],
    ["https://shop.example/login?user=ann&password=p%26w", "https://shop.example/login?user=ann&password=REDACTED"],
    ["https://shop.example/cb?code=4%2F0Ab&state=x", "https://shop.example/cb?code=REDACTED&state=x"],
    [
      "https://shop.example/cb#access_token=abc&expires_in=9",
      "https://shop.example/cb#access_token=REDACTED&expires_in=9"
    ],
    [`https://shop.example/?x=${jwt}`, "https://shop.example/?x=REDACTED"],
    ["https://shop.example/?x=9f86d081884c7d659a2feaa0c55ad015", "https://shop.example/?x=REDACTED"],
    [
      "https://s3.example/k?X-Amz-Signature=ab&X-Amz-Date=1",
      "https://s3.example/k?X-Amz-Signature=REDACTED&X-Amz-Date=REDACTED"
    ],
    ["https://ann:secret@shop.example/x", "https://shop.example/x"]
  ])("%s becomes %s", (url, redacted) => assert.strictEqual(redactUrl(url), redacted))
})

describe("headers", () => {
  it("keep their names, and lose the values that open doors", () =>
    assert.deepStrictEqual(
      redactHeaders({
        Authorization: "Bearer abc",
        cookie: "sid=1",
        "set-cookie": "sid=1; HttpOnly",
        "x-api-key": "k",
        "X-CSRF-Token": "t",
        "proxy-authorization": "Basic x",
        accept: "*/*",
        referer: "https://shop.example/?token=abc",
        location: "/next?session_id=1"
      }),
      {
        Authorization: "REDACTED",
        cookie: "REDACTED",
        "set-cookie": "REDACTED",
        "x-api-key": "REDACTED",
        "X-CSRF-Token": "REDACTED",
        "proxy-authorization": "REDACTED",
        accept: "*/*",
        referer: "https://shop.example/?token=REDACTED",
        location: "/next?session_id=REDACTED"
      }
    ))
})

describe("a body", () => {
  it.each([
    ['{"access_token": "a\\"b", "user": "ann"}', '{"access_token": "REDACTED", "user": "ann"}'],
    [
      '{"list":[{"password":"x"}],"pin":1234,"count":2}',
      '{"list":[{"password":"REDACTED"}],"pin":"REDACTED","count":2}'
    ],
    ['{"refresh_token":"cut off in the mid', '{"refresh_token":"REDACTED"'],
    [`plain text with ${jwt} in it`, "plain text with REDACTED in it"],
    ['<input type="password" name="p" value="hunter2">', '<input type="password" name="p" value="REDACTED">'],
    [
      "<input name=csrf_token value='abc'><input name=q value=x>",
      '<input name=csrf_token value="REDACTED"><input name=q value=x>'
    ]
  ])("%s becomes %s", (body, redacted) => assert.strictEqual(redactBody(body), redacted))

  it.each([
    ['<input type="password" title="a>b" value="hunter2">', "hunter2"],
    ["<form><input name='pass' type='password' value='hunter2", "hunter2"],
    ['{"deep":{"client_secret":"hunter2', "hunter2"]
  ])("cut off or oddly written loses its secret all the same: %s", (body, secret) =>
    assert.notInclude(redactBody(body), secret)
  )

  it.each([
    ["eyJ".repeat(400_000)],
    ["<input ".repeat(200_000)],
    ['<input "'.repeat(200_000)],
    ['"a'.repeat(400_000)],
    ['"a":'.repeat(200_000)],
    ["\\".repeat(400_000)]
  ])("that is made for endless searches takes bounded time: %#", (body) => {
    const url = `https://shop.example/?x=${body}`
    const keep = () => record("1", { ...exchange, body, url }, Infinity, new Secrets())
    assert.isBelow(RelativeCost.least(most, keep), most)
  })

  it("is cut at its bound and at what is left of the run's, and says so", () => {
    const long = { ...exchange, body: "x".repeat(maxBody + 1) }
    assert.deepInclude(record("1", long, Infinity, new Secrets()), {
      responseBody: "x".repeat(maxBody),
      responseBodyTruncated: true
    })
    assert.deepInclude(record("1", long, 10, new Secrets()), {
      responseBody: "x".repeat(10),
      responseBodyTruncated: true
    })
    assert.deepInclude(record("1", long, -1, new Secrets()), { responseBody: "", responseBodyTruncated: true })
    assert.deepInclude(record("1", { ...exchange, body: "ok" }, 10, new Secrets()), {
      responseBody: "ok",
      responseBodyTruncated: false,
      durationMillis: 13,
      startedAt: 1_000
    })
  })

  it("keeps its bytes in the network log, and is read back equal", () => {
    const recorded = record(
      "1-000001",
      { ...exchange, requestHeaders: { accept: "*/*" }, body: "ok" },
      10,
      new Secrets()
    )
    const event = NetworkEventJson.write(recorded)
    assert.strictEqual(
      JSON.stringify(event),
      '{"id":"1-000001","method":"POST","url":"https://shop.example/api","status":200,"resource_type":"fetch",' +
        '"started_at":"1970-01-01T00:00:01.000Z","duration_ms":13,"failure":null,"request_headers":{"accept":"*/*"},' +
        '"response_headers":{},"response_body":"ok","response_body_truncated":false}'
    )
    assert.deepStrictEqual(NetworkEventJson.read(event), recorded)
  })

  it.each([
    ["application/json; charset=utf-8", true],
    ["application/problem+json", true],
    ["text/html", true],
    ["image/svg+xml", false],
    ["text/css", false],
    ["application/javascript", false],
    ["text/event-stream", false],
    ["application/octet-stream", false]
  ])("of the type %s is worth keeping: %s", (type, kept) => assert.strictEqual(isText(type), kept))
})

const secret = Schema.String.check(Schema.isPattern(/^S[a-zA-Z]{6,20}$/))

it.prop(
  "a secret under a name that says so is in nothing that is kept",
  [secret, Schema.Literals(["password", "token", "client_secret", "Api-Key", "sessionId", "authorization"])],
  ([value, name]) => {
    const kept = JSON.stringify(
      record(
        "1",
        {
          ...exchange,
          url: `https://u:${value}@shop.example/?a=1&${name}=${value}#${name}=${value}`,
          requestHeaders: { [name]: value, referer: `https://shop.example/?${name}=${value}` },
          responseHeaders: { [`x-${name}`]: value },
          body: JSON.stringify({ deep: [{ [name]: value }] })
        },
        Infinity,
        new Secrets()
      )
    )
    assert.notInclude(kept, value)
  },
  { arbitrary: { runs: 200 } }
)

describe("noise", () => {
  it.each([
    ["image", "https://shop.example/logo.png", true],
    ["font", "https://shop.example/a.woff2", true],
    ["stylesheet", "https://shop.example/a.css", true],
    ["media", "https://shop.example/a.mp4", true],
    ["script", "https://www.google-analytics.com/analytics.js", true],
    ["xhr", "https://o1.ingest.sentry.io/api/1", true],
    ["xhr", "https://shop.example/api/orders", false],
    ["document", "https://shop.example/", false],
    ["script", "https://notsentry.io/x.js", false]
  ])("%s of %s: %s", (resourceType, url, noise) => assert.strictEqual(isNoise({ resourceType, url }), noise))
})

it("a very long address is cut, and keeps its host", () => {
  const url = redactUrl(`https://shop.example/?q=${"a b ".repeat(5_000)}`)
  assert.isAtMost(url.length, 4_096)
  assert.isTrue(url.startsWith("https://shop.example/"))
})
