/** Texts from sites and users. */
import { useState } from "preact/hooks"

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
