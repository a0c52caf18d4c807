/** Scenarios of runs that are executed, on a page that the receiver serves, and of what they ask a person. */
import { type Scenario, submit } from "../Scenario.ts"
import { expect, field, listOf, type Server, type StreamedFrame, smallest } from "../Server.ts"

const [start, end] = smallest.nodes.map(({ id }) => id) as [string, string]

const asks = "00000000-0000-4000-8000-000000000003"

/** Makes a workflow that needs a code which is never sent, and answers its id and its input. */
const asking = async (server: Server) => {
  const domain = server.receiver?.url ?? ""
  const pair = { domain, permissioned_user_id: `conformance-${crypto.randomUUID()}` }
  const { body, status } = await server.send("POST", "/authentication", { json: { ...pair, tfa_method: "SMS" } })
  expect(status === 200 || status === 201, "POST /authentication to create the user", { status, body })
  server.later(() => server.send("DELETE", "/vault", { json: pair }))
  const id = await server.workflow({
    nodes: [
      { id: start, name: "Open", action: "START", parameters: { url: `${domain}/` } },
      {
        id: asks,
        name: "Enter the code",
        action: "TFA",
        parameters: { tfa_type: "SMS", credential: "SITE", selector: "//input", execution: "STATIC" }
      },
      { id: end, name: "Done", action: "END", parameters: {} }
    ],
    edges: { [start]: { to: asks }, [asks]: { to: end } },
    vault_schema: { SITE: { type: "credential", domain } }
  })
  return { id, input: { SITE: pair.permissioned_user_id } }
}

const eventOf = ({ data }: StreamedFrame): unknown => field(data, "data")

const ended = ["execution.success", "execution.failed", "execution.stopped"]

const until =
  (...kinds: ReadonlyArray<string>) =>
  (frame: StreamedFrame) =>
    kinds.includes(String(field(eventOf(frame), "event")))

/** Fails unless a schema takes an object with six digits as `code`, and no others. */
const expectCodeSchema = (schema: unknown): void => {
  const code = field(field(schema, "properties"), "code")
  expect(listOf(field(schema, "required"), "required").includes("code"), "code to be required", schema)
  expect(field(code, "type") === "string", "code to be a string", schema)
  const pattern = new RegExp(String(field(code, "pattern")))
  const wrong = ["12345", "1234567", "12345a"].filter((text) => pattern.test(text))
  expect(pattern.test("123456") && wrong.length === 0, "a pattern of six digits", schema)
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "interaction-waiting",
    section: "Events",
    promise: "A run whose code nobody sends asks a person, takes only six digits, goes on, and no event has the code",
    receives: true,
    executes: true,
    run: async (server) => {
      const { id, input } = await asking(server)
      const session = await submit(server, id, { run_input_variables: input })
      server.later(() => server.send("POST", `/run/${session}/interrupt`))
      const path = `/run/${session}/events`
      const asked = eventOf((await server.stream(path, until("interaction.waiting", ...ended))).at(-1) as StreamedFrame)
      expect(field(asked, "event") === "interaction.waiting", "the event interaction.waiting", asked)
      const [timestamp, expiry] = [field(asked, "timestamp"), field(asked, "expires_at")]
      expect(Number.isInteger(timestamp) && Number.isInteger(expiry), "times in whole seconds", asked)
      expect(Math.abs(Number(expiry) - Number(timestamp) - 300) <= 5, "expires_at 5 minutes later", asked)
      const payload = field(asked, "payload")
      expect(field(payload, "current_step") === "Enter the code", "current_step: the name of the step", payload)
      expect(field(payload, "session_id") === session, "session_id", payload)
      expect(field(payload, "workflow_id") === id, "workflow_id", payload)
      expect(String(field(payload, "message") ?? "") !== "", "a message", payload)
      const missing = listOf(field(payload, "missing_properties"), "missing_properties")
      expect(missing.length === 1 && missing[0] === "code", "missing_properties: code", payload)
      expectCodeSchema(field(payload, "expected_json_schema_datamodel"))
      const answer = `/run/${session}/user_interaction`
      await server.expect(400, "POST", answer, { json: { code: "12345" } })
      const code = String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)
        .padStart(6, "7")
        .slice(0, 6)
      const { body, status } = await server.send("POST", answer, { json: { code } })
      expect(status === 200 || status === 201, "the answer to be taken", { status, body })
      const all = await server.stream(path, until(...ended))
      const last = eventOf(all.at(-1) as StreamedFrame)
      expect(field(last, "event") === "execution.success", "execution.success", last)
      expect(!JSON.stringify(all).includes(`"${code}"`), "events without the code", "one with it")
    }
  }
]
