/** The commands of users for credentials, keys, the audit trail and webhooks, against one server with its stores in memory. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { exitCodes } from "../../../apps/cli/user/Ending.ts"
import { eventually } from "../../support/eventually.ts"
import { daily, graph } from "../../support/fixtures.ts"
import { listening } from "../../support/listening.ts"
import { unseal } from "../../support/sealed.ts"
import { layerWith, Service } from "../../support/service.ts"
import { signedIn, terminal } from "../../support/Terminal.ts"

const password = "tide-and-timber"
const site = "https://portal.example.com"

const service = layerWith({ stores: Memory.layer, sending: { ...HttpSender.defaults, allowPrivateNetworks: true } })

/** Passes requests on to a service, and closes the connection in place of so many of its answers for one address. */
const losing = Effect.fnUntraced(function* (service: string, path: string, lost: number) {
  let asked = 0
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const { "cc-key": key = "", "content-type": type = "application/json", "idempotency-key": once } = request.headers
    const answer = await fetch(`${service}${request.url}`, {
      method: request.method ?? "GET",
      headers: {
        "cc-key": String(key),
        "content-type": type,
        ...(once === undefined ? {} : { "idempotency-key": String(once) })
      },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) })
    })
    const text = await answer.text()
    if (request.url === path && asked++ < lost) return void response.destroy()
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(text)
  })
  return { url: `http://127.0.0.1:${yield* listening(server)}`, asked: () => asked }
})

it.layer(service)("the commands of users of a workspace", (it) => {
  it.effect("seal secrets on this machine: the service stores them sealed, and no output shows them", () =>
    Effect.gen(function* () {
      const { dump, send } = yield* Service
      const { json, ok, owner, run } = yield* signedIn
      const environment = { SLUICE_ENCRYPTION_KEY: owner.encryptionKey }
      const put = ["vault", "put", "robot", site]
      const input = JSON.stringify({ user_name: "robot@example.com", password, user_alias: "Robot" })
      const stored = yield* run(put, environment, input)
      assert.strictEqual(stored.code, 0, stored.problem)
      assert.include(stored.out, "Stored the credential of robot")
      const path = `/vault?permissioned_user_id=robot&domain=${encodeURIComponent(site)}`
      const { body } = yield* send({ method: "GET", path, key: owner.key })
      assert.strictEqual(body.user_alias, "Robot")
      assert.strictEqual(unseal(owner.encryptionKey, String(body.password)), password)
      assert.notInclude(yield* dump, password)

      const changed = yield* run([...put, "--from-env", "password=PORTAL"], { ...environment, PORTAL: "other-one" })
      assert.include(changed.out, "Changed the credential of robot")
      const [listed] = yield* json("vault", "list")
      assert.deepInclude(listed, { permissioned_user_id: "robot", password: "sealed", tfa_secret: null })
      assert.match(yield* ok("vault", "list"), /robot .*user_name, password/)

      const proxy = "socks5://me:hidden-proxy-word@proxy.example:1080"
      const custom = JSON.stringify({ proxy_setting: "custom", proxy_value: proxy })
      const proxied = yield* run(put, environment, custom)
      assert.strictEqual(proxied.code, 0, proxied.problem)
      const { body: withProxy } = yield* send({ method: "GET", path, key: owner.key })
      assert.strictEqual(unseal(owner.encryptionKey, String(withProxy.proxy_value)), proxy)
      assert.notInclude(yield* dump, "hidden-proxy-word")

      const tested = yield* run(["vault", "test", "robot", site], environment)
      assert.match(tested.out, /password +opens\ntfa_secret +not set/)
      const other = yield* run(["vault", "test", "robot", site], { SLUICE_ENCRYPTION_KEY: "00".repeat(32) })
      assert.strictEqual(other.code, exitCodes.failed)
      assert.match(other.out, /password +does not open/)

      const refusals = yield* Effect.forEach(
        [
          [put, {}, input],
          [put, environment, `{"password": ${password}`],
          [put, environment, "{}"],
          [put, environment, JSON.stringify({ passwort: password })],
          [[...put, "--from-env", "passwort=PORTAL"], environment, ""],
          [[...put, "--from-env", "password=MISSING"], environment, ""],
          [put, { SLUICE_ENCRYPTION_KEY: "short" }, input]
        ] as const,
        ([args, environment, input]) => run(args, environment, input)
      )
      assert.deepStrictEqual(
        refusals.map(({ code }) => code),
        [2, 2, 2, 2, 2, 2, -1]
      )
      assert.include(refusals[0]?.problem, "SLUICE_ENCRYPTION_KEY")
      assert.include(refusals[3]?.problem, '"passwort" is not a field of a credential: expected one of')
      assert.include(refusals[5]?.problem, "MISSING")
      for (const { out, problem } of [stored, changed, proxied, tested, other, ...refusals]) {
        for (const secret of [password, "other-one", "hidden-proxy-word", owner.encryptionKey])
          assert.notInclude(`${out}${problem}`, secret)
      }
      const missing = yield* run(["vault", "test", "nobody", site], environment)
      assert.strictEqual(missing.code, exitCodes.missing)
    }).pipe(Effect.scoped)
  )

  it.effect("ask for secrets at a terminal, show none of them, and change nothing when the person leaves", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, run } = yield* signedIn
      const seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
      const put = ["vault", "put", "typed", site]
      const stored = yield* run(put, {}, "", ["ada@example.com", password, seed, owner.encryptionKey])
      assert.strictEqual(stored.code, 0, stored.problem)
      assert.match(stored.out, /User name[\s\S]*ada@example\.com[\s\S]*Password[\s\S]*one-time codes/)
      const path = `/vault?permissioned_user_id=typed&domain=${encodeURIComponent(site)}`
      const read = Effect.map(send({ method: "GET", path, key: owner.key }), ({ body }) =>
        ["user_name", "password", "tfa_secret"].map((name) => unseal(owner.encryptionKey, String(body[name])))
      )
      assert.deepStrictEqual(yield* read, ["ada@example.com", password, seed])
      // An empty answer leaves a secret as it is.
      const changed = yield* run(put, { SLUICE_ENCRYPTION_KEY: owner.encryptionKey }, "", ["", "another-word", ""])
      assert.include(changed.out, "Changed the credential of typed")
      assert.deepStrictEqual(yield* read, ["ada@example.com", "another-word", seed])
      const left = yield* run(put, {}, "", ["eve@example.com", null])
      const wrong = yield* run(put, {}, "", ["eve@example.com", "", "", "a short key"])
      assert.deepStrictEqual([left.code, wrong.code], [exitCodes.wrong, exitCodes.wrong])
      assert.include(left.problem, "nothing was changed")
      assert.deepStrictEqual(yield* read, ["ada@example.com", "another-word", seed])
      for (const { out, problem } of [stored, changed, left, wrong]) {
        for (const secret of [password, "another-word", seed, owner.encryptionKey, "a short key"]) {
          assert.notInclude(`${out}${problem}`, secret)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.effect("accept an invitation in place of a key, once, and keep the key that it makes in the profile", () =>
    Effect.gen(function* () {
      const { json, owner, url } = yield* signedIn
      const { token } = yield* json("keys", "invite", "--role", "Member", "--name", "Ada")
      const ada = yield* terminal
      const accepted = yield* ada.run(["login", "--url", url], {}, "", [String(token)])
      assert.strictEqual(accepted.code, 0, accepted.problem)
      assert.include(accepted.out, `as Member of workspace ${owner.caller.workspaceId}`)
      assert.notInclude(accepted.out, String(token))
      const me = yield* ada.json("workspaces", "list", "--data-dir", join(ada.folder, "none"))
      assert.include(JSON.stringify(me), owner.caller.workspaceId)
      const again = yield* (yield* terminal).run(["login", "--url", url], {}, `${token}\n`)
      assert.strictEqual(again.code, exitCodes.missing, again.problem)
      const [listed] = yield* json("keys", "invitations")
      assert.deepInclude(listed, { state: "used", name: "Ada" })
      // Where the profile cannot be written, the key is shown: it cannot be made again.
      const other = yield* json("keys", "invite", "--role", "Viewer")
      const blocked = yield* terminal
      blocked.file("config", "in the way")
      const shown = yield* blocked.run(["login", "--url", url], { SLUICE_KEY: String(other.token) })
      assert.strictEqual(shown.code, exitCodes.failed)
      assert.match(shown.out, /The key of the invitation is sk_/)
    }).pipe(Effect.scoped)
  )

  it.effect("make, rotate and revoke keys, and list workspaces, of the service of the profile", () =>
    Effect.gen(function* () {
      const { folder, json, ok, owner, run, url } = yield* signedIn
      const nowhere = ["--data-dir", join(folder, "none")]
      const made = yield* json("keys", "create", "--name", "CI", "--role", "Member", "--scope", "run", ...nowhere)
      assert.deepInclude(made, { name: "CI", role: "Member", scopes: ["run"] })
      const rotated = yield* json("keys", "rotate", "key", made.id, "--grace", "0", ...nowhere)
      assert.notStrictEqual(rotated.key, made.key)
      const listed = yield* ok("keys", "list", "--url", url, "--key", owner.key)
      assert.include(listed, rotated.id)
      assert.notInclude(listed, rotated.key)
      const invited = yield* json("keys", "invite", "--role", "Viewer", "--name", "Ada")
      assert.match(String(invited.token), /^inv_/)
      const open = yield* ok("keys", "invitations")
      assert.include(open, "Ada")
      assert.notInclude(open, String(invited.token))
      assert.include(yield* ok("keys", "uninvite", String(invited.id)), "Revoked invitation")
      assert.include(yield* ok("keys", "revoke", rotated.id, ...nowhere), "Revoked key")
      const again = yield* run(["keys", "revoke", rotated.id, ...nowhere])
      assert.strictEqual(again.code, exitCodes.missing, again.problem)
      assert.include(yield* ok("workspaces", "list", ...nowhere), owner.caller.workspaceId)
      const second = yield* run(["workspaces", "create", "Other", ...nowhere])
      assert.strictEqual(second.code, exitCodes.forbidden)
    }).pipe(Effect.scoped)
  )

  it.effect("rotate the encryption key of the workspace of the profile, and say how far it is", () =>
    Effect.gen(function* () {
      const { member } = yield* Service
      const { folder, json, ok, owner, run, url } = yield* signedIn
      const rotate = ["keys", "rotate", "workspace", "--data-dir", join(folder, "none")]
      const begun = yield* json(...rotate)
      assert.deepInclude(begun, { rotating: true, version: 2, former_version: 1, may_finish: false })
      assert.match(String(begun.encryption_key), /^[0-9a-f]{64}$/)
      assert.notStrictEqual(begun.encryption_key, owner.encryptionKey)
      const status = yield* ok(...rotate, "--status")
      assert.match(status, /version 2; version 1 is accepted as well[\s\S]*cannot be finished yet/)
      assert.notInclude(status, String(begun.encryption_key))
      const early = yield* run([...rotate, "--finish"])
      const twice = yield* run(rotate)
      assert.deepStrictEqual([early.code, twice.code], [exitCodes.conflict, exitCodes.conflict])
      assert.include(twice.problem, "one is in progress")
      const both = yield* run([...rotate, "--finish", "--status"])
      assert.strictEqual(both.code, exitCodes.wrong, both.problem)
      const viewer = yield* member("Viewer")
      const forbidden = yield* run([...rotate, "--url", url], { SLUICE_KEY: viewer.key })
      assert.strictEqual(forbidden.code, exitCodes.forbidden)
    }).pipe(Effect.scoped)
  )

  it.effect("print what was done to the first runs of a filter where the service is lost before the others", () =>
    Effect.gen(function* () {
      const asked: Array<Record<string, unknown>> = []
      const server = createServer(async (request, response) => {
        const chunks: Array<Buffer> = []
        for await (const chunk of request) chunks.push(chunk)
        asked.push(JSON.parse(Buffer.concat(chunks).toString()))
        if (asked.length > 1) return void response.destroy()
        const result = { session_id: "a", outcome: "released", status: "execution.queued", message: null }
        const answer = { dry_run: false, next_cursor: "behind-a", counts: { released: 1 }, results: [result] }
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
      })
      const url = `http://127.0.0.1:${yield* listening(server)}`
      const { run } = yield* terminal
      const broken = yield* run(["runs", "release", "--hold", "run_window", "--url", url], { SLUICE_KEY: "k" })
      assert.strictEqual(broken.code, exitCodes.unavailable, broken.problem)
      assert.strictEqual(broken.out, "Released 1 of 1 run\nMore runs satisfy the filter")
      assert.deepInclude(asked[1], { cursor: "behind-a", limit: 10_000 })
    }).pipe(Effect.scoped)
  )

  it.effect("submit each row of a batch once although answers are lost, and where the batch is resumed", () =>
    Effect.gen(function* () {
      const { send, url } = yield* Service
      const { file, json, owner, run } = yield* signedIn
      const { key } = owner
      const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "Rows", ...graph() } })
      const args = ["batch", file("rows.csv", "n\n1\n2\n3\n"), "--workflow", String(made.body.id)]
      const total = () => Effect.map(json("runs", "ls", "--workflow_id", String(made.body.id)), (page) => page.total)
      const some = yield* losing(url, "/runs/batch", 2)
      const done = yield* eventually(run([...args, "--url", some.url], { SLUICE_KEY: key }))
      assert.deepStrictEqual([done.code, done.out, some.asked()], [0, "Submitted 3 of 3 rows", 3])
      assert.strictEqual(yield* total(), "3")
      const all = yield* losing(url, "/runs/batch", Number.POSITIVE_INFINITY)
      const lost = yield* eventually(run([...args, "--url", all.url], { SLUICE_KEY: key }))
      assert.deepStrictEqual([lost.code, all.asked()], [exitCodes.unavailable, 5])
      const [, resume = ""] = /Continue with (--from-row 2 --resume [0-9a-f]{24}),/.exec(lost.problem) ?? []
      const resumed = yield* run([...args, ...resume.split(" ")])
      assert.strictEqual(resumed.out, "Submitted 3 of 3 rows", resumed.problem)
      assert.strictEqual(yield* total(), "6")
    }).pipe(Effect.scoped)
  )

  it.effect("rotate an encryption key although answers are lost, and print the key where none arrives", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { run } = yield* terminal
      const rotate = Effect.fnUntraced(function* (lost: number) {
        const owner = yield* member("Owner")
        const proxy = yield* losing(url, "/encryption-key/rotation", lost)
        const environment = { SLUICE_KEY: owner.key }
        const ran = yield* eventually(run(["keys", "rotate", "workspace", "--url", proxy.url, "--json"], environment))
        const printed = JSON.parse(ran.out)
        const json = { encryption_key: printed.encryption_key }
        const again = yield* send({ method: "POST", path: "/encryption-key/rotation", key: owner.key, json })
        assert.deepStrictEqual([again.status, again.body.version], [201, 2], "the workspace has the printed key")
        assert.notInclude(ran.problem, printed.encryption_key)
        return { ...ran, printed, asked: proxy.asked() }
      })
      const recovered = yield* rotate(2)
      assert.deepStrictEqual([recovered.code, recovered.asked, recovered.printed.version], [0, 3, 2])
      const unknown = yield* rotate(Number.POSITIVE_INFINITY)
      assert.deepStrictEqual([unknown.code, unknown.asked], [exitCodes.unavailable, 5])
      assert.strictEqual(unknown.printed.confirmed, false)
    }).pipe(Effect.scoped)
  )

  it.effect("find the service that uses the data folder, and say in a sentence what they need beside it", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const owner = yield* member("Owner")
      const { file, folder, run } = yield* terminal
      const here = ["--data-dir", folder]
      const serving = (address: string | null) =>
        void file("lock", JSON.stringify({ pid: process.ppid, began: null, address }))
      serving(null)
      const early = yield* run(["keys", "list", ...here])
      assert.strictEqual(early.code, exitCodes.unavailable, early.problem)
      serving(url)
      const commands = [
        ["keys", "list"],
        ["workspaces", "list"],
        ["verify", "--from", "1969-12-01T00:00:00Z"]
      ]
      const refused = yield* Effect.forEach(commands, (command) => run([...command, ...here]))
      for (const { code, problem } of refused) {
        assert.strictEqual(code, exitCodes.wrong)
        assert.match(problem, new RegExp(`^Process ${process.ppid} uses .*SLUICE_KEY.* sluice login --url ${url}$`))
      }
      // The key of another service is not sent to this one.
      const profiles = join(folder, "config/sluice/profiles.json")
      const keep = (address: string) => {
        const stored = { current: "other", profiles: { other: { url: address, key: owner.key } } }
        mkdirSync(dirname(profiles), { recursive: true })
        writeFileSync(profiles, JSON.stringify(stored), { mode: 0o600 })
      }
      keep("https://sluice.example.com")
      assert.strictEqual((yield* run(["keys", "list", ...here])).code, exitCodes.wrong)
      keep(url.replace("127.0.0.1", "localhost"))
      const found = yield* Effect.forEach(commands, (command) => run([...command, ...here]))
      assert.deepStrictEqual(
        found.map(({ code, problem }) => [code, problem]),
        commands.map(() => [0, ""])
      )
      const verdict = yield* run(["verify", "--from", "1969-12-01T00:00:00Z", "--json", ...here])
      assert.deepStrictEqual(JSON.parse(verdict.out), { starts: 0, wrong: 0, missing: [], problems: [] })
      const endless = yield* run(["verify", ...here])
      assert.deepInclude(endless, {
        code: exitCodes.wrong,
        problem: "Expected the session_id of a run, or a time range in --from and --to"
      })
      rmSync(profiles)
      const named = ["keys", "list", ...here, "--workspace"]
      const mine = yield* run([...named, owner.caller.workspaceId], { SLUICE_KEY: owner.key })
      assert.include(mine.out, "Owner", mine.problem)
      const other = yield* run([...named, "another"], { SLUICE_KEY: owner.key })
      assert.include(other.problem, `The key is of workspace ${owner.caller.workspaceId}, not of another`)
      const rotation = yield* run(["keys", "rotate", "workspace", "--status", ...here], { SLUICE_KEY: owner.key })
      assert.include(rotation.out, "version 1; no other version is accepted", rotation.problem)
      for (const command of [["encryption"], ["rotate", "master"]]) {
        const { code, problem } = yield* run(["keys", ...command, ...here])
        assert.strictEqual(code, exitCodes.conflict)
        assert.include(problem, `stop process ${process.ppid}, which uses the data folder ${folder}, first`)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("list and export the audit trail, and show and restore former windows", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { file, folder, json, ok, owner, run } = yield* signedIn
      const made = { method: "POST", path: "/workflows", key: owner.key }
      yield* send({ ...made, json: { name: "Nightly", ...graph(), run_window: daily(9, 17) } })
      yield* ok("window", "set", "Nightly", file("late.json", JSON.stringify(daily(20, 22))))
      const history = yield* json("window", "history", "Nightly")
      assert.deepStrictEqual(
        history.run_windows.map((one: Record<string, unknown>) => [one.run_window_revision, one.set_by]),
        [
          [2, owner.caller.userId],
          [1, owner.caller.userId]
        ]
      )
      assert.include(yield* ok("window", "restore", "Nightly", "1"), "Set as revision 3")
      const { run_windows: now } = yield* json("window", "history", "Nightly", "--limit", "1")
      assert.deepStrictEqual(now[0].run_window, history.run_windows[1].run_window)
      assert.strictEqual((yield* run(["window", "restore", "Nightly", "9"])).code, exitCodes.missing)
      assert.include(yield* ok("workflow", "explain", "Nightly"), "1  Open  START")

      assert.match(yield* ok("audit", "ls", "--action", "run_window", "--limit", "1"), /run_window\.set[\s\S]*--cursor/)
      const { entries } = yield* json("audit", "ls", "--action", "run_window.set")
      assert.lengthOf(entries, 3)
      const { id } = yield* json("workflow", "list").pipe(Effect.map(([first]) => first))
      const runs = yield* Effect.forEach([1, 2], () => ok("run", String(id)))
      yield* ok("runs", "interrupt", ...runs)
      assert.match(yield* ok("audit", "ls", "--action", "run.interrupt"), /run\.interrupt +2 runs /)
      const path = join(folder, "audit.csv")
      yield* ok("audit", "export", "--format", "csv", path)
      assert.match(readFileSync(path, "utf8"), /^id,at,action/)
      assert.lengthOf((yield* ok("audit", "export", "--action", "run_window")).split("\n"), 3)
      const full = yield* run(["audit", "export", "/dev/full"])
      assert.strictEqual(full.code, exitCodes.failed)
      assert.include(full.problem, "Cannot write the file /dev/full: ENOSPC")
      const wrong = yield* run(["audit", "ls", "--user_id", "me"])
      assert.strictEqual(wrong.code, exitCodes.wrong)
      assert.include(wrong.problem, "user_id")
      const unknown = yield* run(["audit", "ls", "--action", "run_window.open"])
      assert.strictEqual(unknown.code, exitCodes.wrong)
      assert.include(unknown.problem, 'one of run_window, run_window.set, run_window.remove, got "run_window.open"')
    }).pipe(Effect.scoped)
  )

  it.effect("receive webhooks on loopback, verify their signatures, and follow the stream of events", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, run, url } = yield* signedIn
      const { key } = owner
      const path = "/webhook-endpoints"
      const listed = Effect.map(
        send({ method: "GET", path, key }),
        ({ body }) => body as unknown as ReadonlyArray<{ readonly id: string; readonly url: string }>
      )
      const listening = yield* Effect.forkChild(run(["webhook", "listen", "--register", "--count", "1"]))
      const [endpoint] = yield* eventually(
        Effect.repeat(Effect.andThen(Effect.sleep("100 millis"), listed), {
          until: (all) => all.length > 0
        })
      )
      const forged = yield* Effect.promise(() =>
        fetch(endpoint?.url ?? "", { method: "POST", body: "{}", headers: { "x-hmac-signature": "sha256=00" } })
      )
      assert.strictEqual(forged.status, 401)
      const tested = yield* send({ method: "POST", path: `${path}/${endpoint?.id}/test`, key })
      assert.deepInclude(tested.body, { success: true, response: "204" })
      const received = yield* eventually(Fiber.join(listening))
      assert.strictEqual(received.code, 0, received.problem)
      assert.match(received.out, /Refused a delivery: its signature[\s\S]*webhook\.test/)
      assert.lengthOf(yield* listed, 0)
      const secretless = yield* run(["webhook", "listen"])
      assert.include(secretless.problem, "SLUICE_WEBHOOK_SECRET")

      const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "W", ...graph() } })
      const start = send({ method: "POST", path: "/run", key, json: { workflow_id: made.body.id } })
      const args = ["webhook", "listen", "--stream", "--event", "execution.queued", "--count", "1", "--json"]
      const following = yield* Effect.forkChild(run([...args, "--url", url, "--key", key]))
      // The stream begins where it is opened: runs are submitted until it has one.
      yield* eventually(
        Effect.repeat(Effect.andThen(Effect.sleep("100 millis"), start), {
          until: () => following.pollUnsafe() !== undefined
        })
      )
      const { code, out } = yield* Fiber.join(following)
      assert.deepInclude(JSON.parse(out), { event: "execution.queued" })
      assert.strictEqual(code, 0)
    }).pipe(Effect.scoped)
  )
})
