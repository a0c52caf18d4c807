/** The bundle of a run as a client gets it, and what a changed one is found by. */
import { randomUUID } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { check, judged } from "../../../apps/cli/handlers/proof/BundleCheck.ts"
import { exitCodes } from "../../../apps/cli/user/Ending.ts"
import { ArtifactFiles } from "../../../core/run/artifact/ArtifactFiles.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { daily, graph } from "../../support/fixtures.ts"
import { layerInMemory as layerService, Service } from "../../support/service.ts"
import { terminal } from "../../support/Terminal.ts"

/** A file in several pieces, which end where they want. */
async function* piecesOf(bytes: Uint8Array) {
  for (let from = 0; from < bytes.length; from += 700) yield bytes.subarray(from, from + 700)
}

const checked = (bytes: Uint8Array, key?: string) => check(piecesOf(bytes), Option.fromUndefinedOr(key))

/** Changes the first place of a text in an archive, without changing its length. */
const altered = (bytes: Uint8Array, from: string, to: string): Uint8Array => {
  const all = Buffer.from(bytes)
  const at = all.indexOf(from)
  assert.isAtLeast(at, 0, from)
  all.write(to, at)
  return all
}

layer(layerService)("the bundle of a run", (it) => {
  it.effect("holds all that is kept of it, signed, and a change of any part is found", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const [runs, files] = [yield* RunStore, yield* ArtifactFiles]
      const me = yield* member("Member")
      const ask = (method: string, path: string, json?: unknown) =>
        send({ method, path, key: me.key, ...(json === undefined ? {} : { json }) })
      const made = yield* ask("POST", "/workflows", { name: "Nightly", ...graph(), run_window: daily(0, 17) })
      const { session_id: id } = (yield* ask("POST", "/run", { workflow_id: made.body.id })).body
      const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
      assert.strictEqual(claimed?.run.id, id)
      if (claimed === undefined) return
      const [kept, gone] = [randomUUID(), randomUUID()]
      yield* files.put(kept, { mediaType: "text/csv", fileName: "bill.csv", bytes: Buffer.from("a,b\n".repeat(400)) })
      for (const file of [kept, gone]) {
        yield* runs.report(
          { id: claimed.run.id, fence: claimed.run.lease.fence },
          {
            events: [
              {
                event: "file.uploaded",
                runId: claimed.run.id,
                workflowId: claimed.run.workflowId,
                file: { id: file, name: "bill.csv", at: 0, metadata: {} }
              }
            ]
          }
        )
      }
      const because = (yield* ask("GET", `/run/${id}`)).body.started_because
      assert.deepInclude(because, { reason: "run_window_open", attempt: 1, run_window_revision: 1, lift: null })

      const answer = yield* Effect.promise(() => fetch(`${url}/run/${id}/bundle`, { headers: { "cc-key": me.key } }))
      assert.strictEqual(answer.status, 200)
      const bytes = new Uint8Array(yield* Effect.promise(() => answer.arrayBuffer()))
      const { public_key: key } = (yield* ask("GET", "/bundle-key")).body as { readonly public_key: string }
      const { manifest, starts } = yield* checked(bytes, key)
      assert.deepStrictEqual(
        manifest.files.map(({ name }) => name),
        ["run.json", "events.jsonl", "decisions.jsonl", "starts.json", `files/${kept}`]
      )
      assert.deepStrictEqual(manifest.missing, [`files/${gone}`])
      assert.lengthOf(starts, 1)

      const problems = (changed: Uint8Array, of?: string) =>
        Effect.map(Effect.flip(checked(changed, of)), (error) => error.problems.join("; "))
      assert.include(yield* problems(altered(bytes, "a,b\na,b", "a,b\na,c")), `files/${kept} was changed`)
      assert.include(yield* problems(altered(bytes, '"attempt":1', '"attempt":2')), "starts.json was changed")
      assert.include(yield* problems(altered(bytes, '"made_at": "1', '"made_at": "2')), "the signature")
      assert.include(yield* problems(bytes, "0".repeat(64)), "the signature")
      assert.include(yield* problems(bytes.subarray(0, bytes.length - 2_048)), "ends too early")
      assert.include(yield* problems(Buffer.from("no archive".repeat(100))), "not an archive of a bundle")
    })
  )

  it.effect("is not needed to judge starts: a service streams them, and the command line judges them itself", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const runs = yield* RunStore
      const me = yield* member("Viewer", yield* member("Owner"))
      const owner = yield* member("Member", me)
      const ask = (method: string, path: string, json?: unknown) =>
        send({ method, path, key: owner.key, ...(json === undefined ? {} : { json }) })
      const made = yield* ask("POST", "/workflows", { name: "Nightly", ...graph(), run_window: daily(0, 17) })
      const submit = Effect.map(ask("POST", "/run", { workflow_id: made.body.id }), ({ body }) =>
        String(body.session_id)
      )
      const [first, waiting] = [yield* submit, yield* submit]
      const claimed = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
      assert.deepStrictEqual(
        claimed.map(({ run }) => String(run.id)),
        [first]
      )
      // Later windows are no part of what the start is judged by.
      for (const hour of [1, 2, 3]) yield* ask("PUT", `/workflows/${made.body.id}/run-window`, daily(hour, 17))
      const { headers, text } = yield* ask(
        "GET",
        "/starts?start_time=1970-01-01T00:00:00Z&end_time=1970-01-02T00:00:00Z"
      )
      assert.strictEqual(headers.get("content-type"), "application/x-ndjson")
      const [start, last, ...others] = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual([last, others], [{ missing: [] }, []])
      assert.lengthOf(start.evidence.windows, 2)
      assert.deepStrictEqual(judged(start).problems, [])
      const [window, next] = start.evidence.windows
      const shut = JSON.stringify(daily(18, 20))
      for (const [changed, problem] of [
        [{ ...start, start: { ...start.start, at: 1 } }, "name no start"],
        [
          { ...start, evidence: { ...start.evidence, windows: [{ ...window, definition: shut }, next] } },
          "another hash"
        ]
      ] as const) {
        assert.include(judged(changed).problems.join("; "), problem)
      }
      for (const [query, ...paths] of [
        [`session_id=${first}&start_time=y`, "session_id", "start_time"],
        ["start_time=soon&end_time=late", "start_time", "end_time"],
        ["end_time=1970-01-02T00:00:00Z&start_time=1971-01-01", "end_time"],
        ["start_time=2999-01-01", "start_time"]
      ] as const) {
        const { body, status } = yield* ask("GET", `/starts?${query}`)
        assert.strictEqual(status, 400, query)
        const errors = body.errors as ReadonlyArray<{ readonly path: string; readonly message: string }>
        assert.sameMembers(
          errors.map(({ path }) => path),
          paths
        )
        for (const { message } of errors) assert.match(message, /^Expected .*, got "/)
      }
      assert.include([400, 404], (yield* ask("GET", "/starts?session_id=x")).status)

      const { run } = yield* terminal
      const verify = (...args: ReadonlyArray<string>) => run(["verify", "--url", url, ...args], { SLUICE_KEY: me.key })
      const one = yield* verify(first)
      assert.strictEqual(one.code, 0, one.problem)
      assert.match(one.out, /attempt 1 .* holds: the run window was open \(run window revision 1/)
      const range = yield* verify("--from", "1970-01-01T00:00:00Z", "--to", "1970-01-02T00:00:00Z")
      assert.strictEqual(range.out, "Of 1 starts 0 outside their window, or not as recorded")
      assert.include((yield* verify(waiting)).out, "It has not started")
      assert.strictEqual((yield* verify(randomUUID())).code, exitCodes.missing)
      const stranger = yield* run(["verify", "--url", url, first], { SLUICE_KEY: (yield* member("Owner")).key })
      assert.strictEqual(stranger.code, exitCodes.missing)
    }).pipe(Effect.scoped)
  )
})
