import { assert, it } from "@effect/vitest"
import * as LiveSelectors from "../../../core/workflow/language/expression/LiveSelectors.ts"

const selector = (text: string) => ({ selector: text })

it.each<readonly [string, ReadonlyArray<LiveSelectors.Part>]>([
  ["plain >> text", ["plain >> text"]],
  ["<<xpath://h1>>", [selector("//h1")]],
  ["a <<xpath://h1>> b <<xpath://h2>>", ["a ", selector("//h1"), " b ", selector("//h2")]],
  ["<<xpath://a[.='x >> y']>>", [selector("//a[.='x >> y']")]],
  ["<<xpath://a[. >> //b]>> and >>", [selector("//a[. >> //b]"), " and >>"]],
  ["<<xpath:css=x-card >> css=button>>", [selector("css=x-card >> css=button")]],
  ["<<xpath://a>>/<<xpath://b>>", [selector("//a"), "/", selector("//b")]],
  ["<<xpath:text=O'Neil>> rest", [selector("text=O'Neil"), " rest"]],
  ["<<xpath://a[>>", [selector("//a[")]],
  ["<<xpath://a", ["<<xpath://a"]]
])("%s is split at the ends of its selectors", (text, parts) => {
  assert.deepStrictEqual(LiveSelectors.split(text), parts)
})
