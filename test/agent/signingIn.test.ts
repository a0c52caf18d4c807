/** Sign-in by HTTP authentication and by passkeys, in a real browser. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Failure, Outcome } from "../../core/agent/Outcome.ts"
import { account } from "../support/accounts.ts"
import { graphOf, type Step, walk } from "../support/browser.ts"
import { entryOf } from "../support/entries.ts"
import { inBrowser } from "../support/realBrowser.ts"
import { type Answer, html, serve } from "../support/site.ts"

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

  it.live("is answered from the vault, for the credential's own site alone, and a refusal is quoted", () =>
    Effect.gen(function* () {
      const origin = yield* site
      for (const path of ["/basic", "/digest"]) {
        assert.deepEqual((yield* visit(origin, path, [read])).outcome, { _tag: "Success", data: { title: "Members" } })
      }
      const click: Step = { action: "CLICK", parameters: { selector: "//a" } }
      const clicked = yield* visit(origin, "/", [click, read])
      assert.deepEqual(clicked.outcome, { _tag: "Success", data: { title: "Members" } })

      sent.splice(0)
      const wrong = failureOf((yield* visit(origin, "/basic", [read], "wrong pass")).outcome)
      assert.deepInclude(wrong, { code: "LOGIN-E0001", category: "AUTHENTICATION_ERROR", failedLogin: "CLUB" })
      assert.include(wrong.message, 'saying "Only for members."')
      assert.strictEqual(sent.length, 1)

      sent.splice(0)
      const foreign = failureOf((yield* visit(origin, "//basic", [read])).outcome)
      assert.strictEqual(foreign.code, "NAVIGATION-E0001")
      assert.deepStrictEqual(sent, [])
    }).pipe(inBrowser, Effect.scoped)
  )
})
