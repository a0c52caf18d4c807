/**
 * A workflow as data that reads like a program: moves in their order, some with moves inside. `CompiledCode` makes the
 * nodes and edges of the graph language of them.
 */
import type { Schema } from "effect"

/** The fields of a node beside its name, action and parameters. */
export interface NodeFields {
  /** A UUID. It is made of the name of the step when left out. */
  readonly id?: string
  readonly description?: string
  readonly [field: string]: Schema.Json | undefined
}

export type Move =
  | {
      readonly _tag: "Step"
      readonly name: string
      readonly action: string
      readonly parameters: Schema.JsonObject
      readonly node: NodeFields
    }
  | {
      readonly _tag: "When"
      readonly name: string
      readonly parameters: Schema.JsonObject
      readonly node: NodeFields
      readonly yes: ReadonlyArray<Move>
      readonly no: ReadonlyArray<Move>
    }
  | {
      readonly _tag: "Each"
      readonly name: string
      readonly parameters: Schema.JsonObject
      readonly node: NodeFields
      readonly body: ReadonlyArray<Move>
    }
  /** Continues at the step with this name or id. */
  | { readonly _tag: "GoTo"; readonly step: string }
  /** Names that the types take for set. It is no node. */
  | { readonly _tag: "Assume"; readonly names: ReadonlyArray<string> }

/** A move that is a node of the graph. */
export type NodeMove = Exclude<Move, { readonly _tag: "GoTo" | "Assume" }>

export const isNode = (move: Move): move is NodeMove => move._tag !== "GoTo" && move._tag !== "Assume"

/** The moves inside of a move. */
export const inside = (move: Move): ReadonlyArray<ReadonlyArray<Move>> =>
  move._tag === "When" ? [move.yes, move.no] : move._tag === "Each" ? [move.body] : []

/** Whether the move after these is reached from the last of them. */
export const fallsThrough = (moves: ReadonlyArray<Move>): boolean => {
  const last = moves.findLast(({ _tag }) => _tag !== "Assume")
  if (last === undefined) return true
  if (last._tag === "When") return fallsThrough(last.yes) || fallsThrough(last.no)
  return !(last._tag === "GoTo" || (last._tag === "Step" && last.action === "END"))
}
