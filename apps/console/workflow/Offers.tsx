/** The changes of a workflow that its runs offer, to apply or to dismiss. Each of them helped a run. */
import { useMemo } from "preact/hooks"
import { workflowOf } from "../data/Workflows.ts"
import { Difference } from "../forms/Difference.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { Section } from "../kit/Page.tsx"
import { to } from "../kit/Route.ts"
import { act, client, query, refresh } from "../kit/Service.ts"
import { may } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { changeOf, type Offer, titleOf } from "./OfferModel.ts"

/** What an offer changes, and to what: several may change the same. */
const namedBy = (offer: Offer): string => `${titleOf(offer)}: ${String(offer.after).slice(0, 100)}`

export const Offers = ({ id }: { readonly id: string }) => {
  const params = { workflow_id: id }
  const offers = useMemo(() => query((client) => client.patches.listPatches({ params })), [id])
  const open = (useQuery(offers).value ?? []).filter(({ state }) => state === "offered")
  if (open.length === 0) return null
  const decide = (decision: "applyPatch" | "dismissPatch", patch_id: string, done: string) =>
    void act(client().patches[decision]({ params: { ...params, patch_id } }), { done }).then(() =>
      refresh(offers, workflowOf(id))
    )
  return (
    <Section title="Changes that runs offer" note="Each helped a run. None is applied until you apply it">
      <ul class="changes">
        {open.map((offer, index) => (
          <li key={offer.id}>
            <p>
              <b>{titleOf(offer)}</b>{" "}
              <span class="quiet">
                {offer.reason} · {offer.confirmations === 1 ? "one run" : `${offer.confirmations} runs`} ·{" "}
                <a href={to(["runs", offer.last_session_id])}>the last one</a>, <Ago at={offer.updated_at} />
              </span>
            </p>
            <Difference what={`Offer ${index + 1}`} {...changeOf(offer)} />
            {may("Member") && (
              <div class="row">
                <button
                  type="button"
                  class="primary"
                  aria-label={`Apply: ${namedBy(offer)}`}
                  onClick={() => decide("applyPatch", offer.id, "The change is in the next version")}
                >
                  Apply
                </button>
                <button
                  type="button"
                  aria-label={`Dismiss: ${namedBy(offer)}`}
                  onClick={() => decide("dismissPatch", offer.id, "The change is not offered again")}
                >
                  Dismiss
                </button>
              </div>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
