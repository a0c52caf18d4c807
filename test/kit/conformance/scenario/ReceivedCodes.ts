/** Scenarios of the codes that the server receives by mail. */
import * as Executed from "../Executed.ts"
import { linked } from "../Receiver.ts"
import { codeOf, credential, expectGeneral, expectTime, moveTo, type Scenario } from "../Scenario.ts"
import { type Answer, expect, field, type Server, skip } from "../Server.ts"

type Pair = Readonly<Record<"domain" | "permissioned_user_id", string>>

/** The address that the codes of a credential are mailed to. Skips the scenario where the server gives none. */
const addressOf = async (server: Server, pair: Pair): Promise<string> => {
  const read = await server.expect(200, "GET", `/vault?${new URLSearchParams(pair)}`)
  const address = field(read, "tfa_email")
  return typeof address === "string" && address !== ""
    ? address
    : skip("the server receives no mail: a credential with the method EMAIL has no tfa_email")
}

/** Creates a credential whose codes are mailed, with their address. */
const mailed = async (server: Server) => {
  const pair = await credential(server, { tfa_method: "EMAIL" })
  return { pair, address: await addressOf(server, pair) }
}

const send = async (server: Server, to: string, code: string): Promise<void> => {
  await server.mailer?.send({ to, subject: "Your verification code", text: `Your verification code is ${code}.` })
}

/** How often the server is asked for a code that was mailed, in milliseconds. */
const again = 250

/** The answer to the request for a code, once it has this code or the time for that is over. */
const readCode = async (server: Server, pair: Pair, code: string): Promise<Answer> => {
  const latest = Date.now() + (server.mailer?.withinMillis ?? 0)
  for (;;) {
    const answer = await server.send("GET", codeOf(pair))
    if (field(answer.body, "code") === code || Date.now() >= latest) return answer
    await new Promise((done) => setTimeout(done, again))
  }
}

const expectCode = async (server: Server, pair: Pair, code: string): Promise<Answer> => {
  const answer = await readCode(server, pair, code)
  const { body, status } = answer
  expect(status === 200, "200", { status, body })
  expect(field(body, "code") === code, `the code ${code}`, body)
  return answer
}

const receivedAt = ({ body }: Answer): number => Date.parse(String(field(body, "received_at")))

export const scenarios: ReadonlyArray<Scenario> = [
  {
    name: "tfa-code-received",
    section: "2FA code",
    promise:
      "A mailed code is answered with received_at, without expires_in_seconds, is not cached, and can be read again",
    needs: ["mail"],
    run: async (server) => {
      const { address, pair } = await mailed(server)
      const code = Executed.newCode()
      const before = server.now()
      await send(server, address, code)
      const read = await expectCode(server, pair, code)
      const after = server.now()
      const { body, headers } = read
      expect(field(body, "type") === "email", 'type "email"', body)
      expectTime(body, "received_at")
      const at = receivedAt(read)
      // The clocks of this machine and of the server may differ a little.
      expect(at >= before - 60_000 && at <= after + 60_000, "received_at to be the time of the mail", body)
      expect(field(body, "expires_in_seconds") === undefined, "no expires_in_seconds", body)
      const cached = headers.get("cache-control")
      expect(cached?.includes("no-store") === true, "the header Cache-Control: no-store", cached)
      const second = await expectCode(server, pair, code)
      expect(receivedAt(second) === at, "the same received_at when it is read again", second.body)
    }
  },
  {
    name: "tfa-code-newest",
    section: "GET /vault/tfa-code",
    promise: "Of several mailed codes, the one that was received last is answered",
    needs: ["mail"],
    run: async (server) => {
      const { address, pair } = await mailed(server)
      const [first, second] = [Executed.newCode(), Executed.newCode()]
      await send(server, address, first)
      const earlier = receivedAt(await expectCode(server, pair, first))
      await send(server, address, second)
      const later = receivedAt(await expectCode(server, pair, second))
      expect(later >= earlier, "a later received_at of the later code", { earlier, later })
    }
  },
  {
    name: "tfa-code-separate",
    section: "Vault entry (complete record)",
    promise: "Each credential has its own tfa_email, and a code that is mailed to it is not the code of another one",
    needs: ["mail"],
    run: async (server) => {
      const [one, other, silent] = [await mailed(server), await mailed(server), await mailed(server)]
      const addresses = [one, other, silent].map(({ address }) => address.toLowerCase())
      expect(new Set(addresses).size === 3, "three addresses", addresses)
      const [first, second] = [Executed.newCode(), Executed.newCode()]
      await send(server, one.address, first)
      await send(server, other.address, second)
      await expectCode(server, other.pair, second)
      await expectCode(server, one.pair, first)
      expectGeneral(await server.expect(404, "GET", codeOf(silent.pair)), 404)
    }
  },
  {
    name: "tfa-code-discarded",
    section: "What the service does",
    promise: "A run types a mailed code without asking a person; then the code is discarded, and no event has it",
    needs: ["mail", "runs"],
    run: async (server) => {
      const pair = await Executed.user(server, { tfa_method: "EMAIL" })
      const address = await addressOf(server, pair)
      const id = await server.workflow(Executed.typing(server, { type: "EMAIL" }))
      const session = await Executed.begun(server, id, pair.permissioned_user_id)
      // A code counts once it is asked for.
      await server.stream(`/run/${session}/events`, Executed.untilAt(Executed.step))
      const code = Executed.newCode()
      await send(server, address, code)
      const all = await Executed.expectSuccess(server, session)
      expect(!all.map(Executed.kindOf).includes("interaction.waiting"), "no event interaction.waiting", all.length)
      Executed.expectNoCode(all, code)
      expectGeneral(await server.expect(404, "GET", codeOf(pair)), 404)
    }
  },
  {
    name: "run-magic-link",
    section: "What the service does",
    promise: "A run opens the sign-in link that is mailed to its credential, and asks no person",
    needs: ["mail", "runs"],
    run: async (server) => {
      const pair = await Executed.user(server, { tfa_method: "MAGIC_LINK" })
      const address = await addressOf(server, pair)
      const id = await server.workflow(Executed.signingInByLink(server))
      const session = await Executed.begun(server, id, pair.permissioned_user_id)
      await server.stream(`/run/${session}/events`, Executed.untilAt("TFA"))
      const text = `Open this link to sign in: ${server.receiver?.url}${linked}`
      await server.mailer?.send({ to: address, subject: "Your sign-in link", text })
      const kinds = (await Executed.expectSuccess(server, session)).map(Executed.kindOf)
      expect(!kinds.includes("interaction.waiting"), "no event interaction.waiting", kinds)
    }
  },
  {
    name: "tfa-code-fresh",
    section: "Errors",
    promise: "A mailed code that is older than the freshness window is 404",
    needs: ["mail", "clock"],
    run: async (server) => {
      const { address, pair } = await mailed(server)
      const code = Executed.newCode()
      await send(server, address, code)
      await expectCode(server, pair, code)
      // The length of the freshness window is not part of the interface. No server shows a code for a day.
      await moveTo(server, server.now() + 86_400_000)
      expectGeneral(await server.expect(404, "GET", codeOf(pair)), 404)
    }
  }
]
