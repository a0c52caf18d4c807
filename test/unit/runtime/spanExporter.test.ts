import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as SpanExporter from "../../../adapters/telemetry/SpanExporter.ts"
import * as TraceProtobuf from "../../../adapters/telemetry/TraceProtobuf.ts"
import type { EndedSpan } from "../../../core/runtime/Trace.ts"

const span: EndedSpan = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentSpanId: null,
  name: "POST /run",
  kind: "server",
  from: 1n,
  to: 2n,
  attributes: {},
  failure: null,
  interrupted: false
}

/** Exports to a client until the scope closes: how many spans wait, how many each request had, and how to end some. */
const exporting = Effect.fnUntraced(function* (client: HttpClient.HttpClient) {
  const batch = TraceProtobuf.make({ attributes: [], droppedAttributesCount: 0 })
  const sent: Array<number> = []
  const scope = yield* Scope.make()
  const ended = yield* SpanExporter.make({
    url: "http://127.0.0.1:4318/v1/traces",
    headers: undefined,
    compresses: false,
    batch: {
      get size() {
        return batch.size
      },
      add: batch.add,
      take: () => {
        sent.push(batch.size)
        return batch.take()
      }
    },
    delay: "5 seconds",
    batchSize: 10,
    queueSize: 40
  }).pipe(Effect.provideService(HttpClient.HttpClient, client), Effect.provideService(Scope.Scope, scope))
  const end = (count: number) => {
    for (let at = 0; at < count; at++) ended(span)
  }
  return { end, sent, waiting: () => batch.size, close: Scope.close(scope, Exit.void) }
})

it.effect("spans for a receiver that hangs take bounded room, and keep no process from its end", () =>
  Effect.gen(function* () {
    const { close, end, sent, waiting } = yield* exporting(HttpClient.make(() => Effect.never))
    end(1)
    assert.deepStrictEqual([sent, waiting()], [[], 1])
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual([sent, waiting()], [[1], 0])
    end(1_000)
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual([sent, waiting()], [[1], 40])
    const closing = yield* Effect.forkChild(close)
    yield* TestClock.adjust("3 seconds")
    assert.isTrue(Exit.isSuccess(yield* Fiber.await(closing)))
  })
)

it.effect("a full batch is sent at once, the others after their delay, and the last ones at the end", () =>
  Effect.gen(function* () {
    const taking = HttpClient.make((request) =>
      Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status: 200 })))
    )
    const { close, end, sent } = yield* exporting(taking)
    end(10)
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(sent, [10])
    end(2)
    yield* TestClock.adjust("5 seconds")
    end(3)
    yield* close
    assert.deepStrictEqual(sent, [10, 2, 3])
  })
)
