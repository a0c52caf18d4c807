/** The terms of new runs, as flags. */
import { Option, Schema } from "effect"
import { type Command, Flag } from "effect/cli"
import { mostOfReference, Reference } from "../../../../core/run/Run.ts"
import { Tag } from "../../../../core/workspace/request/Tags.ts"

const isTag = Schema.is(Tag)
const isReference = Schema.is(Reference)

/** The flag for tags that a command adds or removes. */
export const tagsNamed = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.filter(isTag, () => "1 to 100 characters without control characters, and no space at the ends"),
    Flag.atLeast(0)
  )

/** The tags of new runs. */
export const tags = tagsNamed("tag", "A tag of each new run; may be repeated")

/** The terms of new runs, each under the name of its field in the body of their submission. */
export const terms = {
  tags: tags.pipe(Flag.map((all) => (all.length === 0 ? undefined : all))),
  priority: Flag.Int("priority").pipe(
    Flag.withDescription("Priority of each new run, from -10 to 10; of the waiting runs a higher one starts first"),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  ),
  start_by: Flag.String("start-by").pipe(
    Flag.withDescription("End new runs that have not started before this instant, such as 2026-12-01T09:00:00+01:00"),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )
}
export type Terms = Command.Command.Config.Infer<typeof terms>

/** The terms of one new run. */
export const termsOfOne = {
  ...terms,
  reference: Flag.String("reference").pipe(
    Flag.withDescription("Your own id of the run, such as the number of an order"),
    Flag.filter(isReference, () => `1 to ${mostOfReference} characters without control characters`),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  ),
  reference_unique: Flag.Boolean("reference-unique").pipe(
    Flag.withDescription("Start the run only if no other one was started with this flag and the same reference"),
    Flag.optional,
    Flag.map(Option.getOrUndefined)
  )
}
export type TermsOfOne = Command.Command.Config.Infer<typeof termsOfOne>
