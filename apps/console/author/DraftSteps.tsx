/** The steps of the workflow that is being built, and what is done with all of them. */
import { type Edges, outlineOf } from "../data/Outline.ts"
import { Section } from "../kit/Page.tsx"
import { standsForLoop } from "./AuthorModel.ts"
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
  const edges = draft.edges as Edges
  const lines = outlineOf(nodes, edges)
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
        {lines.map(({ branch, depth, goesTo, node }, index) => {
          const isLoop = standsForLoop(node, edges)
          return (
            <li key={index} style={{ paddingLeft: `${14 + depth * 22}px` }}>
              {branch !== null && <span class="branch">{branch}</span>}
              {goesTo === node.name && branch !== null ? (
                <span class="quiet">go on at “{goesTo}”</span>
              ) : (
                <>
                  <span class="sentence">{node.name}</span>
                  {node.action !== "END" && node.id !== draft.loop && (
                    <button
                      type="button"
                      class="plain"
                      aria-label={`${isLoop ? "Do the whole loop again" : "Do again"}: ${node.name}`}
                      title={
                        isLoop
                          ? "Do all of its turns again, from the current page on"
                          : "Do it again on the current page"
                      }
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
          )
        })}
      </ol>
    </Section>
  )
}
