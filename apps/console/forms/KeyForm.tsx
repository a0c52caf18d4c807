/** The form that signs in with an API key, for a browser without a session and for one whose sign-in was long ago. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { useAtom } from "../kit/Registry.ts"
import { enter, isFresh, session } from "../kit/Session.ts"
import { Field } from "./Field.tsx"

export const KeyForm = ({ problem: given }: { readonly problem: string | null }) => {
  const [key, setKey] = useState("")
  const [problem, setProblem] = useState(given)
  const [isBusy, setBusy] = useState(false)
  const send = async (event: Event) => {
    event.preventDefault()
    if (key.trim() === "") return setProblem("Type the API key: it begins with sk_")
    setBusy(true)
    setProblem(await enter({ key: key.trim() }))
    setBusy(false)
  }
  return (
    <form class="form" onSubmit={send} noValidate>
      <Field label="API key" problem={problem}>
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          placeholder="sk_…"
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
      </Field>
      <button type="submit" class="primary" disabled={isBusy}>
        Sign in
      </button>
    </form>
  )
}

/** Shows what makes keys or invitations, after the user has signed in again where the last time was long ago. */
export const Fresh = ({ children }: { readonly children: ComponentChildren }) => {
  useAtom(session)
  // What is open stays: the service refuses what is too late.
  const [wasFresh, setFresh] = useState(isFresh)
  const now = wasFresh || isFresh()
  if (now && !wasFresh) setFresh(true)
  if (now) return <>{children}</>
  return (
    <>
      <p class="note">You signed in a while ago. Sign in again to make keys or invitations.</p>
      <KeyForm problem={null} />
    </>
  )
}
