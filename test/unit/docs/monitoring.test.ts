/**
 * The dashboards and alerts under `deploy/` name metrics that the service has, and fire when they should.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as Gauges from "../../../core/runtime/Gauges.ts"
import * as Measures from "../../../core/runtime/Measures.ts"
import * as promtool from "../../support/promtool.ts"
import { root } from "../../support/Source.ts"

const read = (path: string) => readFileSync(join(root, path), "utf8")

/** The metrics that the service declares. */
const declared = new Set(
  ["core/runtime/Measures.ts", "core/runtime/Gauges.ts", "apps/cli/health/HealthServer.ts"].flatMap((path) =>
    [...read(path).matchAll(/"((?:sluice|process)_[a-z_]+)"/g)].map(([, name = ""]) => name)
  )
)

const pages = ["deploy/grafana/sluice.json", "deploy/prometheus/sluice.rules.yml", "docs/operating.md"]

const backlog = {
  waiting: new Map([["worker", 3]]),
  startable: 2,
  running: 1,
  lost: 0,
  reviewOverdue: 0,
  deliveries: 4,
  oldestDelivery: 5
}

/** All metrics of the service, with a value each. */
const all = Effect.gen(function* () {
  yield* Gauges.setBacklog(backlog)
  yield* Gauges.setDatabaseUp(true)
  yield* Gauges.setDatabaseWritable(true)
  yield* Gauges.setReady(true)
  yield* Gauges.setUnreadRuns(2)
  yield* Gauges.setLeases("runs", 2)
  yield* Gauges.browserSessions(1)
  yield* Gauges.setConnections(3, 20)
  yield* Measures.runSubmitted
  yield* Measures.attemptStarted
  yield* Measures.startDelayed(0.2)
  yield* Measures.gateOpened(0.1)
  yield* Measures.runEnded("failed", "SELECTOR-E0001", 12)
  yield* Measures.recovered("element", true)
  yield* Measures.signedIn("refused", true)
  yield* Measures.warned(["FIGURE-W0001"])
  yield* Measures.nodeDone("CLICK", 0.3)
  yield* Measures.delivery("accepted")
  yield* Measures.delivered(0.4)
  yield* Measures.modelAsked("small", 1_200)
  yield* Gauges.openStreams(1)
  yield* Measures.requestAnswered("/run", "POST", 201, 0.02)
  return yield* PrometheusMetrics.format()
})

describe("what watches the service", () => {
  for (const page of pages) {
    it(`${page} names metrics that there are`, () => {
      const named = [...read(page).matchAll(/\b((?:sluice|process)_[a-z]+_[a-z_]+)\b/g)].map(([, name = ""]) => name)
      const unknown = named.filter(
        (name) => !declared.has(name) && !declared.has(name.replace(/_(bucket|sum|count)$/, ""))
      )
      assert.isAbove(named.length, 8)
      assert.deepStrictEqual([...new Set(unknown)], [])
    })
  }

  it("docs/operating.md describes every metric", () => {
    const page = read("docs/operating.md")
    assert.deepStrictEqual(
      [...declared].filter((name) => !page.includes(`\`${name}\``)),
      []
    )
  })

  it("every alert fires in a test", () => {
    const alerts = [...read("deploy/prometheus/sluice.rules.yml").matchAll(/alert: (\w+)/g)].map(([, name]) => name)
    const firing = new Set(
      [...read("deploy/prometheus/sluice.rules.test.yml").matchAll(/expr: ALERTS\{alertname="(\w+)"/g)].map(
        ([, name]) => name
      )
    )
    assert.isAbove(alerts.length, 7)
    assert.deepStrictEqual(
      alerts.filter((name) => !firing.has(name)),
      []
    )
  })

  it("alerts fire for lost workers, schedulers or database, stuck webhooks, odd clocks, late windows", (context) => {
    assert.isTrue(existsSync(join(root, "deploy/prometheus/sluice.rules.test.yml")))
    if (promtool.program === null) return context.skip(promtool.missing)
    const { status, stderr, stdout } = spawnSync(
      promtool.program,
      ["test", "rules", join(root, "deploy/prometheus/sluice.rules.test.yml")],
      { encoding: "utf8" }
    )
    assert.strictEqual(status, 0, `${stdout}${stderr}`)
  })

  it.effect("promtool finds nothing wrong with the metrics", (context) =>
    Effect.gen(function* () {
      const text = yield* all
      for (const name of declared) {
        if (/^sluice_(run|gate|webhook|model|streams)/.test(name)) assert.include(text, `\n# TYPE ${name} `)
      }
      if (promtool.program === null) return context.skip(promtool.missing)
      assert.strictEqual(promtool.complaintsAbout(text), "")
    })
  )
})
