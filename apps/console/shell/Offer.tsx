/** The page of a sign-in link that the user may not have asked for. */
import { useState } from "preact/hooks"
import { registry, useAtom } from "../kit/Registry.ts"
import { enter, offered, session } from "../kit/Session.ts"
import { Entrance } from "./SignIn.tsx"

/** Who is signed in to this browser, for a page that may sign in another user. */
export const Present = () => {
  const now = useAtom(session)
  if (now === null || now === "none") return null
  return (
    <p class="note">
      You are signed in to <strong>{now.workspace_name}</strong> with {now.key_name ?? "an API key"}, as {now.role}. To
      sign in with another key ends that session in this browser.
    </p>
  )
}

export const Offer = ({ link }: { readonly link: string }) => {
  const now = useAtom(session)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const close = () => registry.set(offered, null)
  const use = async () => {
    setBusy(true)
    const wrong = await enter({ link })
    setBusy(false)
    if (wrong === null) close()
    else setProblem(wrong)
  }
  return (
    <Entrance>
      <p>
        A link asks to sign this browser in. What you type afterwards, such as passwords, goes to the workspace of
        whoever made the link. Use it only if you asked for it.
      </p>
      <Present />
      {problem !== null && (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
      <div class="row">
        <button type="button" disabled={isBusy} onClick={() => void use()}>
          Sign in with the link
        </button>
        <button type="button" class="primary" onClick={close}>
          {now === "none" ? "Do not sign in" : "Stay signed in"}
        </button>
      </div>
    </Entrance>
  )
}
