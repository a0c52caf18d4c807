/** What a change that runs offer replaces, and by what, as texts. */
import type { PatchRecord } from "../../api/patch/PatchesApi.ts"

export type Offer = typeof PatchRecord.Type

/** What an offer changes, in words. */
export const titleOf = ({ kind, node_name, parameter }: Offer): string => {
  if (kind === "popup_xpath") return "Dismiss a pop-up before each step"
  const step = node_name ?? "A step"
  return kind === "plain_form" ? `${step}: without a model` : `${step}: ${parameter ?? ""}`
}

/** What it replaces and by what, line by line. Of a plain form, the parameters that it changes. */
export const changeOf = ({
  after,
  before,
  kind
}: Pick<Offer, "after" | "before" | "kind">): { readonly before: string | null; readonly after: string } => {
  if (kind !== "plain_form") return { before: before === null ? null : String(before), after: String(after) }
  // Both are JSON objects that the service wrote.
  const [former, next] = [JSON.parse(String(before)), JSON.parse(String(after))] as ReadonlyArray<
    Record<string, unknown>
  >
  const names = Object.keys(next ?? {})
  const changed = Object.fromEntries(
    names.flatMap((name) => (former?.[name] === undefined ? [] : [[name, former[name]]]))
  )
  return { before: JSON.stringify(changed, null, 2), after: JSON.stringify(next, null, 2) }
}
