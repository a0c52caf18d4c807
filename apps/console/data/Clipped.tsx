/** A text from outside. A very long one is cut, until its reader asks for all of it. */
import { useState } from "preact/hooks"

const longest = 2_000

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
