/** JSON with a button that copies it. A very long text is shown in part and copied whole. */

import { plainJson } from "../data/PlainText.ts"
import { say } from "../kit/Notices.ts"

const longest = 20_000

export const copy = async (text: string, what: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
    say("done", `${what} copied`)
  } catch {
    say("problem", "The browser refused access to the clipboard")
  }
}

export const JsonText = ({ label, value }: { readonly label: string; readonly value: unknown }) => {
  const text = plainJson(JSON.stringify(value, null, 2) ?? "null")
  return (
    <div class="json">
      <pre tabIndex={0} role="region" aria-label={`${label} as JSON`} dir="ltr">
        {text.length > longest ? `${text.slice(0, longest)}\n… ${text.length - longest} more characters` : text}
      </pre>
      <button type="button" onClick={() => void copy(text, label)}>
        Copy
      </button>
    </div>
  )
}
