/**
 * The type of scenarios, and their shared values and functions.
 */
import { expect, field, type Server } from "./Server.ts"

export interface Scenario {
  readonly name: string
  /** The section of the interface specification. */
  readonly section: string
  /** The promise, in a sentence. */
  readonly promise: string
  /** Whether it seals and unseals values. Then it needs the encryption key of the workspace. */
  readonly seals?: true
  /** Whether it moves the clock of the installation, which affects all its workspaces. */
  readonly movesClock?: true
  /** Whether it makes the server send webhooks. Then it needs a receiver. */
  readonly receives?: true
  /** Whether the server executes runs, with a browser that opens a page of the receiver. */
  readonly executes?: true
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
export const openIn = (ahead: number) => {
  const at = new Date(Date.now() + ahead * 86_400_000)
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
  422: "Unprocessable Entity"
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
  await server.expect(200, "PUT", windowOf(id), { json: openIn(100) })
  return submit(server, id, fields)
}
