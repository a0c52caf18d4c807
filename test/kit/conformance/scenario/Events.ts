/** Scenarios of events: streams and webhooks. */
import { eventOf, interrupt, kindOf, until } from "../Executed.ts"
import { absent, expectGeneral, held, type Scenario } from "../Scenario.ts"
import { type Delivery, expect, field, listOf, type Server } from "../Server.ts"

/** Fails unless an event of about now has the fields of the interface. */
const expectEvent = (event: unknown, session: string, now: number): void => {
  for (const name of ["timestamp", "expires_at"]) {
    expect(Number.isInteger(field(event, name)), `${name} in whole seconds`, event)
  }
  expect(Math.abs(Number(field(event, "timestamp")) - now / 1_000) < 3_600, "the timestamp in seconds", event)
  expect(Number(field(event, "expires_at")) > Number(field(event, "timestamp")), "expires_at after timestamp", event)
  const payload = field(event, "payload")
  expect(field(payload, "session_id") === session, `payload.session_id ${session}`, event)
  expect(typeof field(payload, "workflow_id") === "string", "payload.workflow_id", event)
}

/** An address without a receiver. */
const nowhere = "https://conformance.invalid/hook"

const webhook = async (server: Server, url = nowhere) => {
  const json = { url, event_types_subscribed: ["execution.success"] }
  const made = await server.expect(201, "POST", "/webhook-endpoints", { json })
  const id = String(field(made, "id"))
  const remove = () => server.send("DELETE", `/webhook-endpoints/${id}`)
  server.later(remove)
  return { id, made, remove }
}

/** Fails unless a delivery is compact JSON, signed with a secret over its bytes as they are. */
const expectSigned = async ({ body, signature }: Delivery, secret: string): Promise<void> => {
  const utf8 = new TextEncoder()
  const key = await crypto.subtle.importKey("raw", utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign"
  ])
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, body))
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  expect(
    signature === `sha256=${digits}`,
    "X-HMAC-Signature of sha256= and the HMAC in small hexadecimal digits",
    signature
  )
  const text = new TextDecoder().decode(body)
  const event: unknown = JSON.parse(text)
  expect(JSON.stringify(event) === text, "a body of compact JSON", text)
  expect(typeof field(event, "event") === "string", "the kind of the event", event)
  expect(Number(field(event, "expires_at")) > Number(field(event, "timestamp")), "expires_at after timestamp", event)
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "stream-run",
    section: "Events",
    promise: "The stream of a run has its events with their times and ids, in order, until the run has ended",
    run: async (server) => {
      const session = await held(server)
      const begun = await server.stream(`/run/${session}/events`, until("execution.paused"))
      expect(kindOf(begun[0]) === "execution.queued", "execution.queued", begun)
      await interrupt(server, session)
      const all = await server.stream(`/run/${session}/events`, until("execution.stopped"))
      const now = server.now()
      for (const frame of all) {
        expect(frame.event === "run.event" && frame.id !== null, "frames named run.event with an id", frame)
        expectEvent(eventOf(frame), session, now)
      }
    }
  },
  {
    name: "stream-paused",
    section: "States and transitions",
    promise: "A held run has the event execution.paused with the reason run_window, and its message says until when",
    run: async (server) => {
      const session = await held(server)
      const frames = await server.stream(`/run/${session}/events`, until("execution.paused"))
      const payload = field(frames.map(eventOf).at(-1), "payload")
      expect(field(payload, "pause_reason") === "run_window", "pause_reason run_window", payload)
      const opening = new Date(server.now() + 100 * 86_400_000).toISOString().slice(0, 10)
      const message = String(field(payload, "message"))
      expect(message.includes(opening), `a message that names the opening on ${opening}`, payload)
      await interrupt(server, session)
    }
  },
  {
    name: "stream-resumed",
    section: "Events",
    promise: "A stream that names its last event continues after it",
    run: async (server) => {
      const session = await held(server)
      await interrupt(server, session)
      const ended = until("execution.stopped")
      const all = await server.stream(`/run/${session}/events`, ended)
      const [first] = all
      const rest = await server.stream(`/run/${session}/events`, ended, { "last-event-id": first?.id ?? "" })
      const ids = rest.map(({ id }) => id)
      expect(
        ids.join() ===
          all
            .slice(1)
            .map(({ id }) => id)
            .join(),
        "every event but the first",
        ids
      )
    }
  },
  {
    name: "stream-client",
    section: "Events",
    promise: "The stream of a client has the events of the runs that it started",
    run: async (server) => {
      const client_id = crypto.randomUUID()
      const session = await held(server, { client_id })
      const frames = await server.stream(`/run/clients/${client_id}/events`, until("execution.paused"))
      const now = server.now()
      for (const frame of frames) expectEvent(eventOf(frame), session, now)
      await interrupt(server, session)
    }
  },
  {
    name: "stream-unknown",
    section: "Errors",
    promise: "The stream of a missing run is 404",
    run: async (server) => {
      expectGeneral(await server.expect(404, "GET", `/run/${absent}/events`), 404)
    }
  },
  {
    name: "webhook-secret-once",
    section: "Events",
    promise: "The secret of a webhook is returned when it is registered, and not again",
    run: async (server) => {
      const { id, made } = await webhook(server)
      const secret = field(made, "secret")
      expect(typeof secret === "string" && secret.length >= 8, "a secret", made)
      const read = await server.expect(200, "GET", `/webhook-endpoints/${id}`)
      expect(field(read, "url") === nowhere, "the registered address", read)
      expect(!JSON.stringify(read).includes(String(secret)), "an answer without the secret", "an answer with it")
    }
  },
  {
    name: "webhook-listed",
    section: "Events",
    promise: "A registered webhook is listed until it is removed, and is 404 afterwards",
    run: async (server) => {
      const { id, remove } = await webhook(server)
      const has = async () =>
        listOf(await server.expect(200, "GET", "/webhook-endpoints"), "the webhooks").some(
          (one) => field(one, "id") === id
        )
      expect(await has(), "the webhook in the list", "a list without it")
      await remove()
      expect(!(await has()), "a list without the removed webhook", "a list with it")
      expectGeneral(await server.expect(404, "GET", `/webhook-endpoints/${id}`), 404)
    }
  },
  {
    name: "webhook-address",
    section: "Events",
    promise: "A webhook whose address is not an HTTP address is refused",
    run: async (server) => {
      const json = { url: "ftp://conformance.invalid/hook", event_types_subscribed: [] }
      const refused = await server.expect(400, "POST", "/webhook-endpoints", { json })
      expect(field(refused, "statusCode") === 400, "statusCode 400", refused)
    }
  },
  {
    name: "webhook-test-fails",
    section: "Events",
    promise: "A test of a webhook without a receiver reports its failure",
    run: async (server) => {
      const { id } = await webhook(server)
      const attempt = await server.expect(200, "POST", `/webhook-endpoints/${id}/test`)
      expect(field(attempt, "success") === false, "success false", attempt)
      expect(typeof field(attempt, "error") === "string" && field(attempt, "error") !== "", "an error", attempt)
    }
  },
  {
    name: "webhook-signed",
    section: "Events",
    promise: "Deliveries are signed: tests with the secret of the webhook, the events of a run with the run's own",
    needs: ["receiver"],
    run: async (server) => {
      const at = server.receiver?.url ?? nowhere
      const received = async (path: string, count: number, secret: string) => {
        const deliveries = (await server.receiver?.received(path, count)) ?? []
        expect(deliveries.length >= count, `${count} deliveries`, deliveries.length)
        for (const delivery of deliveries) await expectSigned(delivery, secret)
      }
      const [tested, replayed] = [`/${crypto.randomUUID()}`, `/${crypto.randomUUID()}`]
      const { id, made } = await webhook(server, `${at}${tested}`)
      const attempt = await server.expect(200, "POST", `/webhook-endpoints/${id}/test`)
      expect(field(attempt, "success") === true, "success true", attempt)
      await received(tested, 1, String(field(made, "secret")))
      const secret = crypto.randomUUID()
      const session = await held(server, { webhook: { url: `${at}${replayed}`, secret } })
      await interrupt(server, session)
      const answer = await server.expect(200, "POST", `/webhooks/${session}/replay`)
      await received(replayed, listOf(field(answer, "webhook_events"), "webhook_events").length, secret)
    }
  },
  {
    name: "webhook-replay",
    section: "Events",
    promise: "A replay sends each event of a run to its webhook, and counts those that failed",
    run: async (server) => {
      const session = await held(server, { webhook: { url: nowhere, secret: crypto.randomUUID() } })
      await interrupt(server, session)
      const replayed = await server.expect(200, "POST", `/webhooks/${session}/replay`)
      const attempts = listOf(field(replayed, "webhook_events"), "webhook_events")
      expect(attempts.length >= 2, "an attempt for each event", replayed)
      expect(field(replayed, "nr_failed") === attempts.length, "nr_failed to count them", replayed)
      expect(field(replayed, "status") === "failed", "status failed", replayed)
    }
  }
]
