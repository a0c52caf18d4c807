/**
 * What the browser did beside an act, and the run should know: the act succeeded, and something about it is unsure.
 */
import { Schema } from "effect"

export const Remark = Schema.Struct({
  /**
   * `refilled`: the page had taken a typed text back, which was typed again. `unchosen`: it has taken a choice back, which may
   * not be sent. `effectless`: nothing was seen to change by a click.
   */
  kind: Schema.Literals(["refilled", "unchosen", "effectless"]),
  /** The element that it is about. */
  selector: Schema.String,
  /** What happened, without the selector. */
  reason: Schema.String
})
export type Remark = typeof Remark.Type
