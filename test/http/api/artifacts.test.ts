import { randomBytes, randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as ByteRange from "../../../apps/api/run/ByteRange.ts"
import * as FileName from "../../../apps/api/run/FileName.ts"
import { ArtifactFiles } from "../../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { layer, Service } from "../../support/service.ts"

const bytes = new Uint8Array(randomBytes(1_000))

/** Keeps an artifact and answers its address. */
const kept = Effect.fnUntraced(function* (mediaType: string, fileName: string | null, millis = 60_000) {
  const { url } = yield* Service
  const id = randomUUID()
  yield* (yield* ArtifactFiles).put(id, { mediaType, fileName, bytes })
  return (yield* (yield* ArtifactLinks).lasting(url, millis)).artifact(id).url
})

const fetched = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const answer = await fetch(url, init)
    return { status: answer.status, headers: answer.headers, body: new Uint8Array(await answer.arrayBuffer()) }
  })

it.layer(layer)("an artifact", (it) => {
  it.effect("is served whole, in part, or as what it would be", () =>
    Effect.gen(function* () {
      const url = yield* kept("video/webm", null)
      const whole = yield* fetched(url)
      assert.deepStrictEqual([whole.status, whole.body], [200, bytes])
      assert.strictEqual(whole.headers.get("content-type"), "video/webm")
      assert.strictEqual(whole.headers.get("accept-ranges"), "bytes")
      assert.strictEqual(whole.headers.get("content-length"), "1000")
      const part = yield* fetched(url, { headers: { range: "bytes=10-19" } })
      assert.deepStrictEqual([part.status, part.body], [206, bytes.slice(10, 20)])
      assert.strictEqual(part.headers.get("content-range"), "bytes 10-19/1000")
      assert.strictEqual(part.headers.get("content-length"), "10")
      const last = yield* fetched(url, { headers: { range: "bytes=-5" } })
      assert.deepStrictEqual([last.status, last.body], [206, bytes.slice(995)])
      const beyond = yield* fetched(url, { headers: { range: "bytes=1000-" } })
      assert.deepStrictEqual([beyond.status, beyond.headers.get("content-range")], [416, "bytes */1000"])
      const condition = yield* fetched(url, { headers: { range: "bytes=0-1", "if-range": '"x"' } })
      assert.strictEqual(condition.status, 200)
      for (const init of [{ method: "HEAD" }, { method: "HEAD", headers: { range: "bytes=0-9" } }]) {
        const head = yield* fetched(url, init)
        assert.deepStrictEqual([head.status, head.body.length], ["headers" in init ? 206 : 200, 0])
        assert.strictEqual(head.headers.get("content-length"), "headers" in init ? "10" : "1000")
        assert.strictEqual(head.headers.get("content-type"), "video/webm")
      }
    })
  )

  it.effect("that a run brought is saved under a safe name, and is no page of ours", () =>
    Effect.gen(function* () {
      for (const [mediaType, name] of [
        ["text/html", "../../evil.html"],
        ["image/svg+xml", "logo.svg"],
        ["text/html\r\nset-cookie: a=b", 'a"\r\nx: y.pdf'],
        ["image/jpeg", "photo.jpg"]
      ] as const) {
        const { headers, status } = yield* fetched(yield* kept(mediaType, name))
        assert.strictEqual(status, 200)
        assert.match(
          headers.get("content-disposition") ?? "",
          /^attachment; filename="[^"\\/]+"; filename\*=UTF-8''\S+$/
        )
        assert.match(headers.get("content-security-policy") ?? "", /^sandbox; script-src 'none'/)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.isNull(headers.get("set-cookie"))
        assert.isNull(headers.get("x"))
      }
      const unknown = yield* fetched(yield* kept("image/svg+xml", null))
      assert.match(unknown.headers.get("content-disposition") ?? "", /^attachment/)
      const picture = yield* fetched(yield* kept("image/jpeg", null))
      assert.isNull(picture.headers.get("content-disposition"))
    })
  )

  it.effect("is not found at an address that is altered, of another one, or old: always the same 404", () =>
    Effect.gen(function* () {
      const url = yield* kept("image/jpeg", null, 1_000)
      const other = new URL(yield* kept("image/jpeg", null))
      const altered = [
        url.replace(/signature=./, (start) => (start.endsWith("_") ? "signature=-" : "signature=_")),
        url.replace(/expires=\d/, "expires=9"),
        url.replace(/\?.*/, ""),
        `${url.split("?")[0]}${other.search}`,
        url.replace(/artifacts\/[^?]*/, `artifacts/${randomUUID()}`),
        url.replace(/artifacts\/[^?]*/, "artifacts/..%2f..%2fetc%2fpasswd")
      ]
      const answers = yield* Effect.forEach(altered, (one) => fetched(one))
      assert.strictEqual((yield* fetched(url)).status, 200)
      yield* TestClock.adjust("1 second")
      for (const { body, status } of [...answers, yield* fetched(url)]) {
        assert.strictEqual(status, 404)
        assert.deepStrictEqual(body, answers[0]?.body)
      }
    })
  )
})

describe("a range of bytes", () => {
  it.each([
    [undefined, "all"],
    ["bytes=0-0", { start: 0, end: 0 }],
    ["bytes=0-", { start: 0, end: 99 }],
    ["bytes=50-500", { start: 50, end: 99 }],
    ["bytes=-10", { start: 90, end: 99 }],
    ["bytes=-1000", { start: 0, end: 99 }],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=100-", "unsatisfiable"],
    ["bytes=5-4", "all"],
    ["bytes=0-1,3-4", "all"],
    ["bytes=-", "all"],
    ["items=0-1", "all"],
    ["bytes=99999999999999999999-", "all"]
  ] as const)("%s of 100 is %o", (header, expected) => assert.deepStrictEqual(ByteRange.read(header, 100), expected))

  it("of nothing is none", () => assert.strictEqual(ByteRange.read("bytes=0-0", 0), "unsatisfiable"))
})

describe("the name of a file", () => {
  it.each([
    ["März (1).pdf", "attachment; filename=\"M_rz (1).pdf\"; filename*=UTF-8''M%C3%A4rz%20%281%29.pdf"],
    ["../a\ud800.pdf", "attachment; filename=\"a_.pdf\"; filename*=UTF-8''a_.pdf"],
    ["...", "attachment; filename=\"file\"; filename*=UTF-8''file"]
  ])("%j is sent, made safe, in both forms of the header", (name, header) =>
    assert.strictEqual(FileName.attachment(name), header)
  )
})
