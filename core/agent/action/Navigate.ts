import { Effect } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import { redactUrl } from "../../browser/Exchange.ts"
import { ofPage, StepFailed } from "../Failure.ts"
import * as HttpSignIn from "../login/HttpSignIn.ts"
import { type Action, next } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"

/** Loads an address, resolved against that of the page. `back` goes back in the history. */
export const navigate: Action<"NAVIGATE" | "START", "elements" | "navigation"> = Effect.fnUntraced(function* (
  node,
  { memory, page }
) {
  const url = yield* Memory.evaluateText(node.parameters.url, memory, page, "guarded")
  if (node.action === "NAVIGATE" && url === "back") {
    yield* page.navigation.back.pipe(Effect.mapError((failure) => ofPage("go back", failure)))
    return next
  }
  const address = yield* resolve(url, page)
  const shown = redactUrl(memory.credentials.secrets.hide(address))
  const guard = yield* SecretUse.guard([node.parameters.url], [address], memory)
  const foreign = SecretUse.objection(guard, node.parameters.url, address, yield* page.navigation.address)
  if (foreign !== null) return yield* SecretUse.refused(`open ${shown}`, foreign)
  yield* HttpSignIn.goto(address, `open ${shown}`, { memory, page })
  return next
})

/** An absolute address, resolved against that of the page. */
export const resolve = Effect.fnUntraced(function* (url: string, page: SessionParts<"navigation">) {
  const base = yield* page.navigation.address
  if (URL.parse(url) !== null) return url
  if (URL.parse(url, base) !== null) return new URL(url, base).href
  return yield* new StepFailed({
    code: "NAVIGATION-E0001",
    sentence: `Cannot open "${url}": it is not an address such as https://example.com/login`,
    original: null
  })
})
