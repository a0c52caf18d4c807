/** Scenarios of versions, metadata and components. */
import { absent, expectGeneral, expectTime, type Scenario } from "../Scenario.ts"
import { expect, field, listOf, type Server, skip, smallest } from "../Server.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const expectUuid = (record: unknown, ...names: ReadonlyArray<string>) => {
  for (const name of names) expect(uuid.test(String(field(record, name))), `${name} to be a UUID`, record)
}

/** The content of a component of one node. */
const componentData = {
  nodes: [
    {
      workflowNode: { ...smallest.nodes[1], name: "Wait", action: "DELAY", parameters: { delay_time: 1 } },
      position: { x: 0, y: 0 }
    }
  ],
  workflowEdges: {},
  reactFlowEdges: [],
  vault_schema: {}
}

/** Makes a component of one node for one scenario. */
export const component = async (server: Server, name: string) => {
  const answer = await server.send("POST", "/workflow-components", { json: { name, componentData } })
  const id = String(field(answer.body, "id"))
  if (answer.status === 201) server.later(() => server.send("DELETE", `/workflow-components/${id}`))
  return { ...answer, id }
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "version-summaries",
    section: "Workflow version summary",
    promise: "A version has its ids, its number, its time and its note",
    run: async (server) => {
      const id = await server.workflow({ version_note: "The first" })
      const [one] = listOf(await server.expect(200, "GET", `/workflows/${id}/versions`), "versions")
      expectUuid(one, "version_id", "created_by")
      expectTime(one, "created_at")
      expect(field(one, "version_number") === 1, "version_number 1", one)
      expect(field(one, "version_note") === "The first", "the version_note", one)
    }
  },
  {
    name: "version-content",
    section: "GET /workflows/{workflow_id}/versions",
    promise: "A version is read by its number with the whole workflow as it was, and an unknown number is 404",
    run: async (server) => {
      const id = await server.workflow()
      await server.expect(200, "PUT", `/workflows/${id}`, { json: { ...smallest, name: "Renamed" } })
      const first = await server.expect(200, "GET", `/workflows/${id}/versions/1`)
      expect(field(first, "name") === smallest.name, "the name of the first version", first)
      expect(listOf(field(first, "nodes"), "nodes").length === 2, "its nodes", first)
      expect(typeof field(first, "edges") === "object", "its edges", first)
      expect(field(first, "run_window") === undefined, "no run_window, which is part of no version", first)
      const second = await server.expect(200, "GET", `/workflows/${id}/versions/2`)
      expect(field(second, "name") === "Renamed", "the name of the second version", second)
      expectGeneral(await server.expect(404, "GET", `/workflows/${id}/versions/3`), 404)
    }
  },
  {
    name: "metadata-schemas",
    section: "Workflow metadata",
    promise: "The metadata holds the input schema, and each credential with its type, domain and example",
    run: async (server) => {
      const input_schema = { type: "object", properties: { order: { type: "string" } }, required: ["order"] }
      const bank = { type: "credential", domain: "https://bank.example", example: "anna" }
      const id = await server.workflow({ input_schema, vault_schema: { bank } })
      const found = await server.expect(200, "GET", `/workflows/${id}/metadata`)
      expectUuid(found, "workspace_id")
      const schema = field(found, "input_schema")
      expect(
        field(field(field(schema, "properties"), "order"), "type") === "string" &&
          listOf(field(schema, "required"), "required").includes("order"),
        "the input schema",
        schema
      )
      const stored = field(field(found, "vault_schema"), "bank")
      for (const [name, value] of Object.entries(bank)) expect(field(stored, name) === value, name, stored)
    }
  },
  {
    name: "component-record",
    section: "Workflow component summary",
    promise: "A component is listed with its ids and times, and read with its component_data",
    run: async (server) => {
      const { body, id, status } = await component(server, "Conformance")
      expect(status === 201, "201", { status, body })
      const listed = listOf(await server.expect(200, "GET", "/workflow-components"), "the components")
      const one = listed.find((other) => field(other, "id") === id)
      expectUuid(one, "id", "created_by")
      expectTime(one, "created_at", "updated_at")
      expect(field(one, "name") === "Conformance", "its name", one)
      const read = await server.expect(200, "GET", `/workflow-components/${id}`)
      const nodes = listOf(field(field(read, "component_data"), "nodes"), "component_data.nodes")
      expect(nodes.length === 1, "one node", nodes)
      expectGeneral(await server.expect(404, "GET", `/workflow-components/${absent}`), 404)
    }
  },
  {
    name: "component-updated",
    section: "Workflow component summary",
    promise: "A new version of a component moves its updated_at, and not its created_at",
    run: async (server) => {
      const { id } = await component(server, "Conformance")
      const path = `/workflow-components/${id}`
      const before = await server.expect(200, "GET", path)
      const saved = await server.send("PUT", path, { json: { componentData, version_note: "The second" } })
      if (saved.status === 404 || saved.status === 405) skip(`PUT /workflow-components/{id} answers ${saved.status}`)
      expect(saved.status === 200, "200", saved)
      const after = await server.expect(200, "GET", path)
      const [earlier, later] = [before, after].map((one) => Date.parse(String(field(one, "updated_at"))))
      expect(Number(later) > Number(earlier), "a later updated_at", { before, after })
      expect(field(after, "created_at") === field(before, "created_at"), "the same created_at", { before, after })
    }
  },
  {
    name: "component-name",
    section: "Limits",
    promise: "The name of a component has at most 100 characters",
    run: async (server) => {
      const longest = await component(server, "x".repeat(100))
      expect(longest.status === 201, "201 for 100 characters", longest)
      const { body, status } = await component(server, "x".repeat(101))
      expect(status === 400 && field(body, "statusCode") === 400, "400 for 101 characters", { status, body })
    }
  }
]
