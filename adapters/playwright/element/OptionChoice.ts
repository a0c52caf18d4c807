/**
 * Chooses an option of a native or custom list: opens the list, searches it, also by filtering or scrolling, and
 * verifies that it shows the choice.
 */
import type { Frame, Locator, Page } from "playwright-core"
import * as Options from "../../../core/browser/element/Options.ts"
import type { Choice } from "../injected/act/Chosen.ts"
import type { NativeOptions } from "../injected/act/Widgets.ts"
import * as World from "../inpage/World.ts"
import { hasBegun, Refused } from "../page/Attempt.ts"
import type { Tab } from "../page/Tabs.ts"

export interface OptionRequest extends Pick<Options.Search, "fuzzy" | "by"> {
  readonly value: string
}

/** Maximum wait for further options after the last change of a list, in milliseconds. */
const settledMillis = 2_500

/** The same for native lists that already have options. */
const nativeSettledMillis = 500

/** Maximum time for a list to show the choice, in milliseconds. */
const shownMillis = 2_000

/** Maximum time for a click to open a list before keys are used, in milliseconds. */
const clickMillis = 3_000

/** The least time for a choice that can be made, in milliseconds: it includes what the page does with the choice. */
const handlersMillis = 5_000

const stepMillis = 50

/** Maximum number of scrolls through a list. */
const mostScreens = 200

/**
 * Chooses in the list that an element is or represents. Returns what can be read there again; `null` for a list that takes
 * several, and where the choice does not show. `lookAt` answers the options of the element, `null`
 * where that takes more than one look.
 */
export const choose = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  wanted: OptionRequest,
  timeout: number,
  lookAt: () => Promise<NativeOptions | null> = async () => null
): Promise<Chosen | null> => {
  const until = performance.now() + timeout
  // Most lists are native and have the option already: one read and one action.
  const seen = await lookAt()
  const indexes = seen?.plain === true ? indexesOf(tab.page, seen, wanted) : null
  if (seen !== null && indexes !== null) {
    await element.selectOption(indexes, { timeout: timeOf(seen, until) })
    noteChosen(tab.page, seen, indexes)
    const option = seen.options[indexes[0]?.index ?? -1]
    return seen.multiple || option === undefined ? null : { kind: "choice", text: option.value, name: null }
  }
  await element.waitFor({ state: "attached", timeout })
  const on = { root: element, waitMillis: left(until) }
  const { kind, native, trigger } = await World.run(tab, frame, "widgetOf", null, on)
  const call: PageCall = (act, arg) => World.run(tab, frame, act, arg)
  const name = `choice ${++count}`
  const list: List = { page: tab.page, call, part: (name) => World.kept(frame, name), name, wanted, until }
  if (!trigger && !(kind === "native" && native)) throw new Refused("unusable", "it is not a list")
  const taken =
    kind === "native" && native
      ? await chooseNative(list, !trigger)
      : kind === "suggestions"
        ? await suggest(list)
        : await new Opened(list, native).choose(kind === "open")
  if (taken === null) return null
  // A page that is gone has taken the choice.
  const choice = await call("keepChosen", { ...taken, name }).catch(() => null)
  return choice === null ? null : { ...choice, name }
}

let count = 0

/** A choice that can be read again, with the name under which its list is kept; `null` where it is to be kept yet. */
export interface Chosen extends Choice {
  readonly name: string | null
}

/** The text of the option that was chosen, and its index in a list that a page builds. */
interface Taken {
  readonly text: string
  readonly index: number | null
}

/** Looks at a list with what runs in the world beside its page. */
type PageCall = <N extends World.Name>(act: N, arg: World.Given<N>) => Promise<World.Answer<N>>

/** A list that is chosen from. */
interface List {
  readonly page: Page
  readonly call: PageCall
  /** A part of the list, by the name under which it was kept. */
  readonly part: (name: string) => Locator
  /** The name under which the place is kept that shows what is chosen. */
  readonly name: string
  readonly wanted: OptionRequest
  readonly until: number
}

const left = (until: number): number => Math.max(until - performance.now(), 1)

/** The time for a choice in a list of the browser. */
const timeOf = (seen: NativeOptions | null, until: number): number =>
  Math.max(left(until), seen?.disabled === false ? handlersMillis : 1)

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

const missing = (options: ReadonlyArray<Options.Option>, { fuzzy, value }: OptionRequest) =>
  new Refused("option", Options.missing(options, value, fuzzy), fuzzy ? Options.alikeIn(options, value) : 0)

const isDisabled = ({ text, value }: Options.Option) =>
  new Refused("option", `the option "${text === "" ? value : text}" is disabled`)

/** The values of a list that takes several: a JSON list of them, or the one. */
const valuesOf = (value: string, multiple: boolean): ReadonlyArray<string> => {
  if (!multiple || !value.trim().startsWith("[")) return [value]
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) && list.length > 0 ? list.map(String) : [value]
  } catch {
    return [value]
  }
}

const isSeveral = (options: ReadonlyArray<Options.Option>, indexes: ReadonlyArray<number>) =>
  new Refused("option", Options.several(options, indexes), indexes.length)

type Native = Pick<NativeOptions, "multiple" | "name" | "options">

/** The values that were chosen in each list that takes several, by the names of the lists. */
const chosenBefore = new WeakMap<Page, Map<string, ReadonlySet<string>>>()

/** The positions of the options that were chosen before in a list that takes several, and are still. */
const keptOf = (page: Page, { multiple, name, options }: Native, { value }: OptionRequest): ReadonlyArray<number> => {
  const before = chosenBefore.get(page)?.get(name)
  if (!multiple || before === undefined || valuesOf(value, multiple)[0] !== value) return []
  return [...options.keys()].filter((at) => options[at]?.selected === true && before.has(options[at].value))
}

const noteChosen = (page: Page, { multiple, name, options }: Native, indexes: ReadonlyArray<At>): void => {
  if (!multiple) return
  const lists = chosenBefore.get(page) ?? new Map<string, ReadonlySet<string>>()
  chosenBefore.set(page, lists.set(name, new Set(indexes.map(({ index }) => options[index]?.value ?? ""))))
}

/** The position of an option. */
interface At {
  readonly index: number
}

const choicesOf = ({ multiple, options }: Native, { by, fuzzy, value }: OptionRequest): ReadonlyArray<Options.Choice> =>
  valuesOf(value, multiple).map((one) => Options.choose(options, one, { by, fuzzy, merges: true }))

/** The positions of the wanted options in a list; `null` when one of them is missing or cannot be chosen. */
const indexesOf = (page: Page, list: Native, wanted: OptionRequest): Array<At> | null => {
  const choices = choicesOf(list, wanted)
  const found = choices.flatMap((choice) => (choice._tag === "Found" ? [choice.index] : []))
  if (found.length < choices.length) return null
  return [...new Set([...keptOf(page, list, wanted), ...found])].map((index) => ({ index }))
}

const chooseNative = async ({ call, page, part, until, wanted }: List, hidden: boolean): Promise<Taken | null> => {
  let changed = performance.now()
  let before = ""
  while (true) {
    const seen = await call("nativeOptions", "native")
    const indexes = indexesOf(page, seen, wanted)
    if (indexes !== null) {
      await part("native").selectOption(indexes, { timeout: timeOf(seen, until), force: hidden })
      noteChosen(page, seen, indexes)
      const option = seen.options[indexes[0]?.index ?? -1]
      return option === undefined ? null : { text: option.value, index: null }
    }
    const { disabled, options } = seen
    const now = performance.now()
    const state = JSON.stringify([disabled, options])
    if (state !== before) changed = now
    before = state
    // Lists that depend on other fields may be filled later.
    const isFilled = !disabled && options.filter((option) => !option.disabled).length > 1
    if (now > until || (isFilled && now - changed > nativeSettledMillis)) {
      const choices = choicesOf(seen, wanted)
      const unclear = choices.find((choice) => choice._tag === "Several")
      if (unclear !== undefined) throw isSeveral(options, unclear.indexes)
      const blocked = choices.find((choice) => choice._tag === "Disabled")
      const option = blocked === undefined ? undefined : options[blocked.index]
      throw option === undefined ? missing(options, wanted) : isDisabled(option)
    }
    await pause(stepMillis)
  }
}

const suggest = async ({ call, part, until, wanted }: List): Promise<Taken> => {
  const { options } = await call("nativeOptions", "trigger")
  const choice = Options.choose(options, wanted.value, { ...wanted, merges: true })
  if (choice._tag === "Several") throw isSeveral(options, choice.indexes)
  const option = choice._tag === "Found" ? options[choice.index] : undefined
  if (option === undefined) throw missing(options, wanted)
  await part("trigger").fill(option.value, { timeout: left(until) })
  return { text: option.value, index: null }
}

/** A list that a page builds, being chosen from. */
class Opened {
  readonly page: Page
  readonly call: PageCall
  readonly part: List["part"]
  readonly name: string
  readonly trigger: Locator
  /** Whether there is a list of the browser behind it. */
  readonly native: boolean
  readonly wanted: OptionRequest
  readonly until: number
  /** The option that was chosen. */
  taken: Taken | null = null
  /** Every option that was ever shown, by its text. */
  readonly known = new Map<string, Options.Option>()

  constructor({ call, name, page, part, until, wanted }: List, native: boolean) {
    this.name = name
    this.page = page
    this.call = call
    this.part = part
    this.trigger = part("trigger")
    this.native = native
    this.wanted = wanted
    this.until = until
  }

  async choose(isOpen: boolean): Promise<Taken | null> {
    if (!isOpen) {
      if (!(await this.isExpanded())) await this.call("keepOpenLists", null)
      await this.open()
    }
    const done =
      (await this.lookFor(this.wanted.value, false, true)) ||
      (await this.typeFor(this.wanted.value, false)) ||
      (await this.scrollFor(this.wanted.value, false)) ||
      (this.wanted.fuzzy && ((await this.chooseAlike()) || (await this.chooseByParts())))
    if (done) return this.taken
    await this.page.keyboard.press("Escape").catch(() => undefined)
    throw missing([...this.known.values()], this.wanted)
  }

  async isExpanded(): Promise<boolean> {
    return this.call("isExpanded", null)
  }

  async open(): Promise<void> {
    if (await this.isExpanded()) return
    try {
      await this.trigger.click({ timeout: Math.min(left(this.until), clickMillis) })
    } catch (error) {
      // A busy page has received the click; another key could close the list.
      if (hasBegun(String(error))) return
      // The list may cover the field that takes its keys.
      await this.trigger.focus()
      await this.page.keyboard.press("ArrowDown")
    }
  }

  /** Clicks the option that fits among those that are shown. With `wait`, waits until some are shown and rest. */
  async lookFor(value: string, fuzzy: boolean, wait: boolean): Promise<boolean> {
    let changed = performance.now()
    let before = ""
    while (true) {
      const { busy, options, typed } = await this.call("shownOptions", null)
      for (const option of options) this.known.set(option.text, option)
      const choice = Options.choose(options, value, { fuzzy, by: this.wanted.by, merges: false })
      if (choice._tag === "Several" && !busy) throw isSeveral(options, choice.indexes)
      const option = choice._tag === "Found" || choice._tag === "Disabled" ? options[choice.index] : undefined
      if (choice._tag === "Disabled" && option !== undefined) throw isDisabled(option)
      if (choice._tag === "Found" && option !== undefined) {
        if (await this.take(choice.index, option)) return true
        continue
      }
      const now = performance.now()
      const state = JSON.stringify(options)
      if (state !== before) changed = now
      before = state
      // A list that can be typed into or scrolled is asked in that way as soon as it shows something.
      const patience =
        options.length === 0 && !typed ? settledMillis * 2 : options.length === 0 ? settledMillis / 5 : 150
      if (!wait || now > this.until || (!busy && now - changed > patience)) return false
      await pause(stepMillis)
    }
  }

  /** Types a value, or a part of it, into the list, and waits until it shows what fits. */
  async typeFor(value: string, fuzzy: boolean, typed = value): Promise<boolean> {
    if (!(await this.call("shownOptions", null)).typed) return false
    const field = this.part("typed")
    // Other fields may be meant once the list is shown otherwise.
    await this.call("holdTyped", null)
    const before = await field.inputValue().catch(() => "")
    await field.focus()
    await this.page.keyboard.press("ControlOrMeta+a")
    await this.page.keyboard.type(typed)
    let changed = performance.now()
    let state = ""
    while (true) {
      if (await this.lookFor(value, fuzzy, false)) return true
      const now = performance.now()
      const next = await this.call("shownOptions", null).then(
        ({ busy, options }) => JSON.stringify([busy, options]),
        () => ""
      )
      if (next !== state) changed = now
      state = next
      if (now > this.until || (now - changed > settledMillis && !next.startsWith("[true"))) break
      await pause(stepMillis)
    }
    // Typed text is removed again, so that the list shows all its options.
    await field.fill(before, { timeout: 1_000 }).catch(() => undefined)
    return false
  }

  /** Searches a list that shows only a part of its options, by scrolling. */
  async scrollFor(value: string, fuzzy: boolean): Promise<boolean> {
    const scrolls = async () => (await this.call("shownOptions", null)).scrolls
    if (await scrolls()) await this.call("scrollBack", null)
    for (let screen = 0; screen < mostScreens && performance.now() < this.until; screen++) {
      await pause(stepMillis)
      if (await this.lookFor(value, fuzzy, false)) return true
      if (!(await scrolls())) return false
      if (await this.call("scrollOn", null)) continue
      // At its end, a list may load more options.
      await pause(settledMillis / 5)
      if (!(await this.call("scrollOn", null))) return await this.lookFor(value, fuzzy, false)
    }
    return false
  }

  /** Chooses the most similar option among all that were shown. */
  async chooseAlike(): Promise<boolean> {
    const options = [...this.known.values()]
    const choice = Options.choose(options, this.wanted.value, { fuzzy: true, by: this.wanted.by, merges: true })
    const option = choice._tag === "Found" ? options[choice.index] : undefined
    if (option === undefined) return false
    await this.open()
    return (
      (await this.lookFor(option.text, false, true)) ||
      (await this.typeFor(option.text, false)) ||
      (await this.scrollFor(option.text, false))
    )
  }

  /** Filters the list by parts of the value, in case its spelling differs. */
  async chooseByParts(): Promise<boolean> {
    const { value } = this.wanted
    for (const part of Options.partsOf(value)) {
      if (Options.alikeIn([...this.known.values()], value) > 0 || performance.now() > this.until) return false
      if ((await this.typeFor(value, false, part)) || (await this.chooseAlike())) return true
    }
    return false
  }

  /** Clicks an option and verifies that the list shows it. `false` if it disappeared before the click. */
  async take(index: number, option: Options.Option): Promise<boolean> {
    const wanted = { text: option.text, index, name: this.name }
    const shown = await this.call("choosing", wanted).catch(() => null)
    this.taken = wanted
    if (shown?.isMarked === true && shown.toggles) return true
    const before = shown?.text ?? ""
    let isClicked = true
    try {
      await this.part(`option ${index}`).click({ timeout: Math.min(left(this.until), 2_000) })
    } catch (error) {
      const isMissed = World.signalOf(error) !== null || /not attached|detached|Timeout/i.test(String(error))
      if (performance.now() >= this.until || !isMissed) throw error
      // A click that the page has already may be taken, however late that is said.
      if (!hasBegun(String(error))) return false
      isClicked = false
    }
    const text = option.text.toLowerCase()
    const until = performance.now() + shownMillis
    while (true) {
      const seen = await this.call("shownChoice", index).catch(() => null)
      // A list that disappeared, or led to another page, has accepted the choice.
      if (seen === null || seen.isMarked || seen.text.includes(text)) return true
      if (this.native && seen.native.toLowerCase().includes(text)) return true
      if (performance.now() > until) {
        if (seen.text !== before) return true
        if (!isClicked) return false
        throw new Refused("unusable", `"${option.text}" was chosen, but the list does not show it`)
      }
      await pause(stepMillis)
    }
  }
}
