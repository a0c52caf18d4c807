/** Sends mails to the server over SMTP. */
import { connect } from "node:net"
import { createInterface } from "node:readline"
import type { Mailer } from "./Server.ts"

/** The longest wait for the mail server, and for a code after its mail was accepted, in milliseconds. */
const longest = 15_000

const sender = "codes@conformance.example"

/** Sends to the mail server at an address such as `smtp://127.0.0.1:2525`. */
export const make = (address: string): Mailer => {
  const { hostname, port } = new URL(address)
  const send: Mailer["send"] = async ({ subject, text, to }) => {
    const socket = connect(Number(port || 25), hostname.replace(/^\[|\]$/g, ""))
    let failure: Error | null = null
    socket.on("error", (error) => {
      failure = error
    })
    socket.setTimeout(longest, () => socket.destroy(new Error(`no answer within ${longest} ms`)))
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
    const said = async (command: string | null, status: string): Promise<void> => {
      if (command !== null) socket.write(`${command}\r\n`)
      for (;;) {
        const { done, value } = await lines.next()
        if (done === true) throw new Error(`${address}: ${failure?.message ?? "the connection was closed"}`)
        // A reply of several lines has a hyphen behind its status, except in the last line.
        if (value[3] === "-") continue
        if (value.startsWith(status)) return
        throw new Error(`Expected ${status} of ${address}, got ${value}`)
      }
    }
    try {
      await said(null, "220")
      await said("EHLO conformance.example", "250")
      await said(`MAIL FROM:<${sender}>`, "250")
      await said(`RCPT TO:<${to}>`, "250")
      await said("DATA", "354")
      const headers = [
        `From: ${sender}`,
        `To: ${to}`,
        `Subject: ${subject}`,
        `Date: ${new Date().toUTCString()}`,
        `Message-ID: <${crypto.randomUUID()}@conformance.example>`
      ]
      const body = text.replace(/\r?\n/g, "\r\n").replace(/^\./gm, "..")
      await said(`${headers.join("\r\n")}\r\n\r\n${body}\r\n.`, "250")
      await said("QUIT", "221")
    } finally {
      socket.destroy()
    }
  }
  return { send, withinMillis: longest }
}
