/** The steps of a run. A click on a step seeks the video; the step at the video's position is highlighted. */
import { useState } from "preact/hooks"
import { Clipped } from "../kit/Clipped.tsx"
import { Dialog } from "../kit/Dialog.tsx"
import { Empty } from "../kit/Page.tsx"
import { now, useAtom } from "../kit/Registry.ts"
import { clockSeconds, duration } from "../kit/Times.ts"
import { type Entry, nested, type Picture, type Step, turnWords } from "./RunModel.ts"

const words: Readonly<Record<Step["state"], string>> = {
  done: "done",
  skipped: "skipped: its condition did not hold",
  failed: "failed",
  running: "running",
  stopped: "stopped here"
}

const tones: Readonly<Record<Step["state"], string>> = {
  done: "good",
  skipped: "idle",
  failed: "bad",
  running: "busy",
  stopped: "idle"
}

interface Shown {
  /** The index of the step at the position of the video; -1 without one. */
  readonly lit: number
  readonly onSeek: ((at: number) => void) | null
  readonly show: (picture: Picture) => void
}

/** Steps, those of a loop below the turn in which they were done. */
const Entries = ({ entries, ...shown }: Shown & { readonly entries: ReadonlyArray<Entry> }) => {
  const turns = entries.filter((entry) => "turn" in entry)
  return (
    <>
      {entries.map((entry, at) =>
        "turn" in entry ? (
          <li key={at} class="turn">
            <details open={turns.length <= openTurns || entry === turns.at(-1)}>
              <summary>{turnWords(entry.turn)}</summary>
              <ol class="steps">
                <Entries entries={entry.entries} {...shown} />
              </ol>
            </details>
          </li>
        ) : (
          <Line key={at} step={entry.step} isLit={entry.at === shown.lit} {...shown} />
        )
      )}
    </>
  )
}

/** As many turns of a loop are open at first; of more, the last one is. */
const openTurns = 3

const Line = ({ isLit, onSeek, show, step }: Shown & { readonly step: Step; readonly isLit: boolean }) => {
  const present = useAtom(now)
  return (
    <li class={`${tones[step.state]}${isLit ? " lit" : ""}`}>
      <div class="step-line">
        <span class="dot" aria-hidden="true" />
        {onSeek === null ? (
          <span class="sentence">{step.sentence}</span>
        ) : (
          <button type="button" class="sentence" onClick={() => onSeek(step.at)}>
            {step.sentence}
          </button>
        )}
        <span class="step-time">
          {step.millis === null
            ? duration(present - step.at)
            : step.state === "skipped"
              ? "skipped"
              : duration(step.millis)}
        </span>
      </div>
      <p class="step-note">
        {clockSeconds(step.at)} · {words[step.state]}
        {step.attempt > 0 && ` · attempt ${step.attempt + 1}`}
      </p>
      {step.notes.map((note, at) => (
        <p key={at} class="step-note">
          <Clipped text={note} />
        </p>
      ))}
      {step.pictures.length > 0 && (
        <div class="thumbs">
          {step.pictures.map((picture) => (
            <button key={picture.address} type="button" onClick={() => show(picture)}>
              <img
                src={picture.address}
                loading="lazy"
                alt={picture.isOfError ? `The page at the error in ${picture.name}` : `The page after ${picture.name}`}
              />
            </button>
          ))}
        </div>
      )}
    </li>
  )
}

export const Steps = ({
  missed,
  onSeek,
  playedAt,
  steps
}: {
  readonly steps: ReadonlyArray<Step>
  readonly missed: ReadonlyArray<string>
  readonly playedAt: number | null
  readonly onSeek: ((at: number) => void) | null
}) => {
  const [shown, show] = useState<Picture | null>(null)
  const pictures = steps.flatMap((step) => step.pictures)
  const before = shown === null ? undefined : pictures[pictures.indexOf(shown) - 1]
  if (steps.length === 0 && missed.length === 0) {
    return <Empty title="No step was done yet">The steps of the run appear here as they happen.</Empty>
  }
  const lit = playedAt === null ? -1 : steps.findLastIndex(({ at }) => at <= playedAt)
  return (
    <>
      <ol class="steps">
        <Entries entries={nested(steps)} lit={lit} onSeek={onSeek} show={show} />
        {missed.map((name) => (
          <li key={name} class="never">
            <div class="step-line">
              <span class="dot" aria-hidden="true" />
              <span class="sentence">{name}</span>
              <span class="step-time">never ran</span>
            </div>
          </li>
        ))}
      </ol>
      {shown !== null && (
        <Dialog title={shown.name} wide onClose={() => show(null)}>
          <div class={before === undefined ? "" : "before-after"}>
            {before !== undefined && (
              <figure>
                <figcaption class="note">Before: after {before.name}</figcaption>
                <img class="picture" src={before.address} alt={`The page before, after ${before.name}`} />
              </figure>
            )}
            <figure>
              {before !== undefined && <figcaption class="note">After: {shown.name}</figcaption>}
              <img class="picture" src={shown.address} alt={`The page after ${shown.name}`} />
            </figure>
          </div>
        </Dialog>
      )}
    </>
  )
}
