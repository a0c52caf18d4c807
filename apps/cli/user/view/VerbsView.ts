/**
 * What was done to several runs, as text for a terminal. Functions of their arguments.
 */
import { cell, counted, number } from "./Table.ts"

export type Verb = "release" | "interrupt" | "retry" | "tag"

/** The answer of a verb, of one request or of several. */
export interface Answer {
  readonly dry_run: boolean
  readonly next_cursor: string | null
  readonly counts: Readonly<Record<string, number>>
  readonly results: ReadonlyArray<{
    readonly session_id: string
    readonly outcome: string
    readonly status: string | null
    readonly message: string | null
    readonly retry_session_id?: string | null
  }>
}

/** Two answers as one: that of the first request, and that of the request that continues after it. */
export const merged = (first: Answer, next: Answer): Answer => ({
  dry_run: first.dry_run,
  next_cursor: next.next_cursor,
  counts: Object.fromEntries(
    [...new Set([...Object.keys(first.counts), ...Object.keys(next.counts)])].map((name) => [
      name,
      (first.counts[name] ?? 0) + (next.counts[name] ?? 0)
    ])
  ),
  results: [...first.results, ...next.results]
})

const done: Readonly<Record<Verb, string>> = {
  release: "released",
  interrupt: "interrupted",
  retry: "retried",
  tag: "tagged"
}

const shown = 20

/** What was done in one sentence, and the first runs that it was not done to, each with its reason. */
export const text = (verb: Verb, { counts, dry_run, next_cursor, results }: Answer): string => {
  if (results.length === 0) return "No run satisfies the filter"
  const word = done[verb]
  const count = counts[word] ?? 0
  const rest = results.filter(({ outcome }) => outcome !== word)
  const head = dry_run
    ? `Would have ${word} ${number(count)} of ${counted(results.length, "run")}; nothing was changed`
    : `${word.charAt(0).toUpperCase()}${word.slice(1)} ${number(count)} of ${counted(results.length, "run")}`
  const others = Object.entries(counts)
    .filter(([name, value]) => name !== word && value > 0)
    .map(([name, value]) => `${number(value)} ${name.replaceAll("_", " ")}`)
  const links =
    results.length <= shown
      ? results.flatMap(({ retry_session_id, session_id }) =>
          retry_session_id == null ? [] : [`  ${session_id} is retried as ${retry_session_id}`]
        )
      : []
  return [
    others.length === 0 ? head : `${head} (${others.join(", ")})`,
    ...links,
    ...rest
      .slice(0, shown)
      .map(({ message, outcome, session_id }) => `  ${session_id}  ${cell(message ?? outcome, 200)}`),
    ...(rest.length > shown ? [`  and ${number(rest.length - shown)} more`] : []),
    ...(next_cursor === null ? [] : ["More runs satisfy the filter"])
  ].join("\n")
}
