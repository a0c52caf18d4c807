/** The same page, on which one selector means what another leads to. */
import type { Page, Target } from "../Browser.ts"

export const instead = (page: Page, selector: string, other: string): Page => {
  const aim = <T extends Target>(target: T): T =>
    target.selector === selector ? { ...target, selector: other } : target
  return {
    ...page,
    click: (target, kind) => page.click(aim(target), kind),
    type: (target, typing) => page.type(target === null ? null : aim(target), typing),
    select: (target, value, fuzzy) => page.select(aim(target), value, fuzzy),
    find: (target) => page.find(aim(target)),
    read: (target) => page.read(aim(target)),
    describe: (target) => page.describe(aim(target)),
    codeField: (field) => page.codeField(field === selector ? other : field),
    survey: ({ fields, target }) => page.survey({ fields, target: target === selector ? other : target })
  }
}
