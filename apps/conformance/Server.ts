/** The server that is asked, and what its answers must be. */

/** Sends a request. The `fetch` of the runtime, or what stands in for it in a test. */
export type Send = (url: string, request: RequestInit) => Promise<Response>

export interface Answer {
  readonly status: number
  /** The body, if it is JSON; `null` otherwise. */
  readonly body: unknown
}

/** Raised where a server does not do what the interface says. */
export class Violation extends Error {
  override readonly name = "Violation"
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** Fails unless something holds. */
export const expect = (holds: boolean, expected: string, got: unknown): void => {
  if (!holds) throw new Violation(`Expected ${expected}, got ${shown(got)}`)
}

/** A field of a body; `undefined` where it has none. */
export const field = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined

/** The list in a field, which must be one. */
export const listOf = (value: unknown, name: string): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw new Violation(`Expected ${name} to be an array, got ${shown(value)}`)
  return value
}

export interface Server {
  /** Sends a request with the key of the options; `key: null` sends none. */
  readonly send: (
    method: string,
    path: string,
    options?: { readonly json?: unknown; readonly key?: string | null }
  ) => Promise<Answer>
  /** Sends a request, and fails unless the answer has a status. */
  readonly expect: (
    status: number,
    method: string,
    path: string,
    options?: { readonly json?: unknown; readonly key?: string | null }
  ) => Promise<unknown>
  /** Makes a workflow for one scenario, and answers its id. `tidy` removes it. */
  readonly workflow: (fields?: Readonly<Record<string, unknown>>) => Promise<string>
  /** Removes what the scenario made. */
  readonly tidy: () => Promise<void>
}

const [start, end] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]

/** The smallest workflow there is. */
export const smallest = {
  name: "Conformance",
  nodes: [
    { id: start, name: "Open", action: "START", parameters: { url: "https://example.com" } },
    { id: end, name: "Done", action: "END", parameters: {} }
  ],
  edges: { [start]: { to: end } }
}

/** The longest wait for an answer, in milliseconds. */
const longest = 30_000

export const make = (options: { readonly url: string; readonly key: string; readonly send: Send }): Server => {
  const base = options.url.replace(/(?<!\/)\/+$/, "")
  const made: Array<string> = []
  const send: Server["send"] = async (method, path, { json, key = options.key } = {}) => {
    const answer = await options.send(`${base}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { "cc-key": key }),
        ...(json === undefined ? {} : { "content-type": "application/json" })
      },
      body: json === undefined ? null : JSON.stringify(json),
      signal: AbortSignal.timeout(longest)
    })
    const text = await answer.text()
    try {
      return { status: answer.status, body: JSON.parse(text) }
    } catch {
      return { status: answer.status, body: null }
    }
  }
  const expectStatus: Server["expect"] = async (status, method, path, request) => {
    const answer = await send(method, path, request)
    expect(answer.status === status, `${method} ${path} to answer ${status}`, answer)
    return answer.body
  }
  return {
    send,
    expect: expectStatus,
    workflow: async (fields = {}) => {
      const { body, status } = await send("POST", "/workflows", { json: { ...smallest, ...fields } })
      expect(status === 200 || status === 201, "POST /workflows to answer 200 or 201", { status, body })
      const id = field(body, "id") ?? field(body, "workflow_id")
      expect(typeof id === "string", "POST /workflows to answer an id", body)
      made.push(String(id))
      return String(id)
    },
    tidy: async () => {
      for (const id of made.splice(0)) await send("DELETE", `/workflows/${id}`).catch(() => null)
    }
  }
}
