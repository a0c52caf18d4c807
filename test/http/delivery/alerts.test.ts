/** What people get of runs that fail: mails of a real SMTP server, and messages of channels. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { SMTPServer } from "smtp-server"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as AlertDispatch from "../../../core/event/alert/AlertDispatch.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { graph } from "../../support/fixtures.ts"
import { receiver } from "../../support/receiver.ts"
import { layerWith, Service } from "../../support/service.ts"

const sending = { ...HttpSender.defaults, allowPrivateNetworks: true }

const password = "correct-horse-battery"

interface Mail {
  readonly to: ReadonlyArray<string>
  readonly text: string
}

/** A mail server on loopback that asks for a user, until the scope closes. It may be away. */
const mailServer = Effect.gen(function* () {
  const mails: Array<Mail> = []
  const state = { isAway: false }
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    hideSTARTTLS: false,
    onAuth: ({ password: given, username }, _, done) =>
      given === password && username === "sluice" ? done(null, { user: username }) : done(new Error("no such user")),
    onRcptTo: (_address, _session, done) =>
      state.isAway ? done(Object.assign(new Error("Come back later"), { responseCode: 451 })) : done(),
    onData: (stream, session, done) => {
      let text = ""
      stream.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8")
      })
      stream.on("end", () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    }
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      const listening = server.listen(0, "127.0.0.1", () => {
        const address = listening.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () => Effect.promise(() => new Promise<void>((resolve) => server.close(() => resolve())))
  )
  return { mails, port, state }
})

/** A workspace with a workflow whose runs fail as its receivers are told. */
const setUp = Effect.gen(function* () {
  const { member, send } = yield* Service
  const { key } = yield* member("Owner")
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, key, ...(json === undefined ? {} : { json }) })
  const workflow = yield* ask("POST", "/workflows", { name: "Invoices", ...graph() })
  assert.strictEqual(workflow.status, 201, workflow.text)

  /** Runs that had to start by now, and did not. */
  const missed = Effect.fnUntraced(function* (count: number) {
    const sessions: Array<string> = []
    for (let one = 0; one < count; one++) {
      const startBy = new Date((yield* Clock.currentTimeMillis) + 60_000)
      const started = yield* ask("POST", "/run", { workflow_id: workflow.body.id, start_by: startBy.toISOString() })
      assert.isBelow(started.status, 300, started.text)
      sessions.push(String(started.body.session_id))
    }
    yield* TestClock.adjust("2 minutes")
    const runs = yield* RunStore
    yield* runs.reap(100, Transition.reap)
    while (yield* AlertDispatch.collect());
    return sessions
  })

  const sendDue = Effect.gen(function* () {
    while (yield* AlertDispatch.sendNext("https://sluice.example/"));
  })

  const create = (fields: object) =>
    Effect.tap(ask("POST", "/alert-receivers", { name: "People", ...fields }), ({ status, text }) =>
      Effect.sync(() => assert.strictEqual(status, 201, text))
    )
  return { ask, create, missed, sendDue }
})

const smtp = (port: number) => ({ host: "127.0.0.1", port, security: "starttls", username: "sluice", password })

it.layer(layerWith({ sending, stores: Memory.layer }))("people", (it) => {
  it.effect("get one message of a channel for many runs of one cause, and the next one after the pause", () =>
    Effect.gen(function* () {
      const { ask, create, missed, sendDue } = yield* setUp
      const slack = yield* receiver(200)
      const teams = yield* receiver(202)
      yield* create({ type: "slack", url: slack.url })
      yield* create({ name: "Others", type: "teams", url: teams.url, events: ["not_started"] })
      const sessions = yield* missed(12)
      yield* sendDue
      assert.strictEqual(slack.count(), 0)
      yield* TestClock.adjust("1 minute")
      yield* sendDue
      assert.deepStrictEqual([slack.count(), teams.count()], [1, 1])
      const { text } = yield* slack.next
      assert.include(text, "*Invoices: 12 runs did not start in time*")
      assert.include(text, `https://sluice.example/#/runs/${sessions[0]}`)
      assert.include(text, "and 2 more")
      const card = yield* teams.next
      assert.include(card.text, "application/vnd.microsoft.card.adaptive")
      assert.include(card.text, "12 runs did not start in time")

      yield* missed(1)
      yield* TestClock.adjust("30 minutes")
      yield* sendDue
      assert.strictEqual(slack.count(), 1)
      yield* TestClock.adjust("30 minutes")
      yield* sendDue
      assert.strictEqual(slack.count(), 2)
      const listed = yield* ask("GET", "/alerts?status=sent&limit=3")
      assert.lengthOf(listed.body.alerts as ReadonlyArray<unknown>, 3)
      assert.isString(listed.body.next_cursor)
    }).pipe(Effect.scoped)
  )

  it.effect("get a test at once, and what came of it, without the address of the channel", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const gone = yield* receiver(404)
      const made = yield* create({ type: "slack", url: gone.url })
      assert.notInclude(made.text, "/hook")
      const tested = yield* ask("POST", `/alert-receivers/${made.body.id}/test`)
      assert.deepInclude(tested.body, { sent: false, reason: "Answered 404: expected 200 to 299" })
      assert.include((yield* gone.next).text, "A test of alerts")
      assert.notInclude((yield* ask("GET", "/audit")).text, "/hook")
    }).pipe(Effect.scoped)
  )

  it.effect("are not told in quiet hours but of what is urgent", () =>
    Effect.gen(function* () {
      const { create, missed, sendDue } = yield* setUp
      const [calm, urgent] = [yield* receiver(200), yield* receiver(200)]
      const at = new Date(yield* Clock.currentTimeMillis)
      const hour = (later: number) => `${String((at.getUTCHours() + later) % 24).padStart(2, "0")}:00`
      const quiet_hours = { time_zone: "UTC", from: hour(0), to: hour(3) }
      yield* create({ type: "slack", url: calm.url, quiet_hours })
      yield* create({ name: "Night", type: "slack", url: urgent.url, quiet_hours, urgent: ["not_started"] })
      yield* missed(1)
      yield* TestClock.adjust("1 minute")
      yield* sendDue
      assert.deepStrictEqual([calm.count(), urgent.count()], [0, 1])
      yield* TestClock.adjust("3 hours")
      yield* sendDue
      assert.strictEqual(calm.count(), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("that cannot be told are named with each problem at its path, and a password is not sent in clear", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      const refused = Effect.fnUntraced(function* (fields: object) {
        const { status, text } = yield* ask("POST", "/alert-receivers", { name: "X", ...fields })
        assert.strictEqual(status, 400, text)
        assert.notInclude(text, password)
        return text
      })
      assert.include(yield* refused({ type: "slack" }), "url")
      assert.include(
        yield* refused({ type: "teams", url: "https://a.example/x", to: ["a@b.example"] }),
        "Expected no to"
      )
      assert.include(yield* refused({ type: "mail", smtp: smtp(25), from: "a@b.example" }), "to")
      const clear = { ...smtp(25), security: "none" }
      assert.include(
        yield* refused({ type: "mail", smtp: clear, from: "a@b.example", to: ["c@d.example"] }),
        "in clear"
      )
      const several = yield* refused({
        type: "mail",
        smtp: { ...smtp(0), host: "no host" },
        from: "A <a@b.example>",
        to: [],
        quiet_hours: { time_zone: "Mars", from: "25:00", to: "07:00" }
      })
      for (const path of ["smtp.host", "smtp.port", "from", "to", "quiet_hours.time_zone", "quiet_hours.from"]) {
        assert.include(several, path)
      }
    })
  )
})

/** The certificate of the server is its own. */
const clear = { security: "none" } as const

it.layer(layerWith({ sending, stores: Memory.layer }))("mails to people", (it) => {
  it.effect("are taken by an SMTP server, and tried again while it is away", () =>
    Effect.gen(function* () {
      const { ask, create, missed, sendDue } = yield* setUp
      const { mails, port, state } = yield* mailServer
      state.isAway = true
      yield* create({
        type: "mail",
        smtp: { host: "127.0.0.1", port, ...clear },
        from: "sluice@example.com",
        to: ["ops@example.com", "boss@example.com"]
      })
      yield* missed(2)
      yield* TestClock.adjust("1 minute")
      yield* sendDue
      const [waiting] = (yield* ask("GET", "/alerts")).body.alerts as ReadonlyArray<Record<string, unknown>>
      assert.deepInclude(waiting, { status: "sending", attempts: 1, count: 2 })
      state.isAway = false
      yield* TestClock.adjust("1 minute")
      yield* sendDue
      assert.lengthOf(mails, 1)
      assert.deepStrictEqual(mails[0]?.to, ["ops@example.com", "boss@example.com"])
      assert.match(mails[0]?.text ?? "", /^Subject: Invoices: 2 runs did not start in time\r$/m)
      assert.match(mails[0]?.text ?? "", /^Message-ID: <[0-9a-f-]{36}@example\.com>\r$/m)
    }).pipe(Effect.scoped)
  )

  it.effect("are not sent to a server whose certificate nobody vouches for, and no answer has the password", () =>
    Effect.gen(function* () {
      const { ask, create } = yield* setUp
      const { mails, port } = yield* mailServer
      const made = yield* create({ type: "mail", smtp: smtp(port), from: "a@example.com", to: ["b@example.com"] })
      assert.deepInclude(made.body.smtp, { host: "127.0.0.1", port, security: "starttls", has_user: true })
      const { body, text } = yield* ask("POST", `/alert-receivers/${made.body.id}/test`)
      assert.deepInclude(body, { sent: false })
      assert.lengthOf(mails, 0)
      assert.notInclude(made.text + text + (yield* ask("GET", "/audit")).text, password)
      // A password is not kept for another server.
      const moved = yield* ask("PATCH", `/alert-receivers/${made.body.id}`, {
        smtp: { host: "localhost", port, security: "starttls" }
      })
      assert.deepInclude(moved.body.smtp, { host: "localhost", has_user: false })
    }).pipe(Effect.scoped)
  )
})

it.layer(layerWith({ stores: Memory.layer }))("receivers of alerts", (it) => {
  it.effect("at private addresses are refused", () =>
    Effect.gen(function* () {
      const { ask } = yield* setUp
      for (const fields of [
        { type: "slack", url: "http://127.0.0.1:9/x" },
        {
          type: "mail",
          smtp: { host: "localhost", port: 25, security: "none" },
          from: "a@b.example",
          to: ["c@d.example"]
        },
        { type: "mail", smtp: { host: "::1", port: 25, security: "none" }, from: "a@b.example", to: ["c@d.example"] }
      ]) {
        const { status, text } = yield* ask("POST", "/alert-receivers", { name: "X", ...fields })
        assert.strictEqual(status, 400, text)
        assert.include(text, "private or loopback")
      }
    })
  )
})
