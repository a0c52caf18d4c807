/** The same page, on which one selector means what another leads to. */
import type { Page } from "../../browser/Browser.ts"
import type { Target } from "../../browser/element/Target.ts"

export const instead = (page: Page, selector: string, other: string): Page => {
  const aimed = (one: string): string => (one === selector ? other : one)
  const aim = <T extends Target>(target: T): T =>
    target.selector === selector ? { ...target, selector: other } : target
  return {
    ...page,
    click: (target, kind, gesture) => page.click(aim(target), kind, gesture),
    type: (target, typing) => page.type(target === null ? null : aim(target), typing),
    upload: (target, file) => page.upload(target === null ? null : aim(target), file),
    scroll: (scroll, waitMillis) =>
      page.scroll(
        {
          ...scroll,
          ...("selector" in scroll ? { selector: aimed(scroll.selector) } : {}),
          ...("container" in scroll ? { container: aimed(scroll.container) } : {})
        },
        waitMillis
      ),
    screenshot: ({ target, ...framing }) =>
      page.screenshot(target === undefined ? framing : { ...framing, target: aim(target) }),
    readable: (options) =>
      page.readable({ ...options, selector: options.selector === null ? null : aimed(options.selector) }),
    select: (target, value, fuzzy) => page.select(aim(target), value, fuzzy),
    find: (target) => page.find(aim(target)),
    read: (target) => page.read(aim(target)),
    describe: (target) => page.describe(aim(target)),
    codeField: (field) => page.codeField(aimed(field)),
    survey: ({ fields, target }) => page.survey({ fields, target: target === null ? null : aimed(target) })
  }
}
