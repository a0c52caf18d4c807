/** The page of an invitation's link. It makes a key for the invited person, and shows it once. */
import { useState } from "preact/hooks"
import { copy } from "../forms/JsonText.tsx"
import { act, client, reasonOf } from "../kit/Service.ts"
import { enter } from "../kit/Session.ts"
import { Present } from "./Offer.tsx"
import { Entrance } from "./SignIn.tsx"

export const Accept = ({ onEnd, token }: { readonly token: string; readonly onEnd: () => void }) => {
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [made, setMade] = useState<{ readonly key: string; readonly role: string } | null>(null)
  const accept = async () => {
    setBusy(true)
    setProblem(null)
    const failed = (error: unknown) => setProblem(reasonOf(error))
    setMade(await act(client().invitations.acceptInvitation({ payload: { token } }), { failed }))
    setBusy(false)
  }
  const signIn = async (key: string) => {
    setBusy(true)
    const wrong = await enter({ key })
    setBusy(false)
    if (wrong === null) onEnd()
    else setProblem(wrong)
  }
  return (
    <Entrance>
      {made === null ? (
        <>
          <p>You are invited to a workspace. Accept the invitation, and you get an API key of your own.</p>
          <Present />
        </>
      ) : (
        <>
          <p>
            This is your key, with the role {made.role}. Copy it now: it is shown this once, and you sign in with it
            from any browser.
          </p>
          <p class="mono secret">{made.key}</p>
        </>
      )}
      {problem !== null && (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
      <div class="row">
        {made === null ? (
          <>
            <button type="button" class="primary" disabled={isBusy} onClick={() => void accept()}>
              Accept the invitation
            </button>
            <button type="button" onClick={onEnd}>
              Not now
            </button>
          </>
        ) : (
          <>
            <button type="button" class="primary" onClick={() => void copy(made.key, "Key")}>
              Copy
            </button>
            <button type="button" disabled={isBusy} onClick={() => void signIn(made.key)}>
              Sign in with it
            </button>
          </>
        )}
      </div>
    </Entrance>
  )
}
