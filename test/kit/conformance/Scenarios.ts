/**
 * The interface as scenarios. Every server that speaks the interface keeps each promise. A scenario names its section of
 * the specification.
 */

import { absent, always, isGeneral, moveTo, openIn, type Scenario, submit, windowOf } from "./Scenario.ts"
import { expect, field, listOf, type Server, smallest } from "./Server.ts"
import * as Bodies from "./scenario/Bodies.ts"
import * as Credentials from "./scenario/Credentials.ts"
import * as Events from "./scenario/Events.ts"
import * as Executions from "./scenario/Executions.ts"
import * as Holds from "./scenario/Holds.ts"
import * as Interactions from "./scenario/Interactions.ts"
import * as Isolation from "./scenario/Isolation.ts"
import * as ReceivedCodes from "./scenario/ReceivedCodes.ts"
import * as Refusals from "./scenario/Refusals.ts"
import * as Roles from "./scenario/Roles.ts"
import * as Versions from "./scenario/Versions.ts"
import * as WindowRules from "./scenario/WindowRules.ts"

const unpause = (server: Server, resource: string, id: string) =>
  server.expect(200, "POST", "/runs/unpause", { json: { pause_resource: resource, resource_ids: [id] } })

const windows: ReadonlyArray<Scenario> = [
  {
    name: "window-set",
    section: "PUT /workflows/{workflow_id}/run-window",
    promise: "A valid window is stored and answered with its state",
    run: async (server) => {
      const id = await server.workflow()
      const set = await server.expect(200, "PUT", windowOf(id), { json: always })
      expect(field(field(set, "run_window"), "time_zone") === "UTC", "run_window as it was sent", set)
      expect(field(field(set, "state"), "open") === true, "state.open to be true in a window of all hours", set)
      expect(field(field(set, "state"), "nextOpenAt") === null, "state.nextOpenAt to be null while it is open", set)
      const read = await server.expect(200, "GET", windowOf(id))
      expect(field(field(read, "run_window"), "time_zone") === "UTC", "GET to answer the stored window", read)
    }
  },
  {
    name: "window-invalid",
    section: "PUT /workflows/{workflow_id}/run-window",
    promise: "An invalid window is refused with each problem at its path, and changes nothing",
    run: async (server) => {
      const id = await server.workflow()
      await server.expect(200, "PUT", windowOf(id), { json: always })
      const [period] = always.regular_hours
      const wrong = { time_zone: "Mars/Base", regular_hours: [{ ...period, active_start_time: { hours: 24 } }] }
      const refused = await server.expect(400, "PUT", windowOf(id), { json: wrong })
      expect(isGeneral(refused, 400), "statusCode 400 and a message", refused)
      expect(field(refused, "error") === "InvalidRunWindow", 'error "InvalidRunWindow"', refused)
      const paths = listOf(field(refused, "errors"), "errors").map((one) => String(field(one, "path")))
      expect(
        paths.some((path) => path.includes("time_zone")),
        "an error at time_zone",
        paths
      )
      expect(
        paths.some((path) => path.includes("regular_hours")),
        "an error at regular_hours",
        paths
      )
      const read = await server.expect(200, "GET", windowOf(id))
      expect(field(field(read, "run_window"), "time_zone") === "UTC", "the window to be unchanged", read)
    }
  },
  {
    name: "window-empty",
    section: "RunWindow",
    promise: "A window without a regular period and without an active special entry is refused",
    run: async (server) => {
      const id = await server.workflow()
      const empty = { time_zone: "UTC", regular_hours: [], special_hours: [] }
      const refused = await server.expect(400, "PUT", windowOf(id), { json: empty })
      expect(field(refused, "error") === "InvalidRunWindow", 'error "InvalidRunWindow"', refused)
    }
  },
  {
    name: "window-overnight",
    section: "RunWindow",
    promise: "A period may end on the following day, and not later",
    run: async (server) => {
      const id = await server.workflow()
      const spanning = (end: string) => ({
        time_zone: "Europe/Berlin",
        regular_hours: [
          {
            active_start_day: "SUNDAY",
            active_start_time: { hours: 22 },
            active_end_day: end,
            active_end_time: { hours: 6 }
          }
        ]
      })
      await server.expect(200, "PUT", windowOf(id), { json: spanning("MONDAY") })
      await server.expect(400, "PUT", windowOf(id), { json: spanning("TUESDAY") })
    }
  },
  {
    name: "window-next-opening",
    section: "RunWindowResponse",
    promise: "nextOpenAt is the next opening within 400 days, and null beyond",
    run: async (server) => {
      const id = await server.workflow()
      const near = await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 100) })
      const expected = new Date(server.now() + 100 * 86_400_000).toISOString().slice(0, 10)
      expect(field(field(near, "state"), "open") === false, "state.open to be false", near)
      const next = String(field(field(near, "state"), "nextOpenAt"))
      expect(Date.parse(next) === Date.parse(`${expected}T09:00:00Z`), `nextOpenAt on ${expected} at 09:00 UTC`, next)
      const far = await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 410) })
      expect(field(field(far, "state"), "nextOpenAt") === null, "nextOpenAt to be null beyond 400 days", far)
    }
  },
  {
    name: "window-warning",
    section: "PUT /workflows/{workflow_id}/run-window",
    promise: "A recurrence_start that its rule does not produce is accepted with a warning",
    run: async (server) => {
      const id = await server.workflow()
      const closing = {
        active: false,
        recurrence: "FREQ=WEEKLY;BYDAY=MO",
        recurrence_start: { year: 2026, month: 1, day: 6 }
      }
      const set = await server.expect(200, "PUT", windowOf(id), { json: { ...always, special_hours: [closing] } })
      const paths = listOf(field(set, "warnings"), "warnings").map((one) => String(field(one, "path")))
      expect(
        paths.some((path) => path.includes("recurrence_start")),
        "a warning at recurrence_start",
        paths
      )
    }
  },
  {
    name: "window-unknown-workflow",
    section: "Errors",
    promise: "The window of a missing workflow is 404",
    run: async (server) => {
      const missing = await server.expect(404, "PUT", windowOf(absent), { json: always })
      expect(isGeneral(missing, 404), "statusCode 404 and a message", missing)
    }
  },
  {
    name: "window-no-version",
    section: "Versioning",
    promise: "Setting a window creates no version; a save does, and versions come newest first",
    run: async (server) => {
      const id = await server.workflow()
      await server.expect(200, "PUT", windowOf(id), { json: always })
      const path = `/workflows/${id}/versions`
      const numbers = async () =>
        listOf(await server.expect(200, "GET", path), "versions").map((one) => field(one, "version_number"))
      const before = await numbers()
      expect(before.length === 1 && before[0] === 1, "one version with the number 1", before)
      await server.expect(200, "PUT", `/workflows/${id}`, { json: { ...smallest, name: "Renamed" } })
      const after = await numbers()
      expect(after.length === 2 && after[0] === 2 && after[1] === 1, "the versions 2 and 1", after)
    }
  },
  {
    name: "window-kept-by-save",
    section: "Workflow",
    promise: "A save that omits run_window keeps the window, and null removes it",
    run: async (server) => {
      const id = await server.workflow({ run_window: always })
      await server.expect(200, "PUT", `/workflows/${id}`, { json: { ...smallest, name: "Renamed" } })
      const kept = await server.expect(200, "GET", windowOf(id))
      expect(field(field(kept, "run_window"), "time_zone") === "UTC", "the window to be kept", kept)
      await server.expect(200, "PUT", `/workflows/${id}`, { json: { ...smallest, run_window: null } })
      const removed = await server.expect(200, "GET", windowOf(id))
      expect(field(removed, "run_window") === null, "run_window to be null", removed)
    }
  }
]

const holds: ReadonlyArray<Scenario> = [
  {
    name: "run-held",
    section: "States and transitions",
    promise: "A run is accepted and held while its window is closed, and a lift releases and counts it",
    run: async (server) => {
      const id = await server.workflow()
      await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 100) })
      await submit(server, id)
      const lifted = await unpause(server, "run_window", id)
      expect(field(lifted, "success") === true, "success", lifted)
      expect(field(lifted, "resumedRuns") === 1, "resumedRuns 1", lifted)
    }
  },
  {
    name: "run-released-by-window",
    section: "States and transitions",
    promise: "Opening a window releases held runs at once: a lift finds none",
    run: async (server) => {
      const id = await server.workflow()
      await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 100) })
      await submit(server, id)
      await server.expect(200, "PUT", windowOf(id), { json: always })
      const lifted = await unpause(server, "run_window", id)
      expect(field(lifted, "resumedRuns") === 0, "resumedRuns 0", lifted)
      const skipped = listOf(field(lifted, "skippedResourceGroups"), "skippedResourceGroups")
      expect(skipped.includes(id), `skippedResourceGroups to name ${id}`, lifted)
    }
  },
  {
    name: "unpause-workflow",
    section: "POST /runs/unpause",
    promise: "A manual pause is removed with pause_resource workflow",
    run: async (server) => {
      const answer = await unpause(server, "workflow", await server.workflow())
      expect(field(answer, "success") === true, "success", answer)
      listOf(field(answer, "errors"), "errors")
    }
  },
  {
    name: "run-input-checked",
    section: "Run (as submitted)",
    promise: "A run whose variables do not satisfy the input schema is refused",
    run: async (server) => {
      const input_schema = { type: "object", properties: { order: { type: "string" } }, required: ["order"] }
      const id = await server.workflow({ input_schema })
      const refused = await server.expect(400, "POST", "/run", { json: { workflow_id: id, run_input_variables: {} } })
      expect(isGeneral(refused, 400), "statusCode 400 and a message", refused)
    }
  },
  {
    name: "interaction-unknown-session",
    section: "POST /run/{session_id}/user_interaction",
    promise: "An answer to a missing session is 404",
    run: async (server) => {
      await server.expect(404, "POST", `/run/${absent}/user_interaction`, { json: { code: "123456" } })
    }
  }
]

/** A workflow whose window is closed, and the instant at which it opens: within three days, for eight hours. */
const closedSoon = async (server: Server) => {
  const id = await server.workflow()
  const closed = await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 2) })
  expect(field(field(closed, "state"), "open") === false, "state.open to be false before", closed)
  return { id, opening: Date.parse(String(field(field(closed, "state"), "nextOpenAt"))) }
}

/** On a server whose clock can be moved, this shows what every server does when time passes. */
const clock: ReadonlyArray<Scenario> = [
  {
    name: "clock-opens-window",
    section: "States and transitions",
    promise: "A window opens by the clock of the installation, and then holds no run",
    needs: ["clock"],
    run: async (server) => {
      const { id, opening } = await closedSoon(server)
      const session = await submit(server, id)
      await moveTo(server, opening)
      const opened = await server.expect(200, "GET", windowOf(id))
      expect(field(field(opened, "state"), "open") === true, "state.open to be true from nextOpenAt on", opened)
      const lifted = await unpause(server, "run_window", id)
      const skipped = listOf(field(lifted, "skippedResourceGroups"), "skippedResourceGroups")
      expect(skipped.includes(id), `skippedResourceGroups to name ${id}`, lifted)
      await server.send("POST", `/run/${session}/interrupt`)
    }
  },
  {
    name: "clock-ends-lift",
    section: "States and transitions",
    promise: "A lift ends when its window opens: after the next closing, runs are held again",
    needs: ["clock"],
    run: async (server) => {
      const { id, opening } = await closedSoon(server)
      await unpause(server, "run_window", id)
      await moveTo(server, opening + 12 * 3_600_000)
      const session = await submit(server, id)
      const status = field(await server.expect(200, "GET", `/run/${session}`), "status")
      expect(status === "execution.paused", "the status execution.paused", status)
    }
  }
]

/** A text or a JSON value that exceeds the limit of a field, and the code of the refusal. */
const tooLarge: ReadonlyArray<readonly [field: string, value: unknown, code: string, limit: string]> = [
  ["name", "x".repeat(257), "WORKFLOW_NAME_TOO_LONG", "limit_chars"],
  ["description", "x".repeat(4_097), "WORKFLOW_DESCRIPTION_TOO_LONG", "limit_chars"],
  ["version_note", "x".repeat(2_049), "VERSION_NOTE_TOO_LONG", "limit_chars"]
]

const limits: ReadonlyArray<Scenario> = [
  ...tooLarge.map(
    ([name, value, code, limit]): Scenario => ({
      name: `limit-${name.replace("_", "-")}`,
      section: "Limits",
      promise: `${name} over its limit is refused with the code ${code}`,
      run: async (server) => {
        const refused = await server.expect(400, "POST", "/workflows", { json: { ...smallest, [name]: value } })
        expect(field(refused, "code") === code, `code ${code}`, refused)
        expect(field(refused, "field") === name, `field ${name}`, refused)
        expect(typeof field(refused, limit) === "number", limit, refused)
      }
    })
  ),
  {
    name: "limit-several",
    section: "Errors",
    promise: "Several problems are refused together with the code VALIDATION_FAILED",
    run: async (server) => {
      const json = { ...smallest, name: "x".repeat(257), description: "x".repeat(4_097) }
      const refused = await server.expect(400, "POST", "/workflows", { json })
      expect(field(refused, "code") === "VALIDATION_FAILED", "code VALIDATION_FAILED", refused)
      const message = String(field(refused, "message"))
      expect(message.includes("name") && message.includes("description"), "a message that lists both", refused)
    }
  },
  {
    name: "body-too-large",
    section: "Errors",
    promise: "A body over the limit of its endpoint is 413, with the limit",
    run: async (server) => {
      const json = { domain: "x".repeat(1_048_577), permissioned_user_id: "u" }
      const refused = await server.expect(413, "DELETE", "/vault", { json })
      expect(field(refused, "code") === "PAYLOAD_TOO_LARGE", "code PAYLOAD_TOO_LARGE", refused)
      expect(field(refused, "limit_bytes") === 1_048_576, "limit_bytes 1048576", refused)
    }
  }
]

const vaultFields = ["id", "permissioned_user_id", "domain", "workspace_id", "created_at", "updated_at"]

const others: ReadonlyArray<Scenario> = [
  {
    name: "key-required",
    section: "Authentication",
    promise: "A missing or invalid key is 401",
    run: async (server) => {
      for (const key of [null, "sk_conformance_of_nobody"]) {
        const refused = await server.expect(401, "GET", "/workflow-components", { key })
        expect(isGeneral(refused, 401), "statusCode 401 and a message", refused)
      }
    }
  },
  {
    name: "components",
    section: "GET /workflow-components",
    promise: "The components of the workspace are a list of summaries",
    run: async (server) => {
      const found = listOf(await server.expect(200, "GET", "/workflow-components"), "the answer")
      for (const one of found) expect(typeof field(one, "id") === "string", "an id of each", one)
    }
  },
  {
    name: "metadata",
    section: "GET /workflows/{workflow_id}/metadata",
    promise: "The metadata of a workflow has its schemas and its workspace",
    run: async (server) => {
      const found = await server.expect(200, "GET", `/workflows/${await server.workflow()}/metadata`)
      for (const name of ["input_schema", "vault_schema"]) {
        expect(typeof field(found, name) === "object", `${name} to be an object`, found)
      }
      expect(typeof field(found, "workspace_id") === "string", "workspace_id", found)
    }
  },
  {
    name: "vault-delete",
    section: "DELETE /vault",
    promise: "A deleted credential is answered as it was, and is 404 afterwards",
    run: async (server) => {
      const user = { domain: "https://conformance.example", permissioned_user_id: `conformance-${Date.now()}` }
      const { body, status } = await server.send("POST", "/authentication", { json: user })
      expect(status === 200 || status === 201, "POST /authentication to create the user", { status, body })
      const gone = await server.expect(200, "DELETE", "/vault", { json: user })
      for (const name of vaultFields) expect(field(gone, name) !== undefined, `the field ${name}`, gone)
      expect(field(gone, "permissioned_user_id") === user.permissioned_user_id, "the deleted credential", gone)
      const missing = await server.expect(404, "DELETE", "/vault", { json: user })
      expect(isGeneral(missing, 404), "statusCode 404 and a message", missing)
    }
  },
  {
    name: "authentication-invalid",
    section: "POST /authentication (create user)",
    promise: "An invalid payload is 400 with a detail of loc, msg and type for each problem",
    run: async (server) => {
      const refused = await server.expect(400, "POST", "/authentication", { json: { user_name: 5, cookies: "none" } })
      const detail = listOf(field(refused, "detail"), "detail")
      expect(detail.length > 0, "a detail for each problem", refused)
      for (const one of detail) {
        listOf(field(one, "loc"), "loc")
        expect(typeof field(one, "msg") === "string" && typeof field(one, "type") === "string", "msg and type", one)
      }
    }
  },
  {
    name: "tfa-code-parameters",
    section: "GET /vault/tfa-code",
    promise: "A code without permissioned_user_id or domain is 400",
    run: async (server) => {
      for (const query of ["", "?domain=https://a.example", "?permissioned_user_id=u"]) {
        const refused = await server.expect(400, "GET", `/vault/tfa-code${query}`)
        expect(isGeneral(refused, 400), "statusCode 400 and a message", refused)
      }
    }
  }
]

const all: ReadonlyArray<Scenario> = [
  ...others,
  ...Roles.scenarios,
  ...Credentials.scenarios,
  ...Versions.scenarios,
  ...windows,
  ...WindowRules.scenarios,
  ...holds,
  ...Holds.scenarios,
  ...limits,
  ...Bodies.scenarios,
  ...Refusals.scenarios,
  ...Events.scenarios,
  ...Isolation.scenarios,
  ...ReceivedCodes.scenarios,
  ...Interactions.scenarios,
  ...Executions.scenarios,
  ...clock
]

const movesClock = ({ needs = [] }: Scenario) => needs.includes("clock")

/** Every scenario, in the order in which they run: those that move the clock come last, as time does not go back. */
export const scenarios: ReadonlyArray<Scenario> = [...all.filter((one) => !movesClock(one)), ...all.filter(movesClock)]
