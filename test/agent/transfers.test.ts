import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
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
  timeout,
  upload
} from "../support/hands.ts"

layer(services, { excludeTestServices: true, timeout: 60_000 })("in a real browser", (it) => {
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
      timeout
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
      timeout
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
      timeout
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
      timeout
    )

    it.effect.each(["#endless", "#endlesswindow"])(
      "one that has no end, at %s, ends as soon as it is too large",
      (selector) =>
        Effect.gen(function* () {
          const told = failure(yield* run("/files", () => [click(selector), download()]))
          assert.strictEqual(told.code, "LIMIT-E0005")
          assert.include(told.message, "larger than 5 MB, the most that a download may be (SLUICE_DOWNLOAD_MB)")
        }),
      timeout
    )

    it.effect(
      "one that breaks off or stalls fails, unless the node goes on without it",
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
      timeout
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
      timeout
    )

    it.effect.each([
      ["/source/none", "UPLOAD-E0002", "status 404"],
      ["/endless", "UPLOAD-E0003", "larger than 1 MB, the most that an uploaded file may have (maxUploadBytes)"],
      ["/stalled", "UPLOAD-E0002", "did not come within 2000 ms"],
      ["/source/private", "UPLOAD-E0004", "private or loopback"],
      ["/source/loop", "UPLOAD-E0002", "leads on more than 5 times"]
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
      timeout
    )

    it.effect(
      "without a dialog it fails, and nothing of a session stays on the disk",
      () =>
        Effect.gen(function* () {
          const files = () => readdirSync(tmpdir()).filter((name) => /^sluice-file-/.test(name))
          const before = files()
          const told = failure(yield* run("/upload", (origin) => [upload(`${origin}/source/scan`)]))
          assert.strictEqual(told.code, "UPLOAD-E0001")
          // Those of other sessions that were under way go as well.
          const made = files().filter((name) => !before.includes(name))
          while (files().some((name) => made.includes(name))) yield* Effect.sleep("50 millis")
        }),
      timeout
    )
  })
})
