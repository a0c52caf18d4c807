import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { errors } from "playwright-core"
import { attempting, Refused } from "../../../adapters/playwright/page/Attempt.ts"
import { ofPage } from "../../../core/agent/Failure.ts"
import {
  isNavigation,
  NavigationCause,
  ofStatus,
  PageFailure,
  PageFailureKind
} from "../../../core/browser/PageFailure.ts"

/** How an attempt without a selector fails on an error of the browser. */
const failureOf = (error: unknown, isGone = false) =>
  Effect.flip(attempting(() => isGone)(null, () => Promise.reject(error)))

const at = "at https://shop.example/orders"

it.effect.each([
  [`page.goto: net::ERR_CONNECTION_REFUSED ${at}`, "unreachable", "NAVIGATION-E0003"],
  [`page.goto: net::ERR_EMPTY_RESPONSE ${at}`, "unreachable", "NAVIGATION-E0003"],
  [`page.goto: net::ERR_TUNNEL_CONNECTION_FAILED ${at}`, "unreachable", "NAVIGATION-E0003"],
  [`page.goBack: net::ERR_INTERNET_DISCONNECTED ${at}`, "unreachable", "NAVIGATION-E0003"],
  [`page.goto: net::ERR_NAME_NOT_RESOLVED ${at}`, "unresolved", "NAVIGATION-E0001"],
  [`page.goto: net::ERR_CERT_AUTHORITY_INVALID ${at}`, "untrusted", "NAVIGATION-E0001"],
  [`page.goto: net::ERR_SSL_PROTOCOL_ERROR ${at}`, "untrusted", "NAVIGATION-E0001"],
  [`page.goto: net::ERR_INVALID_AUTH_CREDENTIALS ${at}`, "auth", "NAVIGATION-E0001"],
  [`page.goto: net::ERR_ABORTED ${at}`, "aborted", "NAVIGATION-E0001"],
  [`page.goto: net::ERR_TOO_MANY_REDIRECTS ${at}`, "unloadable", "NAVIGATION-E0001"],
  ["page.goto: net::ERR_FAILED at https://shop.example/?q=ERR_CONNECTION_REFUSED", "unloadable", "NAVIGATION-E0001"],
  ["page.goto: net::ERR_CONNECTION_RESET at https://shop.example/crashed-cars", "unreachable", "NAVIGATION-E0003"],
  [`page.goto: Navigation to "${at}" is interrupted by another navigation`, "replaced", "NAVIGATION-E0001"],
  ["page.evaluate: Execution context was destroyed, most likely by a navigation", "replaced", "NAVIGATION-E0001"],
  ["page.goto: Page crashed", "crash", "BROWSER-E0001"],
  ["page.goto: Navigation failed because page crashed!", "crash", "BROWSER-E0001"],
  ["keyboard.press: Unknown key: Entre", "unloadable", "NAVIGATION-E0001"]
] as const)("the browser's %s is the cause %s, with the code %s", ([said, kind, code]) =>
  Effect.gen(function* () {
    const failure = yield* failureOf(new Error(said))
    assert.strictEqual(failure.kind, kind)
    assert.strictEqual(ofPage("open it", failure).code, code)
  })
)

it.effect("a load that takes too long is a timeout, with the time that it was given", () =>
  Effect.gen(function* () {
    const failure = yield* failureOf(new errors.TimeoutError("page.goto: Timeout 300ms exceeded."))
    assert.deepInclude({ ...failure }, { kind: "timeout", reason: "it did not load within 300 ms" })
    assert.strictEqual(ofPage("open it", failure).code, "NAVIGATION-E0004")
  })
)

it.effect("a page that is gone is a crash, whatever the error says", () =>
  Effect.gen(function* () {
    const failure = yield* failureOf(new Error(`page.goto: net::ERR_ABORTED ${at}`), true)
    assert.strictEqual(failure.kind, "crash")
  })
)

it.effect("a refusal keeps its kind, whatever words its reason has", () =>
  Effect.gen(function* () {
    const reason = 'no option has this value or text; there are "crashed", "has been closed"'
    assert.strictEqual((yield* failureOf(new Refused("option", reason))).kind, "option")
    assert.strictEqual((yield* failureOf(ofStatus(503))).kind, "unavailable")
  })
)

it.each([
  [404, "rejected", "NAVIGATION-E0001"],
  [403, "rejected", "NAVIGATION-E0001"],
  [429, "unavailable", "NAVIGATION-E0003"],
  [500, "unavailable", "NAVIGATION-E0003"],
  [599, "unavailable", "NAVIGATION-E0003"]
] as const)("a server that answers with status %d: %s, with the code %s", (status, kind, code) => {
  const failure = ofStatus(status)
  assert.deepInclude({ ...failure }, { kind, status, reason: `the server answered with status ${status}` })
  assert.strictEqual(ofPage("open it", failure).code, code)
})

it("the words of a failure decide nothing: each kind has one code, whatever its reason says", () => {
  const reasons = [
    "",
    "it did not load within 300 ms",
    "net::ERR_CONNECTION_REFUSED",
    "the server answered with status 503"
  ]
  for (const kind of PageFailureKind.literals) {
    const codes = reasons.map((reason) => ofPage("do it", new PageFailure({ kind, reason })).code)
    assert.strictEqual(new Set(codes).size, 1, kind)
    assert.strictEqual(isNavigation({ kind }), codes[0]?.startsWith("NAVIGATION-") && kind !== "forbidden", kind)
  }
  assert.strictEqual(NavigationCause.literals.length, 10)
})
