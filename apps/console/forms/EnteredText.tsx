import { useEffect, useRef, useState } from "preact/hooks"

/** How long typing pauses before a text is reported that is searched as it is typed, in milliseconds. */
const pauseMillis = 300

/**
 * A text field that reports its text when the reader enters it: by Enter, or by leaving the field. What the reader has
 * typed before that stays, also when the page around the field is drawn again. With `asTyped` it also reports the text when
 * typing pauses.
 */
export const EnteredText = ({
  asTyped = false,
  isSearch = false,
  onEntered,
  value,
  ...rest
}: {
  readonly value: string
  readonly onEntered: (text: string) => void
  readonly "aria-label"?: string
  readonly placeholder?: string
  readonly isSearch?: boolean
  readonly asTyped?: boolean
}) => {
  const [typed, setTyped] = useState<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const field = {
    ...rest,
    value: typed ?? value,
    onInput: ({ currentTarget: { value: text } }: { readonly currentTarget: HTMLInputElement }) => {
      setTyped(text)
      clearTimeout(timer.current)
      if (asTyped) timer.current = setTimeout(() => onEntered(text), pauseMillis)
    },
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
      clearTimeout(timer.current)
      setTyped(null)
      onEntered(currentTarget.value)
    },
    onBlur: () => setTyped(null)
  }
  return isSearch ? <input type="search" {...field} /> : <input {...field} />
}
