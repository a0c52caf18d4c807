/** Who changed what, when, and from what to what. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { AuditKind } from "../../../core/workspace/audit/AuditAction.ts"
import { useEdits } from "../data/Live.ts"
import { namesOf, shortId, workflows } from "../data/Workflows.ts"
import { Difference } from "../forms/Difference.tsx"
import { EnteredText } from "../forms/EnteredText.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Download } from "../kit/Download.tsx"
import { useQuery } from "../kit/Loaded.tsx"
import { Empty, Page } from "../kit/Page.tsx"
import { filter } from "../kit/Route.ts"
import { act, query as asked, client, reasonOf } from "../kit/Service.ts"
import { may, whoIs } from "../kit/Session.ts"
import { Ago } from "../kit/Status.tsx"
import { Table } from "../kit/Table.tsx"
import { full, viewerZone } from "../kit/Times.ts"
import { actionWords, differencesOf, type Entry, kinds, type Listing, subjectOf, withNewest } from "./AuditModel.ts"

const keys = asked((client) => client.workspaces.listApiKeys())

/** Entries of a filter, page by page. What is changed meanwhile comes in front of them. */
const useEntries = (filters: Readonly<Record<string, string>>, address: string) => {
  const [listing, show] = useState<Listing | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const current = useRef(address)
  current.current = address
  /** Reads a page, and shows what it makes of the entries that are shown; not if another filter was chosen meanwhile. */
  const read = async (cursor: string | null, made: (page: Listing, shown: Listing | null) => Listing) => {
    const query = { ...filters, ...(cursor === null ? {} : { cursor: Number(cursor) }) }
    const page = await act(client().audit.listAudit({ query }), { failed: (error) => setProblem(reasonOf(error)) })
    if (page === null || current.current !== address) return
    setProblem(null)
    show((shown) => made({ entries: page.entries, cursor: page.next_cursor }, shown))
  }
  useEffect(() => void read(null, (page) => page), [address])
  useEdits(Object.keys(kinds) as ReadonlyArray<AuditKind>, () =>
    read(null, (page, shown) => (shown === null ? page : withNewest(shown, page)))
  )
  const more = () =>
    read(listing?.cursor ?? null, (page, shown) => ({
      ...page,
      entries: [...(shown?.entries ?? []), ...page.entries]
    }))
  return { listing, problem, more: () => void more() }
}

export const AuditView = ({ query }: { readonly query: URLSearchParams }) =>
  may("Owner") ? (
    <Trail query={query} />
  ) : (
    <Page title="Audit">
      <Empty title="Only an Owner sees the audit trail">Sign in with a key that has the role Owner.</Empty>
    </Page>
  )

const Trail = ({ query }: { readonly query: URLSearchParams }) => {
  const kind = query.get("kind") ?? ""
  const of = query.get("of") ?? ""
  const filters = { ...(kind === "" ? {} : { action: kind }), ...(of === "" ? {} : { resource_id: of }) }
  const search = new URLSearchParams(filters).toString()
  const { listing, more, problem } = useEntries(filters, search)
  const names = namesOf(useQuery(workflows).value)
  const [shown, show] = useState<Entry | null>(null)
  return (
    <Page
      title="Audit"
      note="Who changed what. Entries are only appended."
      actions={
        <Download path={`audit/export?format=csv${search === "" ? "" : `&${search}`}`} name="audit.csv">
          Download as CSV
        </Download>
      }
    >
      <div class="filters">
        <select
          aria-label="What was changed"
          value={kind}
          onChange={({ currentTarget }) => filter({ kind: currentTarget.value })}
        >
          <option value="">Everything</option>
          {Object.entries(kinds).map(([name, word]) => (
            <option key={name} value={name}>
              {word}
            </option>
          ))}
        </select>
        <EnteredText
          isSearch
          aria-label="The id of what was changed"
          placeholder="Id of what was changed"
          value={of}
          onEntered={(text) => filter({ of: text.trim() })}
        />
      </div>
      {problem !== null && (
        <div class="problem" role="alert">
          {problem}
        </div>
      )}
      <div class="section">
        {listing === null ? (
          <div class="waiting" role="status" aria-label="Loading">
            <div />
          </div>
        ) : listing.entries.length === 0 ? (
          <Empty title="No changes">This list shows each change in this workspace and who made it.</Empty>
        ) : (
          <Listed entries={listing.entries} names={names} onShow={show} />
        )}
      </div>
      {listing?.cursor != null && (
        <div>
          <button type="button" onClick={more}>
            Show earlier changes
          </button>
        </div>
      )}
      {shown !== null && <Shown entry={shown} names={names} onClose={() => show(null)} />}
    </Page>
  )
}

/** What strangers do, or who holds a link. */
const byUnknown = new Set(["sign_in.fail", "key.refuse", "live_view.open", "evidence.open"])

const whoMade = ({ action, user_id }: Entry): string => {
  if (user_id !== null) return whoIs(user_id)
  if (action.startsWith("canary.")) return "its runs"
  return byUnknown.has(action) ? "unknown" : "an operator at the command line"
}

const Listed = ({
  entries,
  names,
  onShow
}: {
  readonly entries: ReadonlyArray<Entry>
  readonly names: ReadonlyMap<string, string>
  readonly onShow: (entry: Entry) => void
}) => (
  <Table
    label="Changes"
    rows={entries}
    keyOf={({ id }) => id}
    columns={[
      { word: "When", kind: "quiet", cell: ({ at }) => <Ago at={at} /> },
      { word: "Who", cell: whoMade },
      {
        word: "What",
        cell: (entry) => (
          <button type="button" class="link" onClick={() => onShow(entry)}>
            {actionWords(entry.action)}
          </button>
        )
      },
      {
        word: "Resource",
        cell: (entry) => {
          const subject = subjectOf(entry, names)
          const id = entry.resource_id === null ? "" : shortId(entry.resource_id)
          return (
            <>
              <span class="clip">{subject}</span>
              {!subject.includes(id) && <span class="quiet mono">{id}</span>}
            </>
          )
        }
      },
      { word: "Reason", cell: ({ reason }) => reason ?? "" }
    ]}
  />
)

const Shown = ({
  entry,
  names,
  onClose
}: {
  readonly entry: Entry
  readonly names: ReadonlyMap<string, string>
  readonly onClose: () => void
}) => {
  const subject = subjectOf(entry, names)
  const key = useQuery(keys).value?.find(({ id }) => id === entry.key_id)
  const differences = differencesOf(entry)
  return (
    <Dialog wide title={actionWords(entry.action)} onClose={onClose}>
      <p>
        {full(Date.parse(entry.at))} ({viewerZone}), by {whoMade(entry)}
        {entry.key_id !== null && <span class="quiet"> with key {key?.name ?? shortId(entry.key_id)}</span>}
      </p>
      {subject !== "" && <p class="strong">{subject}</p>}
      {entry.resource_id !== null && (
        <p>
          <span class="mono">{entry.resource_id}</span>{" "}
          <button
            type="button"
            class="link"
            onClick={() => {
              onClose()
              filter({ of: entry.resource_id })
            }}
          >
            All changes of this resource
          </button>
        </p>
      )}
      {differences.length === 0 ? (
        entry.after !== null && <p class="note">The resource has the same state as before.</p>
      ) : (
        <ul class="changes">
          {differences.map(({ after, before, field }) => (
            <li key={field}>
              {field !== "" && <b>{field}</b>}
              <Difference what={field} before={before} after={after} />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
