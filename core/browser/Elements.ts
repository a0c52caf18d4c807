/**
 * Verbs on elements that selectors name. No other port takes a selector: code that redirects selectors, or observes
 * actions on elements, is complete when it implements this interface.
 *
 * A verb with an `ElementQuery` waits until exactly one element matches, and until that is visible, enabled and does not
 * move; it never waits a fixed time. A selector is an XPath, or `css=`, `role=` or `text=` and a selector of that kind.
 */
import { Effect, type Schema } from "effect"
import type { Appearance } from "./element/Appearance.ts"
import type { LocatedFacts } from "./element/ElementFacts.ts"
import type { ClickKind, ElementQuery } from "./element/ElementQuery.ts"
import type { ElementState } from "./element/ElementState.ts"
import type { ExtractionPlan } from "./element/Extraction.ts"
import type { InspectedField } from "./element/InspectedField.ts"
import type { Survey, SurveyTarget } from "./element/Survey.ts"
import type { LocalFile } from "./file/FileSource.ts"
import type { PageFailure } from "./PageFailure.ts"
import type { Aim, Drag } from "./vision/Dragging.ts"
import type { Gesture } from "./vision/Pointer.ts"
import type { Scroll } from "./vision/Scrolling.ts"
import type { Framing, Shot } from "./vision/Shot.ts"
import type { Readable } from "./vision/Sight.ts"
import type { Typing } from "./vision/Typing.ts"

export interface Elements {
  /** Waits until exactly one element matches, also a hidden one. */
  readonly find: (query: ElementQuery) => Effect.Effect<void, PageFailure>
  /** Clicks, or hovers. With a gesture, the pointer follows a human-like path. */
  readonly click: (
    query: ElementQuery,
    kind: ClickKind,
    gesture?: Gesture,
    aim?: Aim
  ) => Effect.Effect<void, PageFailure>
  /**
   * Clicks, and returns the text that the page then copies; waits for that as long as for the element. Key presses
   * paste it in this session. Fails with `acted` where the page copies nothing, or more than `maxCopied` characters.
   */
  readonly clickToCopy: (
    query: ElementQuery,
    kind: ClickKind,
    gesture?: Gesture,
    aim?: Aim
  ) => Effect.Effect<string, PageFailure>
  /**
   * Presses the left button on the element, moves the pointer, and releases the button. Elements that are `draggable` get
   * the events of HTML drag and drop. Fails with `acted` where the button was pressed; the button is released then too.
   */
  readonly drag: (query: ElementQuery, drag: Drag) => Effect.Effect<void, PageFailure>
  /** Types into an element, or where the focus is when there is no query. */
  readonly type: (query: ElementQuery | null, typing: Typing) => Effect.Effect<void, PageFailure>
  /**
   * Chooses the one option whose value or text is `value`; with `fuzzy`, the most similar option. `by` names the part that
   * counts. In a list that takes several, one value adds to what was chosen there before in this session, and a JSON list
   * of values replaces it.
   */
  readonly select: (
    query: ElementQuery,
    value: string,
    fuzzy: boolean,
    by?: "value" | "text"
  ) => Effect.Effect<void, PageFailure>
  /** Turns a box, a radio button or a switch on or off by a click, where it is not so yet. */
  readonly check: (query: ElementQuery, checked: boolean) => Effect.Effect<void, PageFailure>
  /**
   * Puts a file into the field for files that matches, hidden ones included, or into the file dialog that the page has
   * opened. The session keeps a copy of the file as long as it lasts.
   */
  readonly upload: (query: ElementQuery | null, file: LocalFile) => Effect.Effect<void, PageFailure>
  /** Drops a file on the one element that matches, or pastes it. Fails with `upload` where the page takes no file there. */
  readonly dropFile: (query: ElementQuery, file: LocalFile, how?: "drop" | "paste") => Effect.Effect<void, PageFailure>
  /** The text of the first match, waiting for one; `null` when there is none in time. An attribute has its value as text. */
  readonly read: (query: ElementQuery) => Effect.Effect<string | null, PageFailure>
  /**
   * The different texts of the first 100 matches, that of the first one first, waiting for one; none when there is none in
   * time. Where the first one can be seen, so can the others.
   */
  readonly readEach: (query: ElementQuery) => Effect.Effect<ReadonlyArray<string>, PageFailure>
  /**
   * Executes an extraction plan in one call to the page. A number or a truth value is there as the page has it: as such,
   * or as the `ShownText` that it is made of.
   */
  readonly extract: (plan: ExtractionPlan) => Effect.Effect<Schema.Json, PageFailure>
  /**
   * The HTML of the readable content of the elements that a selector matches, or of the whole page without a selector:
   * no scripts, styles or pictures, and only the attributes that describe an element; with `metadata`, all attributes but styles and
   * handlers. Values of password fields are left out.
   */
  readonly readable: (
    selector: string | null,
    options: { readonly metadata: boolean; readonly maxCharacters: number }
  ) => Effect.Effect<Readable, PageFailure>
  /** The current state of the fields that match. It waits for none. */
  readonly inspect: (selector: string) => Effect.Effect<InspectedField, PageFailure>
  /** The appearance of the one element that matches; waits for it. */
  readonly describe: (query: ElementQuery) => Effect.Effect<Appearance, PageFailure>
  /** What an act on the one element that matches would do; waits for it, and scrolls it into view. */
  readonly facts: (query: ElementQuery) => Effect.Effect<LocatedFacts, PageFailure>
  /**
   * Which of the selectors match something that can be seen, by position: in the document, or else in its shadow roots and
   * frames. One call to the page for all of them, and one to each frame for those that are not in the document itself.
   */
  readonly seen: (selectors: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>, PageFailure>
  /**
   * What each selector matches now, by position: in the document, or else in its shadow roots and frames. It waits for
   * nothing, and a selector that matches nothing has a state too. Fails with `selector` for one that cannot be read.
   */
  readonly states: (selectors: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ElementState>, PageFailure>
  /**
   * The current state of the page, with overlays in frames, and complaints about fields in shadow roots and frames. It
   * scrolls the wanted element into view, and changes nothing else. Fails where the page does not answer in
   * time.
   */
  readonly survey: (sought: SurveyTarget) => Effect.Effect<Survey, PageFailure>
  /**
   * Scrolls, within the given time. After each step it waits for the content that the page then loads. At the end of the
   * page it waits briefly for more content, and stops when none loads.
   */
  readonly scroll: (scroll: Scroll, waitMillis: number) => Effect.Effect<void, PageFailure>
  /**
   * Scrolls the page, or what a selector matches first, by most of what is seen of it. Returns whether anything moved.
   */
  readonly turn: (direction: "down" | "up", container: string | null) => Effect.Effect<boolean, PageFailure>
  /** A picture of an element, or of the page without a query. */
  readonly screenshot: (query: ElementQuery | null, framing: Framing) => Effect.Effect<Shot, PageFailure>
}

/** The same elements, with one selector redirected to another. Paths of data models are not redirected. */
export const redirected = (elements: Elements, from: string, to: string): Elements => {
  const named = <S extends string | null>(selector: S): S | string => (selector === from ? to : selector)
  const aimed = (query: ElementQuery): ElementQuery => ({ ...query, selector: named(query.selector) })
  const perhaps = (query: ElementQuery | null) => (query === null ? null : aimed(query))
  return {
    find: (query) => elements.find(aimed(query)),
    click: (query, kind, gesture, aim) => elements.click(aimed(query), kind, gesture, aim),
    clickToCopy: (query, kind, gesture, aim) => elements.clickToCopy(aimed(query), kind, gesture, aim),
    drag: (query, { to, ...drag }) =>
      elements.drag(aimed(query), { ...drag, to: to.kind === "element" ? { ...to, query: aimed(to.query) } : to }),
    type: (query, typing) => elements.type(perhaps(query), typing),
    select: (query, value, fuzzy, by) => elements.select(aimed(query), value, fuzzy, by),
    check: (query, checked) => elements.check(aimed(query), checked),
    upload: (query, file) => elements.upload(perhaps(query), file),
    dropFile: (query, file, how) => elements.dropFile(aimed(query), file, how),
    read: (query) => elements.read(aimed(query)),
    readEach: (query) => elements.readEach(aimed(query)),
    extract: elements.extract,
    readable: (selector, options) => elements.readable(named(selector), options),
    inspect: (selector) => elements.inspect(named(selector)),
    describe: (query) => elements.describe(aimed(query)),
    facts: (query) => elements.facts(aimed(query)),
    seen: (selectors) => elements.seen(selectors.map(named)),
    states: (selectors) => elements.states(selectors.map(named)),
    survey: ({ fields, target }) => elements.survey({ fields: fields.map(named), target: named(target) }),
    scroll: (scroll, waitMillis) => elements.scroll(scrolledTo(scroll, named), waitMillis),
    turn: (direction, container) => elements.turn(direction, named(container)),
    screenshot: (query, framing) => elements.screenshot(perhaps(query), framing)
  }
}

const scrolledTo = (scroll: Scroll, named: (selector: string) => string): Scroll => {
  switch (scroll.kind) {
    case "ticks":
      return scroll
    case "element":
      return { ...scroll, selector: named(scroll.selector) }
    case "find":
      return { ...scroll, container: named(scroll.container), selector: named(scroll.selector) }
    case "wheel":
      return { ...scroll, selector: named(scroll.selector) }
    case "end":
      return { ...scroll, container: named(scroll.container) }
  }
}

/**
 * The same elements, where `before` runs before each verb that acts on an element and may change the page. If it fails,
 * the verb fails. It does not run for verbs without a query, nor when a file is put into a field.
 */
export const tapped = (
  elements: Elements,
  before: (query: ElementQuery) => Effect.Effect<void, PageFailure>
): Elements => {
  const {
    extract,
    describe,
    facts,
    find,
    inspect,
    read,
    readEach,
    readable,
    screenshot,
    scroll,
    seen,
    states,
    survey,
    turn,
    upload
  } = elements
  return {
    click: (query, kind, gesture, aim) => Effect.andThen(before(query), elements.click(query, kind, gesture, aim)),
    clickToCopy: (query, kind, gesture, aim) =>
      Effect.andThen(before(query), elements.clickToCopy(query, kind, gesture, aim)),
    drag: (query, drag) => Effect.andThen(before(query), elements.drag(query, drag)),
    dropFile: (query, file, how) => Effect.andThen(before(query), elements.dropFile(query, file, how)),
    type: (query, typing) =>
      query === null ? elements.type(null, typing) : Effect.andThen(before(query), elements.type(query, typing)),
    select: (query, value, fuzzy, by) => Effect.andThen(before(query), elements.select(query, value, fuzzy, by)),
    check: (query, checked) => Effect.andThen(before(query), elements.check(query, checked)),
    ...{
      extract,
      describe,
      facts,
      find,
      inspect,
      read,
      readEach,
      readable,
      screenshot,
      scroll,
      seen,
      states,
      survey,
      turn,
      upload
    }
  }
}
