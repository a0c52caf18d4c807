import { request } from "node:http"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HeldLoop from "../../support/heldLoop.ts"
import * as ServerFork from "../../support/ServerFork.ts"

const million = 1_000_000

/** Bodies made to keep a server busy. Each is the value of one input variable. */
const values: ReadonlyArray<readonly [name: string, status: number, value: () => string]> = [
  ["10,000 levels", 400, () => "[".repeat(10_000) + "]".repeat(10_000)],
  ["1,000,000 names", 400, () => `{${Array.from({ length: million }, (_, index) => `"k${index}":0`).join(",")}}`],
  ["25 MB of small arrays", 400, () => `[${"[[1,2],[3]],".repeat(2 * million)}0]`],
  ["25 MB of names", 400, () => `{${Array.from({ length: 190_000 }, (_, n) => `"${"x".repeat(110)}${n}":0`).join()}}`],
  ["24 MB of one string", 201, () => `"${"a".repeat(24 * million)}"`],
  ["24 MB of escapes", 201, () => `"${"\\u0041".repeat(4 * million)}"`],
  ["24 MB of digits", 400, () => "1".repeat(24 * million)],
  ["490,000 objects", 201, () => `[${"{},".repeat(490_000)}0]`],
  ["24 MB, cut off", 400, () => `"${"a".repeat(24 * million)}`],
  ["24 MB of opened strings", 400, () => '"'.repeat(24 * million)],
  ["24 MB of spaces", 400, () => " ".repeat(24 * million)]
]

const post = (server: ServerFork.Running, body: string) =>
  new Promise<number>((resolve, reject) => {
    const sent = request(
      `${server.url}/run`,
      {
        method: "POST",
        headers: { "cc-key": server.key, "content-type": "application/json", "content-length": Buffer.byteLength(body) }
      },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      }
    )
    sent.on("error", reject)
    sent.end(body)
  })

it.live("a body that was made to take long does not hold the event loop", () =>
  Effect.gen(function* () {
    const server = yield* ServerFork.start(null)
    yield* Effect.promise(async () => {
      await post(server, `{"workflow_id":"${server.workflowId}"}`)
      for (const [name, status, value] of values) {
        const body = `{"workflow_id":"${server.workflowId}","run_input_variables":{"a":${value()}}}`
        const attempts: Array<number> = []
        // The least of three attempts counts. One below the bound decides, so no other is made then.
        do {
          await server.rest()
          assert.strictEqual(await post(server, body), status, name)
          attempts.push(await server.held(HeldLoop.most))
        } while (Math.min(...attempts) >= HeldLoop.most && attempts.length < 3)
        assert.isBelow(Math.min(...attempts), HeldLoop.most, name)
      }
    })
  }).pipe(Effect.scoped)
)
