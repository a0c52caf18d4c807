/** Scenarios of roles and keys. */
import { absent, always, expectGeneral, type Scenario, windowOf } from "../Scenario.ts"
import { type Answer, expect, field, listOf, type Server, skip } from "../Server.ts"

/** Creates a key with a role for one scenario. */
const keyOf = async (server: Server, role: string) => {
  const made = await server.expect(201, "POST", "/api-keys", { json: { role, name: "Conformance" } })
  const [id, key] = [field(made, "id"), field(made, "key")]
  expect(typeof id === "string" && typeof key === "string", "an id and a key", made)
  const revoke = () => server.send("DELETE", `/api-keys/${id}`)
  server.later(revoke)
  return { id: String(id), key: String(key), revoke }
}

/** The largest number of requests that reach a rate limit, and how many are sent at once. */
const most = 5_000
const atOnce = 25

/** The first answer 429 to many requests with a key. Skips the scenario where there is none. */
const refusedOf = async (server: Server, key: string): Promise<Answer> => {
  for (let sent = 0; sent < most; sent += atOnce) {
    const answers = await Promise.all(
      Array.from({ length: atOnce }, () => server.send("GET", "/workflow-components", { key }))
    )
    const refused = answers.find(({ status }) => status === 429)
    if (refused !== undefined) return refused
    for (const { body, status } of answers) expect(status === 200, "200 or 429", { status, body })
  }
  return skip(`the server has no rate limit that ${most} requests reach`)
}

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "role-window",
    section: "Authentication",
    promise: "A key without the role Owner or Member may read a run window, and not set it",
    run: async (server) => {
      const id = await server.workflow()
      const { key } = await keyOf(server, "Viewer")
      await server.expect(200, "GET", windowOf(id), { key })
      expectGeneral(await server.expect(403, "PUT", windowOf(id), { json: always, key }), 403)
      const read = await server.expect(200, "GET", windowOf(id))
      expect(field(read, "run_window") === null, "the window to be unchanged", read)
    }
  },
  {
    name: "role-member",
    section: "Authentication",
    promise: "A key of a Member may set a run window and unpause runs",
    run: async (server) => {
      const id = await server.workflow()
      const { key } = await keyOf(server, "Member")
      await server.expect(200, "PUT", windowOf(id), { json: always, key })
      await server.expect(200, "POST", "/runs/unpause", {
        json: { pause_resource: "run_window", resource_ids: [id] },
        key
      })
    }
  },
  {
    name: "role-unpause",
    section: "Authentication",
    promise: "A key without the role Owner or Member may not unpause runs",
    run: async (server) => {
      const { key } = await keyOf(server, "Viewer")
      const json = { pause_resource: "workflow", resource_ids: [absent] }
      expectGeneral(await server.expect(403, "POST", "/runs/unpause", { json, key }), 403)
    }
  },
  {
    name: "key-revoked",
    section: "Authentication",
    promise: "A revoked key is 401 from the next request on",
    run: async (server) => {
      const { key, revoke } = await keyOf(server, "Viewer")
      await server.expect(200, "GET", "/workflow-components", { key })
      await revoke()
      expectGeneral(await server.expect(401, "GET", "/workflow-components", { key }), 401)
    }
  },
  {
    name: "rate-limit",
    section: "Errors",
    promise: "A request over a rate limit is 429 in the general shape, with Retry-After in whole seconds",
    needs: ["flood"],
    run: async (server) => {
      const { key } = await keyOf(server, "Viewer")
      const { body, headers } = await refusedOf(server, key)
      expectGeneral(body, 429)
      const after = headers.get("retry-after")
      expect(after !== null && /^[1-9]\d*$/.test(after), "the header Retry-After, a number of seconds", after)
      const remaining = headers.get("x-ratelimit-remaining")
      expect(remaining === null || remaining === "0", "X-RateLimit-Remaining 0, or no such header", remaining)
      const seconds = field(body, "retryAfterSeconds")
      expect(seconds === undefined || String(seconds) === after, "retryAfterSeconds as in Retry-After", body)
    }
  },
  {
    name: "key-shown-once",
    section: "Authentication",
    promise: "A key is shown when it is created, and in no list",
    run: async (server) => {
      const { id, key } = await keyOf(server, "Viewer")
      const listed = listOf(await server.expect(200, "GET", "/api-keys"), "the keys")
      expect(
        listed.some((one) => field(one, "id") === id),
        "the key in the list",
        listed.length
      )
      expect(!JSON.stringify(listed).includes(key), "a list without the secret of a key", "a list with it")
    }
  }
]
