import { assert, it } from "@effect/vitest"
import { isGoodNews } from "../../../adapters/playwright/injected/look/GoodNews.ts"

it.each([
  ["1 row deleted.", true],
  ["Your changes have been saved", true],
  ["Showing rows 0 - 24 (60 total, Query took 0.0002 seconds.)", true],
  ["Beitrag erfolgreich gespeichert.", true],
  ["Your changes could not be saved", false],
  ["The file was not uploaded", false],
  ["Email address must be updated", false],
  ["Please enter a date that was changed", false],
  ["Wrong password", false],
  ["Couldn't be saved", false],
  ["Name is already added", false],
  ["", false]
] as const)("%s only says that something was done: %s", (text, expected) => {
  assert.strictEqual(isGoodNews(text), expected)
})
