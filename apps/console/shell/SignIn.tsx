/** The page that signs in with an API key. */
import type { ComponentChildren } from "preact"
import { KeyForm } from "../forms/KeyForm.tsx"

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
