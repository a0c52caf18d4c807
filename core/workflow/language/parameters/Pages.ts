/** The parameters of the actions on a whole page, such as navigation, scrolling and screenshots. */
import { Schema } from "effect"
import * as Executions from "./Executions.ts"
import { end_here_on_dry_run, execution, filled, flag, not_repeatable, optionalText, wait_time } from "./Fields.ts"
import { modifier_keys } from "./PointerParameters.ts"

const among = <const A extends ReadonlyArray<string>>(names: A) =>
  Schema.optionalKey(Schema.NullOr(Schema.Literals(names)))

const whole = (minimum: number, maximum: number) =>
  Schema.optionalKey(Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum, maximum }))))

const isGiven = (text: string | null | undefined): boolean => (text ?? "").trim() !== ""

/** Maximum number of turns of the wheel, or of scrolls of a page, in one node. */
const maxScrolls = 1_000

/** The index of a tab, counted from 0. Fewer tabs than this are ever open. */
const tab_index = whole(0, 999)

/** Default time limit of a download, in seconds. */
export const defaultDownloadSeconds = 60

interface Described {
  readonly target_description?: string | null
  readonly container_description?: string | null
  readonly container_xpath?: string | null
}

/** A missing description for a model. A container may instead be given by its XPath. */
const missingDescription = (mode: string, goal: string | null | undefined, given: Described) => {
  if (mode === "region" && !isGiven(given.container_description) && !isGiven(given.container_xpath)) {
    const issue = "Expected a description of the container, as execution is LLM_VISION and scroll_mode is region"
    return { path: ["container_description"], issue }
  }
  if ((mode === "to-element" || goal === "find-element") && !isGiven(given.target_description)) {
    return {
      path: ["target_description"],
      issue: "Expected a description of the element to scroll to, as execution is LLM_VISION"
    }
  }
  return undefined
}

export const pages = {
  START: Schema.Struct({
    url: filled,
    video_record_session: flag,
    store_downloaded_files: flag,
    input_variables: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
    popup_xpaths: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String).check(Schema.isMaxLength(1_000)))),
    extract_network_urls: Schema.optionalKey(
      Schema.NullOr(Schema.Array(Schema.String).check(Schema.isMaxLength(1_000)))
    )
  }),
  NAVIGATE: Schema.Struct({ url: filled, end_here_on_dry_run, not_repeatable }),
  SCREENSHOT: Schema.Struct({
    metadata: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
    full_page: flag,
    selector: optionalText,
    margin: whole(0, 2_000),
    max_scrolls: whole(0, 100),
    wait_after_scroll: whole(0, 60_000),
    wait_time
  }),
  SCROLL: Schema.Struct({
    ...Executions.ofPlace,
    scroll_mode: among(["simple", "to-element", "region", "wheel"]),
    direction: among(["up", "down", "left", "right"]),
    scroll_down: flag,
    load_events_triggered_through_scroll: whole(0, maxScrolls),
    xpath: optionalText,
    position: among(["start", "center", "end"]),
    container_xpath: optionalText,
    goal: among(["find-element", "full-container"]),
    scroll_behavior: among(["find-element", "full-container"]),
    modifier_keys,
    wait_time
  }).check(
    Schema.makeFilter((given) => {
      const mode = given.scroll_mode ?? "simple"
      const goal = given.goal ?? given.scroll_behavior
      if (mode === "wheel" && !isGiven(given.xpath)) {
        const issue = "Expected the XPath of the element to turn the wheel over, as scroll_mode is wheel"
        return { path: ["xpath"], issue }
      }
      if (mode !== "wheel" && (given.modifier_keys?.length ?? 0) > 0) {
        return { path: ["modifier_keys"], issue: "Expected no modifier_keys, unless scroll_mode is wheel" }
      }
      if (given.execution === "LLM_VISION" && mode !== "simple" && mode !== "wheel")
        return missingDescription(mode, goal, given)
      if (mode === "to-element" && !isGiven(given.xpath)) {
        return {
          path: ["xpath"],
          issue: "Expected the XPath of the element to scroll to, as scroll_mode is to-element"
        }
      }
      if (mode === "region" && !isGiven(given.container_xpath)) {
        return { path: ["container_xpath"], issue: "Expected the XPath of the container, as scroll_mode is region" }
      }
      if (mode === "region" && goal === "find-element" && !isGiven(given.xpath)) {
        return { path: ["xpath"], issue: "Expected the XPath of the element to find, as goal is find-element" }
      }
      return undefined
    })
  ),
  TAB_MANAGEMENT: Schema.Struct({
    tabAction: Schema.Literals(["OPEN", "CLOSE", "SWITCH"]),
    url: optionalText,
    tab_index,
    wait_time,
    not_repeatable
  }).check(
    Schema.makeFilter((given) =>
      given.tabAction === "SWITCH" && typeof given.tab_index !== "number"
        ? { path: ["tab_index"], issue: "Expected the index of the tab to switch to, counted from 0" }
        : undefined
    )
  ),
  FILE_DOWNLOAD: Schema.Struct({
    metadata: Schema.optionalKey(Schema.NullOr(Schema.JsonObject)),
    selector: optionalText,
    trigger_print: flag,
    continue_on_failed_download: flag,
    timeout_seconds: Schema.optionalKey(
      Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 5, maximum: 300 })))
    ),
    error_message: optionalText
  }),
  FILE_UPLOAD: Schema.Struct({
    signed_file_url: filled,
    file_name: optionalText,
    selector: optionalText,
    drop: flag,
    paste: flag,
    taken_selector: optionalText,
    execution,
    wait_time,
    end_here_on_dry_run,
    not_repeatable,
    selector_error_message: optionalText
  }).check(
    Schema.makeFilter(({ drop, paste, selector }) => {
      if (drop === true && paste === true) return { path: ["paste"], issue: "Expected either drop or paste, not both" }
      if (isGiven(selector) || (drop !== true && paste !== true)) return undefined
      const issue =
        drop === true
          ? "Expected the selector of the element to drop the file on, as drop is true"
          : "Expected the selector of the element to paste the file into, as paste is true"
      return { path: ["selector"], issue }
    })
  )
} as const
