/** The answers of the service that Home is made of. */
import type * as Gates from "../../api/gate/GatesApi.ts"
import type * as Record from "../../api/run/RunRecord.ts"

export type RunListItem = typeof Record.RunListItem.Type
export type RunWindowResponse = typeof Gates.RunWindowResponse.Type
