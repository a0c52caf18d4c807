/** Keys, modifier keys and files as Playwright and Puppeteer write them. */
import { keyOf } from "./ChromeRecorder.ts"
import type { Act } from "./Recording.ts"

const modifiers: Readonly<Record<string, string>> = {
  Ctrl: "Ctrl",
  Control: "Ctrl",
  ControlOrMeta: "Ctrl",
  Meta: "Ctrl",
  Alt: "Alt",
  Shift: "Shift",
  ControlLeft: "Ctrl",
  ShiftLeft: "Shift",
  AltLeft: "Alt",
  MetaLeft: "Ctrl"
}

/** The modifier key with a name; `null` for another key. */
export const modifierOf = (name: string): string | null =>
  Object.hasOwn(modifiers, name) ? (modifiers[name] ?? null) : null

/** A key with the modifiers before it, such as `Control+A`; `null` for one that texts do not have. */
export const chordOf = (written: string): string | null => {
  const parts = written === "+" ? ["+"] : written.replace(/\+\+$/, "+Plus").split("+")
  const last = (parts.at(-1) ?? "").replace(/^Plus$/, "+").replace(/^(?:Key|Digit)([A-Z0-9])$/, "$1")
  const held = parts.slice(0, -1).map(modifierOf)
  const key = keyOf(last) ?? (/^[!-~]$/.test(last) ? last : null)
  if (key === null || held.includes(null)) return null
  return [...new Set(held), held.length > 0 && key.length === 1 ? key.toLowerCase() : key].join("+")
}

/** The modifier keys of an action: names, or the bits of a recording. */
export const heldIn = (given: unknown): ReadonlyArray<string> => {
  if (typeof given === "number") {
    const bits = [
      [1, "Alt"],
      [2, "Ctrl"],
      [4, "Ctrl"],
      [8, "Shift"]
    ] as const
    return [...new Set(bits.flatMap(([bit, name]) => ((given & bit) === 0 ? [] : [name])))]
  }
  return Array.isArray(given) ? [...new Set(given.flatMap((one) => modifierOf(String(one)) ?? []))] : []
}

/** Puts the file of an input into a field. */
export const upload = (selector: string): Act => ({
  _tag: "Do",
  action: "FILE_UPLOAD",
  name: "Upload a file",
  parameters: { signed_file_url: "{{context.inputs.file_url}}", selector }
})

export const uploadChange = "The file is given by the input file_url: an address from which a run fetches it"
