/**
 * The kinds of fields that the parameters of several actions share. `null` is the same as leaving one out.
 */
import { Schema } from "effect"

export const text = Schema.String
export const filled = text.check(Schema.isNonEmpty({ message: "Expected some text" }))
export const flag = Schema.optionalKey(Schema.NullOr(Schema.Boolean))
export const optionalText = Schema.optionalKey(Schema.NullOr(text))
const millis = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 600_000 }))

/** How long an action waits for its element, in milliseconds, when it does not say. */
export const defaultWaitMillis = 15_000

export const wait_time = Schema.optionalKey(Schema.NullOr(millis))

/** Of an action whose element is found by its selector alone. */
export const execution = Schema.optionalKey(Schema.NullOr(Schema.Literals(["STATIC"])))

/** A node that carries it ends a dry run before it acts. */
export const end_here_on_dry_run = flag

/** A node that carries it must not be done twice: a run that passed it is never tried again. */
export const not_repeatable = flag

/** The parameters of every action on an element of the page. */
export const acting = { wait_time, end_here_on_dry_run, not_repeatable, human_mode: flag }
