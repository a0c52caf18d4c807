import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Conformance from "../../apps/conformance/Conformance.ts"
import { layerInMemory, Service } from "../support/service.ts"

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

/** A fault for each scenario, which that scenario must find. */
const faults: Readonly<Record<string, Fault>> = {
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
  "body-too-large": without("limit_bytes")
}

/** Requests over a proxy that breaks the answers. */
const broken =
  (fault: Fault) =>
  async (url: string, request: RequestInit): Promise<Response> => {
    const answer = await fetch(url, request)
    const text = await answer.text()
    if (!(answer.headers.get("content-type") ?? "").includes("json")) return new Response(text, answer)
    const passing = {
      method: request.method ?? "GET",
      path: new URL(url).pathname,
      status: answer.status,
      body: JSON.parse(text)
    }
    fault(passing)
    return new Response(JSON.stringify(passing.body), { status: passing.status })
  }

describe("the conformance kit", () => {
  it.layer(layerInMemory, { timeout: "60 seconds", excludeTestServices: true })("on this service", (it) => {
    const given = Effect.gen(function* () {
      const { member, url } = yield* Service
      const { key } = yield* member("Owner")
      return { url, key }
    })
    const outcomesOf = (options: Conformance.Options) => Effect.promise(() => Conformance.run(options))

    it.effect("finds nothing that is not as the interface says", () =>
      Effect.gen(function* () {
        const outcomes = yield* outcomesOf(yield* given)
        assert.deepStrictEqual(
          outcomes.filter(({ passed }) => !passed),
          []
        )
        assert.strictEqual(outcomes.length, Conformance.scenarios.length)
      })
    )

    it.effect("finds a planted fault with each scenario", () =>
      Effect.gen(function* () {
        const options = yield* given
        assert.sameMembers(
          Object.keys(faults),
          Conformance.scenarios.map(({ name }) => name)
        )
        const found = yield* Effect.forEach(
          Object.entries(faults),
          ([name, fault]) => outcomesOf({ ...options, only: [name], send: broken(fault) }),
          { concurrency: 4 }
        )
        assert.deepStrictEqual(
          found.flat().flatMap(({ name, passed, reason }) => (passed || reason === null ? [name] : [])),
          []
        )
      })
    )

    it.effect("tells what was expected to fail from what was not", () =>
      Effect.gen(function* () {
        const options = { ...(yield* given), only: ["components", "metadata"] }
        const fault = broken((passing) => faults.metadata?.(passing))
        const unexpected = Effect.map(
          outcomesOf({ ...options, send: fault, expectedFailures: ["components", "metadata"] }),
          (outcomes) => outcomes.flatMap(({ name, unexpected }) => (unexpected ? [name] : []))
        )
        assert.deepStrictEqual(yield* unexpected, ["components"])
      })
    )
  })

  it("knows the names of its scenarios, each once", () => {
    const names = Conformance.scenarios.map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
    assert.deepStrictEqual(Conformance.unknownNames(["components", "compnents"]), ["compnents"])
  })
})
