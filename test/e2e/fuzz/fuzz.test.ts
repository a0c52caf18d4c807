/** The judge of the fuzzer is shown faults that were planted, which it must catch; then the service is attacked. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../apps/api/Api.ts"
import { type Case, decode, encode, fill } from "../../fuzz/Case.ts"
import * as Fuzz from "../../fuzz/Fuzz.ts"
import { known, knownOf } from "../../fuzz/Known.ts"
import * as Requests from "../../fuzz/Requests.ts"
import { shrink, simpler } from "../../fuzz/Shrink.ts"
import * as Target from "../../fuzz/Target.ts"
import * as Verdict from "../../fuzz/Verdict.ts"
import { migratedDatabase } from "../../support/databases.ts"
import type { Document } from "../../support/description.ts"
import * as HeldLoop from "../../support/heldLoop.ts"
import { fixedWork } from "../../support/relativeCost.ts"
import { isAll, scale } from "../../support/scale.ts"

const document = OpenApi.fromApi(Api) as unknown as Document

/** A service of one operation, `POST /things`, which takes an object and answers `{"ok": true}`. */
const planted = {
  tags: [],
  paths: {
    "/things": {
      post: {
        operationId: "things.make",
        tags: [],
        parameters: [],
        security: [],
        requestBody: { content: { "application/json": { schema: { type: "object" } } } },
        responses: {
          200: {
            content: {
              "application/json": {
                schema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }
              }
            }
          },
          400: { content: { "application/json": { schema: { type: "object", required: ["statusCode", "message"] } } } }
        }
      }
    }
  },
  components: { schemas: {} }
} as unknown as Document

type Handler = (response: ServerResponse, body: string, request: IncomingMessage) => void

const answer = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

/** A target whose server runs in this process. */
const targetOf = (handler: Handler) => async (): Promise<Target.Target> => {
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (piece) => {
      body += String(piece)
    })
    request.on("end", () => handler(response, body, request))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const watch = HeldLoop.start()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    things: async () => ({ thing_id: "t1" }),
    held: async (bound) => watch.lap(bound),
    kill: async () => {
      watch.stop()
      server.closeAllConnections()
      server.close()
    }
  }
}

const jsonCase = (json: unknown): Case => ({
  method: "POST",
  path: "/things?a=1&b=2",
  headers: [
    ["content-type", "application/json"],
    ["x-other", "x"]
  ],
  body: { json }
})

/** Ends the patience with the request that is not answered. */
let giveUp = () => {}

/** The findings when the third of five requests trips the handler. */
const attack = (handler: Handler) =>
  Fuzz.run({
    document: planted,
    start: targetOf(handler),
    cases: (index) =>
      jsonCase(index === 2 ? { a: [1, { deep: "a trap is here" }], b: "x".repeat(100) } : { a: [index] }),
    from: 0,
    requests: 5,
    patience: (over) => {
      giveUp = over
      return () => {}
    },
    hangAttempts: 12
  })

const trips = (body: string) => body.includes("trap")
const fine = (response: ServerResponse) => answer(response, 200, { ok: true })

describe("the judge of requests", () => {
  const plants: ReadonlyArray<readonly [name: string, kind: string, fault: (response: ServerResponse) => void]> = [
    ["an internal error", "5xx", (response) => answer(response, 500, { statusCode: 500, message: "x" })],
    ["an answer that never comes", "hang", () => giveUp()],
    ["an answer that never ends", "hang", (response) => void response.writeHead(200).write("{", () => giveUp())],
    ["a connection that is cut", "dropped", (response) => void response.socket?.destroy()],
    [
      "an answer that is cut",
      "dropped",
      (response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
        response.write("{", () => response.socket?.destroy())
      }
    ],
    ["a status that is not described", "undescribed", (response) => answer(response, 418, { ok: true })],
    ["a body that is not as described", "undescribed", (response) => answer(response, 200, { ok: "yes" })],
    ["a body of another type", "undescribed", (response) => void response.writeHead(200).end("ok")]
  ]

  it.each(plants)("catches %s, shrinks its request, and says how to send it again", async (_name, kind, fault) => {
    const report = await attack((response, body) => (trips(body) ? fault(response) : fine(response)))
    assert.lengthOf(report.findings, 1)
    const [finding] = report.findings
    assert.isDefined(finding)
    assert.deepStrictEqual([finding.fault.kind, finding.index, finding.count, finding.alone], [kind, 2, 1, true])
    assert.deepStrictEqual(decode(Fuzz.replayLine(finding).split(" ").at(-1) ?? ""), finding.smallest)
    assert.isTrue(trips(JSON.stringify(finding.smallest.body)))
    assert.notInclude(JSON.stringify(finding.smallest), "xxxx")
    if (kind !== "hang") {
      assert.deepStrictEqual(finding.smallest.headers, [])
      assert.strictEqual(finding.smallest.path, "/things")
    }
  })

  it("catches an address in another form that is answered as the described one", async () => {
    const report = await Fuzz.run({
      document: planted,
      start: targetOf(fine),
      cases: () => ({ ...jsonCase({}), path: "//things" }),
      from: 0,
      requests: 2
    })
    assert.deepStrictEqual(
      report.findings.map(({ count, fault }) => [fault.kind, count]),
      [["undescribed", 2]]
    )
  })

  const hold = () => {
    for (let works = 0; works < 2 * Fuzz.longestTurn; works++) fixedWork()
  }

  it("catches a request that holds the event loop each time, and names its operation", async () => {
    const report = await attack((response, body) => {
      if (trips(body)) hold()
      fine(response)
    })
    assert.deepStrictEqual(
      report.findings.map(({ fault, index }) => [fault.kind, fault.signature, index]),
      [["held", "held things.make", 2]]
    )
  })

  it("does not blame a request that holds the event loop once", async () => {
    let times = 0
    const report = await attack((response, body) => {
      if (trips(body) && times++ === 0) hold()
      fine(response)
    })
    assert.deepStrictEqual(report.findings, [])
    assert.isAbove(report.longestTurns.get("things.make") ?? 0, Fuzz.longestTurn)
  })

  it("finds nothing wrong with a service that answers as described", async () => {
    const report = await attack((response, body) =>
      trips(body) ? answer(response, 400, { statusCode: 400, message: "x" }) : fine(response)
    )
    assert.deepStrictEqual(report.findings, [])
    assert.deepStrictEqual(
      [...report.statuses],
      [
        [200, 4],
        [400, 1]
      ]
    )
    assert.deepStrictEqual([...report.accepted], [["things.make", 4]])
  })

  it("says of a fault that needs what came before that it does not fail alone", async () => {
    let asked = 0
    const report = await attack((response) => (++asked === 4 ? answer(response, 500, {}) : fine(response)))
    assert.deepStrictEqual(
      report.findings.map(({ alone, index }) => [alone, index]),
      [[false, 3]]
    )
    const [finding] = report.findings
    assert.isDefined(finding)
    assert.include(Fuzz.describe(finding, 7), "--seed 7 --requests 4")
  })
})

describe("the generator of requests", () => {
  it("draws the same requests for the same seed, and others for another", () => {
    const drawn = (seed: number) => {
      const { at } = Requests.make(document, seed)
      return JSON.stringify(Array.from({ length: 300 }, (_, index) => at(index)))
    }
    assert.strictEqual(drawn(5), drawn(5))
    assert.notStrictEqual(drawn(5), drawn(6))
  })

  it("asks for every operation in few requests", () => {
    const { at } = Requests.make(document, 5)
    const { operationOf } = Verdict.make(document)
    const operations = Object.values(document.paths).flatMap((one) => Object.keys(one)).length
    const drawn = Array.from({ length: 6 * operations }, (_, index) => at(index))
    const asked = new Set(drawn.map(({ method, path }) => operationOf(method, path)?.operationId))
    asked.delete(undefined)
    assert.strictEqual(asked.size, operations)
  })

  it("writes a case in a word that reads back as it was, lone surrogates and NUL included", () => {
    const { at } = Requests.make(document, 9)
    for (let index = 0; index < 300; index++) {
      const one = at(index)
      const again = decode(encode(one))
      assert.deepStrictEqual(fill(again, {}).body, fill(one, {}).body)
      assert.deepStrictEqual(JSON.stringify(again), JSON.stringify(one))
    }
    assert.throws(() => decode("nonsense"), /--replay expects/)
  })
})

describe("shrinking", () => {
  it("reaches the smallest value that still fails, within its attempts", async () => {
    const start = { a: [1, 2, { b: "needle in hay" }], c: { d: [3] } }
    let tries = 0
    const fails = async (value: unknown) => {
      tries++
      return JSON.stringify(value).includes("needle")
    }
    assert.deepStrictEqual(await shrink<unknown>(start, simpler, fails, 200), { a: [{ b: "needle" }] })
    assert.isBelow(tries, 200)
    tries = 0
    await shrink<unknown>(start, simpler, fails, 3)
    assert.strictEqual(tries, 3)
  })
})

/** One seed for every run of the tests: the same requests each time, so that a failure is not one of chance. */
const seed = 12

/**
 * So many to the stores in memory, and each night to PostgreSQL as well, reach most operations with what is accepted;
 * `npm run fuzz` sends any number.
 */
const requestsTo = { memory: 1_100 * scale, postgres: isAll ? 1_200 * scale : 400 * scale }

/** The new findings of some requests, counted from a number, in a service. */
const attackService = async (databaseUrl: string | null, from: number, requests: number) => {
  const start = () => Target.start(databaseUrl)
  const report = await Fuzz.run({ document, start, cases: Requests.make(document, seed).at, from, requests })
  const news = report.findings.filter((finding) => knownOf(finding) === null)
  assert.deepStrictEqual(
    news.map((finding) => Fuzz.describe(finding, seed)),
    []
  )
  // The requests reach what they are for: many are carried out.
  assert.isAbove(report.statuses.get(200) ?? 0, requests / 10)
  assert.isAbove(report.statuses.get(201) ?? 0, requests / 100)
  return report
}

/** Every operation is asked for, and most carry out what is asked. */
const assertReach = ({ accepted }: Fuzz.Report) => {
  const operations = Object.values(document.paths).flatMap((one) => Object.keys(one)).length
  assert.strictEqual(accepted.size, operations)
  assert.isAbove([...accepted.values()].filter((count) => count > 0).length, operations * 0.7)
}

const databaseUrl = process.env.SLUICE_TEST_DATABASE_URL

describe.concurrent(`the service that is sent ${requestsTo.memory + requestsTo.postgres} bad requests`, () => {
  it(`answers ${requestsTo.memory} of them as described, with its stores in memory`, async () => {
    const report = await attackService(null, 0, requestsTo.memory)
    assertReach(report)
    const found = new Set(report.findings.map(knownOf))
    assert.deepStrictEqual(
      known.filter(({ what }) => !found.has(what)),
      [],
      "What is not found any more is taken from the list of what is known"
    )
  })

  it.skipIf(databaseUrl === undefined)(
    `answers ${requestsTo.postgres} of them as described, with its stores on PostgreSQL`,
    () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const url = yield* migratedDatabase
            const report = yield* Effect.promise(() => attackService(url, requestsTo.memory, requestsTo.postgres))
            if (isAll) assertReach(report)
          })
        )
      )
  )
})
