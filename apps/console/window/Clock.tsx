/** A field for a time of day from 00:00 to 23:59, independent of the browser's own format. */
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

/** The suggestions of the time fields. A page contains it once. */
export const ClockTimes = () => (
  <datalist id="clock-times">
    {Array.from({ length: 48 }, (_, half) => (
      <option key={half} value={`${String(Math.floor(half / 2)).padStart(2, "0")}:${half % 2 === 0 ? "00" : "30"}`} />
    ))}
  </datalist>
)
