/** Draws the console into the page. */
import { render } from "preact"
import { App } from "./shell/App.tsx"

export const start = (): void => {
  const place = document.getElementById("console")
  if (place !== null) render(<App />, place)
}
