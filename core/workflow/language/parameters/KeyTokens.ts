/**
 * The keys that the text of INPUT_TEXT names in braces, alone or with other keys held: `{{enter}}`, `{{F2}}`,
 * `{{Shift+Tab}}`. Upper and lower case are the same.
 */
import { Result } from "effect"

/** Keys by their names in texts, with their names in browsers. */
const named: Readonly<Record<string, string>> = {
  tab: "Tab",
  enter: "Enter",
  return: "Enter",
  escape: "Escape",
  esc: "Escape",
  space: "Space",
  backspace: "Backspace",
  delete: "Delete",
  del: "Delete",
  insert: "Insert",
  home: "Home",
  end: "End",
  page_up: "PageUp",
  pageup: "PageUp",
  page_down: "PageDown",
  pagedown: "PageDown",
  up: "ArrowUp",
  down: "ArrowDown",
  left: "ArrowLeft",
  right: "ArrowRight",
  arrow_up: "ArrowUp",
  arrow_down: "ArrowDown",
  arrow_left: "ArrowLeft",
  arrow_right: "ArrowRight",
  arrowup: "ArrowUp",
  arrowdown: "ArrowDown",
  arrowleft: "ArrowLeft",
  arrowright: "ArrowRight"
}

/** Modifier keys by their names in texts. `Ctrl` is the modifier of shortcuts, which is Command on a Mac. */
const held: Readonly<Record<string, string>> = {
  ctrl: "ControlOrMeta",
  control: "ControlOrMeta",
  cmd: "ControlOrMeta",
  command: "ControlOrMeta",
  alt: "Alt",
  option: "Alt",
  shift: "Shift"
}

/** The order of modifiers in the name of a chord, so that each chord has one name. */
const order = ["ControlOrMeta", "Alt", "Shift"]

/** The chords of the clipboard. */
export const copyKey = "ControlOrMeta+c"
export const cutKey = "ControlOrMeta+x"
export const pasteKey = "ControlOrMeta+v"

/** Equivalent names of chords. */
const same: Readonly<Record<string, string>> = {
  "ControlOrMeta+Insert": copyKey,
  "Shift+Insert": pasteKey,
  "ControlOrMeta+Shift+v": pasteKey,
  "Shift+Delete": cutKey
}

/** Earlier names of chords. */
const earlier: Readonly<Record<string, string>> = { ctrl_a: "ctrl+a", ctrl_c: "ctrl+c", ctrl_v: "ctrl+v" }

const expected = `expected keys such as Ctrl+S, Shift+Tab or F2: ${Object.keys(held).join(", ")} with a letter, a digit, a sign, F1 to F12, ${Object.keys(named).slice(0, 16).join(", ")} or an arrow`

/**
 * The key or chord that the text in braces names, in the form of Playwright; `null` for an expression. Fails for a
 * chord with an unknown key.
 */
export const read = (source: string): Result.Result<string, string> | null => {
  const written = source.trim().toLowerCase()
  const name = Object.hasOwn(earlier, written) ? (earlier[written] ?? "") : written
  const parts = partsOf(name)
  const last = parts.at(-1) ?? ""
  const modifiers = parts.slice(0, -1)
  if (modifiers.length === 0) {
    const key = single(last)
    return key === null ? null : Result.succeed(key)
  }
  if (!Object.hasOwn(held, modifiers[0] ?? "") || !/^(?:[\w ]+\+)+(?:[\w\s]+|.)$/.test(name)) return null
  const unknown = modifiers.find((one) => !Object.hasOwn(held, one))
  const key = /^[!-~]$/.test(last) ? last : single(last)
  if (unknown !== undefined || key === null) {
    return Result.fail(`"${(unknown ?? last).slice(0, 30)}" is not a key: ${expected}`)
  }
  const all = new Set(modifiers.map((one) => held[one] ?? ""))
  const chord = [...order.filter((one) => all.has(one)), key].join("+")
  return Result.succeed(same[chord] ?? chord)
}

/** The names in a chord. The last may be the plus sign itself. */
const partsOf = (name: string): ReadonlyArray<string> => {
  const isPlus = name.length > 1 && name.endsWith("+")
  const parts = (isPlus ? name.slice(0, -1).replace(/\+\s*$/, "") : name).split("+").map((part) => part.trim())
  return isPlus ? [...parts, "+"] : parts
}

const single = (name: string): string | null => {
  if (/^f([1-9]|1[0-2])$/.test(name)) return name.toUpperCase()
  return Object.hasOwn(named, name) ? (named[name] ?? null) : null
}

/** A part of a text: characters to type, with their expressions, or a key. */
export type Piece =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Key"; readonly key: string }
  | { readonly _tag: "Unknown"; readonly source: string; readonly reason: string }

/** The pieces of a text, in their order. */
export const split = (text: string): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let from = 0
  const take = (to: number) => {
    if (to > from) pieces.push({ _tag: "Text", text: text.slice(from, to) })
  }
  for (const found of text.matchAll(/\{\{([^{}]{1,60})\}\}/g)) {
    const token = read(found[1] ?? "")
    if (token === null) continue
    take(found.index)
    from = found.index + found[0].length
    pieces.push(
      Result.isSuccess(token)
        ? { _tag: "Key", key: token.success }
        : { _tag: "Unknown", source: found[1] ?? "", reason: token.failure }
    )
  }
  take(text.length)
  return pieces
}

/** The text without its keys. */
export const without = (text: string): string =>
  split(text)
    .map((piece) => (piece._tag === "Text" ? piece.text : ""))
    .join("")
