/** Signing in by a form, with which the tasks of an application begin. */
import { click, type Move, type } from "../../gauntlet/Workflow.ts"
import type { Task } from "./Application.ts"

/** A form with two fields and a button, by their ids, and the user that signs in by it. */
export interface SignIn {
  readonly user: { readonly name: string; readonly password: string }
  readonly name: string
  readonly password: string
  readonly button: { readonly tag: "button" | "input"; readonly id: string }
}

/** What follows after the sign-in. The form is at the address of the task. */
export interface SignedInTask extends Omit<Task, "workflow"> {
  readonly moves: ReadonlyArray<Move>
}

/** A task with the sign-in before it, in both ways. Where its elements are to be changed, so are those of the form. */
export const withSignIn = (
  { button, name, password, user }: SignIn,
  { moves, targets, ...task }: SignedInTask
): Task => ({
  ...task,
  ...(targets === undefined ? {} : { targets: [`#${name}`, `#${password}`, `#${button.id}`, ...targets] }),
  workflow: [
    type(`//input[@id='${name}']`, user.name),
    type(`//input[@id='${password}']`, user.password),
    click(`//${button.tag}[@id='${button.id}']`),
    ...moves
  ],
  byHand: async (page) => {
    await page.goto(task.url, { waitUntil: "domcontentloaded" })
    await page.locator(`#${name}`).fill(user.name)
    await page.locator(`#${password}`).fill(user.password)
    await page.locator(`#${button.id}`).click()
    return await task.byHand(page)
  }
})
