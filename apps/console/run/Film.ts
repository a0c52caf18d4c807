/** The video of a run: the instant that it shows, and its position for the step of a reader's choice. */
import type { RefObject } from "preact"
import { useRef, useState } from "preact/hooks"

export interface Film {
  readonly video: RefObject<HTMLVideoElement | null>
  /** The instant that the video shows, in milliseconds since the epoch; `null` before it is played. */
  readonly playedAt: number | null
  readonly seek: (at: number) => void
  /** To be called when the video is at another position. */
  readonly follow: () => void
}

/** The film that ended at an instant; its length gives its beginning. */
export const useFilm = (endedAt: number): Film => {
  const video = useRef<HTMLVideoElement>(null)
  const [playedAt, setPlayedAt] = useState<number | null>(null)
  /** The step that was sought, with the position that the video took for it: a step may lie before its first picture. */
  const sought = useRef<{ readonly at: number; readonly position: number } | null>(null)
  const shown = () => {
    const { current } = video
    return current === null || !Number.isFinite(current.duration)
      ? null
      : { element: current, began: endedAt - current.duration * 1_000 }
  }
  const seek = (at: number) => {
    const film = shown()
    if (film === null) return
    film.element.currentTime = Math.max(0, (at - film.began) / 1_000)
    sought.current = { at, position: film.element.currentTime }
    setPlayedAt(at)
  }
  const follow = () => {
    const film = shown()
    if (film === null) return
    const { currentTime } = film.element
    setPlayedAt(sought.current?.position === currentTime ? sought.current.at : film.began + currentTime * 1_000)
  }
  return { video, playedAt, seek, follow }
}
