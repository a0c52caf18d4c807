/** Sends a request and says what became of it: an answer, a silence that was too long, or a connection that was lost. */
import { Agent, request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { hangMillis } from "../support/limits.ts"
import type { Filled } from "./Case.ts"

export interface Answered {
  readonly _tag: "Answered"
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export type Result = Answered | { readonly _tag: "Hung" } | { readonly _tag: "Dropped"; readonly reason: string }

export interface Wire {
  readonly send: (one: Filled) => Promise<Result>
  readonly close: () => void
}

/** Waits for as long as an answer may take, then says so. Returns how to end the wait. */
export type Patience = (over: () => void) => () => void

export const patience =
  (millis: number): Patience =>
  (over) => {
    const timer = setTimeout(over, millis)
    return () => clearTimeout(timer)
  }

/** A connection to a service. A request that is not answered whole while there is patience counts as hung. */
export const make = (url: string, wait = patience(hangMillis)): Wire => {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  const attempt = (one: Filled, canRetry: boolean): Promise<Result> =>
    new Promise((resolve) => {
      const began = request({
        host: hostname,
        port,
        agent,
        method: one.method,
        path: one.path,
        headers: completed(one, `${hostname}:${port}`).flat()
      })
      let isDone = false
      const done = (result: Result) => {
        if (isDone) return
        isDone = true
        endWait()
        resolve(result)
      }
      const endWait = wait(() => {
        done({ _tag: "Hung" })
        began.destroy()
      })
      began.on("response", (response) => {
        const headers = new Headers()
        for (let at = 0; at < response.rawHeaders.length; at += 2) {
          headers.append(response.rawHeaders[at] ?? "", response.rawHeaders[at + 1] ?? "")
        }
        const status = response.statusCode ?? 0
        // A stream continues until it is left; that it began is its answer.
        if (headers.get("content-type")?.startsWith("text/event-stream") === true) {
          done({ _tag: "Answered", status, headers, text: "" })
          began.destroy()
          return
        }
        const pieces: Array<Buffer> = []
        response.on("data", (piece: Buffer) => void pieces.push(piece))
        response.on("end", () =>
          done({ _tag: "Answered", status, headers, text: plain(Buffer.concat(pieces), headers).toString("utf8") })
        )
        response.on("error", (error) => done({ _tag: "Dropped", reason: `in the middle of the answer: ${error}` }))
        response.on("aborted", () => done({ _tag: "Dropped", reason: "in the middle of the answer" }))
      })
      began.on("error", (error) => {
        if (isDone) return
        // The server may close a connection that rests at the moment when it is used again.
        if (began.reusedSocket && canRetry) {
          endWait()
          isDone = true
          resolve(attempt(one, false))
        } else done({ _tag: "Dropped", reason: String(error) })
      })
      began.end(one.body ?? undefined)
    })

  return { send: (one) => attempt(one, true), close: () => agent.destroy() }
}

/** A body as it was before it was compressed. */
const plain = (body: Buffer, headers: Headers): Buffer => {
  const encoding = headers.get("content-encoding")
  return encoding === "gzip" ? gunzipSync(body) : encoding === "br" ? brotliDecompressSync(body) : body
}

/** Node adds nothing to headers that are given as a list: without a length, a body would count as the next request. */
const completed = ({ body, headers, method }: Filled, host: string): Filled["headers"] => {
  const has = (wanted: string) => headers.some(([name]) => name === wanted)
  const length = body === null && !takesBody.has(method) ? [] : [["content-length", String(body?.length ?? 0)] as const]
  return [...(has("host") ? [] : [["host", host] as const]), ...headers, ...(has("transfer-encoding") ? [] : length)]
}

const takesBody = new Set(["POST", "PUT", "PATCH"])
