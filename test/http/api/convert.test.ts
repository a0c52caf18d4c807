import { gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { asList, pathsOf, setUp } from "../../support/member.ts"
import { layerInMemory, Service } from "../../support/service.ts"

it.layer(layerInMemory)("files of other programs", (it) => {
  it.effect("become workflows that are saved only when they are sent again", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const convert = (content: string) => ask("POST", "/workflows/convert", { file_name: "a", content })
      const before = asList((yield* ask("GET", "/workflows")).body).length
      const script = yield* convert(
        "await page.goto('https://shop.example/')\nawait page.fill('#password', 'Rosebud-1941')"
      )
      assert.strictEqual(script.status, 200, script.text)
      assert.deepInclude(script.body, { format: "playwright", warnings: [] })
      assert.notInclude(script.text, "Rosebud")
      assert.lengthOf(asList((yield* ask("GET", "/workflows")).body), before)
      const made = yield* ask("POST", "/workflows", script.body.workflow)
      assert.strictEqual(made.status, 201, made.text)
    })
  )

  it.effect("that cannot be read are refused with the reason, and change nothing", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const refused = [
        "",
        "Dear Ada",
        '{"title": "a", "steps": [',
        `${"[".repeat(50_000)}`,
        `page.click(${"(a=".repeat(20_000)}`,
        JSON.stringify({ tests: Array.from({ length: 200_000 }, () => ({ commands: [] })) }),
        "await page.goto(".repeat(1_000)
      ]
      for (const content of refused) {
        const answer = yield* ask("POST", "/workflows/convert", { content })
        // A project without steps is one all the same.
        if (answer.status === 200) assert.deepStrictEqual(answer.body.report, [])
        else assert.deepStrictEqual([answer.status, pathsOf(answer.body)], [400, ["content"]], content.slice(0, 40))
      }
      const large = yield* ask("POST", "/workflows/convert", { content: "a".repeat(10_500_000) })
      assert.strictEqual(large.status, 413)
      assert.deepStrictEqual(pathsOf((yield* ask("POST", "/workflows/convert", {})).body), ["content"])
    })
  )

  it.effect("may come as forms, which are read as the JSON that they stand for", () =>
    Effect.gen(function* () {
      const { ask, send } = yield* asked
      const steps = Array.from(
        { length: 400 },
        (_, index) => `await page.getByText('"Straße" \u{1f389} \\t ${index}').click()`
      )
      const content = `await page.goto('https://shop.example/')\r\n${steps.join("\n")}`
      const expected = yield* ask("POST", "/workflows/convert", { file_name: "a.ts", content })
      assert.strictEqual(expected.status, 200, expected.text)
      const form = new FormData()
      form.append("file", new Blob([content]), "a.ts")
      const whole = formOf([["file", "a.ts", content]])
      const bytes = new TextEncoder().encode(whole)
      const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
        bytes.slice(index * 7, index * 7 + 7)
      )
      const bodies: ReadonlyArray<readonly [BodyInit, Record<string, string>]> = [
        [form, {}],
        [whole, multipart],
        [formOf([["file", null, content]]), multipart],
        [streamOf(pieces), multipart],
        [gzipSync(whole), { ...multipart, "content-encoding": "gzip" }]
      ]
      for (const [raw, headers] of bodies) {
        const answer = yield* send(raw, headers)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(answer.body, expected.body)
      }
      // Each form has a boundary of its own, and is the same request all the same.
      const repeated = { "idempotency-key": "one" }
      for (const boundary of ["a", "b"]) {
        const headers = { ...repeated, "content-type": `multipart/form-data; boundary=${boundary}` }
        assert.strictEqual((yield* send(formOf([["file", "a.ts", content]], boundary), headers)).status, 200)
      }
    })
  )

  it.effect("in forms that are wrong are refused at the field that is", () =>
    Effect.gen(function* () {
      const { ask, send } = yield* asked
      const script = "await page.goto('https://shop.example/')"
      const whole = formOf([["file", "a.ts", script]])
      const refused: ReadonlyArray<readonly [BodyInit, paths: ReadonlyArray<string>, message: RegExp]> = [
        [formOf([]), ["file"], /Expected a file in the field file/],
        [formOf([["upload", "a.ts", script]]), ["upload"], /no other field than file/],
        [
          formOf([
            ["file", "a.ts", script],
            ["note", null, "canary"]
          ]),
          ["note"],
          /no other field/
        ],
        [
          formOf([
            ["file", "a.ts", script],
            ["file", "b.ts", script]
          ]),
          ["file"],
          /one file in the form/
        ],
        [Buffer.from(whole.replace("page", "p\u00e4ge"), "latin1"), ["file"], /UTF-8/],
        [whole.slice(0, -6), [""], /ended before it was complete/],
        [whole.replace("form-data; name", "form-data; nam"), [""], /Content-Disposition with a name/],
        [whole.replace("Content-Disposition", "Content Disposition"), [""], /headers cannot be read/],
        ["no form", [""], /ended before it was complete/],
        [formOf([["file", "a.ts", ""]]), ["content"], /./],
        [formOf([["file", "a.ts", `${script}\u0000`]]), ["content"], /./],
        [formOf([["file", "a.ts", "a".repeat(9_000_000)]]), ["content"], /./]
      ]
      for (const [raw, paths, message] of refused) {
        const answer = yield* send(raw, multipart)
        assert.strictEqual(answer.status, 400, answer.text)
        if (paths[0] !== "") assert.deepStrictEqual(pathsOf(answer.body), [...paths])
        assert.match(String(answer.body.message), message)
        assert.notInclude(answer.text, "canary")
      }
      const without = yield* send(whole, { "content-type": "multipart/form-data" })
      assert.deepStrictEqual([without.status, /boundary/.test(without.text)], [400, true])
      assert.strictEqual((yield* send(formOf([["file", "a.ts", "a".repeat(10_500_000)]]), multipart)).status, 413)
      assert.strictEqual((yield* send("a", { "content-type": "text/plain" })).status, 415)
      assert.strictEqual((yield* ask("GET", "/workflows")).status, 200)
    })
  )

  it.effect("are the only forms that are taken", () =>
    Effect.gen(function* () {
      const { sendTo } = yield* asked
      assert.strictEqual((yield* sendTo("/workflows", formOf([["file", "a.ts", "a"]]), multipart)).status, 415)
    })
  )
})

const multipart = { "content-type": "multipart/form-data; boundary=border" }

const streamOf = (pieces: ReadonlyArray<Uint8Array>): ReadableStream =>
  new ReadableStream({
    start: (stream) => {
      for (const piece of pieces) stream.enqueue(piece)
      stream.close()
    }
  })

type Part = readonly [name: string, fileName: string | null, text: string]

const formOf = (parts: ReadonlyArray<Part>, boundary = "border"): string =>
  [
    ...parts.map(
      ([name, fileName, text]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === null ? "" : `; filename="${fileName}"`}\r\n\r\n${text}\r\n`
    ),
    `--${boundary}--\r\n`
  ].join("")

const asked = Effect.gen(function* () {
  const { ask, me } = yield* setUp
  const service = yield* Service
  const sendTo = (path: string, raw: BodyInit, headers: Record<string, string>) =>
    service.send({ method: "POST", path, key: me.key, raw, headers })
  return {
    ask,
    sendTo,
    send: (raw: BodyInit, headers: Record<string, string>) => sendTo("/workflows/convert", raw, headers)
  }
})
