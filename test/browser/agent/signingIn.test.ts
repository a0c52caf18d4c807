/** Sign-in by HTTP authentication and by passkeys, in a real browser. */
import { createHash, createPublicKey, verify } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Failure, Outcome } from "../../../core/agent/Outcome.ts"
import type { LoginCodes } from "../../../core/vault/otp/LoginCodes.ts"
import type { Passkey } from "../../../core/vault/passkey/Passkey.ts"
import { account } from "../../support/accounts.ts"
import { graphOf, type Step, walk } from "../../support/browser.ts"
import { entryOf } from "../../support/entries.ts"
import { chromiumPath, executablePath, inBrowser } from "../../support/realBrowser.ts"
import { type Answer, html, serve } from "../../support/site.ts"

const md5 = (text: string): string => createHash("md5").update(text).digest("hex")

/** The one user of the site. */
const [userName, password] = ["ada", "correct horse"]

const basic = `Basic ${Buffer.from(`${userName}:${password}`).toString("base64")}`

/** Whether a digest is that of the user for this request. */
const isDigest = (authorization: string, method: string): boolean => {
  const field = (name: string) => new RegExp(`\\b${name}="?([^",]+)`).exec(authorization)?.[1] ?? ""
  const secret = md5(`${userName}:members:${password}`)
  const proof = [field("nonce"), field("nc"), field("cnonce"), "auth", md5(`${method}:${field("uri")}`)].join(":")
  return authorization.startsWith("Digest ") && field("response") === md5(`${secret}:${proof}`)
}

/** A page for members, and the authorizations that were sent for it. */
const members =
  (challenge: string, seen: Array<string>, isRight: (authorization: string, method: string) => boolean): Answer =>
  (request, response) => {
    const { authorization = "" } = request.headers
    if (authorization !== "") seen.push(authorization)
    if (isRight(authorization, request.method ?? "")) return html("<h1>Members</h1>")(request, response)
    response
      .writeHead(401, { "www-authenticate": challenge, "content-type": "text/html" })
      .end("<p>Only for members.</p>")
  }

const read: Step = {
  action: "EXTRACT_DATAMODEL",
  parameters: {
    selector: "//h1",
    wait_time: 300,
    extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } }
  }
}

const failureOf = (outcome: Outcome): Failure => {
  if (outcome._tag === "Failed") return outcome.failure
  throw new Error(`Expected a failure, got ${JSON.stringify(outcome.data)}`)
}

describe("HTTP authentication", () => {
  const sent: Array<string> = []
  const site = serve({
    "/": html('<a href="/basic">Members</a>'),
    "/basic": members('Basic realm="members"', sent, (authorization) => authorization === basic),
    "/digest": members('Digest realm="members", nonce="n1", qop="auth"', sent, isDigest)
  })

  const visit = (origin: string, path: string, steps: ReadonlyArray<Step>, given = password) =>
    walk(
      graphOf(
        `${origin.replace("127.0.0.1", path.startsWith("//") ? "localhost" : "127.0.0.1")}${path.replace(/^\/\//, "/")}`,
        steps
      ),
      { CLUB: "robot" },
      { accounts: [account("CLUB", { userName, password: given }, entryOf({}, { domain: origin }))] }
    )

  it.live(
    "is answered from the vault, for the credential's own site alone, and a refusal is quoted where it is shown",
    () =>
      Effect.gen(function* () {
        const origin = yield* site
        for (const path of ["/basic", "/digest"]) {
          assert.deepEqual((yield* visit(origin, path, [read])).outcome, {
            _tag: "Success",
            data: { title: "Members" }
          })
        }
        const click: Step = { action: "CLICK", parameters: { selector: "//a" } }
        const clicked = yield* visit(origin, "/", [click, read])
        assert.deepEqual(clicked.outcome, { _tag: "Success", data: { title: "Members" } })

        sent.splice(0)
        const wrong = failureOf((yield* visit(origin, "/basic", [read], "wrong pass")).outcome)
        assert.deepInclude(wrong, { code: "LOGIN-E0001", category: "AUTHENTICATION_ERROR", failedLogin: "CLUB" })
        assert.include(wrong.message, "the site refused the name and the password of the credential CLUB")
        // Chromium itself shows a page of its own in place of what the site said.
        const isShell = executablePath !== chromiumPath
        assert.strictEqual(wrong.message.includes('saying "Only for members."'), isShell)
        assert.strictEqual(sent.length, 1)

        sent.splice(0)
        const foreign = failureOf((yield* visit(origin, "//basic", [read])).outcome)
        assert.strictEqual(foreign.code, "NAVIGATION-E0001")
        assert.deepStrictEqual(sent, [])
      }).pipe(inBrowser, Effect.scoped)
  )
})

/** Registers a passkey, and signs in with it: the server checks the signature and the sign count. */
const club = `<h1>Sign in</h1><button id="register">Register</button><button id="signin">Sign in</button>
  <button id="other">Other</button><script>
  const bytes = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  const say = (text) => { document.querySelector("h1").textContent = text }
  const challenge = new TextEncoder().encode("challenge")
  const send = async (path, body) => say(await (await fetch(path, { method: "POST", body: JSON.stringify(body) })).text())
  register.onclick = async () => {
    const made = await navigator.credentials.create({ publicKey: { challenge, rp: { id: location.hostname, name: "Club" },
      user: { id: new Uint8Array([1, 2]), name: "ada", displayName: "Ada" }, pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      authenticatorSelection: { residentKey: "required" } } })
    await send("/registered", { key: bytes(made.response.getPublicKey()) })
  }
  const signIn = async (rpId) => {
    try {
      const { response } = await navigator.credentials.get({ publicKey: { challenge, rpId, timeout: 1_000 } })
      await send("/signed", { data: bytes(response.authenticatorData), client: bytes(response.clientDataJSON), signature: bytes(response.signature) })
    } catch (error) { say(error.name) }
  }
  signin.onclick = () => signIn(location.hostname)
  other.onclick = () => setTimeout(() => say("Nothing happens"), 10)
</script>`

const bodyOf = async (request: AsyncIterable<unknown>): Promise<Readonly<Record<string, string>>> => {
  let text = ""
  for await (const piece of request) text += String(piece)
  return JSON.parse(text)
}

/** The vault, with at most one passkey. */
const vaultOf = (): LoginCodes["Service"] & { held: Passkey | null } => {
  let count = 0
  const vault = {
    held: null as Passkey | null,
    passkey: () => Effect.sync(() => (vault.held === null ? null : { ...vault.held, signCount: count++ })),
    keepPasskey: (_entry: unknown, passkey: Passkey) =>
      Effect.sync(() => {
        vault.held = passkey
        count = passkey.signCount
      }),
    generated: () => Effect.succeed(Option.none()),
    addressOf: () => Effect.succeed(null),
    received: () => Effect.succeed(Option.none())
  }
  return vault
}

describe("passkeys", () => {
  it.live("are registered into the vault, sign in from there, in frames too, and end clearly elsewhere", () =>
    Effect.gen(function* () {
      let key = ""
      const counts: Array<number> = []
      const origin = (yield* serve({
        "/": html(club),
        "/closed": (request, response) =>
          html(`<iframe src="http://club.localhost:${request.socket.localPort}/"></iframe>`)(request, response),
        "/framing": (request, response) =>
          html(
            `<iframe src="http://club.localhost:${request.socket.localPort}/" allow="publickey-credentials-create *; publickey-credentials-get *"></iframe>`
          )(request, response),
        "/registered": (request, response) =>
          void bodyOf(request).then((body) => {
            key = body.key ?? ""
            response.end("Registered")
          }),
        "/signed": (request, response) =>
          void bodyOf(request).then(({ client = "", data = "", signature = "" }) => {
            const [authenticatorData, clientData] = [Buffer.from(data, "base64"), Buffer.from(client, "base64")]
            const signed = Buffer.concat([authenticatorData, createHash("sha256").update(clientData).digest()])
            const publicKey = createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" })
            counts.push(authenticatorData.readUInt32BE(33))
            response.end(verify("sha256", signed, publicKey, Buffer.from(signature, "base64")) ? "Members" : "Refused")
          })
      })).replace("127.0.0.1", "localhost")
      const vault = vaultOf()
      const visit = (selector: string, more: object = {}, at = origin) =>
        walk(
          graphOf(`${at}/`, [
            {
              action: "TFA",
              parameters: { tfa_type: "PASSKEY", credential: "CLUB", selector, wait_time: 3_000, ...more }
            },
            {
              ...read,
              parameters: { ...read.parameters, selector: "//h1[.='Members' or .='Registered']", wait_time: 3_000 }
            }
          ]),
          { CLUB: "robot" },
          { accounts: [account("CLUB", {}, entryOf({}, { domain: at }))], codes: vault }
        )
      const none = failureOf((yield* visit("css=#signin")).outcome)
      assert.strictEqual(none.code, "TFA-E0003")
      assert.include(none.message, "the credential CLUB has no passkey")

      const registered = yield* visit("css=#register", { register: true })
      assert.deepEqual(registered.outcome, { _tag: "Success", data: { title: "Registered" } })
      assert.deepInclude(vault.held, { rpId: "localhost", userHandle: "AQI=" })
      for (const _ of ["first", "second"]) {
        assert.deepEqual((yield* visit("css=#signin")).outcome, { _tag: "Success", data: { title: "Members" } })
      }
      assert.isAbove(counts[1] ?? 0, counts[0] ?? 0)

      const silent = failureOf((yield* visit("css=#other", { wait_time: 2_000 })).outcome)
      assert.deepInclude(silent, { code: "TFA-E0001", failedLogin: "CLUB" })
      assert.include(silent.message, "the page did not ask for the passkey of localhost within 2000 ms")

      const elsewhere = failureOf((yield* visit("css=#signin", {}, origin.replace("localhost", "127.0.0.1"))).outcome)
      assert.strictEqual(elsewhere.code, "TFA-E0003")
      assert.include(elsewhere.message, "the passkey is for localhost, and this is 127.0.0.1")
      assert.strictEqual(counts.length, 2)

      // A frame of another site, which the page allows to use passkeys.
      const framed = (selector: string, more: object = {}, path = "/framing") => {
        const parameters = { tfa_type: "PASSKEY", credential: "CLUB", selector, wait_time: 3_000, ...more }
        const entry = entryOf({}, { domain: origin.replace("localhost", "club.localhost") })
        return walk(
          graphOf(`${origin}${path}`, [{ action: "TFA", parameters }]),
          { CLUB: "robot" },
          { accounts: [account("CLUB", {}, entry)], codes: vault }
        )
      }
      vault.held = null
      assert.strictEqual((yield* framed("css=#register", { register: true })).outcome._tag, "Success")
      const held: Passkey = yield* Effect.fromNullishOr(vault.held)
      assert.strictEqual(held.rpId, "club.localhost")
      assert.strictEqual((yield* framed("css=#signin")).outcome._tag, "Success")
      const closed = failureOf((yield* framed("css=#signin", { wait_time: 2_000 }, "/closed")).outcome)
      assert.strictEqual(closed.code, "TFA-E0001")
      assert.include(closed.message, "the page did not ask for the passkey of club.localhost within 2000 ms")
      vault.held = { ...held, rpId: "other.example" }
      const foreign = failureOf((yield* framed("css=#signin")).outcome)
      assert.strictEqual(foreign.code, "TFA-E0003")
      assert.include(foreign.message, "the passkey is for other.example, and this is club.localhost")
    }).pipe(inBrowser, Effect.scoped)
  )
})
