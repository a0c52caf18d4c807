/**
 * Sends the same POST over and over, in a separate process so that it takes no time from the server. It reads what
 * to do in its one argument, and answers what it has seen on its standard output, both as JSON.
 */
import { Agent, request } from "node:http"

export interface Load {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly connections: number
  readonly seconds: number
  /** Requests a second, sent whether or not earlier ones are answered; as many as go when it is `null`. */
  readonly rate: number | null
}

export interface Seen {
  /** Answers with 2xx a second. */
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
}

const run = async (load: Load): Promise<Seen> => {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections })
  const took: Array<number> = []
  let failed = 0
  const send = () =>
    new Promise<void>((resolve) => {
      const began = performance.now()
      const done = (ok: boolean) => {
        if (ok) took.push(performance.now() - began)
        else failed++
        resolve()
      }
      const sent = request(load.url, { method: "POST", agent, headers: load.headers }, (answer) => {
        answer.resume()
        answer.on("end", () => done(answer.statusCode !== undefined && answer.statusCode < 300))
      })
      sent.on("error", () => done(false))
      sent.end(load.body)
    })
  const began = performance.now()
  const until = began + load.seconds * 1_000
  if (load.rate === null) {
    await Promise.all(
      Array.from({ length: load.connections }, async () => {
        while (performance.now() < until) await send()
      })
    )
  } else {
    const rate = load.rate
    const pending: Array<Promise<void>> = []
    for (let count = 0; performance.now() < until; ) {
      for (; count < ((performance.now() - began) * rate) / 1_000; count++) pending.push(send())
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await Promise.all(pending)
  }
  const seconds = (performance.now() - began) / 1_000
  agent.destroy()
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? Number.NaN
  return { perSecond: took.length / seconds, p50: at(0.5), p99: at(0.99), failed }
}

const [, , told] = process.argv
if (told !== undefined && import.meta.url.endsWith("Load.ts")) {
  process.stdout.write(JSON.stringify(await run(JSON.parse(told) as Load)))
}
