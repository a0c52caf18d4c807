import { Effect } from "effect"
import { redactUrl } from "../../browser/Exchange.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { ofPage } from "../Failure.ts"
import * as HttpSignIn from "../login/HttpSignIn.ts"
import { type Action, next } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import { resolve } from "./Navigate.ts"

/** Opens a tab with an address, closes a tab, or activates another. */
export const tabManagement: Action<"TAB_MANAGEMENT", "elements" | "navigation"> = Effect.fnUntraced(function* (
  { parameters },
  { memory, page }
) {
  const index = parameters.tab_index ?? null
  switch (parameters.tabAction) {
    case "OPEN": {
      const url = yield* Memory.evaluateText(parameters.url ?? "", memory, page, "guarded")
      const address = url.trim() === "" ? null : yield* resolve(url, page)
      const written = parameters.url ?? ""
      const guard = address === null ? undefined : yield* SecretUse.guard([written], [address], memory)
      const foreign = SecretUse.objection(guard, written, address ?? "", yield* page.navigation.address)
      if (foreign !== null) return yield* SecretUse.refused("open a tab", foreign)
      yield* page.navigation.openTab.pipe(Effect.mapError((failure) => ofPage("open a tab", failure)))
      if (address !== null) {
        const shown = redactUrl(memory.credentials.secrets.hide(address))
        yield* HttpSignIn.goto(address, `open ${shown} in a new tab`, { memory, page })
      }
      return next
    }
    case "CLOSE":
      yield* page.navigation
        .closeTab(index)
        .pipe(Effect.mapError((failure) => ofPage(index === null ? "close the tab" : `close tab ${index}`, failure)))
      return next
    case "SWITCH":
      yield* page.navigation
        .switchTab(index ?? 0, parameters.wait_time ?? defaultWaitMillis)
        .pipe(Effect.mapError((failure) => ofPage(`switch to tab ${index ?? 0}`, failure)))
      return next
  }
})
