/** A name server on loopback that answers for some names, and does not answer for others. */
import { createSocket } from "node:dgram"
import { isIPv4 } from "node:net"
import { Effect } from "effect"

export interface NameServer {
  /** Its address, such as `127.0.0.1:40053`. */
  readonly server: string
  /** The requested names, one for each question for IPv4 addresses. */
  readonly asked: ReadonlyArray<string>
}

/** The addresses of a name; `null` for no answer. An empty list means that the name does not exist. */
export type Zone = (name: string) => ReadonlyArray<string> | null

export const nameServer = (zone: Zone) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const socket = createSocket("udp4")
    socket.on("message", (question, { address, port }) => {
      const { end, name, type } = read(question)
      if (type === 1) asked.push(name)
      const found = zone(name)
      if (found === null) return
      socket.send(answer(question, end, type, found), port, address)
    })
    const server = yield* Effect.acquireRelease(
      Effect.callback<string>((resume) => {
        socket.bind(0, "127.0.0.1", () => resume(Effect.succeed(`127.0.0.1:${socket.address().port}`)))
      }),
      () => Effect.sync(() => void socket.close())
    )
    return { server, asked } satisfies NameServer
  })

const read = (question: Buffer): { readonly name: string; readonly type: number; readonly end: number } => {
  const labels: Array<string> = []
  let at = 12
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join(".").toLowerCase(), type: question.readUInt16BE(at + 1), end: at + 5 }
}

/** An answer with a time to live of one minute for each address of the asked type (1 for IPv4). */
const answer = (question: Buffer, end: number, type: number, found: ReadonlyArray<string>): Buffer => {
  const addresses = type === 1 ? found.filter(isIPv4) : []
  const head = Buffer.from(question.subarray(0, end))
  head.writeUInt16BE(found.length === 0 ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map((address) => {
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 0, 0, 0, 0])
    record.set(address.split(".").map(Number), 12)
    return record
  })
  return Buffer.concat([head, ...records])
}
