/**
 * The functions that can be run beside a page, by name. Arguments and answers are plain data.
 */

import { bind, changed, unbind } from "./act/Binding.ts"
import { heldAfterChange } from "./act/ChangedLists.ts"
import { chosenAt, keepChosen, type WantedChoice, watchChoice } from "./act/Chosen.ts"
import { editorText, heldBy, keepBody, selectPlain, typed } from "./act/Editors.ts"
import { dropOffered, filesOf, offerFile } from "./act/FileDrop.ts"
import { beforeUse, editorNow } from "./act/Fills.ts"
import { copy, keepFocus, pasteHtmlInto, pasteInto } from "./act/Focus.ts"
import { boxOf, keepAt, keepFrameAt, placeOfArea, placeWithin, windowSize } from "./act/Places.ts"
import {
  intoSight,
  intoView,
  keepScrollerInMiddle,
  keepScrollerOf,
  measure,
  moveBy,
  placeOfWindow,
  scrollWindowTo,
  turn,
  turnIn
} from "./act/Scrolling.ts"
import { isSpread, takeBack } from "./act/Strays.ts"
import { selectStretch, stretchOf } from "./act/Stretch.ts"
import {
  checkedOf,
  holdTyped,
  isExpanded,
  keepOpenLists,
  nativeOptions,
  nativeOptionsOf,
  scrollBack,
  scrollOn,
  shownChoice,
  shownOptions,
  widgetOf
} from "./act/Widgets.ts"
import { isVisible } from "./dom/Visible.ts"
import { keep } from "./find/Kept.ts"
import { install } from "./find/ModernXPath.ts"
import { pathOf } from "./find/Paths.ts"
import { counted } from "./find/XPath.ts"
import { appearanceOf } from "./look/Appearance.ts"
import { changes } from "./look/Changes.ts"
import { codeField, fields } from "./look/Complaints.ts"
import { cover, texts, uncover } from "./look/Covers.ts"
import { factsOf } from "./look/Facts.ts"
import { originOf, wayTo } from "./look/Frames.ts"
import { outline } from "./look/Outline.ts"
import { inOverlay } from "./look/Overlays.ts"
import { stateOf, states } from "./look/States.ts"
import { frame } from "./look/Stirring.ts"
import { candidates, seen, survey } from "./look/Survey.ts"
import { targets } from "./look/Targets.ts"
import { differentTexts, extract, textOf } from "./read/Extract.ts"
import { readable } from "./read/Readable.ts"
import { keepScrolled, rowTops, scrollBackToStart } from "./read/RowTops.ts"
import { sanitizedHtml } from "./read/Sanitized.ts"
import { serialized } from "./read/Serialized.ts"
import { storageOf } from "./read/Storage.ts"
import { wholeHtml } from "./read/Whole.ts"

/** Functions of an argument, and of the one element that they are run on: the root of the document where none is named. */
export const functions = {
  answers: () => true,
  beforeUse,
  bind,
  candidates,
  changed,
  changes: () => changes(),
  checkedOf,
  chosenAt,
  copy,
  counted,
  cover,
  describe: (_arg: null, element: Element) => appearanceOf(element),
  dropOffered: (how: "drop" | "paste") => dropOffered(how),
  editorNow,
  editorText,
  extract,
  facts: (_arg: null, element: Element) => factsOf(element),
  fields,
  filesOf,
  frame: () => frame(),
  heldBy,
  holdTyped,
  inOverlay,
  install,
  intoSight,
  intoView,
  isExpanded,
  isSpread,
  isVisible: (_arg: null, element: Element) => isVisible(element),
  boxOf,
  keep: (name: string, element: Element) => keep(name, element),
  keepAt,
  keepBody,
  heldAfterChange: (_arg: null, element: Element) => heldAfterChange(element),
  keepChosen,
  keepFocus,
  keepFrameAt,
  keepOpenLists,
  keepScrolled: () => keepScrolled(),
  keepScrollerInMiddle,
  keepScrollerOf,
  leave: (visit: number) => keep("left", visit),
  measure,
  moveBy,
  nativeOptions,
  nativeOptionsOf,
  offerFile,
  origin: () => self.origin,
  originOf,
  outline,
  pasteHtmlInto,
  pasteInto,
  pathOf,
  placeOfArea,
  placeOfWindow,
  placeWithin,
  rowTops,
  sanitizedHtml,
  scrollBack,
  scrollBackToStart: () => scrollBackToStart(),
  scrollOn,
  scrollWindowTo,
  seen,
  selectPlain,
  selectStretch: () => selectStretch(),
  serialized,
  shownChoice,
  shownOptions,
  /** What a list shows before an option of it is clicked, which is watched for from then on. */
  choosing: (wanted: WantedChoice) => {
    watchChoice(wanted)
    return shownChoice(wanted.index)
  },
  states,
  storageOf,
  stretchOf,
  survey,
  takeBack,
  targets,
  textOf: (_arg: null, element: Element) => textOf(element),
  texts,
  turn,
  turnIn,
  typed,
  unbind: () => unbind(),
  uncover,
  userAgent: () => navigator.userAgent,
  wayTo,
  wholeHtml,
  widgetOf,
  windowSize
}

/** Functions of all elements that were gathered, and of an argument. */
export const functionsOfAll = {
  codeField,
  differentTexts: (elements: ReadonlyArray<Element>, _arg: null) => differentTexts(elements),
  readable,
  stateOf: (elements: ReadonlyArray<Element>, _arg: null) => stateOf(elements)
}
