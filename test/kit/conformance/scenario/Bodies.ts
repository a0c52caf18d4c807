/** Scenarios of the limits of bodies and of fields, on both sides of each. */
import type { Scenario } from "../Scenario.ts"
import { expect, field, listOf, smallest } from "../Server.ts"

const mebibyte = 1_048_576

/** Endpoints with the limit of their bodies. */
const bodies: ReadonlyArray<readonly [method: string, path: string, limit: number]> = [
  ["POST", "/workflows", 5 * mebibyte],
  ["POST", "/workflows/upsert", 5 * mebibyte],
  ["POST", "/workflows/import", 5 * mebibyte],
  ["PUT", "/workflows/:id", 5 * mebibyte],
  ["POST", "/run", 25 * mebibyte],
  ["POST", "/workflows/:id/validate-input", 25 * mebibyte],
  ["PUT", "/workflows/:id/run-window", mebibyte],
  ["POST", "/runs/unpause", mebibyte]
]

/** By a limit, the next lower one. */
const lower = new Map([
  [5 * mebibyte, mebibyte],
  [25 * mebibyte, 5 * mebibyte]
])

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "body-limits",
    section: "Limits",
    promise: "Each endpoint has its limit of bodies: 413 tells it, and what was received; a body below it is read",
    run: async (server) => {
      const id = await server.workflow()
      for (const [method, template, limit] of bodies) {
        const path = template.replace(":id", id)
        const text = `{"padding":"${"x".repeat(limit)}"}`
        const refused = await server.expect(413, method, path, { text })
        expect(field(refused, "statusCode") === 413, "statusCode 413", refused)
        expect(field(refused, "code") === "PAYLOAD_TOO_LARGE", "code PAYLOAD_TOO_LARGE", refused)
        expect(typeof field(refused, "message") === "string", "a message", refused)
        expect(field(refused, "limit_bytes") === limit, `${path} to have limit_bytes ${limit}`, refused)
        expect(field(refused, "received_bytes") === text.length, `received_bytes ${text.length}`, refused)
        const below = lower.get(limit)
        if (below === undefined) continue
        const read = await server.send(method, path, { text: `{"padding":"${"x".repeat(below)}"}` })
        expect(read.status !== 413, `${path} to read a body of ${below} bytes`, read.status)
      }
    }
  },
  {
    name: "body-without-length",
    section: "Errors",
    promise: "Where a request does not tell its length, 413 has no received_bytes",
    run: async (server) => {
      const text = `{"padding":"${"x".repeat(mebibyte)}"}`
      const refused = await server.expect(413, "POST", "/runs/unpause", { text, inPieces: true })
      expect(field(refused, "limit_bytes") === mebibyte, `limit_bytes ${mebibyte}`, refused)
      expect(field(refused, "received_bytes") === undefined, "no received_bytes", refused)
    }
  },
  {
    name: "limit-reached",
    section: "Limits",
    promise: "Texts that are exactly as long as their limit are accepted, and stored whole",
    run: async (server) => {
      const name = "n".repeat(256)
      const description = "d".repeat(4_096)
      const id = await server.workflow({ name, description, version_note: "v".repeat(2_048) })
      const read = await server.expect(200, "GET", `/workflows/${id}`)
      expect(field(read, "name") === name && field(read, "description") === description, "both texts whole", read)
      const [version] = listOf(await server.expect(200, "GET", `/workflows/${id}/versions`), "versions")
      expect(String(field(version, "version_note")).length === 2_048, "the whole version_note", version)
    }
  },
  {
    name: "limit-on-save",
    section: "Errors",
    promise: "A save has the limits of a creation, and a refused one makes no version",
    run: async (server) => {
      const id = await server.workflow()
      const refused = await server.expect(400, "PUT", `/workflows/${id}`, {
        json: { ...smallest, name: "x".repeat(257) }
      })
      expect(field(refused, "code") === "WORKFLOW_NAME_TOO_LONG", "code WORKFLOW_NAME_TOO_LONG", refused)
      expect(field(refused, "limit_chars") === 256, "limit_chars 256", refused)
      const versions = listOf(await server.expect(200, "GET", `/workflows/${id}/versions`), "versions")
      expect(versions.length === 1, "one version", versions)
    }
  }
]
