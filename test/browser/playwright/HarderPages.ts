/**
 * The challenges of the gauntlet that plain Playwright does not master, though it can do each step: their programs fail
 * there, or read something else, now and then or always.
 */
import { challenges as changedTexts } from "../../gauntlet/pages/ChangedTexts.ts"
import { challenges as effects } from "../../gauntlet/pages/Effects.ts"
import { challenges as hydration } from "../../gauntlet/pages/Hydration.ts"
import { challenges as late } from "../../gauntlet/pages/Late.ts"
import { challenges as loading } from "../../gauntlet/pages/Loading.ts"
import { challenges as redirects } from "../../gauntlet/pages/Redirects.ts"
import { challenges as remounts } from "../../gauntlet/pages/Remounts.ts"
import { challenges as servers } from "../../gauntlet/pages/Servers.ts"
import { challenges as takenBack } from "../../gauntlet/pages/TakenBack.ts"

const named = [
  "503 that is over soon",
  "area of a picture",
  "asynchronous script",
  "box beside its backdrop",
  "button that is about to move",
  "button that moved within a frame",
  "button that prints",
  "cells that span columns",
  "checkbox clipped",
  "checkbox invisible",
  "checkbox not displayed",
  "checkbox off the screen",
  "checkbox see-through",
  "choice taken back without a form",
  "columns that every row spans",
  "combobox by its roles",
  "condition before the answer",
  "cookie banner of another site",
  "date with a mask",
  "decimals of the start",
  "entry that is chosen already",
  "duplicate that goes away",
  "figures beside one another",
  "figures in a canvas",
  "form in a frame that loads again",
  "form sent by a key",
  "form that is drawn anew",
  "form that is drawn anew by a choice",
  "frame of another site",
  "frame of another site in a frame of another site",
  "frame that loads another page",
  "frame within frame within frame",
  "frame without an address",
  "icon of another picture under the pointer",
  "id that was renamed",
  "imported script",
  "invoice in an element embed",
  "invoice in an element iframe",
  "invoice in an element object",
  "link without a height",
  "list of the page's own that is drawn anew",
  "list that opens under the pointer",
  "menu of the page's own that goes back by itself",
  "module that waits for its configuration",
  "name of another customer",
  "name that is emptied late",
  "name that is filled in late",
  "next page drawn a moment after its answer",
  "next page faded in after its answer",
  "next page of a table",
  "note in a frame that is emptied",
  "note in an editor that is drawn anew",
  "note in an editor that is emptied",
  "number of an invoice",
  "old price",
  "old price by a style",
  "old prices in a list",
  "only an old price",
  "order that is confirmed late",
  "page that is later than it may be",
  "pop-up that is known",
  "prices of a German shop",
  "quantity that is never empty",
  "raised cents",
  "re-rendering list",
  "route of a single page",
  "rows drawn in groups after a slow answer",
  "rows of a skeleton",
  "rows that arrive in pieces",
  "script in a frame",
  "script that never comes",
  "search while one types",
  "second choice in a list that takes several",
  "second file of a field",
  "several choices at once",
  "shadow roots in shadow roots",
  "small cents",
  "square metres",
  "statistics that never come",
  "table in a frame that loads",
  "table that says it is busy",
  "tabs with panels on demand",
  "unannounced cookie banner",
  "unannounced cookie banner of another site"
]

/** The kinds whose difficulty is when something comes, which plain Playwright may or may not wait for. */
const timed = [changedTexts, effects, hydration, late, loading, redirects, remounts, servers, takenBack].flat()

export const harder: ReadonlySet<string> = new Set([...named, ...timed.map(({ name }) => name)])
