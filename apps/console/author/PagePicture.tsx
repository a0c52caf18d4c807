/** The page as a picture in which each element is a button, for the mouse and the keyboard. */
import { called, takesFile } from "./AuthorModel.ts"
import type { PageTarget, Pointed } from "./Conversation.ts"

const verbs: Readonly<Record<PageTarget["kind"], string>> = {
  press: "Click",
  type: "Type into",
  choose: "Choose in",
  read: "Read"
}

export const PagePicture = ({
  chosen,
  isBusy,
  onPoint,
  page,
  shown,
  verb
}: {
  readonly page: Pointed
  readonly isBusy: boolean
  /** The elements that can be chosen. */
  readonly shown: (target: PageTarget) => boolean
  /** The selectors of the elements that are marked. */
  readonly chosen: ReadonlySet<string>
  /** What a press of an element does; with `null`, what a person does with an element of its kind. */
  readonly verb: string | null
  readonly onPoint: (target: PageTarget) => void
}) => {
  const share = (part: number, whole: number) => `${(100 * part) / Math.max(whole, 1)}%`
  // An element is drawn above the larger ones that contain it.
  const area = ({ box }: PageTarget) => box.width * box.height
  const depths = new Map(
    [...page.elements].sort((one, other) => area(other) - area(one)).map((target, depth) => [target, depth])
  )
  return (
    <div
      class={isBusy ? "page-picture busy" : "page-picture"}
      role="group"
      aria-label="The page"
      aria-busy={isBusy}
      style={{ aspectRatio: `${page.width} / ${page.height}` }}
    >
      <img src={`data:image/jpeg;base64,${page.base64}`} alt={`The page ${page.title}`} />
      {page.elements.filter(shown).map((target, index) => {
        const { box, kind, selectors } = target
        return (
          <button
            key={`${selectors[0]?.selector} ${index}`}
            type="button"
            class={`point ${kind}`}
            title={called(target)}
            aria-label={`${verb ?? (takesFile(target) ? "Put a file into" : verbs[kind])}: ${called(target)}`}
            aria-pressed={chosen.has(selectors[0]?.selector ?? "")}
            disabled={isBusy}
            style={{
              left: share(box.x, page.width),
              top: share(box.y, page.height),
              width: share(box.width, page.width),
              height: share(box.height, page.height),
              zIndex: 1 + (depths.get(target) ?? 0)
            }}
            onClick={() => onPoint(target)}
          />
        )
      })}
    </div>
  )
}
