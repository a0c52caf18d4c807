/** Texts from outside. */
import { useState } from "preact/hooks"

/** Characters that turn the direction of everything behind them, also of what the console says. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g

/** A sentence without characters that turn the direction of what follows. */
export const plain = (text: string): string => text.replace(directions, "")

/** JSON in which these characters are escapes: it means the same, and each line reads from left to right. */
export const plainJson = (json: string): string =>
  json.replace(directions, (character) => `\\u${character.charCodeAt(0).toString(16)}`)

const longest = 2_000

/** A text from outside. A very long one is cut, until its reader asks for all of it. */
export const Clipped = ({ text }: { readonly text: string }) => {
  const [isWhole, showWhole] = useState(false)
  if (isWhole || text.length <= longest) return <bdi>{text}</bdi>
  return (
    <>
      <bdi>{text.slice(0, longest)}…</bdi>{" "}
      <button type="button" class="link" onClick={() => showWhole(true)}>
        Show all {text.length.toLocaleString("en")} characters
      </button>
    </>
  )
}
