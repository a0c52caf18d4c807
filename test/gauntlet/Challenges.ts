/**
 * All challenges of the gauntlet.
 */
import { sampled } from "../support/scale.ts"
import type { Challenge } from "./Challenge.ts"
import { challenges as changedTexts } from "./pages/ChangedTexts.ts"
import { challenges as choices } from "./pages/Choices.ts"
import { challenges as decoys } from "./pages/Decoys.ts"
import { challenges as disclosure } from "./pages/Disclosure.ts"
import { challenges as effects } from "./pages/Effects.ts"
import { challenges as expectations } from "./pages/Expectations.ts"
import { challenges as fields } from "./pages/Fields.ts"
import { challenges as files } from "./pages/Files.ts"
import { challenges as frames } from "./pages/Frames.ts"
import { challenges as hydration } from "./pages/Hydration.ts"
import { challenges as late } from "./pages/Late.ts"
import { challenges as loading } from "./pages/Loading.ts"
import { challenges as logic } from "./pages/Logic.ts"
import { challenges as network } from "./pages/Network.ts"
import { challenges as overlays } from "./pages/Overlays.ts"
import { challenges as people } from "./pages/People.ts"
import { challenges as pointing } from "./pages/Pointing.ts"
import { challenges as readings } from "./pages/Readings.ts"
import { challenges as recoveries } from "./pages/Recoveries.ts"
import { challenges as redirects } from "./pages/Redirects.ts"
import { challenges as remounts } from "./pages/Remounts.ts"
import { challenges as scrolling } from "./pages/Scrolling.ts"
import { challenges as servers } from "./pages/Servers.ts"
import { challenges as sessions } from "./pages/Sessions.ts"
import { challenges as shadow } from "./pages/Shadow.ts"
import { challenges as tables } from "./pages/Tables.ts"
import { challenges as takenBack } from "./pages/TakenBack.ts"
import { challenges as texts } from "./pages/Texts.ts"
import { challenges as virtualLists } from "./pages/VirtualLists.ts"
import { challenges as widgets } from "./pages/Widgets.ts"
import { challenges as windows } from "./pages/Windows.ts"
import { challenges as wrongFiles } from "./pages/WrongFiles.ts"

/** By the difficulty that they have in common. */
const kinds: ReadonlyArray<ReadonlyArray<Challenge>> = [
  changedTexts,
  choices,
  decoys,
  disclosure,
  effects,
  expectations,
  fields,
  files,
  frames,
  hydration,
  late,
  loading,
  logic,
  network,
  overlays,
  people,
  pointing,
  readings,
  recoveries,
  redirects,
  remounts,
  scrolling,
  servers,
  sessions,
  shadow,
  tables,
  takenBack,
  texts,
  virtualLists,
  widgets,
  windows,
  wrongFiles
]

export const challenges: ReadonlyArray<Challenge> = kinds.flat()

/** Those that `npm test` takes: some of each kind. */
export const taken: ReadonlyArray<Challenge> = kinds.flatMap((kind) => sampled(kind, 4))
