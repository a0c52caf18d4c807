/**
 * The contract of the browser in the test runner.
 */
import { describe, it } from "@effect/vitest"
import type { Layer } from "effect"
import type { Browser } from "../../core/browser/Browser.ts"
import * as BrowserContract from "../kit/contracts/browser/BrowserContract.ts"

/** The promises, or some of them, kept by the browser of a layer. They run concurrently: each has its own session. */
export const promises = <E>(
  name: string,
  layer: Layer.Layer<Browser | BrowserContract.Site, E>,
  some = BrowserContract.promises
): void => {
  describe("a browser", { concurrent: true }, () =>
    it.layer(layer, { excludeTestServices: true })(`the browser (${name})`, (it) => {
      for (const { keeps, title } of some) it.effect(title, () => keeps)
    })
  )
}
