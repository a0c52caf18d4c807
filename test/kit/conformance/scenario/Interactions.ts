/** Scenarios of what a run asks a person. */
import * as Executed from "../Executed.ts"
import { moveTo, type Scenario } from "../Scenario.ts"
import { expect, field, listOf, Violation } from "../Server.ts"

/** The pattern of a schema. Fails for a text that is no regular expression. */
const patternOf = (text: unknown): RegExp => {
  try {
    return new RegExp(String(text))
  } catch {
    throw new Violation(`Expected the pattern of code to be a regular expression, got ${JSON.stringify(text)}`)
  }
}

/** Fails unless a schema takes an object with six digits as `code`, and no others. */
const expectCodeSchema = (schema: unknown): void => {
  const code = field(field(schema, "properties"), "code")
  expect(listOf(field(schema, "required"), "required").includes("code"), "code to be required", schema)
  expect(field(code, "type") === "string", "code to be a string", schema)
  const pattern = patternOf(field(code, "pattern"))
  const wrong = ["12345", "1234567", "12345a"].filter((text) => pattern.test(text))
  expect(pattern.test("123456") && wrong.length === 0, "a pattern of six digits", schema)
}

/** Fails unless an event asks for the code of a run, with every field of the interface. */
const expectQuestion = (event: unknown, { id, session }: { readonly id: string; readonly session: string }): void => {
  expect(field(event, "event") === "interaction.waiting", "the event interaction.waiting", event)
  const [timestamp, expiry] = [field(event, "timestamp"), field(event, "expires_at")]
  expect(Number.isInteger(timestamp) && Number.isInteger(expiry), "times in whole seconds", event)
  expect(Math.abs(Number(expiry) - Number(timestamp) - 300) <= 5, "expires_at 5 minutes later", event)
  const payload = field(event, "payload")
  expect(field(payload, "current_step") === Executed.step, "current_step: the name of the step", payload)
  expect(field(payload, "session_id") === session, "session_id", payload)
  expect(field(payload, "workflow_id") === id, "workflow_id", payload)
  expect(String(field(payload, "message") ?? "") !== "", "a message", payload)
  const missing = listOf(field(payload, "missing_properties"), "missing_properties")
  expect(missing.length === 1 && missing[0] === "code", "missing_properties: code", payload)
  expectCodeSchema(field(payload, "expected_json_schema_datamodel"))
}

/** The largest number of questions of one run: a server may try a run again whose code was not given. */
const mostQuestions = 10

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "interaction-waiting",
    section: "Events",
    promise:
      "A run that needs a code from a person asks for it, accepts only six digits, and continues; no event has the code",
    needs: ["runs"],
    run: async (server) => {
      const id = await server.workflow(Executed.typing(server))
      const { permissioned_user_id } = await Executed.user(server, { tfa_method: "SMS" })
      const session = await Executed.begun(server, id, permissioned_user_id)
      expectQuestion(await Executed.questionOf(server, session), { id, session })
      await server.expect(400, "POST", `/run/${session}/user_interaction`, { json: { code: "12345" } })
      const code = Executed.newCode()
      await Executed.answer(server, session, code)
      Executed.expectNoCode(await Executed.expectSuccess(server, session), code)
    }
  },
  {
    name: "interaction-webhook",
    section: "Events",
    promise:
      "The question of a run is sent to the webhook of the run with the same fields, and no delivery has the code",
    needs: ["runs"],
    run: async (server) => {
      const id = await server.workflow(Executed.typing(server))
      const { permissioned_user_id } = await Executed.user(server)
      const path = `/${crypto.randomUUID()}`
      const webhook = {
        url: `${server.receiver?.url}${path}`,
        secret: crypto.randomUUID(),
        event_types_subscribed: ["interaction.waiting"]
      }
      const session = await Executed.begun(server, id, permissioned_user_id, { webhook })
      const received = async () =>
        ((await server.receiver?.received(path, 1)) ?? []).map(({ body }): unknown =>
          JSON.parse(new TextDecoder().decode(body))
        )
      const [asked] = await received()
      expectQuestion(asked, { id, session })
      const code = Executed.newCode()
      await Executed.answer(server, session, code)
      await Executed.expectSuccess(server, session)
      Executed.expectNoCode(await received(), code)
    }
  },
  {
    name: "interaction-expires",
    section: "Events",
    promise: "A code that comes later than 5 minutes after the prompt is refused, and the run fails",
    needs: ["runs", "clock"],
    run: async (server) => {
      const id = await server.workflow(Executed.typing(server))
      const { permissioned_user_id } = await Executed.user(server)
      const session = await Executed.begun(server, id, permissioned_user_id)
      let next = await Executed.nextOf(server, session)
      expect(Executed.kindOf(next) === "interaction.waiting", "the event interaction.waiting", next)
      for (let asked = 0; asked < mostQuestions && Executed.kindOf(next) === "interaction.waiting"; asked++) {
        const expiry = Number(field(Executed.eventOf(next), "expires_at"))
        await moveTo(server, (expiry + 1) * 1_000)
        const json = { code: Executed.newCode() }
        const { body, status } = await server.send("POST", `/run/${session}/user_interaction`, { json })
        expect(status >= 400 && status < 500, "a late answer to be refused", { status, body })
        next = await Executed.nextOf(server, session, next.id ?? "")
      }
      expect(Executed.kindOf(next) === "execution.failed", "execution.failed", next)
    }
  }
]
