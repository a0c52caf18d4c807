/**
 * Which recoveries a workflow allows. With all of them off, an execution fails at the first failed step.
 */
import * as WorkflowSettings from "../../workflow/Settings.ts"
import type { Settings as SettingsOfWorkflow } from "../../workflow/Workflow.ts"

export interface RecoverySettings {
  /** Pop-ups in the way are dismissed; those of `popupXpaths` before each step. */
  readonly popups: boolean
  readonly popupXpaths: ReadonlyArray<string>
  /** A page that is still busy is waited for. */
  readonly timing: boolean
  /** Finds an element that its selector no longer matches by its appearance. */
  readonly selectors: boolean
  /** A page that its server does not serve is asked for again. */
  readonly unavailable: boolean
  /** A person may correct inputs that the page, or a step, cannot use. */
  readonly inputs: boolean
  /** Whether a person is asked to do what the site asks of the account. */
  readonly passwords: boolean
  readonly twoFactor: boolean
  /** Error codes are proposed for failures that the workflow has none for. */
  readonly errorCodes: boolean
  /** A run that passed the first node where a dry run would end is not tried again. */
  readonly markerCommits: boolean
}

export const none: RecoverySettings = {
  popups: false,
  popupXpaths: [],
  timing: false,
  selectors: false,
  unavailable: false,
  inputs: false,
  passwords: false,
  twoFactor: false,
  errorCodes: false,
  markerCommits: false
}

/** The recoveries that the settings of a workflow allow. */
export const of = (kept: SettingsOfWorkflow): RecoverySettings => {
  const settings = WorkflowSettings.complete(kept)
  return {
    popups: settings.enable_popup_handling,
    popupXpaths: settings.enable_popup_handling ? settings.popup_xpaths : [],
    timing: settings.enable_action_timing_recovery,
    selectors: settings.enable_xpath_recovery,
    unavailable: settings.enable_service_unavailable_recovery,
    inputs: settings.enable_incorrect_form_input_recovery,
    passwords: settings.enable_password_update_recovery,
    twoFactor: settings.enable_tfa_setup_recovery,
    errorCodes: settings.enable_error_code_generation,
    markerCommits: settings.deny_requeue_past_dry_run_marker
  }
}
