/** Scenarios of what holds a run, and of what releases it. */
import { absent, always, expectGeneral, openIn, type Scenario, submit, windowOf } from "../Scenario.ts"
import { expect, field, listOf, type Server } from "../Server.ts"

const unpause = (server: Server, resource: string, ids: ReadonlyArray<string>) =>
  server.expect(200, "POST", "/runs/unpause", { json: { pause_resource: resource, resource_ids: ids } })

const statusOf = async (server: Server, session: string) =>
  field(await server.expect(200, "GET", `/run/${session}`), "status")

/** A held run reads as paused. One that is released is queued, or whatever a worker made of it meanwhile. */
const expectHeld = async (server: Server, session: string) => {
  const status = await statusOf(server, session)
  expect(status === "execution.paused", "the status execution.paused", status)
}

const expectReleased = async (server: Server, session: string) => {
  const status = await statusOf(server, session)
  expect(typeof status === "string" && status !== "execution.paused", "a status but execution.paused", status)
}

const closed = async (server: Server): Promise<string> => {
  const id = await server.workflow()
  await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 100) })
  return id
}

const expectSkipped = (answer: unknown, id: string) => {
  const skipped = listOf(field(answer, "skippedResourceGroups"), "skippedResourceGroups")
  expect(skipped.includes(id), `skippedResourceGroups to name ${id}`, answer)
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "held-status",
    section: "States and transitions",
    promise: "A run of a closed window has the status execution.paused until its window is opened",
    run: async (server) => {
      const id = await closed(server)
      const session = await submit(server, id)
      await expectHeld(server, session)
      await server.expect(200, "PUT", windowOf(id), { json: always })
      await expectReleased(server, session)
    }
  },
  {
    name: "held-released-by-delete",
    section: "States and transitions",
    promise: "The deletion of the window releases every held run",
    run: async (server) => {
      const id = await closed(server)
      const session = await submit(server, id)
      await server.expect(200, "DELETE", windowOf(id))
      await expectReleased(server, session)
      const lifted = await unpause(server, "run_window", [id])
      expect(field(lifted, "resumedRuns") === 0, "resumedRuns 0", lifted)
      expectSkipped(lifted, id)
    }
  },
  {
    name: "lift-lasts",
    section: "States and transitions",
    promise: "A lift also starts runs that are submitted later, until the window is edited",
    run: async (server) => {
      const id = await closed(server)
      await unpause(server, "run_window", [id])
      await expectReleased(server, await submit(server, id))
      await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 101) })
      await expectHeld(server, await submit(server, id))
    }
  },
  {
    name: "lift-ends-with-window",
    section: "States and transitions",
    promise: "A lift ends with the deletion of its window: the next closed window holds runs again",
    run: async (server) => {
      const id = await closed(server)
      await unpause(server, "run_window", [id])
      await server.expect(200, "DELETE", windowOf(id))
      await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 100) })
      await expectHeld(server, await submit(server, id))
    }
  },
  {
    name: "lift-keeps-pause",
    section: "States and transitions",
    promise: "A lift never removes a manual pause: a run is held until both allow it",
    run: async (server) => {
      const id = await closed(server)
      await server.expect(200, "POST", `/workflows/${id}/pause`, { json: { reason: "Conformance" } })
      const session = await submit(server, id)
      const lifted = await unpause(server, "run_window", [id])
      expect(field(lifted, "resumedRuns") === 0, "resumedRuns 0", lifted)
      await expectHeld(server, session)
      const resumed = await unpause(server, "workflow", [id])
      expect(field(resumed, "resumedRuns") === 1, "resumedRuns 1", resumed)
      await expectReleased(server, session)
    }
  },
  {
    name: "queued-held-by-window",
    section: "States and transitions",
    promise: "A closed window holds runs that wait already, and creates no version",
    run: async (server) => {
      const id = await server.workflow()
      await server.expect(200, "POST", `/workflows/${id}/pause`, { json: { reason: "Conformance" } })
      const session = await submit(server, id)
      await server.expect(200, "PUT", windowOf(id), { json: openIn(server, 100) })
      const resumed = await unpause(server, "workflow", [id])
      expect(field(resumed, "resumedRuns") === 0, "resumedRuns 0", resumed)
      await expectHeld(server, session)
      const versions = listOf(await server.expect(200, "GET", `/workflows/${id}/versions`), "versions")
      expect(versions.length === 1, "one version", versions)
      await server.expect(200, "DELETE", windowOf(id))
      await expectReleased(server, session)
    }
  },
  {
    name: "unpause-several",
    section: "POST /runs/unpause",
    promise: "Each listed workflow is handled separately: an open one is skipped, an unknown one is reported in errors",
    run: async (server) => {
      const [held, open] = [await closed(server), await server.workflow({ run_window: always })]
      await submit(server, held)
      await submit(server, held)
      const answer = await unpause(server, "run_window", [absent, open, held])
      expect(field(answer, "resumedRuns") === 2, "resumedRuns 2", answer)
      expectSkipped(answer, open)
      const errors = listOf(field(answer, "errors"), "errors")
      expect(errors.length === 1 && String(errors[0]).includes(absent), `one error that names ${absent}`, answer)
      expect(field(answer, "success") === false, "success false", answer)
    }
  },
  {
    name: "unpause-invalid",
    section: "POST /runs/unpause",
    promise: "An unknown pause_resource and a missing list of workflows are 400",
    run: async (server) => {
      for (const json of [{ pause_resource: "everything", resource_ids: [] }, { pause_resource: "run_window" }]) {
        const refused = await server.expect(400, "POST", "/runs/unpause", { json })
        expect(field(refused, "statusCode") === 400, "statusCode 400", refused)
      }
    }
  },
  {
    name: "run-unknown-workflow",
    section: "POST /run",
    promise: "A run of an unknown workflow is 404",
    run: async (server) => {
      const json = { workflow_id: absent, run_input_variables: {} }
      expectGeneral(await server.expect(404, "POST", "/run", { json }), 404)
    }
  },
  {
    name: "run-input-errors",
    section: "Run (as submitted)",
    promise: "The refusal of a run has the field, the violated keyword, and the schema",
    run: async (server) => {
      const input_schema = { type: "object", properties: { order: { type: "string", pattern: "^[0-9]+$" } } }
      const id = await server.workflow({ input_schema })
      const json = { workflow_id: id, run_input_variables: { order: "abc" } }
      const refused = await server.expect(400, "POST", "/run", { json })
      const [error] = listOf(field(refused, "run_input_variables_errors"), "run_input_variables_errors")
      expect(field(error, "field") === "/order", "the field /order", error)
      expect(field(error, "keyword") === "pattern", "the keyword pattern", error)
      expect(typeof field(error, "message") === "string", "a message", error)
      expect(field(field(refused, "input_schema"), "type") === "object", "input_schema", refused)
    }
  },
  {
    name: "run-dry",
    section: "Run (as submitted)",
    promise: "A run with dry_run.add_to_output is accepted, and is a dry run",
    run: async (server) => {
      const id = await closed(server)
      const session = await submit(server, id, { dry_run: { add_to_output: { total: 1 } } })
      const rows = listOf(await server.expect(200, "GET", `/runs?workflow_id=${id}`), "the runs")
      const row = rows.find((one) => field(one, "session_id") === session)
      expect(field(row, "dry_run") === true, "dry_run true", row)
    }
  },
  {
    name: "run-unknown-session",
    section: "Errors",
    promise: "An unknown session is 404, to read and to interrupt",
    run: async (server) => {
      expectGeneral(await server.expect(404, "GET", `/run/${absent}`), 404)
      expectGeneral(await server.expect(404, "POST", `/run/${absent}/interrupt`), 404)
    }
  }
]
