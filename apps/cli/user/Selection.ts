/** The selection of runs of a command, in the form of the interface. */
import { present } from "../../api/http/body/Fields.ts"
import type { FilterSettings } from "../commands/user/Selection.ts"
import { statusNamed } from "./view/RunsView.ts"

/** The conditions that were given. A status may be given by the word that lists show. */
export const queryOf = (settings: FilterSettings) => present({ ...settings, status: settings.status?.map(statusNamed) })

export type Filter = ReturnType<typeof queryOf>
