/** Field schemas that the parameters of several actions share. `null` is the same as an absent field. */
import { Schema } from "effect"

export const text = Schema.String
export const filled = text.check(Schema.isNonEmpty({ message: "Expected some text" }))
export const flag = Schema.optionalKey(Schema.NullOr(Schema.Boolean))
export const optionalText = Schema.optionalKey(Schema.NullOr(text))
const millis = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 600_000 }))

/** Default time to wait for an element, in milliseconds. */
export const defaultWaitMillis = 15_000

export const wait_time = Schema.optionalKey(Schema.NullOr(millis))

/** The `execution` of an action that finds its element only by its selector. */
export const execution = Schema.optionalKey(Schema.NullOr(Schema.Literals(["STATIC"])))

/** A dry run ends before a node that has this flag. */
export const end_here_on_dry_run = flag

/** A node with this flag must not run twice: a run that passed it is never retried. */
export const not_repeatable = flag

/** The parameters of every action on an element of the page. */
export const acting = { wait_time, end_here_on_dry_run, not_repeatable, human_mode: flag }
