/** Which elements of a real page are a way to a further one. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { furtherPage } from "../../../core/agent/Pagers.ts"
import { body, open, pages } from "../../support/pages.ts"

const ways = {
  "a link": `<a href="?2">Next</a>`,
  "a word with an arrow": `<a href="?2"> Nächste
    Seite › </a>`,
  "an arrow": `<button>»</button>`,
  "a name": `<button aria-label="NEXT PAGE"><svg></svg></button>`,
  "a mark": `<a rel="next" href="?2">Olderish</a>`,
  "a button of a form": `<input type="submit" value="Load more">`,
  "an element with a role": `<div role="button" tabindex="0">Следующая</div>`,
  Japanese: `<a href="?2">次へ</a>`
}

const others = {
  "a link that is off": `<a href="?2" aria-disabled="true">Next</a>`,
  "a button that is off": `<button disabled>Next</button>`,
  "an item that is off": `<li class="page disabled"><a href="?2">Next</a></li>`,
  "a word alone": `<a>Next</a><span>Next</span>`,
  "another way": `<a href="?1">Previous</a><a href="?1">1</a><a href="?3">Next steps for you</a>`,
  "a link that is not seen": `<a href="?2" style="display: none">Next</a>`
}

const all = { ...ways, ...others }
const address = (name: string) => `/${encodeURIComponent(name)}`

layer(pages(Object.fromEntries(Object.entries(all).map(([name, html]) => [address(name), body(html)]))))(
  "a way to a further page",
  (it) => {
    it.effect("is found by what it says, where it can be used", () =>
      Effect.gen(function* () {
        const found: Array<string> = []
        for (const name of Object.keys(all)) {
          const page = yield* open(address(name))
          if ((yield* page.elements.seen([furtherPage])).length > 0) found.push(name)
        }
        assert.deepStrictEqual(found, Object.keys(ways))
      })
    )
  }
)
