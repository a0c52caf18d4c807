// @ts-check
import theme from "vitepress/theme-without-fonts"

// Pages are in the fonts of the reader's system: the site then loads no font at all.
export default theme
