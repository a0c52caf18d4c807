/** The form that signs in with an API key. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Field } from "../forms/Field.tsx"
import { enter } from "../kit/Session.ts"

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

/** The page of a browser that is not signed in. */
export const Entrance = ({ children }: { readonly children: ComponentChildren }) => (
  <main class="sign-in">
    <div>
      <h1>
        <Logo /> Sluice
      </h1>
      {children}
    </div>
  </main>
)

export const SignIn = ({ problem }: { readonly problem: string | null }) => (
  <Entrance>
    <p class="note">Sign in with an API key of your workspace. This browser does not store the key.</p>
    <KeyForm key={problem} problem={problem} />
    <p class="hint">
      You have no key? <code>npm start</code> prints a sign-in link. An Owner creates keys under Keys and invites people
      under Members. Programs use the <a href="docs">interface</a> directly.
    </p>
  </Entrance>
)

export const Logo = () => (
  <svg class="logo" viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
    <rect width="16" height="16" rx="4" fill="currentColor" />
    <path
      d="M3 10c2-3 3-3 5 0s3 3 5 0M3 6.5h10"
      stroke="var(--paper)"
      stroke-width="1.6"
      fill="none"
      stroke-linecap="round"
    />
  </svg>
)
