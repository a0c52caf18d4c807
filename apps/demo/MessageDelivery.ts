/**
 * Delivers the messages of the demo site: by mail to users with an address, when there is a mail server; else on the
 * terminal.
 */
import { createTransport } from "nodemailer"
import type { Message } from "./SignIn.ts"
import type { DeliverMessage } from "./Site.ts"

export interface Options {
  /** The SMTP server on loopback that accepts the mails; `null` when there is none. */
  readonly smtpPort: number | null
  /** The mail addresses of the users, by user name. */
  readonly addresses: ReadonlyMap<string, string>
  readonly say: (line: string) => void
}

export const make = ({ addresses, say, smtpPort }: Options): DeliverMessage => {
  const transport =
    smtpPort === null
      ? null
      : createTransport({ host: "127.0.0.1", port: smtpPort, tls: { rejectUnauthorized: false } })
  return async (message) => {
    const to = addresses.get(message.demoUser.user)
    if (message.by === "mail" && to !== undefined && transport !== null) {
      await transport.sendMail({ from: "Marlow Wholesale <no-reply@marlow.example>", to, ...mail(message) })
    } else {
      say(`Marlow Wholesale tells ${message.demoUser.user} by ${message.by}: ${message.secret}`)
    }
  }
}

/** The mail. Like many real ones, it contains a number that is not a code. */
export const mail = ({ secret, demoUser }: Message) =>
  demoUser.second?._tag === "link"
    ? {
        subject: "Sign in to Marlow Wholesale",
        html: `<p>Hello,</p><p><a href="${secret}">Sign in to Marlow Wholesale</a></p><p>The link is good for 10 minutes. If you did not
          ask for it, write to <a href="https://marlow.example/help">our help desk</a>.</p><p>Marlow Wholesale, Quay 1200</p>`
      }
    : {
        subject: "Your code for Marlow Wholesale",
        html: `<p>Hello,</p><p>your code to sign in is</p><p style="font-size:28px"><b>${secret.slice(0, 3)} ${secret.slice(3)}</b></p>
          <p>It is good for 10 minutes. We will never ask you for it.</p><p>Marlow Wholesale, Quay 1200, customer 884120</p>`
      }
