import { useState } from "preact/hooks"

/**
 * A text field that reports its text when the reader enters it: by Enter, or by leaving the field. What the reader has
 * typed before that stays, also when the page around the field is drawn again.
 */
export const EnteredText = ({
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
}) => {
  const [typed, setTyped] = useState<string | null>(null)
  const field = {
    ...rest,
    value: typed ?? value,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => setTyped(currentTarget.value),
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
      setTyped(null)
      onEntered(currentTarget.value)
    },
    onBlur: () => setTyped(null)
  }
  return isSearch ? <input type="search" {...field} /> : <input {...field} />
}
