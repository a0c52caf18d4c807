import { randomUUID } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { ArtifactFiles } from "../../../core/run/artifact/ArtifactFiles.ts"
import { FileDeliveries } from "../../../core/run/delivery/FileDeliveries.ts"
import * as FileDispatch from "../../../core/run/delivery/FileDispatch.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as SteppingClock from "../../kit/clocks/SteppingClock.ts"
import { fileServer, token } from "../../support/fileServer.ts"
import { graph } from "../../support/fixtures.ts"
import { layerWith, Service } from "../../support/service.ts"
import * as SshServer from "../../support/sshServer.ts"

const sending = { ...HttpSender.defaults, allowPrivateNetworks: true }

const sha256OfOne = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"

type Record = Readonly<{ [name: string]: unknown }>

/** A workspace with a destination at a server of files, and a workflow whose runs send there. */
const setUp = (settings: object = {}, destination: object = {}) =>
  Effect.gen(function* () {
    const { member, send } = yield* Service
    const server = yield* fileServer()
    const { key } = yield* member("Owner")
    const ask = (method: string, path: string, json?: unknown) =>
      send({ method, path, key, ...(json === undefined ? {} : { json }) })
    const made = yield* ask("POST", "/file-destinations", {
      name: "Accounting",
      type: "http",
      url: server.url,
      access: { token },
      ...destination
    })
    assert.strictEqual(made.status, 201, made.text)
    const workflow = yield* ask("POST", "/workflows", {
      name: "Nightly ../ export",
      ...graph(),
      file_destination: "Accounting",
      ...settings
    })
    assert.strictEqual(workflow.status, 201, workflow.text)

    /** A run that downloaded files, and has ended. */
    const ended = Effect.fnUntraced(function* (...files: ReadonlyArray<readonly [name: string, text: string]>) {
      const started = yield* ask("POST", "/run", { workflow_id: workflow.body.id })
      const session = String(started.body.session_id)
      const runs = yield* RunStore
      const claims = yield* runs.claim({ worker: "w", limit: 100, leaseMillis: 600_000 })
      const own = claims.find(({ run }) => run.id === session)
      if (own === undefined) throw new Error("The run was not claimed")
      for (const [name, text] of files) {
        const id = randomUUID()
        const bytes = new TextEncoder().encode(text)
        yield* (yield* ArtifactFiles).put(id, { bytes, mediaType: "text/plain", fileName: name })
        yield* runs.report(
          { id: own.run.id, fence: own.run.lease.fence },
          {
            events: [
              {
                event: "file.uploaded",
                runId: own.run.id,
                workflowId: own.run.workflowId,
                file: { id, name, at: 0, metadata: {} }
              }
            ]
          }
        )
      }
      yield* ask("POST", `/run/${session}/interrupt`)
      while (yield* FileDispatch.collect());
      return session
    })

    const deliver = Effect.gen(function* () {
      while (yield* FileDispatch.deliverNext());
    })

    const deliveries = (session: string) =>
      Effect.map(ask("GET", `/file-deliveries?session_id=${session}`), ({ body }) =>
        (body.deliveries as ReadonlyArray<Record>).toReversed()
      )

    const holds = () => Object.fromEntries([...server.files].map(([path, bytes]) => [path, bytes.toString()]))
    return { ask, deliver, deliveries, destination: made, ended, holds, server, workflow }
  })

it.layer(layerWith({ sending, stores: Memory.layer }))("the files of a run", (it) => {
  it.effect("are sent to the destination of its workflow when it ends, once, with their hash in the record", () =>
    Effect.gen(function* () {
      const { deliver, deliveries, ended, holds, server } = yield* setUp()
      const session = yield* ended(["a/../one.txt", "one"], ["..", "two"])
      assert.deepInclude((yield* deliveries(session))[0], { status: "pending", sha256: null, attempts: 0 })
      yield* deliver
      const folder = `Nightly .. export/${session}`
      assert.deepStrictEqual(holds(), { [`${folder}/one.txt`]: "one", [`${folder}/download`]: "two" })
      const [one] = yield* deliveries(session)
      assert.deepInclude(one, {
        status: "delivered",
        destination: "Accounting",
        path: `${folder}/one.txt`,
        sha256: sha256OfOne,
        bytes: 3,
        attempts: 1,
        next_attempt_at: null
      })
      while (yield* FileDispatch.collect());
      yield* deliver
      assert.strictEqual(server.state.sent, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("are not sent again when the answer was lost, or the process ended before it noted the result", () =>
    Effect.gen(function* () {
      const { deliver, deliveries, ended, server } = yield* setUp()
      const session = yield* ended(["one.txt", "one"])
      server.state.losesAnswers = true
      yield* deliver
      assert.deepInclude((yield* deliveries(session))[0], { status: "pending", attempts: 1 })
      server.state.losesAnswers = false
      yield* TestClock.adjust("1 minute")
      // A process takes it, and ends.
      const store = yield* FileDeliveries
      const at = yield* Clock.currentTimeMillis
      assert.isTrue(Option.isSome(yield* store.take(at, at + 1_000)))
      yield* deliver
      assert.deepInclude((yield* deliveries(session))[0], { status: "pending" })
      yield* TestClock.adjust("2 seconds")
      yield* deliver
      assert.deepInclude((yield* deliveries(session))[0], { status: "delivered", attempts: 2 })
      assert.strictEqual(server.state.sent, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("with one name and another content get another name, or fail, as the destination says", () =>
    Effect.gen(function* () {
      for (const on_conflict of ["rename", "fail"] as const) {
        const { deliver, deliveries, ended, holds } = yield* setUp({ file_path: "all/{{file.name}}" }, { on_conflict })
        const first = yield* ended(["one.txt", "other"])
        yield* deliver
        const second = yield* ended(["one.txt", "one"])
        yield* deliver
        assert.deepInclude((yield* deliveries(first))[0], { status: "delivered", path: "all/one.txt" })
        const [delivery] = yield* deliveries(second)
        if (on_conflict === "rename") {
          assert.deepStrictEqual(holds(), { "all/one.txt": "other", "all/one-7692c3ad.txt": "one" })
          assert.deepInclude(delivery, { status: "delivered", path: "all/one-7692c3ad.txt" })
        } else {
          assert.deepStrictEqual(holds(), { "all/one.txt": "other" })
          assert.strictEqual(delivery?.status, "failed")
          assert.match(String(delivery?.delivery_errors), /Other content has the name all\/one\.txt already/)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.effect("are retried for more than a day, then fail, and can be tried again by a request", () =>
    Effect.gen(function* () {
      const { ask, deliver, deliveries, ended, holds, server } = yield* setUp()
      const session = yield* ended(["one.txt", "one"])
      server.state.isAway = true
      // A clock of its own: that of the test would move everything else of the service by days.
      const time = SteppingClock.make(yield* Clock.currentTimeMillis)
      for (let attempt = 0; attempt < 13; attempt++) {
        yield* Effect.provideService(deliver, Clock.Clock, time.clock)
        yield* time.advance(39_600_001)
      }
      const [failed] = yield* deliveries(session)
      assert.deepInclude(failed, { status: "failed", attempts: 13, next_attempt_at: null })
      assert.match(String(failed?.delivery_errors), /answered GET with 503/)
      const run = yield* ask("GET", `/run/${session}`)
      assert.strictEqual(run.body.status, "execution.stopped")
      server.state.isAway = false
      const again = yield* ask("POST", `/file-deliveries/${failed?.id}/retry`)
      assert.deepInclude(again.body, { status: "pending", attempts: 0 })
      yield* deliver
      assert.lengthOf(Object.keys(holds()), 1)
      const twice = yield* ask("POST", `/file-deliveries/${failed?.id}/retry`)
      assert.strictEqual(twice.status, 409)
    }).pipe(Effect.scoped)
  )

  it.effect("go nowhere without a destination, and fail with a reason when that is not there or its file is gone", () =>
    Effect.gen(function* () {
      const { ask, deliver, deliveries, destination, ended } = yield* setUp()
      const gone = yield* ended(["one.txt", "one"])
      const [pending] = yield* deliveries(gone)
      yield* (yield* ArtifactFiles).remove([String(pending?.file_id)])
      yield* deliver
      assert.match(String((yield* deliveries(gone))[0]?.delivery_errors), /The file was removed/)
      const unknown = yield* ended(["one.txt", "one"])
      yield* ask("DELETE", `/file-destinations/${destination.body.id}`)
      yield* deliver
      const [failed] = yield* deliveries(unknown)
      assert.match(String(failed?.delivery_errors), /The workspace has no file destination "Accounting"/)
      const none = yield* setUp({ file_destination: null })
      assert.deepStrictEqual(yield* none.deliveries(yield* none.ended(["one.txt", "one"])), [])
    }).pipe(Effect.scoped)
  )

  it.effect("have a path that is checked when the workflow is saved", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp()
      for (const file_path of [
        "../{{file.name}}",
        "/{{file.name}}",
        "a//{{file.name}}",
        "a/./{{file.name}}",
        "a\\{{file.name}}",
        "{{file.name}}/",
        "{{run.id}}",
        "{{run.secret}}/{{file.name}}",
        "{{file.name",
        `${"a".repeat(500)}/{{file.name}}`
      ]) {
        const saved = yield* ask("POST", "/workflows", { name: "W", ...graph(), file_destination: "A", file_path })
        assert.strictEqual(saved.status, 400, file_path)
        const problems = saved.body.errors as ReadonlyArray<Record>
        assert.deepStrictEqual(
          problems.map(({ path }) => path),
          ["file_path"]
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect("have destinations whose access is never shown, in an answer, the audit trail or a delivery", () =>
    Effect.gen(function* () {
      const { dump } = yield* Service
      const { ask, deliver, deliveries, destination, ended } = yield* setUp()
      assert.deepInclude(destination.body, { has_access: true, on_conflict: "rename", type: "http" })
      const session = yield* ended(["one.txt", "one"])
      yield* deliver
      const path = `/file-destinations/${destination.body.id}`
      const shown = [
        destination.body,
        (yield* ask("PATCH", path, { on_conflict: "fail" })).body,
        (yield* ask("GET", path)).body,
        (yield* ask("GET", "/audit?action=file_destination")).body,
        yield* deliveries(session)
      ]
      assert.notInclude(JSON.stringify(shown), token)
      assert.notInclude(yield* dump, token)
      assert.include(JSON.stringify(shown), "file_destination.create")
      const clash = yield* ask("POST", "/file-destinations", {
        name: "Accounting",
        type: "http",
        url: "https://a.example/"
      })
      assert.strictEqual(clash.status, 409)
      const wrong = yield* ask("POST", "/file-destinations", {
        name: " ",
        type: "ftp",
        url: "https://a:b@a.example/",
        access: { username: "a" }
      })
      assert.deepStrictEqual(
        (wrong.body.errors as ReadonlyArray<Record>).map((problem) => String(problem.path)).toSorted(),
        ["access", "name", "type", "url"]
      )
      assert.deepInclude((yield* ask("PATCH", path, { access: null })).body, { has_access: false })
    }).pipe(Effect.scoped)
  )

  it.effect("go to an SFTP server by a sealed key, or fail with the host key that it showed", ({ skip }) =>
    Effect.gen(function* () {
      if (SshServer.missing !== null) skip(SshServer.missing)
      const { dump } = yield* Service
      const { access, files, hostKey, port } = yield* SshServer.serve
      const fields = {
        type: "sftp",
        url: `sftp://127.0.0.1:${port}/~/in`,
        host_key: `SHA256:${"A".repeat(43)}`,
        access: { username: access.username, private_key: access.privateKey }
      }
      mkdirSync(join(files, "in"))
      const { ask, deliver, deliveries, destination, ended } = yield* setUp({}, fields)
      const session = yield* ended(["one.txt", "one"])
      yield* deliver
      const [refused] = yield* deliveries(session)
      assert.strictEqual(refused?.status, "failed")
      assert.include(String(refused?.delivery_errors), `showed the host key ${hostKey} (ssh-ed25519)`)
      yield* ask("PATCH", `/file-destinations/${destination.body.id}`, { host_key: hostKey })
      yield* ask("POST", `/file-deliveries/${refused?.id}/retry`)
      yield* deliver
      const [delivered] = yield* deliveries(session)
      assert.deepInclude(delivered, { status: "delivered", sha256: sha256OfOne })
      assert.strictEqual(readFileSync(join(files, "in", String(delivered?.path)), "utf8"), "one")
      const [secret = ""] = access.privateKey.split("\n").slice(3)
      assert.isAbove(secret.length, 20)
      for (const shown of [JSON.stringify([delivered, destination.body]), yield* dump]) assert.notInclude(shown, secret)
    }).pipe(Effect.scoped)
  )

  it.effect("have destinations whose fields fit their type", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp()
      const host_key = `SHA256:${"A".repeat(43)}`
      const sftp = {
        name: "Vault",
        type: "sftp",
        url: "sftp://files.example.com/~/in",
        host_key,
        access: { username: "robot", password: "canary" }
      }
      const { access, host_key: _, ...without } = sftp
      const refused: ReadonlyArray<readonly [object, path: string]> = [
        [{ ...without, access }, "host_key"],
        [{ ...sftp, host_key: "SHA256:short" }, "host_key"],
        [{ ...without, host_key }, "access"],
        [{ ...sftp, access: { token: "canary" } }, "access"],
        [{ ...sftp, access: { ...access, private_key: "canary" } }, "access"],
        [{ ...sftp, url: "https://files.example.com/" }, "url"],
        [{ ...sftp, url: "sftp://files.example.com/%ff" }, "url"],
        [{ ...sftp, url: "sftp://files.example.com/?a=b" }, "url"],
        [{ ...sftp, url: "sftp:///in" }, "url"],
        [{ ...without, type: "http" }, "url"],
        [{ ...sftp, type: "http", url: "https://files.example.com/" }, "host_key"],
        [{ name: "A", type: "http", url: "https://a.example/", access: { username: "a", private_key: "b" } }, "access"],
        [{ name: "A", type: "s3", url: "https://a.example/" }, "access"]
      ]
      for (const [fields, path] of refused) {
        const { body, status, text } = yield* ask("POST", "/file-destinations", fields)
        assert.strictEqual(status, 400, text)
        assert.deepStrictEqual(
          (body.errors as ReadonlyArray<Record>).map((problem) => problem.path),
          [path],
          text
        )
        assert.notInclude(text, "canary")
      }
      const made = yield* ask("POST", "/file-destinations", sftp)
      assert.deepInclude(made.body, { type: "sftp", url: sftp.url, host_key, has_access: true })
      const path = `/file-destinations/${made.body.id}`
      const other = `SHA256:${"B".repeat(43)}`
      assert.deepInclude((yield* ask("PATCH", path, { host_key: other })).body, { host_key: other })
      assert.strictEqual((yield* ask("PATCH", path, { access: null })).status, 400)
      assert.strictEqual((yield* ask("PATCH", path, { url: "https://files.example.com/" })).status, 400)
      assert.include((yield* ask("GET", "/audit?action=file_destination")).text, other)
    }).pipe(Effect.scoped)
  )
})

it.layer(layerWith({ stores: Memory.layer }))("a destination at a private address", (it) => {
  it.effect("is refused when it is registered", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      const json = { name: "A", type: "http", url: "http://127.0.0.1:9/" }
      const refused = yield* send({ method: "POST", path: "/file-destinations", key, json })
      assert.strictEqual(refused.status, 400)
      assert.match(refused.text, /private or loopback/)
    })
  )
})
