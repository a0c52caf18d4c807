import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, References } from "effect"
import * as HttpSender from "../../adapters/http/HttpSender.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Conformance from "../../apps/conformance/Conformance.ts"
import * as Receiver from "../../apps/conformance/Receiver.ts"
import * as AgentExecutor from "../../core/execution/AgentExecutor.ts"
import * as Worker from "../../core/run/Worker.ts"
import * as ScriptedBrowser from "../../core/testing/browser/ScriptedBrowser.ts"
import { TestTime } from "../../core/testing/TestTime.ts"
import { daily, graph } from "../support/fixtures.ts"
import { layerWith, Service } from "../support/service.ts"

/** An answer of the server, which a fault changes. */
interface Passing {
  readonly method: string
  readonly path: string
  status: number
  body: Record<string, unknown> & { length?: number }
}

type Fault = (passing: Passing) => void

const isWindow = ({ path }: Passing) => path.endsWith("/run-window")
const isVersions = ({ path }: Passing) => path.endsWith("/versions")

const onWindows =
  (change: (body: Record<string, unknown>) => void): Fault =>
  (passing) => {
    if (isWindow(passing)) change(passing.body)
  }

const statusOf =
  (from: number, to: number): Fault =>
  (passing) => {
    if (passing.status === from) passing.status = to
  }

const without =
  (name: string): Fault =>
  ({ body }) => {
    delete body[name]
  }

const onRuns =
  (status: string): Fault =>
  ({ body, path }) => {
    if (path.startsWith("/run/") && body.status !== undefined) body.status = status
  }

const onStates =
  (change: (state: { open: boolean; nextOpenAt: string | null }) => object): Fault =>
  ({ body, method, path }) => {
    if (method === "PUT" && path.endsWith("/run-window") && body.state) body.state = change(body.state as never)
  }

const onErrors = (change: (error: { path: string }) => void): Fault =>
  onWindows(({ errors }) => {
    if (Array.isArray(errors)) errors.forEach(change)
  })

const set =
  (name: string, value: unknown): Fault =>
  ({ body }) => {
    if (body[name] !== undefined) body[name] = value
  }

const onLists =
  (change: (one: Record<string, unknown>) => void): Fault =>
  ({ body }) => {
    if (Array.isArray(body)) for (const one of body) change(one)
  }

/** Faults for each scenario, every one of which that scenario must find. */
const faults: Readonly<Record<string, Fault | ReadonlyArray<Fault>>> = {
  "window-paths": [
    onErrors((error) => {
      error.path = error.path.replace("special_hours[0].", "special_hours[0]/")
    }),
    onErrors((error) => {
      error.path = error.path.replace("active_end_day", "active_start_day")
    }),
    onErrors((error) => {
      error.path = error.path.replace(/active_end_time$/, "active_end_time.hours")
    }),
    set("error", "Bad Request")
  ],
  "window-malformed": [set("error", "Bad Request"), without("errors")],
  "window-stored": [
    ({ body, method }) => {
      const hours = (body.run_window as { special_hours?: Array<object> } | undefined)?.special_hours
      if (method === "GET" && hours !== undefined) hours[0] = { ...hours[0], label: undefined }
    },
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace(":00:00", ":30:00") ?? null }))
  ],
  "window-shifts": onStates(() => ({ open: false, nextOpenAt: null })),
  "window-precedence": [
    onStates(() => ({ open: true, nextOpenAt: null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T00:", "T09:") ?? null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T09:", "T00:") ?? null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt ?? "2030-01-01T00:00:00Z" }))
  ],
  "window-zone": [
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T08:", "T09:") ?? null })),
    onStates(({ nextOpenAt }) => ({ open: false, nextOpenAt: nextOpenAt?.replace("T07:", "T08:") ?? null }))
  ],
  "window-read-and-deleted": (passing) => {
    if (passing.method === "DELETE" && isWindow(passing)) passing.body.state = { open: true, nextOpenAt: null }
  },
  "window-travels": [
    ({ body, path }) => {
      if (path.endsWith("/export")) delete body.run_window
    },
    onWindows((body) => {
      body.run_window = null
    }),
    statusOf(400, 201)
  ],
  "window-endpoint-errors": [without("error"), statusOf(404, 200)],
  "held-status": [onRuns("execution.queued"), onRuns("execution.paused")],
  "held-released-by-delete": [onRuns("execution.paused"), set("skippedResourceGroups", [])],
  "lift-lasts": [onRuns("execution.paused"), onRuns("execution.queued")],
  "lift-keeps-pause": [set("resumedRuns", 1), set("resumedRuns", 0), onRuns("execution.queued")],
  "queued-held-by-window": [
    set("resumedRuns", 1),
    onRuns("execution.queued"),
    (passing) => {
      if (isVersions(passing) && Array.isArray(passing.body)) passing.body.push({ version_number: 0 })
    }
  ],
  "unpause-several": [
    set("success", true),
    set("resumedRuns", 1),
    set("errors", ["It is not there"]),
    set("skippedResourceGroups", [])
  ],
  "unpause-invalid": statusOf(400, 200),
  "run-unknown-workflow": statusOf(404, 400),
  "run-input-errors": [
    without("run_input_variables_errors"),
    without("input_schema"),
    ({ body }) => {
      const [error] = (body.run_input_variables_errors ?? []) as Array<Record<string, unknown>>
      if (error !== undefined) error.field = "order"
    }
  ],
  "run-dry": onLists((run) => {
    run.dry_run = false
  }),
  "run-unknown-session": [statusOf(404, 200), set("error", "NotFound")],
  "version-summaries": ["version_id", "created_by", "created_at", "version_note"].map((name) =>
    onLists((version) => {
      delete version[name]
    })
  ),
  "version-content": [
    ({ body, path }) => {
      if (path.endsWith("/versions/1")) body.name = "Renamed"
    },
    ({ body, path }) => {
      if (path.endsWith("/versions/1")) body.run_window = null
    },
    statusOf(404, 200)
  ],
  "metadata-schemas": [set("vault_schema", {}), set("input_schema", {}), set("workspace_id", "w")],
  "component-record": [
    without("component_data"),
    onLists((component) => {
      component.updated_at = "today"
    })
  ],
  "component-name": statusOf(400, 201),
  "limit-nodes": [without("limit_bytes"), set("code", "VALIDATION_FAILED")],
  "limit-edges": [without("field"), statusOf(400, 201)],
  "error-no-key": [statusOf(401, 403), set("error", "Forbidden")],
  "authentication-malformed": without("detail"),
  "vault-record": [
    set("cookies", []),
    set("user_alias", null),
    set("persist_local_storage", true),
    onLists((entry) => {
      entry.permissioned_user_id = "another"
    })
  ],
  "vault-computed": ({ body, method }) => {
    if (method === "POST") body.tfa_email = "mine@conformance.example"
  },
  "vault-authenticator": statusOf(400, 201),
  "body-limits": [
    without("received_bytes"),
    without("message"),
    ({ body }) => {
      if (body.limit_bytes === 26_214_400) body.limit_bytes = 25_000_000
    }
  ],
  "body-without-length": ({ body }) => {
    body.received_bytes = 0
  },
  "limit-reached": [statusOf(201, 400), set("description", "d".repeat(4_000))],
  "limit-on-save": [without("limit_chars"), statusOf(400, 200)],
  "key-required": statusOf(401, 200),
  components: (passing) => {
    if (passing.path === "/workflow-components") passing.body = {}
  },
  metadata: without("vault_schema"),
  "vault-delete": without("workspace_id"),
  "authentication-invalid": without("detail"),
  "tfa-code-parameters": statusOf(400, 422),
  "window-set": onWindows((body) => {
    if (body.state !== undefined) body.state = { open: true, nextOpenAt: "2026-01-01T00:00:00Z" }
  }),
  "window-invalid": onWindows(({ errors }) => {
    if (Array.isArray(errors)) errors.length = 1
  }),
  "window-empty": statusOf(400, 200),
  "window-overnight": statusOf(400, 200),
  "window-next-opening": onWindows((body) => {
    body.state = { open: false, nextOpenAt: null }
  }),
  "window-warning": without("warnings"),
  "window-unknown-workflow": statusOf(404, 400),
  "window-no-version": (passing) => {
    if (isVersions(passing) && Array.isArray(passing.body)) passing.body.reverse()
  },
  "window-kept-by-save": onWindows((body) => {
    body.run_window = null
  }),
  "run-held": ({ body }) => {
    if (body.resumedRuns !== undefined) body.resumedRuns = 0
  },
  "run-released-by-window": ({ body }) => {
    if (body.skippedResourceGroups !== undefined) body.skippedResourceGroups = []
  },
  "unpause-workflow": without("errors"),
  "run-input-checked": (passing) => {
    if (passing.path === "/run") passing.status = 201
  },
  "interaction-unknown-session": statusOf(404, 200),
  "limit-name": without("limit_chars"),
  "limit-description": without("field"),
  "limit-version-note": without("code"),
  "limit-several": without("code"),
  "body-too-large": without("limit_bytes"),
  "role-window": statusOf(403, 200),
  "role-member": (passing) => {
    if (isWindow(passing)) passing.status = 403
  },
  "role-unpause": without("error"),
  "key-revoked": statusOf(401, 200),
  "key-shown-once": (passing) => {
    if (passing.path === "/api-keys" && Array.isArray(passing.body)) passing.body.length = 0
  },
  "vault-plain-refused": statusOf(400, 201),
  "vault-delete-invalid": statusOf(400, 404),
  "vault-sealed": (passing) => {
    if (passing.method === "DELETE") passing.body.password = "tide-and-timber"
  },
  "tfa-code-sms": statusOf(409, 404),
  "tfa-code-magic-link": statusOf(409, 404),
  "tfa-code-email-none": without("message"),
  "tfa-code-unknown": statusOf(404, 200),
  "tfa-code-authenticator": (passing) => {
    if (passing.body.code !== undefined) passing.body.code = "000000"
  },
  "tfa-code-invalid-secret": statusOf(400, 201),
  "limit-input-schema": without("field"),
  "limit-output-schema": without("limit_bytes"),
  "limit-vault-schema": without("code"),
  "limit-dry-run": without("limit_bytes"),
  "limit-actual-chars": without("actual_chars"),
  "error-malformed": without("error"),
  "error-not-found": ({ body }) => {
    if (body.error === "Not Found") body.error = "NotFound"
  },
  "error-window-shape": onWindows(({ errors }) => {
    if (Array.isArray(errors)) for (const one of errors) delete one.path
  }),
  "special-hours-overnight": statusOf(400, 200),
  "special-hours-both": statusOf(400, 200),
  "unpause-unknown": without("errors"),
  "stream-unknown": statusOf(404, 200),
  "webhook-secret-once": (passing) => {
    if (passing.method === "POST") passing.body.secret = passing.body.id
  },
  "webhook-listed": statusOf(404, 200),
  "webhook-address": statusOf(400, 201),
  "webhook-test-fails": ({ body }) => {
    if (body.success === false) body.success = true
  },
  "webhook-signed": (passing) => {
    if (passing.method === "POST" && passing.body.secret !== undefined) passing.body.secret = "another secret"
  },
  "webhook-replay": without("nr_failed"),
  "clock-opens-window": (passing) => {
    if (isWindow(passing) && passing.method === "GET") passing.body.state = { open: false, nextOpenAt: null }
  }
}

const movers = new Set(Conformance.scenarios.flatMap(({ movesClock, name }) => (movesClock ? [name] : [])))

const executed = new Set(Conformance.scenarios.flatMap(({ executes, name }) => (executes ? [name] : [])))

/** Those that need a service of their own. */
const apart = new Set([...movers, ...executed])

/** A clock that a test installation moves, in one process. */
const movable = Layer.effectContext(
  Effect.map(Clock.Clock, (inner) => {
    let ahead = 0
    const now = () => inner.currentTimeMillisUnsafe() + ahead
    const clock: Clock.Clock = Object.assign(Object.create(inner), {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now)
    })
    const moveTo = (at: number) =>
      Effect.sync(() => {
        ahead += Math.max(0, at - now())
      })
    return Context.make(Clock.Clock, clock).pipe(Context.add(TestTime, { ahead: Effect.sync(() => ahead), moveTo }))
  })
)

/** Faults in the text of streams for each scenario about them. */
const streamFaults: Readonly<Record<string, ReadonlyArray<(text: string) => string>>> = {
  "stream-run": [(text) => text.replace(/"timestamp":(\d+),/g, '"timestamp":$1000,')],
  "stream-paused": [
    (text) => text.replaceAll('"run_window"', '"workflow"'),
    (text) => text.replace(/"message":"[^"]*"/g, '"message":"The run window is closed"')
  ],
  "stream-resumed": [(text) => text.replace(/^id: .*\n/gm, "")],
  "interaction-waiting": [
    (text) => text.replaceAll('"interaction.waiting"', '"execution.failed"'),
    (text) => text.replace(/"expires_at":(\d+)/g, '"expires_at":1$1'),
    (text) => text.replaceAll('"current_step":"Enter the code"', '"current_step":"TFA"'),
    (text) => text.replaceAll('"missing_properties":["code"]', '"missing_properties":[]'),
    (text) => text.replaceAll('"required":["code"]', '"required":[]'),
    (text) => text.replace(/"pattern":"[^"]*"/g, '"pattern":"^[0-9]+$"')
  ],
  "stream-client": [(text) => text.replaceAll('"session_id"', '"run_id"')]
}

/** Requests over a proxy that breaks the answers: those of streams by a change of their text, others by a fault. */
const broken =
  (fault: Fault, ofStream: (text: string) => string = (text) => text) =>
  async (url: string, request: RequestInit): Promise<Response> => {
    const answer = await fetch(url, request)
    const kind = answer.headers.get("content-type") ?? ""
    if (kind.includes("event-stream")) {
      const changed = new TransformStream<string, string>({
        transform: (text, controller) => controller.enqueue(ofStream(text))
      })
      const pieces = answer.body?.pipeThrough(new TextDecoderStream()).pipeThrough(changed)
      return new Response(pieces?.pipeThrough(new TextEncoderStream()) ?? null, answer)
    }
    const text = await answer.text()
    if (!kind.includes("json")) return new Response(text, answer)
    const passing = {
      method: request.method ?? "GET",
      path: new URL(url).pathname,
      status: answer.status,
      body: JSON.parse(text)
    }
    fault(passing)
    return new Response(JSON.stringify(passing.body), { status: passing.status, headers: answer.headers })
  }

const sound: Fault = () => undefined

/** What breaks the answers that a scenario is about: the name of the scenario, and requests over each fault. */
const breaking: ReadonlyArray<readonly [name: string, send: NonNullable<Conformance.Options["send"]>]> = [
  ...Object.entries(faults).flatMap(([name, some]) =>
    (typeof some === "function" ? [some] : some).map((fault) => [name, broken(fault)] as const)
  ),
  ...Object.entries(streamFaults).flatMap(([name, changes]) =>
    changes.map((change) => [name, broken(sound, change)] as const)
  )
]

/** A hundred scenarios send about a thousand requests, the longest of 25 MiB. In milliseconds. */
const longest = 120_000

describe("the conformance kit", () => {
  const sending = { ...HttpSender.defaults, allowPrivateNetworks: true }
  it.layer(layerWith({ stores: Memory.layer, sending }), { timeout: "60 seconds", excludeTestServices: true })(
    "on this service",
    (it) => {
      const given = Effect.gen(function* () {
        const { member, url } = yield* Service
        const { encryptionKey, key } = yield* member("Owner")
        const { receiver } = yield* Effect.acquireRelease(
          Effect.promise(() => Receiver.listen("http://127.0.0.1:0")),
          ({ close }) => Effect.promise(close)
        )
        return { url, key, encryptionKey, receiver }
      })
      const outcomesOf = (options: Conformance.Options) => Effect.promise(() => Conformance.run(options))

      it.effect(
        "finds nothing that is not as the interface says",
        () =>
          Effect.gen(function* () {
            const outcomes = yield* outcomesOf(yield* given)
            assert.deepStrictEqual(
              outcomes.filter(({ passed }) => !passed),
              []
            )
            assert.strictEqual(outcomes.length, Conformance.scenarios.filter(({ name }) => !apart.has(name)).length)
          }),
        longest
      )

      it.effect(
        "finds every planted fault with its scenario",
        () =>
          Effect.gen(function* () {
            const options = yield* given
            assert.sameMembers(
              [...new Set(breaking.map(([name]) => name))],
              Conformance.scenarios.map(({ name }) => name)
            )
            const found = yield* Effect.forEach(
              breaking.filter(([name]) => !apart.has(name)),
              ([name, send]) => outcomesOf({ ...options, only: [name], send }),
              { concurrency: 4 }
            )
            assert.deepStrictEqual(
              found.flat().flatMap(({ name, passed, reason }) => (passed || reason === null ? [name] : [])),
              []
            )
          }),
        longest
      )

      it.effect("tells what was expected to fail from what was not", () =>
        Effect.gen(function* () {
          const options = { ...(yield* given), only: ["components", "metadata"] }
          const fault = broken(without("vault_schema"))
          const unexpected = Effect.map(
            outcomesOf({ ...options, send: fault, expectedFailures: ["components", "metadata"] }),
            (outcomes) => outcomes.flatMap(({ name, unexpected }) => (unexpected ? [name] : []))
          )
          assert.deepStrictEqual(yield* unexpected, ["components"])
        })
      )
    }
  )

  const at = "https://site.example"
  const working = Layer.effectDiscard(
    Effect.forkScoped(Worker.run({ name: "conformance", capacity: 4, leaseMillis: 30_000, graceMillis: 0 }))
  ).pipe(
    Layer.provide(AgentExecutor.layer),
    Layer.provide(ScriptedBrowser.layer({ [`${at}/`]: [{ selector: "//input" }] })),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")),
    Layer.provideMerge(layerWith({ stores: Memory.layer }))
  )
  it.layer(working, { timeout: "60 seconds", excludeTestServices: true })("on a service that executes runs", (it) => {
    it.effect(
      "finds nothing, and every planted fault",
      () =>
        Effect.gen(function* () {
          const { member, url } = yield* Service
          const { key } = yield* member("Owner")
          const receiver = { url: at, received: async () => [] }
          const options = { url, key, receiver, executes: true, only: [...executed] }
          const reasons = (send?: Conformance.Options["send"]) =>
            Effect.map(
              Effect.promise(() => Conformance.run({ ...options, ...(send && { send }) })),
              (outcomes) => outcomes.map(({ reason }) => reason)
            )
          assert.deepStrictEqual(yield* reasons(), [null])
          const faults = breaking.filter(([name]) => executed.has(name))
          const found = yield* Effect.forEach(faults, ([, send]) => reasons(send))
          assert.notInclude(found.flat(), null)
        }),
      longest
    )
  })

  const stores = Layer.merge(Memory.layer, movable)
  it.layer(layerWith({ stores }), { timeout: "60 seconds", excludeTestServices: true })(
    "on a service whose clock it moves",
    (it) => {
      it.effect("finds nothing, and a planted fault", () =>
        Effect.gen(function* () {
          const { member, url } = yield* Service
          const options = { url, key: (yield* member("Owner")).key, moveClock: true, only: [...movers] }
          const run = (send?: Conformance.Options["send"]) =>
            Effect.promise(() => Conformance.run({ ...options, ...(send && { send }) }))
          assert.deepStrictEqual(
            (yield* run()).map(({ reason }) => reason),
            [null]
          )
          const found = yield* Effect.forEach(
            breaking.filter(([name]) => movers.has(name)),
            ([, send]) => run(send)
          )
          assert.deepStrictEqual(
            found.flat().map(({ passed }) => passed),
            [false]
          )
        })
      )

      it.effect("lets an Owner move its time forward, which opens windows at once, and never back", () =>
        Effect.gen(function* () {
          const { member, send } = yield* Service
          const owner = yield* member("Owner")
          const ask = (method: string, path: string, json?: unknown) => send({ method, path, key: owner.key, json })
          const hour = new Date(String((yield* ask("GET", "/test-clock")).body.now)).getUTCHours()
          const made = yield* ask("POST", "/workflows", { name: "Nightly", ...graph() })
          const window = `/workflows/${made.body.id}/run-window`
          const closed = yield* ask("PUT", window, daily((hour + 4) % 23, ((hour + 4) % 23) + 1))
          const { nextOpenAt } = closed.body.state as { readonly nextOpenAt: string }
          const past = Date.parse(nextOpenAt) + 60_000
          const moved = yield* ask("PUT", "/test-clock", { now: new Date(past).toISOString() })
          assert.strictEqual(moved.status, 200)
          assert.isAtLeast(Date.parse(String(moved.body.now)), past)
          assert.deepInclude((yield* ask("GET", window)).body.state, { open: true })
          const back = yield* ask("PUT", "/test-clock", { now: nextOpenAt })
          assert.strictEqual(back.status, 400)
          assert.include(String(back.body.message), nextOpenAt)
          const late = yield* ask("PUT", "/test-clock", { now: "9999-12-31T23:59:59Z" })
          assert.strictEqual(late.status, 400)
          assert.include(String(late.body.message), 'before the year 9000, got "9999-12-31T23:59:59Z"')
          const trail = yield* ask("GET", "/audit?action=test_clock")
          const entries = trail.body.entries as ReadonlyArray<Readonly<Record<string, unknown>>>
          assert.deepInclude(entries[0], { action: "test_clock.move", after: moved.body })
          assert.isAtLeast(Date.parse(String((yield* ask("GET", "/test-clock")).body.now)), past)
          const { key } = yield* member("Viewer", owner)
          const json = { now: new Date(past + 86_400_000).toISOString() }
          assert.strictEqual((yield* send({ method: "PUT", path: "/test-clock", key, json })).status, 403)
        })
      )
    }
  )

  it("knows the names of its scenarios, each once", () => {
    const names = Conformance.scenarios.map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
    assert.deepStrictEqual(Conformance.unknownNames(["components", "compnents"]), ["compnents"])
  })
})
