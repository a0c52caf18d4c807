/** Texts from sites and users. */
import { useState } from "preact/hooks"

/** Characters that change the direction of all text after them, also of the console's own. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g

/** A sentence without characters that change the direction of text. */
export const plain = (text: string): string => text.replace(directions, "")

/** JSON with these characters as escapes: the value is the same, and each line reads from left to right. */
export const plainJson = (json: string): string =>
  json.replace(directions, (character) => `\\u${character.charCodeAt(0).toString(16)}`)

const longest = 2_000

/** A text from a site or a user. A very long one is shown in part until the reader opens it. */
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
