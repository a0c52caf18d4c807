/** The steps of the workflow that is being built, and what is done with all of them. */
import { outlineOf } from "../data/Outline.ts"
import { Section } from "../kit/Page.tsx"
import type { Draft } from "./Conversation.ts"

interface Node {
  readonly id: string
  readonly name: string
  readonly action: string
}

export const DraftSteps = ({
  draft,
  isBusy,
  onSay
}: {
  readonly draft: Draft
  readonly isBusy: boolean
  readonly onSay: (text: string) => void
}) => {
  // The service has checked the draft.
  const nodes = draft.nodes as unknown as ReadonlyArray<Node>
  const lines = outlineOf(nodes, draft.edges as never)
  return (
    <Section
      title="Steps"
      note={`${nodes.length - 2} done`}
      actions={
        <>
          <button type="button" disabled={isBusy || nodes.length < 3} onClick={() => onSay("undo")}>
            Undo
          </button>
          <button type="button" disabled={isBusy} onClick={() => onSay("replay")}>
            Run all again
          </button>
        </>
      }
    >
      <ol class="outline">
        {lines.map(({ branch, depth, goesTo, node }, index) => (
          <li key={index} style={{ paddingLeft: `${14 + depth * 22}px` }}>
            {branch !== null && <span class="branch">{branch}</span>}
            {goesTo === node.name && branch !== null ? (
              <span class="quiet">go on at “{goesTo}”</span>
            ) : (
              <>
                <span class="sentence">{node.name}</span>
                {node.action !== "END" && node.action !== "LOOP" && (
                  <button
                    type="button"
                    class="plain"
                    aria-label={`Do again: ${node.name}`}
                    title="Do it again on the current page"
                    disabled={isBusy}
                    onClick={() => onSay(`again ${node.id}`)}
                  >
                    ↻
                  </button>
                )}
                {goesTo !== null && <span class="quiet"> then back to “{goesTo}”</span>}
              </>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}
