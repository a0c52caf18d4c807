/**
 * The live view of a running run, within the page. It starts at the press of a button, because the worker makes
 * pictures for it.
 */
import { useState } from "preact/hooks"
import { Section } from "../kit/Page.tsx"
import { act, client } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { localAddress } from "./RunModel.ts"

export const Live = ({ id }: { readonly id: string }) => {
  const [address, setAddress] = useState<string | null>(null)
  const open = async () => {
    const query = may("Member") ? { control: "true" as const } : {}
    const connection = await act(client().live.connection({ params: { session_id: id }, query }))
    if (connection !== null) setAddress(localAddress(connection.url))
  }
  return (
    <Section title="Live">
      {address === null ? (
        <div class="body">
          <p class="note">Watch the browser of the run{may("Member") ? ", and take control of it." : "."}</p>
          <div>
            <button type="button" onClick={() => void open()}>
              Watch live
            </button>
          </div>
        </div>
      ) : (
        <iframe class="live" title="Live view of the run" src={address} />
      )}
    </Section>
  )
}
