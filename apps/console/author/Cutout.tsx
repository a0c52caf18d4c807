/** A part of the picture of a page. */
import type { PageTarget, Pointed } from "./Conversation.ts"

/** The largest size, in CSS pixels. */
const largest = { width: 160, height: 48 }

export const Cutout = ({ box, page }: { readonly page: Pointed; readonly box: PageTarget["box"] }) => {
  const scale = Math.min(1, largest.width / Math.max(box.width, 1), largest.height / Math.max(box.height, 1))
  const px = (length: number) => `${length * scale}px`
  return (
    <span class="cutout" style={{ width: px(box.width), height: px(box.height) }}>
      <img
        src={`data:image/jpeg;base64,${page.base64}`}
        alt=""
        style={{ width: px(page.width), height: px(page.height), left: px(-box.x), top: px(-box.y) }}
      />
    </span>
  )
}
