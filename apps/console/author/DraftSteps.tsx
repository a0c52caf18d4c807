/** The steps of the workflow that is being built, and what is done with all of them. */
import { useState } from "preact/hooks"
import { type Edges, outlineOf } from "../data/Outline.ts"
import { Section } from "../kit/Page.tsx"
import { standsForLoop } from "./AuthorModel.ts"
import type { Draft } from "./Conversation.ts"
import { ExpectForm } from "./ExpectForm.tsx"
import { expecting, wordsOf } from "./ExpectModel.ts"

interface Node {
  readonly id: string
  readonly name: string
  readonly action: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

const expectOf = (node: { readonly parameters?: unknown }): unknown => (node.parameters as Node["parameters"])?.expect

export const DraftSteps = ({
  draft,
  isBusy,
  onSay
}: {
  readonly draft: Draft
  readonly isBusy: boolean
  readonly onSay: (text: string) => void
}) => {
  /** The step whose expectations are shown. */
  const [open, setOpen] = useState<string | null>(null)
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
          const words = wordsOf(expectOf(node))
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
                  <button
                    type="button"
                    class="plain"
                    aria-label={`${words || "Expect"} after ${node.name}`}
                    aria-expanded={open === node.id}
                    title="Say what must be true after this step. It counts only when it is"
                    onClick={() => setOpen(open === node.id ? null : node.id)}
                  >
                    {words || "Expect"}
                  </button>
                  {goesTo !== null && <span class="quiet"> then back to “{goesTo}”</span>}
                  {open === node.id && (
                    <ExpectForm
                      key={JSON.stringify(expectOf(node) ?? null)}
                      name={node.name}
                      expect={expectOf(node)}
                      isBusy={isBusy}
                      onSet={(expect) => {
                        setOpen(null)
                        onSay(expecting(node.id, expect))
                      }}
                    />
                  )}
                </>
              )}
            </li>
          )
        })}
      </ol>
    </Section>
  )
}
