/**
 * The parameters of the actions on an element of a page: clicking, typing, choosing, and filling in a one-time code.
 */
import { Schema } from "effect"
import * as SafePattern from "../expression/SafePattern.ts"
import * as Template from "../expression/Template.ts"
import { approval, unapprovable } from "./ApprovalParameters.ts"
import * as Executions from "./Executions.ts"
import { acting, end_here_on_dry_run, filled, flag, not_repeatable, optionalText, text, wait_time } from "./Fields.ts"
import { modifier_keys, position } from "./PointerParameters.ts"

/** A pattern of bounded cost for every text. */
const SafeRegex = text.check(Schema.makeFilter((source) => SafePattern.check(source) ?? undefined))

export const elements = {
  CLICK: Schema.Struct({
    ...acting,
    ...Executions.ofElement,
    selector: optionalText,
    click_type: Schema.optionalKey(
      Schema.NullOr(
        Schema.Literals([
          "click",
          "double_click",
          "triple_click",
          "right_click",
          "middle_click",
          "hover",
          "press",
          "release"
        ])
      )
    ),
    position,
    modifier_keys,
    copied_as: Schema.optionalKey(Schema.NullOr(filled)),
    checked: flag,
    approval,
    selector_error_message: optionalText
  }).check(
    Schema.makeFilter((given) => {
      const { checked, click_type, copied_as, execution, modifier_keys, position } = given
      const excluded = { execution: execution ?? "STATIC", click_type: click_type ?? "click" }
      if (typeof checked === "boolean" && (excluded.execution !== "STATIC" || excluded.click_type !== "click")) {
        return { path: ["checked"], issue: "Expected checked only with a selector and click_type click" }
      }
      if (typeof checked === "boolean" && (copied_as ?? null) !== null) {
        return { path: ["checked"], issue: "Expected no checked beside copied_as" }
      }
      if (copied_as !== undefined && copied_as !== null && (execution ?? "STATIC") !== "STATIC") {
        return { path: ["copied_as"], issue: `Expected no copied_as, as execution is ${execution}` }
      }
      if (Template.isTemplate(copied_as ?? "")) {
        return { path: ["copied_as"], issue: "Expected the name of a variable, not an expression" }
      }
      if (
        position !== undefined &&
        position !== null &&
        execution !== undefined &&
        execution !== null &&
        execution !== "STATIC"
      ) {
        return { path: ["position"], issue: `Expected no position, as execution is ${execution}` }
      }
      if (execution === "COMPUTER_USE" && (modifier_keys?.length ?? 0) > 0) {
        return { path: ["modifier_keys"], issue: "Expected no modifier_keys, as execution is COMPUTER_USE" }
      }
      return Executions.missingForElement(given) ?? unapprovable(given)
    })
  ),
  INPUT_TEXT: Schema.Struct({
    ...acting,
    ...Executions.ofElement,
    text,
    selector: optionalText,
    do_not_clear: flag,
    submit_after_input: flag,
    aggressive_clear: flag,
    omit_focus: flag,
    paste_via_clipboard: flag,
    paste_as_html: flag,
    typing_delay_ms: Schema.optionalKey(
      Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })))
    ),
    approval,
    selector_error_message: optionalText
  }).check(
    Schema.makeFilter((given) => {
      const wrong = unapprovable(given)
      if (wrong !== undefined) return wrong
      if (given.paste_as_html === true && given.paste_via_clipboard !== true) {
        return { path: ["paste_as_html"], issue: "Expected paste_via_clipboard: true beside it" }
      }
      if (given.omit_focus === true) return undefined
      const missing = Executions.missingForElement(given)
      return missing?.issue === "Expected a selector"
        ? { ...missing, issue: "Expected a selector, unless omit_focus is true" }
        : missing
    })
  ),
  INPUT_SELECT: Schema.Struct({
    ...acting,
    execution: Executions.ignored,
    prompt: optionalText,
    selector: filled,
    value: text,
    fuzzy_match: flag,
    match_by: Schema.optionalKey(Schema.NullOr(Schema.Literals(["value", "text"]))),
    approval,
    selector_error_message: optionalText
  }),
  TFA: Schema.Struct({
    tfa_type: Schema.Literals(["SMS", "EMAIL", "AUTHENTICATOR", "MAGIC_LINK", "PASSKEY"]),
    credential: filled,
    selector: optionalText,
    register: flag,
    ...Executions.ofField,
    link_regex_pattern: Schema.optionalKey(Schema.NullOr(SafeRegex)),
    wait_time,
    error_message: optionalText,
    selector_error_message: optionalText,
    end_here_on_dry_run,
    not_repeatable
  }).check(
    Schema.makeFilter(({ execution, register, selector, tfa_type }) => {
      if (register === true && tfa_type !== "PASSKEY") {
        return { path: ["register"], issue: "Expected register only with tfa_type PASSKEY" }
      }
      if (tfa_type === "MAGIC_LINK" || (selector ?? "") !== "") return undefined
      if (tfa_type === "PASSKEY") {
        return {
          path: ["selector"],
          issue: "Expected the selector of the element whose click requests the passkey"
        }
      }
      return Executions.isModelExecution(execution)
        ? undefined
        : {
            path: ["selector"],
            issue: "Expected the selector of the field for the code, unless tfa_type is MAGIC_LINK"
          }
    })
  )
} as const
