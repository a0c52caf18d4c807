// @ts-check
import { navigation } from "./navigation.js"

/**
 * The anchor of a heading, as readers of the pages in the repository know it: small letters, dashes for spaces, no other
 * signs.
 *
 * @param {string} heading
 */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-")

/**
 * Braces in code are text of the page. The builder would evaluate them as its own expressions.
 *
 * @param {{ readonly renderer: { readonly rules: Record<string, ((...args: any[]) => string) | undefined> } }} md
 */
const literal = ({ renderer }) => {
  const plain = renderer.rules.code_inline
  renderer.rules.code_inline = (tokens, index, ...rest) => {
    tokens[index].attrSet("v-pre", "")
    return plain?.(tokens, index, ...rest) ?? ""
  }
}

/** The site of the docs, which the process serves at `/docs/guide/`. */
export default {
  title: "Sluice",
  description: "Runs browser-automation workflows, and starts them only within their run windows",
  base: "/docs/guide/",
  // Without it, a browser asks for a picture that is not there.
  head: [["link", { rel: "icon", href: "data:," }]],
  cleanUrls: true,
  // A dead link fails the build.
  ignoreDeadLinks: false,
  // Without it, switching between light and dark adds a style element, which the policy of the pages refuses.
  appearance: { disableTransition: false },
  markdown: {
    anchor: { slugify: anchorOf },
    languageAlias: { jsonata: "js" },
    config: literal
  },
  themeConfig: {
    nav: [],
    sidebar: navigation,
    outline: [2, 3],
    search: { provider: "local" },
    externalLinkIcon: true
  }
}
