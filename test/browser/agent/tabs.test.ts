import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { click, failure, found, got, heading, run, services, step, tab } from "../../support/interactionPages.ts"
import { awaited } from "../../support/waiting.ts"

layer(services, { excludeTestServices: true })("in a real browser", (it) => {
  describe("windows", () => {
    it.effect.each([
      ["a link", "#blank", "Other"],
      ["a slow one without an opener", "#slow", "Slow"]
    ] as const)(
      "the window that %s opens is looked at",
      ([, selector, title]) =>
        Effect.gen(function* () {
          assert.strictEqual(found(yield* run("/", () => [click(selector), heading])), title)
        }),
      { concurrent: true }
    )

    it.effect(
      "one that comes later is where the next step finds its element",
      () =>
        Effect.gen(function* () {
          // The window is noticed while the first is waited in.
          const seen = yield* awaited(
            "the heading of the other window",
            run("/", () => [
              click("#later"),
              step("CLICK")({ selector: "//h1[.='Other']", wait_time: 600_000 }),
              heading
            ])
          )
          assert.strictEqual(found(seen), "Other")
        }),
      { concurrent: true }
    )

    it.effect.each(["#now", "#soon"])(
      "a login in a separate window posts back and closes, at %s, and the page continues",
      (button) =>
        Effect.gen(function* () {
          const seen = yield* run("/", () => [
            click("#login"),
            step("INPUT_TEXT")({ selector: "css=#name", text: "Ann" }),
            click(button),
            got
          ])
          assert.strictEqual(found(seen), button === "#now" ? "hello Ann" : "soon")
        }),
      { concurrent: true }
    )

    it.effect(
      "they are opened, turned to and closed by their number",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/", () => [
            tab({ tabAction: "OPEN", url: "/other" }),
            tab({ tabAction: "OPEN", url: "/files" }),
            tab({ tabAction: "SWITCH", tab_index: 1 }),
            tab({ tabAction: "CLOSE", tab_index: 0 }),
            tab({ tabAction: "CLOSE" }),
            heading
          ])
          assert.strictEqual(found(seen), "Files")
          const last = yield* run("/", () => [
            tab({ tabAction: "CLOSE" }),
            step("NAVIGATE")({ url: `${seen.steps.length === 0 ? "" : "about:blank"}` })
          ])
          assert.strictEqual(failure(last).code, "NAVIGATION-E0002")
        }),
      { concurrent: true }
    )

    it.effect(
      "an unknown tab, an address that may not be opened, and too many tabs fail",
      () =>
        Effect.gen(function* () {
          const none = failure(yield* run("/", () => [tab({ tabAction: "SWITCH", tab_index: 99, wait_time: 100 })]))
          assert.include(none.message, "Cannot switch to tab 99: only 1 tab is open, number 0")
          const file = failure(yield* run("/", () => [tab({ tabAction: "OPEN", url: "file:///etc/passwd" })]))
          assert.strictEqual(file.code, "NAVIGATION-E0002")
          const many = yield* run("/", () => [click("#many"), heading, heading, click("#blank"), heading])
          assert.deepInclude(failure(many), { code: "LIMIT-E0003" })
          assert.include(failure(many).message, "more than 4 tabs were open")
          assert.strictEqual(many.pictures.filter(({ error }) => error).length, 1)
        }),
      { concurrent: true }
    )
  })

  describe("dialogs", () => {
    it.effect.each([
      ["#alert", "alerted"],
      ["#confirm", "true"],
      ["#prompt", "Ann"]
    ] as const)(
      "%s is accepted at once, and the page has %s",
      ([selector, text]) =>
        Effect.gen(function* () {
          assert.strictEqual(found(yield* run("/", () => [click(selector), got])), text)
        }),
      { concurrent: true }
    )

    it.effect(
      "a page that asks to stay is left, and a site that asks for a password by HTTP fails clearly",
      () =>
        Effect.gen(function* () {
          const left = yield* run("/", (origin) => [
            click("#stay"),
            step("NAVIGATE")({ url: `${origin}/other` }),
            heading
          ])
          assert.strictEqual(found(left), "Other")
          const asked = failure(yield* run("/", (origin) => [step("NAVIGATE")({ url: `${origin}/auth` })]))
          assert.include(asked.message, "asks for a name and a password by HTTP authentication")
        }),
      { concurrent: true }
    )
  })

  describe("the hand", () => {
    it.effect.each([
      ["#go", {}, "by hand"],
      ["#go", { click_type: "double_click" }, "twice"],
      ["#go", { click_type: "right_click" }, "menu"],
      ["#wrapped", {}, "link"]
    ] as const)(
      "reaches %s with %j",
      ([selector, more, text]) =>
        Effect.gen(function* () {
          assert.strictEqual(
            found(yield* run("/mouse", () => [click(selector, { human_mode: true, ...more }), got])),
            text
          )
        }),
      { concurrent: true }
    )

    it.effect(
      "a slider is moved by keys",
      () =>
        Effect.gen(function* () {
          const seen = yield* run("/mouse", () => [
            click("#slider"),
            step("INPUT_TEXT")({ omit_focus: true, text: "{{arrow_right}}{{arrow_right}}" }),
            got
          ])
          assert.strictEqual(found(seen), "7")
        }),
      { concurrent: true }
    )
  })
})
