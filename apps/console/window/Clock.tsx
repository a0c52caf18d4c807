/** A time of day as it is read everywhere here, from 00:00 to 23:59, whatever the browser's own way to write it is. */
import { useState } from "preact/hooks"
import { clockFrom } from "./WindowModel.ts"

export const Clock = ({
  isWrong = false,
  label,
  onChange,
  value,
  ...rest
}: {
  readonly value: string
  readonly onChange: (clock: string) => void
  readonly label?: string
  readonly isWrong?: boolean
}) => {
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <input
      {...rest}
      class="clock"
      type="text"
      inputMode="numeric"
      list="clock-times"
      placeholder="00:00"
      autocomplete="off"
      {...(label === undefined ? {} : { "aria-label": label })}
      {...(isWrong ? { "aria-invalid": "true" as const } : {})}
      value={typed ?? value}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(clockFrom(currentTarget.value))
      }}
      onBlur={() => setTyped(null)}
    />
  )
}

/** The times that the fields suggest. It stands once in the page. */
export const ClockTimes = () => (
  <datalist id="clock-times">
    {Array.from({ length: 48 }, (_, half) => (
      <option key={half} value={`${String(Math.floor(half / 2)).padStart(2, "0")}:${half % 2 === 0 ? "00" : "30"}`} />
    ))}
  </datalist>
)
