/** Scenarios of error bodies and of limits. */
import { absent, always, expectGeneral, type Scenario, windowOf } from "../Scenario.ts"
import { expect, field, listOf, smallest } from "../Server.ts"

/** A text that no database compresses below three quarters of its length. */
const incompressible = (length: number): string => {
  const bytes = new Uint8Array(65_536)
  let text = ""
  while (text.length < length) {
    crypto.getRandomValues(bytes)
    text += btoa(String.fromCharCode(...bytes.subarray(0, 49_152)))
  }
  return text.slice(0, length)
}

/** Fields with a limit in bytes, each with a value that exceeds it in every form of storage. */
const overBytes: ReadonlyArray<
  readonly [name: string, code: string, limit: number, valueOf: (text: string) => unknown]
> = [
  ["input_schema", "INPUT_SCHEMA_TOO_LARGE", 262_144, (description) => ({ type: "object", description })],
  ["output_schema", "OUTPUT_SCHEMA_TOO_LARGE", 131_072, (description) => ({ type: "object", description })],
  [
    "nodes",
    "WORKFLOW_NODES_TOO_LARGE",
    2_097_152,
    (description) => smallest.nodes.map((node, index) => (index === 0 ? { ...node, description } : node))
  ],
  [
    "edges",
    "WORKFLOW_EDGES_TOO_LARGE",
    524_288,
    (label) => Object.fromEntries(Object.entries(smallest.edges).map(([from, edge]) => [from, { ...edge, label }]))
  ],
  [
    "vault_schema",
    "VAULT_SCHEMA_TOO_LARGE",
    32_768,
    (example) => ({ user: { type: "credential", domain: "https://conformance.example", example } })
  ]
]

export const scenarios: ReadonlyArray<Scenario> = [
  ...overBytes.map(
    ([name, code, limit, valueOf]): Scenario => ({
      name: `limit-${name.replace("_", "-")}`,
      section: "Limits",
      promise: `${name} over its limit is refused with the code ${code}`,
      run: async (server) => {
        const json = { ...smallest, [name]: valueOf(incompressible(limit * 1.5)) }
        const refused = await server.expect(400, "POST", "/workflows", { json })
        expect(field(refused, "statusCode") === 400, "statusCode 400", refused)
        expect(field(refused, "code") === code, `code ${code}`, refused)
        expect(field(refused, "field") === name, `field ${name}`, refused)
        expect(field(refused, "limit_bytes") === limit, `limit_bytes ${limit}`, refused)
      }
    })
  ),
  {
    name: "limit-dry-run",
    section: "Limits",
    promise: "dry_run.add_to_output over its limit is refused with the code DRY_RUN_OUTPUT_TOO_LARGE",
    run: async (server) => {
      const id = await server.workflow()
      const json = {
        workflow_id: id,
        run_input_variables: {},
        dry_run: { add_to_output: { text: incompressible(8_192) } }
      }
      const refused = await server.expect(400, "POST", "/run", { json })
      expect(field(refused, "code") === "DRY_RUN_OUTPUT_TOO_LARGE", "code DRY_RUN_OUTPUT_TOO_LARGE", refused)
      expect(field(refused, "limit_bytes") === 4_096, "limit_bytes 4096", refused)
    }
  },
  {
    name: "limit-actual-chars",
    section: "Errors",
    promise: "version_note over its limit is refused with its actual_chars",
    run: async (server) => {
      const refused = await server.expect(400, "POST", "/workflows", {
        json: { ...smallest, version_note: "x".repeat(2_049) }
      })
      expect(field(refused, "limit_chars") === 2_048, "limit_chars 2048", refused)
      expect(field(refused, "actual_chars") === 2_049, "actual_chars 2049", refused)
    }
  },
  {
    name: "error-malformed",
    section: "Errors",
    promise: "A body that is not JSON is 400 in the general shape",
    run: async (server) => {
      expectGeneral(await server.expect(400, "POST", "/run", { text: '{"workflow_id":' }), 400)
    }
  },
  {
    name: "error-no-key",
    section: "Authentication",
    promise: "Every endpoint is 401 without a key, in the general shape, before anything else is checked",
    run: async (server) => {
      for (const [method, path] of [
        ["POST", "/run"],
        ["POST", "/runs/unpause"],
        ["DELETE", "/vault"],
        ["POST", "/authentication"],
        ["GET", "/vault/tfa-code"],
        ["GET", `/workflows/${absent}/versions`],
        ["POST", `/run/${absent}/user_interaction`]
      ] as const) {
        const request = method === "GET" ? { key: null } : { key: null, json: {} }
        expectGeneral(await server.expect(401, method, path, request), 401)
      }
    }
  },
  {
    name: "error-not-found",
    section: "Errors",
    promise: "A missing resource is 404 in the general shape",
    run: async (server) => {
      for (const path of [`/workflows/${absent}/versions`, `/workflows/${absent}/metadata`, windowOf(absent)]) {
        expectGeneral(await server.expect(404, "GET", path), 404)
      }
    }
  },
  {
    name: "error-window-shape",
    section: "Errors",
    promise: "Each problem of an invalid window has a path and a message, and no other field",
    run: async (server) => {
      const id = await server.workflow()
      const closed = { active: false, start_date: { year: 2026, month: 13, day: 1 } }
      const json = { ...always, special_hours: [closed] }
      const refused = await server.expect(400, "PUT", windowOf(id), { json })
      const errors = listOf(field(refused, "errors"), "errors")
      expect(errors.length > 0, "an error", refused)
      for (const one of errors) {
        expect(typeof field(one, "path") === "string", "a path", one)
        expect(typeof field(one, "message") === "string", "a message", one)
      }
      expect(
        errors.some((one) => String(field(one, "path")).includes("special_hours")),
        "an error at special_hours",
        errors
      )
    }
  },
  {
    name: "special-hours-overnight",
    section: "RunWindow",
    promise: "Special hours that end before they start are refused",
    run: async (server) => {
      const id = await server.workflow()
      const overnight = {
        active: true,
        start_date: { year: 2026, month: 12, day: 24 },
        active_start_time: { hours: 22 },
        active_end_time: { hours: 6 }
      }
      await server.expect(400, "PUT", windowOf(id), { json: { ...always, special_hours: [overnight] } })
    }
  },
  {
    name: "special-hours-both",
    section: "RunWindow",
    promise: "An entry with both dates and a recurrence is refused, and so is a frequency below a day",
    run: async (server) => {
      const id = await server.workflow()
      const dated = { active: false, start_date: { year: 2026, month: 12, day: 25 } }
      const recurring = { active: false, recurrence_start: { year: 2026, month: 1, day: 1 } }
      for (const wrong of [
        { ...dated, ...recurring, recurrence: "FREQ=YEARLY" },
        { ...recurring, recurrence: "FREQ=HOURLY" }
      ]) {
        await server.expect(400, "PUT", windowOf(id), { json: { ...always, special_hours: [wrong] } })
      }
    }
  },
  {
    name: "unpause-unknown",
    section: "POST /runs/unpause",
    promise: "An unknown workflow is reported in errors",
    run: async (server) => {
      const json = { pause_resource: "run_window", resource_ids: [absent] }
      const answer = await server.expect(200, "POST", "/runs/unpause", { json })
      const errors = listOf(field(answer, "errors"), "errors")
      expect(errors.length === 1 && typeof errors[0] === "string", "one error as a text", answer)
      expect(field(answer, "resumedRuns") === 0, "resumedRuns 0", answer)
    }
  }
]
