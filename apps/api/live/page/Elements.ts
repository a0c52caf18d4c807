/**
 * The elements of the page, and its texts for the person in front of it.
 */

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no element #${id}`)
  return found
}

const status = element("status")
const hintText = element("hint")
const noteText = element("note")
const stepText = element("step")

/** The picture of the window that the run is at. */
export const picture = element("picture") as HTMLImageElement

/** Takes and gives back control. */
export const button = element("control") as HTMLButtonElement

/** Says how the run does. A status that is said again is not read out again. */
export const say = (text: string): void => {
  if (status.textContent !== text) status.textContent = text
}

/** Says why there is no picture. */
export const hint = (text: string): void => {
  hintText.textContent = text
  hintText.hidden = false
}

export const hideHint = (): void => {
  hintText.hidden = true
}

/** Says what came of what the person did. */
export const note = (text: string): void => {
  noteText.textContent = text
}

export const showStep = (text: string): void => {
  stepText.textContent = text
}
