/** Scenarios of two workspaces: a key reads and changes nothing of the other one. */
import { interrupt } from "../Executed.ts"
import { always, codeOf, credential, expectGeneral, held, openIn, type Scenario, windowOf } from "../Scenario.ts"
import { expect, field, listOf, type Request, type Server, skip, smallest } from "../Server.ts"
import { component } from "./Versions.ts"

/** Requests with the second key. Skips the scenario where it is a key of the same workspace. */
const stranger = async (server: Server) => {
  const key = server.secondKey
  const made = await server.expect(201, "POST", "/workflows", { key, json: smallest })
  const id = String(field(made, "id") ?? field(made, "workflow_id"))
  server.later(() => server.send("DELETE", `/workflows/${id}`, { key }))
  const workspaceOf = async (id: string, request: Request) =>
    field(await server.expect(200, "GET", `/workflows/${id}/metadata`, request), "workspace_id")
  const [own, other] = [await workspaceOf(await server.workflow(), {}), await workspaceOf(id, { key })]
  if (own === other) skip("both keys are of one workspace")
  return {
    send: (method: string, path: string, json?: unknown) => server.send(method, path, { key, json }),
    expectMissing: async (method: string, path: string, json?: unknown) => {
      expectGeneral(await server.expect(404, method, path, { key, json }), 404)
    }
  }
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "isolation-lists",
    section: "Authentication",
    promise: "Lists have the resources of the workspace of the key, and none of another workspace",
    needs: ["second key"],
    run: async (server) => {
      const other = await stranger(server)
      const workflow = await server.workflow()
      const { id } = await component(server, "Conformance")
      const { permissioned_user_id } = await credential(server)
      for (const [path, text] of [
        ["/workflows", workflow],
        ["/workflow-components", id],
        ["/vault", permissioned_user_id]
      ] as const) {
        const own = await server.expect(200, "GET", path)
        expect(JSON.stringify(own).includes(text), `GET ${path} to list what the key created`, text)
        const { body, status } = await other.send("GET", path)
        expect(status === 200, `GET ${path} to answer 200`, { status, body })
        expect(!JSON.stringify(body).includes(text), `GET ${path} to list nothing of another workspace`, text)
      }
    }
  },
  {
    name: "isolation-workflows",
    section: "Authentication",
    promise: "A workflow is 404 for a key of another workspace, also to change, to run and to unpause it",
    needs: ["second key"],
    run: async (server) => {
      const other = await stranger(server)
      const id = await server.workflow({ run_window: always })
      await other.expectMissing("GET", windowOf(id))
      await other.expectMissing("PUT", windowOf(id), openIn(server, 100))
      await other.expectMissing("DELETE", windowOf(id))
      await other.expectMissing("GET", `/workflows/${id}/versions`)
      await other.expectMissing("GET", `/workflows/${id}/versions/1`)
      await other.expectMissing("GET", `/workflows/${id}/metadata`)
      await other.expectMissing("PUT", `/workflows/${id}`, { ...smallest, name: "Renamed" })
      await other.expectMissing("POST", "/run", { workflow_id: id, run_input_variables: {} })
      const json = { pause_resource: "run_window", resource_ids: [id] }
      const { body } = await other.send("POST", "/runs/unpause", json)
      const errors = listOf(field(body, "errors"), "errors")
      expect(errors.length === 1 && field(body, "resumedRuns") === 0, "one error, and resumedRuns 0", body)
      const window = field(await server.expect(200, "GET", windowOf(id)), "run_window")
      expect(listOf(field(window, "regular_hours"), "regular_hours").length === 7, "the window to be unchanged", window)
      const versions = listOf(await server.expect(200, "GET", `/workflows/${id}/versions`), "versions")
      expect(versions.length === 1, "one version", versions)
    }
  },
  {
    name: "isolation-runs",
    section: "Authentication",
    promise: "A run is 404 for a key of another workspace, and so are its events, its interruption and its answer",
    needs: ["second key"],
    run: async (server) => {
      const other = await stranger(server)
      const session = await held(server)
      await other.expectMissing("GET", `/run/${session}`)
      await other.expectMissing("POST", `/run/${session}/user_interaction`, { code: "123456" })
      await other.expectMissing("POST", `/run/${session}/interrupt`)
      const status = field(await server.expect(200, "GET", `/run/${session}`), "status")
      expect(status === "execution.paused", "the status execution.paused", status)
      await interrupt(server, session)
      // The stream of a run that has ended has an end, also where a server answers it to the other key.
      await other.expectMissing("GET", `/run/${session}/events`)
    }
  },
  {
    name: "isolation-vault",
    section: "Authentication",
    promise: "Two workspaces have separate credentials for the same pair, and a key deletes only that of its own",
    needs: ["second key"],
    run: async (server) => {
      const other = await stranger(server)
      const pair = await credential(server, { user_alias: "One", tfa_method: "SMS" })
      await other.expectMissing("GET", codeOf(pair))
      await other.expectMissing("DELETE", "/vault", pair)
      const made = await other.send("POST", "/authentication", { ...pair, user_alias: "Two" })
      server.later(() => other.send("DELETE", "/vault", pair))
      expect(made.status === 200 || made.status === 201, "the same pair to be created in the other workspace", made)
      const gone = await other.send("DELETE", "/vault", pair)
      expect(gone.status === 200 && field(gone.body, "user_alias") === "Two", "its own credential to be deleted", gone)
      const read = await server.expect(200, "GET", `/vault?${new URLSearchParams(pair)}`)
      expect(field(read, "user_alias") === "One", "the credential of the first workspace to be unchanged", read)
    }
  }
]
