/** Workflows whose runs the server executes on the page of the receiver, and the events of these runs. */
import { credential, newPair, submit } from "./Scenario.ts"
import { expect, field, type Server, type StreamedFrame, smallest } from "./Server.ts"

const [start, end] = smallest.nodes.map(({ id }) => id) as [string, string]

const asks = "00000000-0000-4000-8000-000000000003"

/** The name of the step that types a code. */
export const step = "Enter the code"

/** The fields of a workflow that types a code of the credential `SITE` into the page. */
export const typing = (server: Server, { name = step, type = "SMS" } = {}) => {
  const domain = server.receiver?.url ?? ""
  return {
    nodes: [
      { id: start, name: "Open", action: "START", parameters: { url: `${domain}/` } },
      {
        id: asks,
        name,
        action: "TFA",
        parameters: { tfa_type: type, credential: "SITE", selector: "//input", execution: "STATIC" }
      },
      { id: end, name: "Done", action: "END", parameters: {} }
    ],
    edges: { [start]: { to: asks }, [asks]: { to: end } },
    vault_schema: { SITE: { type: "credential", domain } }
  }
}

/** The fields of a workflow of steps on the page, whose runs have the credential `SITE`. */
const walking = (server: Server, steps: ReadonlyArray<{ readonly action: string; readonly parameters: object }>) => {
  const domain = server.receiver?.url ?? ""
  const middle = steps.map((step, index) => ({ id: `${asks.slice(0, -1)}${index + 3}`, name: step.action, ...step }))
  const ids = [start, ...middle.map(({ id }) => id), end]
  return {
    nodes: [
      { id: start, name: "Open", action: "START", parameters: { url: `${domain}/` } },
      ...middle,
      { id: end, name: "Done", action: "END", parameters: {} }
    ],
    edges: Object.fromEntries(ids.slice(0, -1).map((id, index) => [id, { to: ids[index + 1] }])),
    vault_schema: { SITE: { type: "credential", domain } }
  }
}

const clicking = (selector: string) => ({ action: "CLICK", parameters: { selector, execution: "STATIC" } })

/** The fields of a workflow that follows the link of the page, behind which the site sets a cookie. */
export const following = (server: Server) => walking(server, [clicking("//a")])

/** The fields of a workflow that opens the page and no more. */
export const opening = (server: Server) => walking(server, [])

/** The fields of a workflow that signs in by a link that is mailed, which leads behind the form. */
export const signingInByLink = (server: Server) =>
  walking(server, [
    { action: "TFA", parameters: { tfa_type: "MAGIC_LINK", credential: "SITE", execution: "STATIC" } },
    clicking("//p")
  ])

/** Creates a credential of the page, and answers the pair that identifies it. */
export const user = (server: Server, fields: Readonly<Record<string, unknown>> = {}) =>
  credential(server, fields, newPair(server.receiver?.url))

export const interrupt = (server: Server, session: string) => server.send("POST", `/run/${session}/interrupt`)

/** Submits a run with the user, or users, of the credential `SITE`. The run is interrupted after the scenario. */
export const begun = async (
  server: Server,
  id: string,
  site: unknown,
  fields: Readonly<Record<string, unknown>> = {}
): Promise<string> => {
  const session = await submit(server, id, { run_input_variables: { SITE: site }, ...fields })
  server.later(() => interrupt(server, session))
  return session
}

export const eventOf = (frame: StreamedFrame | undefined): unknown => field(frame?.data, "data")

export const kindOf = (frame: StreamedFrame | undefined): unknown => field(eventOf(frame), "event")

const ended = ["execution.success", "execution.failed", "execution.stopped"]

export const until =
  (...kinds: ReadonlyArray<string>) =>
  (frame: StreamedFrame) =>
    kinds.includes(String(kindOf(frame)))

/** The first event that says that a run is at a step, or its end. */
export const untilAt = (name: string) => (frame: StreamedFrame) =>
  field(field(eventOf(frame), "payload"), "current_step") === name || until(...ended)(frame)

/** The events of a run until it has ended. */
export const eventsOf = (server: Server, session: string) => server.stream(`/run/${session}/events`, until(...ended))

/** The next event of a run that is a question or its end, after the event with an id. */
export const nextOf = async (server: Server, session: string, after = ""): Promise<StreamedFrame> => {
  const headers = after === "" ? {} : { "last-event-id": after }
  const frames = await server.stream(`/run/${session}/events`, until("interaction.waiting", ...ended), headers)
  return frames.at(-1) as StreamedFrame
}

/** The event with which a run asks for its code. Fails when the run ends without it. */
export const questionOf = async (server: Server, session: string): Promise<unknown> => {
  const asked = await nextOf(server, session)
  expect(kindOf(asked) === "interaction.waiting", "the event interaction.waiting", asked)
  return eventOf(asked)
}

/** Answers the question of a run. */
export const answer = async (server: Server, session: string, code: string): Promise<void> => {
  const { body, status } = await server.send("POST", `/run/${session}/user_interaction`, { json: { code } })
  expect(status === 200 || status === 201, "the answer to be accepted", { status, body })
}

/** Expects a run to succeed, and answers its events. */
export const expectSuccess = async (server: Server, session: string): Promise<ReadonlyArray<StreamedFrame>> => {
  const all = await eventsOf(server, session)
  expect(kindOf(all.at(-1)) === "execution.success", "execution.success", all.at(-1))
  return all
}

/** A random code of six digits. */
export const newCode = (): string => String(100_000 + ((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 900_000))

/** Expects that no event has a code as a text. */
export const expectNoCode = (events: unknown, code: string): void => {
  expect(!JSON.stringify(events).includes(`"${code}"`), "events without the code", "an event with it")
}
