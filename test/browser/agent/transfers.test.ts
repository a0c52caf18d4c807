import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpFiles from "../../../adapters/http/HttpFiles.ts"
import * as Session from "../../../core/browser/Session.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, walk } from "../../support/browser.ts"
import {
  click,
  download,
  failure,
  found,
  got,
  heading,
  pdf,
  run,
  services,
  step,
  texts,
  upload
} from "../../support/interactionPages.ts"
import { type Answer, serve } from "../../support/site.ts"
import { until } from "../../support/waiting.ts"

const shop = "https://shop.example/"

/** Uploads what an address gives, by the real fetch of files, in a browser in memory. */
const fetched = (url: string, allowedSites: ReadonlyArray<string>, options: Partial<HttpFiles.Options>) =>
  walk(graphOf(shop, [upload(url, { selector: "#file" })]), {}, { session: { ...Session.empty, allowedSites } }).pipe(
    Effect.provide(ScriptedBrowser.layer({ [shop]: [{ selector: "#file" }] })),
    Effect.provide(HttpFiles.layer({ ...HttpFiles.defaults, ...options })),
    Effect.map(({ outcome }) => (outcome._tag === "Success" ? null : outcome.failure))
  )

describe("files that are fetched", () => {
  it.live("come from the sites that the workflow may visit, and none is asked that it may not", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const gives: Answer = ({ headers, url = "" }, response) => {
        asked.push(`${headers.host?.split(":")[0]}${url}`)
        response.end("scan")
      }
      const there = (yield* serve({ "/scan": gives })).replace("127.0.0.1", "localhost")
      const here: string = yield* serve({
        "/scan": gives,
        "/within": (_request, response) => void response.writeHead(302, { location: "/scan?signature=abc" }).end(),
        "/away": (_request, response) => void response.writeHead(307, { location: `${there}/scan?signature=abc` }).end()
      })
      const options = { allowedOrigins: [here, there] }
      const sites = ["shop.example", new URL(here).host]
      for (const [url, allowed, expected] of [
        [`${here}/scan`, sites, ["127.0.0.1/scan"]],
        [`${here}/within`, sites, ["127.0.0.1/scan?signature=abc"]],
        [`${there}/scan?signature=abc`, sites, null],
        [`${here}/away`, sites, null],
        [`${here}/away`, [...sites, "localhost"], ["localhost/scan?signature=abc"]],
        [`${here}/away`, [], ["localhost/scan?signature=abc"]]
      ] as const) {
        const failure = yield* fetched(url, allowed, options)
        if (expected === null) {
          assert.strictEqual(failure?.code, "UPLOAD-E0004", url)
          assert.include(failure?.message, `${new URL(there).host} is not among the sites`)
          assert.notInclude(failure?.message, "signature")
        } else assert.isNull(failure, failure?.message)
        assert.deepStrictEqual(asked.splice(0), [...(expected ?? [])])
      }
    }).pipe(Effect.scoped)
  )

  it.live("are cut off at their bound, whether their size is announced or not", () =>
    Effect.gen(function* () {
      const cut: Array<string> = []
      const announced: Answer = ({ url = "" }, response) => {
        const length = Number(url.split("?")[1])
        response.writeHead(200, { "content-length": length })
        response.flushHeaders()
        if (length <= 2_000) response.end(Buffer.alloc(length))
        else response.on("close", () => cut.push("announced"))
      }
      const unannounced: Answer = ({ url = "" }, response) => {
        const length = Number(url.split("?")[1])
        response.write(Buffer.alloc(length))
        if (length === 1_000) response.end()
        else response.on("close", () => cut.push("unannounced"))
      }
      const origin: string = yield* serve({ "/announced": announced, "/unannounced": unannounced })
      const small = { allowedOrigins: [origin], maxBytes: 1_000 }
      for (const [path, options, words] of [
        ["/announced?1000", small, null],
        ["/unannounced?1000", small, null],
        ["/announced?1001", small, "larger than 0.001 MB"],
        ["/unannounced?1001", small, "larger than 0.001 MB"],
        [
          "/announced?100000001",
          { allowedOrigins: [origin] },
          "larger than 100 MB, the maximum size of an uploaded file (maxUploadBytes)"
        ]
      ] as const) {
        const failure = yield* fetched(`${origin}${path}`, [], options)
        assert.strictEqual(failure?.code, words === null ? undefined : "UPLOAD-E0003", path)
        if (words !== null) assert.include(failure?.message, words)
      }
      yield* until(
        "the end of two answers",
        Effect.sync(() => cut),
        ({ length }) => length === 2
      )
      assert.deepStrictEqual(cut.sort(), ["announced", "unannounced"])
    }).pipe(Effect.scoped)
  )
})

layer(services, { excludeTestServices: true })("in a real browser", (it) => {
  describe("downloads", () => {
    it.effect.each([
      ["#plain", [["report 2026.csv", "a;b\n1;2"]]],
      ["#redirect", [["report 2026.csv", "a;b\n1;2"]]],
      ["#window", [["report 2026.csv", "a;b\n1;2"]]],
      ["#later", [["report 2026.csv", "a;b\n1;2"]]],
      ["#blob", [["blob.txt", "from a blob"]]],
      ["#data", [["data.csv", "a;b"]]],
      ["#inline", [["paper.pdf", pdf.toString()]]],
      ["#inlinewindow", [["paper.pdf", pdf.toString()]]]
    ] as const)(
      "what %s gives is kept",
      ([selector, expected]) =>
        Effect.gen(function* () {
          const seen = yield* run("/files", () => [click(selector), download()])
          assert.deepStrictEqual(
            texts(seen),
            expected.map((one) => [...one])
          )
        }),
      { concurrent: true }
    )

    it.effect(
      "one that has ended long before is kept as well, and so is what an address gives at once",
      () =>
        Effect.gen(function* () {
          const wait = step("DELAY")({ delay_time: 0.5 })
          assert.strictEqual(texts(yield* run("/files", () => [click("#blob"), wait, download()])).length, 1)
          const opened = yield* run("/files", (origin) => [step("NAVIGATE")({ url: `${origin}/report` }), download()])
          assert.strictEqual(texts(opened).length, 1)
        }),
      { concurrent: true }
    )

    it.effect(
      "several are all kept",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/files", () => [click("#three"), download(), download(), download()])
          assert.deepStrictEqual(texts(seen).sort(), [
            ["1.txt", "1"],
            ["2.txt", "2"],
            ["3.txt", "3"]
          ])
        }),
      { concurrent: true }
    )

    it.effect(
      "a page is printed, when the workflow or the page asks for it",
      () =>
        Effect.gen(function* () {
          for (const steps of [
            [download({ trigger_print: true, selector: "//body" })],
            [click("#print"), download()]
          ]) {
            const [file] = texts(yield* run("/files", () => steps))
            assert.strictEqual(file?.[0], "2026.pdf")
            assert.match(String(file?.[1]), /^%PDF-/)
          }
        }),
      { concurrent: true }
    )

    it.effect.each(["#endless", "#endlesswindow"])(
      "one that has no end, at %s, ends as soon as it is too large",
      (selector) =>
        Effect.gen(function* () {
          const told = failure(yield* run("/files", () => [click(selector), download()]))
          assert.strictEqual(told.code, "LIMIT-E0005")
          assert.include(told.message, "larger than 5 MB, the most that a download may be (SLUICE_DOWNLOAD_MB)")
        }),
      { concurrent: true }
    )

    it.effect(
      "those of several sessions are kept apart, of one address as well",
      () =>
        Effect.gen(function* () {
          const all = yield* Effect.forEach(
            ["#endless", "#endless", "#endless", "#endless"],
            (selector) => run("/files", () => [click(selector), download()]),
            { concurrency: "unbounded" }
          )
          for (const one of all) assert.strictEqual(failure(one).code, "LIMIT-E0005")
        }),
      { concurrent: true }
    )

    it.effect(
      "one that breaks off or stalls fails, unless the node continues without it",
      () =>
        Effect.gen(function* () {
          const broken = yield* run("/files", () => [click("#broken"), download()])
          assert.include(failure(broken).message, "/broken ended early")
          const stalled = yield* run("/files", () => [click("#stalled"), download({ timeout_seconds: 5 })])
          assert.include(failure(stalled).message, "/stalled is not complete after 5 s (timeout_seconds)")
          const passed = yield* run("/files", () => [
            click("#broken"),
            download({ continue_on_failed_download: true }),
            heading
          ])
          assert.strictEqual(found(passed), "Files")
        }),
      { concurrent: true }
    )
  })

  describe("uploads", () => {
    const sum = createHash("sha256").update(pdf).digest("hex")

    it.effect.each([
      ["a dialog", [click("#choose")], {}, "/source/scan", "scan ä.pdf"],
      ["a hidden field", [], { selector: "css=#file" }, "/source/redirect", "scan ä.pdf"],
      ["the field of a label", [], { selector: "css=#label", file_name: "own.pdf" }, "/source/scan", "own.pdf"]
    ] as const)(
      "a file goes into %s",
      ([, before, more, path, name]) =>
        Effect.gen(function* () {
          const seen = yield* run("/upload", (origin) => [...before, upload(`${origin}${path}`, more), got])
          assert.strictEqual(found(seen), `${name} ${pdf.length} ${sum}`)
        }),
      { concurrent: true }
    )

    it.effect.each([
      ["/source/none", "UPLOAD-E0002", "status 404"],
      ["/stalled", "UPLOAD-E0002", "was not received within 6000 ms"],
      ["/source/private", "UPLOAD-E0004", "private or loopback"],
      ["/source/loop", "UPLOAD-E0002", "redirects more than 5 times"]
    ] as const)(
      "%s fails with %s",
      ([path, code, words]) =>
        Effect.gen(function* () {
          const told = failure(
            yield* run("/upload", (origin) => [click("#choose"), upload(`${origin}${path}?signature=abc`)])
          )
          assert.strictEqual(told.code, code)
          assert.include(told.message, words)
          assert.notInclude(told.message, "signature")
        }),
      { concurrent: true }
    )

    it.effect(
      "without a dialog it fails, and nothing of a session stays on the disk",
      () =>
        Effect.gen(function* () {
          const files = () => readdirSync(tmpdir()).filter((name) => /^sluice-file-/.test(name))
          const before = files()
          const told = failure(yield* run("/upload", (origin) => [upload(`${origin}/source/scan`)]))
          assert.strictEqual(told.code, "UPLOAD-E0001")
          // Unfinished ones of other sessions go as well.
          const made = files().filter((name) => !before.includes(name))
          yield* until("the removal of files", Effect.sync(files), (all) => !all.some((name) => made.includes(name)))
        }),
      { concurrent: true }
    )
  })
})
