/** Earlier states of a window. Restoring one puts it into the editor, which shows its impact before it is saved. */
import { useMemo } from "preact/hooks"
import type { RunWindow } from "../../../core/window/RunWindow.ts"
import { Loaded } from "../kit/Loaded.tsx"
import { Empty, Folded } from "../kit/Page.tsx"
import { query } from "../kit/Service.ts"
import { whoIs } from "../kit/Session.ts"
import { Table } from "../kit/Table.tsx"
import { full } from "../kit/Times.ts"

/** The window in a state of the audit trail; `null` when there was none. */
const windowIn = (state: unknown): RunWindow | null =>
  typeof state === "object" && state !== null && "run_window" in state ? (state.run_window as RunWindow | null) : null

export const History = ({
  id,
  onRestore,
  revision
}: {
  readonly id: string
  readonly revision: number
  readonly onRestore: (window: RunWindow) => void
}) => <Folded title="History">{() => <Changes id={id} revision={revision} onRestore={onRestore} />}</Folded>

const Changes = ({ id, onRestore, revision }: Parameters<typeof History>[0]) => {
  const changes = useMemo(
    () => query((client) => client.audit.listAudit({ query: { action: "run_window", resource_id: id, limit: 50 } })),
    [id, revision]
  )
  return (
    <Loaded query={changes}>
      {({ entries }) =>
        entries.length === 0 ? (
          <Empty title="The window was never changed" />
        ) : (
          <Table
            label="Changes of the window"
            rows={entries}
            keyOf={(entry) => entry.id}
            columns={[
              { word: "When", cell: ({ at }) => full(Date.parse(at)) },
              { word: "Who", cell: ({ user_id }) => (user_id === null ? "an operator" : whoIs(user_id)) },
              { word: "What", cell: ({ action }) => (action === "run_window.remove" ? "Removed" : "Saved") },
              {
                word: "Action",
                kind: "tight",
                cell: ({ after, at, before }) => (
                  <div class="row-actions">
                    {(
                      [
                        ["Restore", after],
                        ["Restore the one before", before]
                      ] as const
                    ).map(([word, state]) => {
                      const window = windowIn(state)
                      return (
                        window !== null && (
                          <button
                            key={word}
                            type="button"
                            aria-label={`${word}: ${full(Date.parse(at))}`}
                            onClick={() => onRestore(window)}
                          >
                            {word}
                          </button>
                        )
                      )
                    })}
                  </div>
                )
              }
            ]}
          />
        )
      }
    </Loaded>
  )
}
