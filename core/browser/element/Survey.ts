/**
 * The state of a page at one moment that may explain why a step failed.
 */

/** A button of an overlay, and a selector that matches only that button. */
export interface Button {
  readonly label: string
  readonly selector: string
}

/** An overlay of a page: a dialog, a banner, a notice. */
export interface Overlay {
  /** Distinguishes it from others on the page: its tag, id, role and the beginning of its text. */
  readonly signature: string
  readonly text: string
  /** Whether its tag or its role declares it a dialog. */
  readonly isDialog: boolean
  /** Whether it requires a decision first: the role `alertdialog`. */
  readonly isAlert: boolean
  /** Whether it covers the element of the step. */
  readonly coversTarget: boolean
  /** Whether it covers most of the page. */
  readonly coversPage: boolean
  /** Whether a field that the run filled in, or an element that it used, is in it: it belongs to the workflow. */
  readonly isOwn?: boolean
  readonly buttons: ReadonlyArray<Button>
  /** Whether a frame in it has shown nothing yet, or did not answer in time: it may have buttons. */
  readonly isUnread?: boolean
}

/** A complaint about a field that the run filled in. */
export interface FieldState {
  /** Whether exactly one element matches, and can be seen. */
  readonly shown: boolean
  /** The complaint; empty where there is none. */
  readonly complaint: string
}

export interface Survey {
  readonly address: string
  readonly title: string
  /** The beginning of the visible text of the page. */
  readonly text: string
  /** The status that the server answered the document with; `null` where it is not known. */
  readonly status: number | null
  /** Whether the document, or something that it needs, is still being loaded. */
  readonly loading: boolean
  /** Requests in progress. */
  readonly requests: number
  /** Whether it shows that it is busy: by `aria-busy`, a spinner or a progress bar. */
  readonly busy: boolean
  /** How many elements match the selector of the step. */
  readonly matched: number
  readonly overlays: ReadonlyArray<Overlay>
  /** The complaints about the fields that were asked for, in their order. */
  readonly fields: ReadonlyArray<FieldState>
  /** Errors that are not attached to a field. */
  readonly alerts: ReadonlyArray<string>
  /** Password fields that can be seen, with what they are called: their name, id, label and purpose. */
  readonly passwords: ReadonlyArray<string>
  readonly captcha: boolean
}

/** The target of the survey: the element of the step, and the fields that the run filled in. */
export interface SurveyTarget {
  readonly target: string | null
  readonly fields: ReadonlyArray<string>
}

export const empty: Survey = {
  address: "",
  title: "",
  text: "",
  status: null,
  loading: false,
  requests: 0,
  busy: false,
  matched: 0,
  overlays: [],
  fields: [],
  alerts: [],
  passwords: [],
  captcha: false
}

/** Whether the page is still loading or busy. */
export const isUnsettled = ({ busy, loading, requests }: Survey): boolean => loading || busy || requests > 0

/** The obstacle of a step: an overlay over its element or, if the element is missing, a dialog that the page opened. */
export const inTheWay = ({ matched, overlays }: Survey): Overlay | null =>
  overlays.find(({ coversTarget }) => coversTarget) ??
  (matched === 0
    ? (overlays.find(({ coversPage, isDialog, isOwn }) => isOwn !== true && (isDialog || coversPage)) ?? null)
    : null)
