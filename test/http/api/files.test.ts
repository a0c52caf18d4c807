import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as OwnArtifactSource from "../../../adapters/files/OwnArtifactSource.ts"
import { exitCodes } from "../../../apps/cli/user/Ending.ts"
import { FileNotFetched, FileSource } from "../../../core/browser/file/FileSource.ts"
import { mostMetadata } from "../../../core/event/EventBounds.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { ArtifactStore } from "../../../core/run/artifact/ArtifactStore.ts"
import * as Retention from "../../../core/run/artifact/Retention.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { RunId, WorkflowId } from "../../../core/workspace/Ids.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, type Step } from "../../support/browser.ts"
import { openRaw } from "../../support/clients.ts"
import { layerInMemory, type Member, Service } from "../../support/service.ts"
import { terminal } from "../../support/Terminal.ts"

const shop = "https://shop.example/"

const site: ScriptedBrowser.ScriptedSite = {
  [shop]: [
    {
      selector: "#save",
      saves: [
        ["report.csv", "a;b"],
        ["notes.txt", "n"]
      ]
    },
    { selector: "#file" }
  ]
}

/** Nothing outside can be reached. */
const outside = FileSource.of({
  get: () => Effect.fail(new FileNotFetched({ kind: "failed", reason: "the host is away" }))
})

const work = Effect.gen(function* () {
  const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 100, leaseMillis: 30_000 })
  yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one), { discard: true })
}).pipe(
  Effect.provide(
    AgentExecutor.layer.pipe(
      Layer.provide([ScriptedBrowser.layer(site), OwnArtifactSource.layer(outside)]),
      Layer.fresh
    )
  ),
  Effect.scoped
)

/** Runs a workflow of these steps, and answers its record. */
const carriedOut = (me: Member, steps: ReadonlyArray<Step>, ofStart: object = {}) =>
  Effect.gen(function* () {
    const { send } = yield* Service
    const { edges, nodes: all } = graphOf(shop, steps)
    const nodes = all.map((node, index) => (index === 0 ? { ...node, parameters: { url: shop, ...ofStart } } : node))
    const workflow = { name: "Files", nodes, edges, input_schema: {}, output_schema: {} }
    const { body: created } = yield* send({ method: "POST", path: "/workflows", key: me.key, json: workflow })
    const json = { workflow_id: created.id, run_input_variables: {} }
    const { body: started } = yield* send({ method: "POST", path: "/run", key: me.key, json })
    yield* work
    return (yield* send({ method: "GET", path: `/run/${started.session_id}`, key: me.key })).body
  })

const save: ReadonlyArray<Step> = [
  { action: "CLICK", parameters: { selector: "#save" } },
  { action: "FILE_DOWNLOAD", parameters: { metadata: { kind: "monthly" } } }
]

interface File {
  readonly file_name: string
  readonly signed_file_url: string
  readonly signed_file_url_expires: string
  readonly metadata: unknown
}

it.layer(layerInMemory)("files of runs", (it) => {
  describe("that were downloaded", () => {
    it.effect("are none where the step is skipped, which the record tells instead of the step", () =>
      Effect.gen(function* () {
        const run_if = { conditions: [{ field: "context.inputs.wanted", operator: "IS_NOT_NULL" }] }
        const skipped = { action: "FILE_DOWNLOAD", parameters: { metadata: {}, run_if } }
        const record = yield* carriedOut(yield* (yield* Service).member("Member"), [...save.slice(0, 1), skipped])
        assert.strictEqual(record.status, "execution.success")
        assert.deepStrictEqual(record.file_urls, [])
        const events = record.events as ReadonlyArray<{ readonly event: string; readonly payload: object }>
        assert.deepStrictEqual(
          events.map(({ event, payload }) => [event, "current_step" in payload ? payload.current_step : null]),
          [
            ["execution.queued", null],
            ["execution.start", null],
            ["execution.step", "START 0"],
            ["execution.step", "CLICK 1"],
            ["execution.step_skipped", "FILE_DOWNLOAD 2"],
            ["execution.success", null]
          ]
        )
        assert.deepInclude(events[4]?.payload, { node_id: graphOf(shop, [...save, skipped]).nodes[2]?.id })
      })
    )

    it.effect("are in the record and in the events, with addresses that need no key", () =>
      Effect.gen(function* () {
        const { send } = yield* Service
        const record = yield* carriedOut(yield* (yield* Service).member("Member"), save)
        assert.strictEqual(record.status, "execution.success")
        const files = record.file_urls as ReadonlyArray<File>
        assert.deepStrictEqual(
          files.map(({ file_name, metadata }) => [file_name, metadata]),
          [
            ["report.csv", { kind: "monthly" }],
            ["notes.txt", { kind: "monthly" }]
          ]
        )
        const address = new URL(files[0]?.signed_file_url ?? "")
        const served = yield* send({ method: "GET", path: address.pathname + address.search })
        assert.deepStrictEqual([served.status, served.text], [200, "a;b"])
        assert.include(served.headers.get("content-type") ?? "", "text/csv")
        assert.strictEqual((yield* send({ method: "GET", path: address.pathname })).status, 404)

        const events = record.events as ReadonlyArray<{
          readonly event: string
          readonly payload: Record<string, unknown>
        }>
        const told = events.filter(({ event }) => event === "file.uploaded").map(({ payload }) => payload)
        assert.lengthOf(told, 2)
        assert.deepInclude(told[0], {
          session_id: record.session_id,
          file_name: "report.csv",
          metadata: { kind: "monthly" }
        })
        assert.isString(told[0]?.signed_file_url)
        assert.isString(told[0]?.signed_file_url_expires)
        assert.deepStrictEqual(events.at(-1)?.payload.file_urls, record.file_urls)
      })
    )

    it.effect("are named by inputs that START of an older workflow has, and are not kept where it says so", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const steps = save.map((step) =>
          step.action === "FILE_DOWNLOAD"
            ? { ...step, parameters: { metadata: { kind: "{{context.inputs.kind}}" } } }
            : step
        )
        const ofStart = { input_variables: { $kind: "weekly" } }
        const kept = yield* carriedOut(me, steps, ofStart)
        assert.deepStrictEqual(
          (kept.file_urls as ReadonlyArray<File>).map(({ file_name, metadata }) => [file_name, metadata]),
          [
            ["report.csv", { kind: "weekly" }],
            ["notes.txt", { kind: "weekly" }]
          ]
        )
        const dropped = yield* carriedOut(me, steps, { ...ofStart, store_downloaded_files: false })
        assert.deepStrictEqual([dropped.status, dropped.file_urls], ["execution.success", []])
      })
    )

    it.effect("are saved by the command line under their names, in a folder that was empty", () =>
      Effect.gen(function* () {
        const { member, url } = yield* Service
        const me = yield* member("Member")
        const record = yield* carriedOut(me, save)
        const { folder, run } = yield* terminal
        const saved = join(folder, "saved")
        const show = run(["runs", "show", String(record.session_id), "--save", saved], {
          SLUICE_URL: url,
          SLUICE_KEY: me.key
        })
        const shown = yield* show
        assert.strictEqual(shown.code, 0, shown.problem)
        assert.include(shown.out, `Saved its record and 2 artifacts in ${saved}`)
        assert.deepStrictEqual(readdirSync(join(saved, "files")).toSorted(), ["notes.txt", "report.csv"])
        assert.strictEqual(readFileSync(join(saved, "files/report.csv"), "utf8"), "a;b")
        assert.strictEqual(JSON.parse(readFileSync(join(saved, "record.json"), "utf8")).session_id, record.session_id)
        const again = yield* show
        assert.strictEqual(again.code, exitCodes.wrong)
        assert.include(again.problem, "is not empty")
        const early = yield* run(["run", "Files", "--save", join(folder, "other")], {
          SLUICE_URL: url,
          SLUICE_KEY: me.key
        })
        assert.include(early.problem, "--watch")
      }).pipe(Effect.scoped)
    )

    it.effect("say that their metadata is left out where it is too large, in the record and in the events", () =>
      Effect.gen(function* () {
        const download = { action: "FILE_DOWNLOAD", parameters: { metadata: { note: "x".repeat(mostMetadata) } } }
        const record = yield* carriedOut(yield* (yield* Service).member("Member"), [...save.slice(0, 1), download])
        assert.strictEqual(record.status, "execution.success")
        const left_out = `The metadata has more than ${mostMetadata} bytes as JSON, the most that is kept`
        const files = record.file_urls as ReadonlyArray<File>
        assert.deepStrictEqual(
          files.map(({ file_name, metadata }) => [file_name, metadata]),
          [
            ["report.csv", { left_out }],
            ["notes.txt", { left_out }]
          ]
        )
        const events = record.events as ReadonlyArray<{ readonly payload: Record<string, unknown> }>
        assert.deepStrictEqual(events.at(-1)?.payload.file_urls, record.file_urls)
      })
    )

    it.effect("have addresses that work as long as the workspace has set, and those before as long as they say", () =>
      Effect.gen(function* () {
        const { member, send, url } = yield* Service
        const owner = yield* member("Owner")
        const { key } = owner
        const first = yield* carriedOut(owner, save)
        const session = String(first.session_id)
        const artifacts = yield* ArtifactStore
        const video = randomUUID()
        const now = yield* Clock.currentTimeMillis
        const [runId, workflowId] = [RunId.make(session), WorkflowId.make(String(first.workflow_id))]
        yield* artifacts.begin({ id: video, runId, workflowId, kind: "video", at: now })
        yield* artifacts.finish(video, 1, now)

        /** Until when the addresses work that the record, the last event and the stream tell, in seconds from now. */
        const told = Effect.gen(function* () {
          const { body } = yield* send({ method: "GET", path: `/run/${session}`, key })
          const stream = openRaw(url, `/run/${session}/events`, key)
          const text = yield* Effect.promise(() => stream.until((all) => all.includes("execution.success")))
          stream.close()
          const all = [
            ...`${JSON.stringify(body)}${text}`.matchAll(/"signed_(?:file|screen_recording)_url_expires":"([^"]+)"/g)
          ]
          assert.isAbove(all.length, 6)
          assert.include(text, "signed_file_url_expires")
          assert.lengthOf(body.video_urls as ReadonlyArray<unknown>, 1)
          const at = yield* Clock.currentTimeMillis
          const [file] = body.file_urls as ReadonlyArray<File>
          const address = new URL(file?.signed_file_url ?? "")
          return {
            seconds: [...new Set(all.map(([, expires = ""]) => (Date.parse(expires) - at) / 1_000))],
            path: address.pathname + address.search
          }
        })
        const statusOf = (path: string) => Effect.map(send({ method: "GET", path }), ({ status }) => status)

        const before = yield* told
        assert.deepStrictEqual(before.seconds, [604_800])
        const path = `/workspaces/${owner.caller.workspaceId}/settings`
        yield* send({ method: "PATCH", path, key, json: { signed_url_ttl_seconds: 3_600 } })
        const after = yield* told
        assert.deepStrictEqual(after.seconds, [3_600])
        const other = yield* carriedOut(yield* member("Member"), save)
        const [elsewhere] = other.file_urls as ReadonlyArray<File>
        assert.strictEqual(
          Date.parse(elsewhere?.signed_file_url_expires ?? "") - (yield* Clock.currentTimeMillis),
          604_800_000
        )
        yield* TestClock.adjust("59 minutes")
        assert.deepStrictEqual([yield* statusOf(after.path), yield* statusOf(before.path)], [200, 200])
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual([yield* statusOf(after.path), yield* statusOf(before.path)], [404, 200])
      })
    )

    it.effect("are in neither once retention has removed them", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const record = yield* carriedOut(me, save)
        assert.lengthOf(record.file_urls as ReadonlyArray<File>, 2)
        yield* TestClock.adjust(1)
        yield* Retention.sweep(0)
        const { send } = yield* Service
        const after = yield* send({ method: "GET", path: `/run/${record.session_id}`, key: me.key })
        assert.deepStrictEqual(after.body.file_urls, [])
        assert.isNotNull((after.body.artifacts as { readonly removed_at: unknown }).removed_at)
        assert.notInclude(after.text, "/artifacts/")
      })
    )

    it.effect("stay in the record and the last event of a run that fails after them", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const nothing: Step = { action: "CLICK", parameters: { selector: "#nothing", wait_time: 10 } }
        const record = yield* carriedOut(me, [...save, nothing])
        assert.strictEqual(record.status, "execution.failed")
        assert.lengthOf(record.file_urls as ReadonlyArray<File>, 2)
        const events = record.events as ReadonlyArray<{ readonly payload: Record<string, unknown> }>
        assert.lengthOf(events.at(-1)?.payload.file_urls as ReadonlyArray<File>, 2)
      })
    )
  })

  describe("that are uploaded", () => {
    const upload = (signed_file_url: string): ReadonlyArray<Step> => [
      { action: "FILE_UPLOAD", parameters: { signed_file_url, selector: "#file" } },
      {
        action: "EXTRACT_DATAMODEL",
        parameters: { extract_data_model: { type: "object", properties: { name: { type: "string", path: "#file" } } } }
      }
    ]

    it.effect("may be those of an earlier run, by their address as long as it works", () =>
      Effect.gen(function* () {
        const me = yield* (yield* Service).member("Member")
        const [file] = (yield* carriedOut(me, save)).file_urls as ReadonlyArray<File>
        const address = file?.signed_file_url ?? ""
        const record = yield* carriedOut(me, upload(address))
        assert.deepStrictEqual(record.data, { name: "report.csv" })

        const forged = address.replace(/signature=.*/, "signature=AAAA")
        const refused = yield* carriedOut(me, upload(forged))
        assert.strictEqual(refused.status, "execution.failed")
        const [error] = refused.errors as ReadonlyArray<{ readonly error_code: string; readonly message: string }>
        assert.strictEqual(error?.error_code, "UPLOAD-E0002")
        assert.include(error?.message, "the host is away")
        assert.notInclude(error?.message, "signature")
      })
    )
  })
})
