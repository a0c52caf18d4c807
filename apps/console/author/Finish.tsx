/** The end of a recording: its save, and the questions before steps are lost or another version is overwritten. */
import { Schema } from "effect"
import { useEffect, useState } from "preact/hooks"
import { workflowOf, workflows } from "../data/Workflows.ts"
import { Confirm } from "../forms/Confirm.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { say } from "../kit/Notices.ts"
import { go, hold, to } from "../kit/Route.ts"
import { act, reasonOf, refresh } from "../kit/Service.ts"
import { builder, type Draft } from "./Conversation.ts"
import { RetryAlike } from "./Repair.tsx"

const isConflict = Schema.is(Schema.Struct({ code: Schema.Literal("WORKFLOW_VERSION_CONFLICT") }))

/** The longest note of a version that this page writes. */
const longestNote = 2_000

/** The note of a version that mends a run. */
const noteOf = ({ nodes, repair }: Draft): string | null => {
  if (repair === null) return null
  const step = nodes.find(({ id }) => id === repair.nodeId)?.name
  return `Mends run ${repair.sessionId}${typeof step === "string" ? `: ${step}` : ""}`.slice(0, longestNote)
}

type Question =
  | { readonly kind: "leave"; readonly address: string }
  | { readonly kind: "end" }
  | { readonly kind: "overwrite"; readonly reason: string }

/** Asks before the page is left or closed while steps are not saved. */
const useHold = (isUnsaved: boolean, ask: (address: string) => void) =>
  useEffect(() => {
    if (!isUnsaved) return
    const release = hold(ask)
    const closing = (event: Event) => event.preventDefault()
    window.addEventListener("beforeunload", closing)
    return () => {
      release()
      window.removeEventListener("beforeunload", closing)
    }
  }, [isUnsaved])

export const Finish = ({
  draft,
  id,
  isBusy,
  workflowId
}: {
  readonly draft: Draft
  readonly id: string
  readonly isBusy: boolean
  readonly workflowId: string | null
}) => {
  const params = { conversation_id: id }
  const [question, ask] = useState<Question | null>(null)
  const [retried, setRetried] = useState<string | null>(null)
  // The draft is read again a moment after its save.
  const [isSaved, setSaved] = useState(false)
  useEffect(() => setSaved(false), [draft])
  useHold(draft.unsaved && !isSaved, (address) => ask({ kind: "leave", address }))

  const save = async (force = false) => {
    const note = noteOf(draft)
    const payload = { ...(note === null ? {} : { versionNote: note }), ...(force ? { force } : {}) }
    const failed = (error: unknown) =>
      isConflict(error) ? ask({ kind: "overwrite", reason: reasonOf(error) }) : say("problem", reasonOf(error))
    const saved = await act(builder().save({ params, payload }), {
      done: ({ version_number }) => `Saved as version ${version_number}`,
      failed
    })
    if (saved === null) return null
    setSaved(true)
    refresh(workflows, workflowOf(saved.id))
    return saved.id
  }
  const saveAndShow = async (force = false) => {
    const saved = await save(force)
    if (saved === null) return
    if (draft.repair !== null) setRetried(saved)
    else leave(to(["workflows", saved]))
  }
  const end = async () => {
    if ((await act(builder().endSession({ params }))) !== null) leave(to(["author"]))
  }
  return (
    <>
      {workflowId !== null && <a href={to(["workflows", workflowId])}>The saved workflow</a>}
      <button type="button" disabled={isBusy} onClick={() => (draft.unsaved ? ask({ kind: "end" }) : void end())}>
        End
      </button>
      <button type="button" class="primary" disabled={isBusy} onClick={() => void saveAndShow()}>
        Save the workflow
      </button>
      {question?.kind === "end" && (
        <Confirm title="End without saving?" word="End without saving" onConfirm={end} onClose={() => ask(null)}>
          The changes of this recording are not saved. They are lost when it ends.
        </Confirm>
      )}
      {question?.kind === "overwrite" && (
        <Confirm
          title="Save over a later version?"
          word="Save as the next version"
          onConfirm={() => saveAndShow(true)}
          onClose={() => ask(null)}
        >
          {question.reason}. The next version would be made from these steps alone; the later version stays among the
          versions.
        </Confirm>
      )}
      {question?.kind === "leave" && (
        <Leaving
          onSave={async () => {
            ask(null)
            if ((await save()) !== null) leave(question.address)
          }}
          onLeave={() => leave(question.address)}
          onClose={() => ask(null)}
        />
      )}
      {draft.repair !== null && retried !== null && (
        <RetryAlike repair={draft.repair} workflowId={retried} onClose={() => setRetried(null)} />
      )}
    </>
  )
}

/** Goes on without the question. */
const leave = (address: string) => go(address, { asked: true })

const Leaving = ({
  onClose,
  onLeave,
  onSave
}: {
  readonly onSave: () => Promise<void>
  readonly onLeave: () => void
  readonly onClose: () => void
}) => (
  <Dialog title="Leave unsaved steps?" onClose={onClose}>
    <p>The changes of this recording are not saved. It stays under Author for half an hour, and is lost then.</p>
    <div class="dialog-actions">
      <button type="button" class="primary" onClick={() => void onSave()}>
        Save and leave
      </button>
      <button type="button" onClick={onLeave}>
        Leave
      </button>
      <button type="button" onClick={onClose}>
        Stay
      </button>
    </div>
  </Dialog>
)
