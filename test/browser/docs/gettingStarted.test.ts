/** The walk of docs/getting-started.md: its commands are sent to a service whose worker has a real Chromium. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as Dispatcher from "../../../core/event/webhook/Dispatcher.ts"
import * as AgentExecutor from "../../../core/execution/AgentExecutor.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Otp from "../../../core/vault/otp/Otp.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as ClinicPortal from "../../docs/ClinicPortal.ts"
import * as Commands from "../../docs/Commands.ts"
import { fencesOf, pages } from "../../docs/Pages.ts"
import { verdictOf } from "../../docs/Verifiers.ts"
import { sharedBrowser } from "../../support/realBrowser.ts"
import { receiver } from "../../support/receiver.ts"
import { seal } from "../../support/sealed.ts"
import { layerWith, Service } from "../../support/service.ts"

const page = pages().find(({ path }) => path === "docs/getting-started.md") ?? { path: "", text: "" }

/** A Tuesday in November, 10:00 in New York: the window of the workflow is closed. */
const byDay = Date.parse("2026-11-24T15:00:00Z")

/** A clock that goes as another one does, and shows this much more. */
const ahead = (clock: Clock.Clock, millis: number): Clock.Clock => {
  const now = () => clock.currentTimeMillisUnsafe() + millis
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(millis) * 1_000_000n
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

const dispatching = Layer.effectDiscard(
  Effect.gen(function* () {
    const { under } = yield* ArtifactLinks
    const links = (workspace: WorkspaceId) => under("https://sluice.example.com", workspace)
    yield* Effect.forkScoped(Dispatcher.run({ ...Dispatcher.defaults, links }))
  })
)

const service = dispatching.pipe(
  Layer.provideMerge(
    layerWith({ stores: Memory.layer, sending: { ...HttpSender.defaults, allowPrivateNetworks: true } })
  )
)

const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
const totp = Result.getOrThrow(Otp.parse(Redacted.make(secret)))

/** Does what may start, as a worker does. Answers how many runs that were. */
const work = Effect.gen(function* () {
  const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
  yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one))
  return claimed.length
}).pipe(Effect.provide(AgentExecutor.layer.pipe(Layer.provide(sharedBrowser))))

const walk = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const { member, url } = yield* Service
  const me = yield* member("Owner")
  const isCode = (code: string) =>
    totp._tag === "Totp" &&
    [0, 30_000].some((more) => {
      const at = clock.currentTimeMillisUnsafe() + more
      return Redacted.value(Otp.timed(totp, at).code) === code
    })
  const portal = yield* ClinicPortal.open(isCode)
  const billing = yield* receiver(200)
  const cwd = yield* Commands.folder

  /** The text of the page with the addresses of this test in it. */
  const placed = (text: string) =>
    text
      .replaceAll("https://portal.example", portal.origin)
      .replaceAll('"portal.example"', JSON.stringify(new URL(portal.origin).host))
      .replaceAll("https://billing.example/hooks/sluice", billing.url)

  const run = (command: string) => Commands.run(placed(command), cwd, { API: url, KEY: me.key })
  const commands = (heading: string) => Commands.below(page, heading)

  const [keep = ""] = commands("1. Keep the credential")
  const [user, password, code] = [ClinicPortal.visitor.user, ClinicPortal.visitor.password, secret].map((value) =>
    seal(me.encryptionKey, value)
  )
  const sealed = keep
    .replace('"user_name": "SEALED"', `"user_name": "${user}"`)
    .replace('"password": "SEALED"', `"password": "${password}"`)
    .replace('"tfa_secret": "SEALED"', `"tfa_secret": "${code}"`)
  assert.deepInclude(yield* run(sealed), { permissioned_user_id: "front-desk", persist_cookies: true })

  const workflow = fencesOf(page).find(({ language }) => language === "json")?.text ?? ""
  writeFileSync(join(cwd, "invoices.json"), placed(workflow))
  const [save = ""] = commands("2. Save the workflow")
  const saved = yield* run(save)
  assert.isString(saved.id, JSON.stringify(saved))

  const [register = ""] = commands("3. Register a webhook")
  const webhook = yield* run(register)
  assert.isString(webhook.secret, JSON.stringify(webhook))

  const [start = "", read = "", lift = ""] = commands("4. Start a run").map((command) =>
    command.replace('"ID"', JSON.stringify(saved.id))
  )

  const started = Effect.map(run(start), ({ session_id }) => String(session_id))
  const recordOf = (session: string) => run(read.replace("SESSION_ID", session))

  const session = yield* started
  const held = yield* recordOf(session)
  assert.deepInclude(held, { status: "execution.paused", can_start_at: "2026-11-25T03:00:00.000Z" })
  assert.lengthOf(held.holds as ReadonlyArray<unknown>, 1)
  assert.strictEqual(yield* work, 0)
  assert.deepInclude(yield* run(lift), { success: true, resumedRuns: 1 })
  assert.strictEqual(yield* work, 1)

  const ended = yield* recordOf(session)
  assert.strictEqual(ended.status, "execution.success", JSON.stringify(ended.errors))
  assert.deepStrictEqual(ended.data, {
    invoices: [
      { number: "A-1", total: 10.5 },
      { number: "A-2", total: 20 },
      { number: "A-3", total: 30 }
    ]
  })
  const files = ended.file_urls as ReadonlyArray<Readonly<Record<string, unknown>>>
  assert.lengthOf(files, 3, JSON.stringify(files))

  const delivered = yield* billing.next
  assert.strictEqual(delivered.body.event, "execution.success")
  assert.strictEqual(delivered.body.payload.session_id, session)
  const verdict = yield* Effect.promise(() =>
    verdictOf("ts", {
      body: delivered.text,
      signature: String(delivered.headers["x-hmac-signature"]),
      secret: String(webhook.secret),
      at: clock.currentTimeMillisUnsafe()
    })
  )
  assert.strictEqual(verdict, "execution.success")

  assert.strictEqual(portal.signIns(), 1)
  const second = yield* started
  assert.strictEqual(yield* work, 1)
  const again = yield* recordOf(second)
  assert.strictEqual(again.status, "execution.success", JSON.stringify(again.errors))
  assert.strictEqual(portal.signIns(), 1, "the second run is still signed in")
})

it.live(
  "the commands of docs/getting-started.md do what the page says, from the credential to the verified webhook",
  () =>
    Effect.gen(function* () {
      const real = yield* Clock.Clock
      const clock = ahead(real, byDay - real.currentTimeMillisUnsafe())
      yield* walk.pipe(
        Effect.scoped,
        Effect.provide(Layer.fresh(service).pipe(Layer.provide(Layer.succeed(Clock.Clock, clock)))),
        Effect.provideService(Clock.Clock, clock)
      )
    })
)
