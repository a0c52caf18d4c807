/**
 * The type of scenarios, and their shared values and functions.
 */
import { expect, field, type Server, skip } from "./Server.ts"

/**
 * A condition of a scenario that not every server or caller fulfils:
 *
 * - `encryption key`: the encryption key of the workspace, to seal and unseal values.
 * - `second key`: a key of an Owner of another workspace.
 * - `receiver`: the server sends webhooks to the receiver.
 * - `runs`: the server executes runs, with a browser that opens a page of the receiver.
 * - `mail`: mails can be sent to the server.
 * - `flood`: the scenario may send requests until a rate limit is reached.
 * - `clock`: the scenario may move the clock of the installation, which affects all its workspaces.
 */
export type Need = "encryption key" | "second key" | "receiver" | "runs" | "mail" | "flood" | "clock"

export interface Scenario {
  readonly name: string
  /** The section of the interface specification. */
  readonly section: string
  /** The promise, in a sentence. */
  readonly promise: string
  /** The conditions without which it is skipped. */
  readonly needs?: ReadonlyArray<Need>
  /** Resolves when the server keeps the promise. */
  readonly run: (server: Server) => Promise<void>
}

const days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]

/** Open at every instant: each day until midnight. */
export const always = {
  time_zone: "UTC",
  regular_hours: days.map((day, index) => ({
    active_start_day: day,
    active_start_time: { hours: 0, minutes: 0 },
    active_end_day: days[(index + 1) % 7],
    active_end_time: { hours: 0, minutes: 0 }
  }))
}

/** Closed now, and open on one date, `ahead` days from now. */
export const openIn = (server: Server, ahead: number) => {
  const at = new Date(server.now() + ahead * 86_400_000)
  return {
    time_zone: "UTC",
    regular_hours: [],
    special_hours: [
      {
        active: true,
        start_date: { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() },
        active_start_time: { hours: 9, minutes: 0 },
        active_end_time: { hours: 17, minutes: 0 }
      }
    ]
  }
}

export const windowOf = (id: string) => `/workflows/${id}/run-window`

/** An id that no resource has. */
export const absent = "00000000-0000-4000-8000-00000000ffff"

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  422: "Unprocessable Entity",
  429: "Too Many Requests"
}

/** Expects the general body of an error: its status, a message for people, and the reason phrase of the status. */
export const expectGeneral = (body: unknown, status: number): void => {
  expect(field(body, "statusCode") === status, `statusCode ${status}`, body)
  expect(typeof field(body, "message") === "string" && field(body, "message") !== "", "a message", body)
  expect(field(body, "error") === reasons[status], `error "${reasons[status]}"`, body)
}

export const isGeneral = (body: unknown, status: number): boolean =>
  field(body, "statusCode") === status && typeof field(body, "message") === "string"

/** Submits a run, and answers its `session_id`. */
export const submit = async (
  server: Server,
  id: string,
  fields: Readonly<Record<string, unknown>> = {}
): Promise<string> => {
  const json = { workflow_id: id, run_input_variables: {}, ...fields }
  const { body, status } = await server.send("POST", "/run", { json })
  expect(status === 200 || status === 201, "POST /run to accept the run", { status, body })
  const session = field(body, "session_id")
  expect(typeof session === "string", "POST /run to answer a session_id", body)
  return String(session)
}

/** Submits a run that its window holds. */
export const held = async (server: Server, fields: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  const id = await server.workflow()
  await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 100) })
  return submit(server, id, fields)
}

/** Expects a text that is a date with a time. */
export const expectTime = (record: unknown, ...names: ReadonlyArray<string>): void => {
  for (const name of names) {
    const text = field(record, name)
    const isTime = typeof text === "string" && /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))
    expect(isTime, `${name} to be a date and a time`, record)
  }
}

/** Moves the test clock of the server to an instant, in epoch milliseconds. Skips the scenario where there is none. */
export const moveTo = async (server: Server, at: number): Promise<void> => {
  const { body, status } = await server.send("PUT", "/test-clock", { json: { now: new Date(at).toISOString() } })
  if (status === 404) skip("the server has no test clock: PUT /test-clock answers 404")
  expect(status === 200, "PUT /test-clock to move the clock", { status, body })
  server.moved(at)
}

/** A pair that identifies a credential, which no other scenario uses. */
export const newPair = (domain = "https://conformance.example") => ({
  domain,
  permissioned_user_id: `conformance-${crypto.randomUUID()}`
})

/** Creates a credential for one scenario, and answers the pair that identifies it. */
export const credential = async (
  server: Server,
  fields: Readonly<Record<string, unknown>> = {},
  pair: Readonly<Record<"domain" | "permissioned_user_id", string>> = newPair()
) => {
  const { body, status } = await server.send("POST", "/authentication", { json: { ...pair, ...fields } })
  expect(status === 200 || status === 201, "POST /authentication to create the user", { status, body })
  server.later(() => server.send("DELETE", "/vault", { json: pair }))
  return pair
}

/** Creates an entry of the vault for one scenario, and answers the pair that identifies it. */
export const entry = async (
  server: Server,
  fields: Readonly<Record<string, unknown>>,
  pair: Readonly<Record<"domain" | "permissioned_user_id", string>> = newPair()
) => {
  server.later(() => server.send("DELETE", "/vault", { json: pair }))
  const { body, status } = await server.send("POST", "/vault", { json: { ...pair, ...fields } })
  expect(status === 200 || status === 201, "POST /vault to answer 200 or 201", { status, body })
  return pair
}

/** The path of the code of a credential. */
export const codeOf = (pair: Readonly<Record<string, string>>) => `/vault/tfa-code?${new URLSearchParams(pair)}`
