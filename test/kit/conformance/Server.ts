/** The tested server, and the checks of its answers. */

/** Sends a request: the `fetch` of the runtime, or a replacement in a test. */
export type Send = (url: string, request: RequestInit) => Promise<Response>

export interface Answer {
  readonly status: number
  /** The body, if it is JSON; `null` otherwise. */
  readonly body: unknown
  readonly headers: Headers
}

/** A frame of a stream of events. */
export interface StreamedFrame {
  readonly id: string | null
  readonly event: string
  readonly data: unknown
}

/** A delivery of the server: the bytes of the body as they arrived, and the header `X-HMAC-Signature`. */
export interface Delivery {
  readonly body: Uint8Array<ArrayBuffer>
  readonly signature: string | null
}

/** Receives webhooks. */
export interface Receiver {
  /** The origin at which the server reaches it, such as `http://127.0.0.1:9000`. */
  readonly url: string
  /** The deliveries to a path: resolves when there are `count` of them, or after ten seconds. */
  readonly received: (path: string, count: number) => Promise<ReadonlyArray<Delivery>>
}

/** Sends mails to the server. */
export interface Mailer {
  /** Resolves when the server has accepted the mail; rejects otherwise. */
  readonly send: (mail: { readonly to: string; readonly subject: string; readonly text: string }) => Promise<void>
  /** The longest time from the acceptance of a mail until the server shows its code, in milliseconds. */
  readonly withinMillis: number
}

/** The error for a server that breaks a promise of the interface. */
export class Violation extends Error {
  override readonly name = "Violation"
}

/** The end of a scenario that the server cannot take part in. */
export class Skipped extends Error {
  override readonly name = "Skipped"
}

/** Ends a scenario that the server cannot take part in, with the reason. */
export const skip = (reason: string): never => {
  throw new Skipped(reason)
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** Fails unless the condition holds. */
export const expect = (holds: boolean, expected: string, got: unknown): void => {
  if (!holds) throw new Violation(`Expected ${expected}, got ${shown(got)}`)
}

/** A field of a body; `undefined` where it has none. */
export const field = (body: unknown, name: string): unknown =>
  typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined

/** A value that must be a list. Fails for any other. */
export const listOf = (value: unknown, name: string): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw new Violation(`Expected ${name} to be an array, got ${shown(value)}`)
  return value
}

export interface Request {
  readonly json?: unknown
  /** A body as raw text, instead of `json`. */
  readonly text?: string
  /** Sends `text` without its length. */
  readonly inPieces?: boolean
  /** `null` sends none; the key of the options when left out. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export interface Server {
  /** The encryption key of the workspace: 64 hexadecimal digits. Empty when unknown. */
  readonly encryptionKey: string
  /** A key of an Owner of another workspace. `null` when unknown. */
  readonly secondKey: string | null
  /** Where the server can send webhooks. `null` when it cannot. */
  readonly receiver: Receiver | null
  /** Sends mails to the server. `null` when none can be sent. */
  readonly mailer: Mailer | null
  /** The time of the server, in epoch milliseconds: that of this machine, and of its test clock where that is ahead. */
  readonly now: () => number
  /** Says that the test clock of the server was moved to an instant. */
  readonly moved: (to: number) => void
  readonly send: (method: string, path: string, request?: Request) => Promise<Answer>
  /** Sends a request, and fails unless the answer has a status. */
  readonly expect: (status: number, method: string, path: string, request?: Request) => Promise<unknown>
  /**
   * Reads a stream until a frame that `last` accepts, and answers the frames up to it without heartbeats. It fails when the
   * stream ends earlier.
   */
  readonly stream: (
    path: string,
    last: (frame: StreamedFrame) => boolean,
    headers?: Readonly<Record<string, string>>
  ) => Promise<ReadonlyArray<StreamedFrame>>
  /** Creates a workflow for one scenario, and answers its id. `tidy` removes it. */
  readonly workflow: (fields?: Readonly<Record<string, unknown>>) => Promise<string>
  /** Registers the removal of a resource that the scenario created. */
  readonly later: (remove: () => Promise<unknown>) => void
  /** Removes the resources that the scenario created, the latest first. */
  readonly tidy: () => Promise<void>
}

const [start, end] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]

/** The smallest valid workflow. */
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

/** The frames in the text that has arrived. */
const framesOf = (text: string): ReadonlyArray<StreamedFrame> =>
  text
    .split("\n\n")
    .slice(0, -1)
    .map((frame) => {
      const valueOf = (name: string) =>
        frame
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      const data = valueOf("data") ?? "null"
      try {
        return { id: valueOf("id") ?? null, event: valueOf("event") ?? "message", data: JSON.parse(data) }
      } catch {
        throw new Violation(`Expected JSON as data of a frame, got ${shown(frame)}`)
      }
    })

export interface Options {
  readonly url: string
  readonly key: string
  readonly encryptionKey: string
  readonly secondKey: string | null
  readonly send: Send
  readonly receiver: Receiver | null
  readonly mailer: Mailer | null
  readonly clock: Clock
}

/** How far the clock of the server is ahead of that of this machine, in milliseconds. */
export interface Clock {
  ahead: number
}

/** Reads the test clock of a server. Where there is none, its clock is that of this machine. */
export const clockOf = async ({ key, send, url }: Pick<Options, "key" | "send" | "url">): Promise<Clock> => {
  try {
    const request = { headers: { "cc-key": key }, signal: AbortSignal.timeout(longest) }
    const answer = await send(`${baseOf(url)}/test-clock`, request)
    const at = Date.parse(String(field(await answer.json(), "now")))
    return { ahead: Number.isNaN(at) ? 0 : at - Date.now() }
  } catch {
    // The scenarios say why the server cannot be reached.
    return { ahead: 0 }
  }
}

const baseOf = (url: string): string => url.replace(/(?<!\/)\/+$/, "")

export const make = (options: Options): Server => {
  const base = baseOf(options.url)
  const made: Array<() => Promise<unknown>> = []
  const open = (method: string, path: string, request: Request) => {
    const { headers = {}, inPieces = false, json, key = options.key, text } = request
    const body = text ?? (json === undefined ? null : JSON.stringify(json))
    return options.send(`${base}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { "cc-key": key }),
        ...(json === undefined && text === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      body: inPieces && body !== null ? new Blob([body]).stream() : body,
      // Types of the DOM do not know it yet.
      ...({ duplex: "half" } as object),
      signal: AbortSignal.timeout(longest)
    })
  }
  const send: Server["send"] = async (method, path, request = {}) => {
    const answer = await open(method, path, request)
    const { headers, status } = answer
    const text = await answer.text()
    try {
      return { status, headers, body: JSON.parse(text) }
    } catch {
      return { status, headers, body: null }
    }
  }
  const expectStatus: Server["expect"] = async (status, method, path, request) => {
    const { body, ...answer } = await send(method, path, request)
    expect(answer.status === status, `${method} ${path} to answer ${status}`, { status: answer.status, body })
    return body
  }
  const later: Server["later"] = (remove) => {
    made.push(remove)
  }
  return {
    encryptionKey: options.encryptionKey,
    secondKey: options.secondKey,
    receiver: options.receiver,
    mailer: options.mailer,
    now: () => Date.now() + options.clock.ahead,
    moved: (to) => {
      options.clock.ahead = to - Date.now()
    },
    send,
    expect: expectStatus,
    stream: async (path, last, headers = {}) => {
      const answer = await open("GET", path, { headers })
      const kind = answer.headers.get("content-type") ?? ""
      expect(answer.status === 200 && kind.startsWith("text/event-stream"), `GET ${path} to answer a stream`, {
        status: answer.status,
        kind
      })
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ""
      try {
        for (;;) {
          const piece = await reader?.read()
          text += piece?.value ?? ""
          const frames = framesOf(text).filter(({ event }) => event !== "ping")
          const end = frames.findIndex(last)
          if (end >= 0) return frames.slice(0, end + 1)
          expect(piece !== undefined && !piece.done, `GET ${path} to stream more events before it ends`, frames)
        }
      } finally {
        await reader?.cancel()
      }
    },
    workflow: async (fields = {}) => {
      const { body, status } = await send("POST", "/workflows", { json: { ...smallest, ...fields } })
      expect(status === 200 || status === 201, "POST /workflows to answer 200 or 201", { status, body })
      const id = field(body, "id") ?? field(body, "workflow_id")
      expect(typeof id === "string", "POST /workflows to answer an id", body)
      later(() => send("DELETE", `/workflows/${id}`))
      return String(id)
    },
    later,
    tidy: async () => {
      for (const remove of made.splice(0).toReversed()) await remove().catch(() => null)
    }
  }
}
