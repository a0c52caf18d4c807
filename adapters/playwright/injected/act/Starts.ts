/**
 * Animations that have just begun. Playwright clicks an element that is at the same place in two frames, and an animation
 * is at its start for as many: until it has begun on the screen, which takes longer on a busy machine, and in the frame
 * after that.
 */
import { drawnIn } from "../dom/Tree.ts"

/** The time after which an animation has left its start, in milliseconds: three frames. */
const startMillis = 50

/** Whether an element, or one that it is drawn in, is at the start of an animation that moves it. */
export const isSettingOff = (element: Element): boolean => {
  for (let one: Element | null = element; one !== null; one = drawnIn(one)) {
    if (one.getAnimations().some(isAtStart)) return true
  }
  return false
}

/** Others than those of time, such as of scrolling, may stay at their start. */
const isAtStart = (animation: Animation): boolean => {
  const { currentTime, effect, playState, timeline } = animation
  if (playState !== "running" || timeline !== document.timeline || !(effect instanceof KeyframeEffect)) return false
  const ran = typeof currentTime === "number" ? currentTime - (effect.getTiming().delay ?? 0) : 0
  return (animation.pending || (ran >= 0 && ran < startMillis)) && effect.getKeyframes().some(moves)
}

const moves = (keyframe: ComputedKeyframe): boolean =>
  Object.keys(keyframe).some((name) =>
    /^(left|right|top|bottom|inset|margin|transform|translate|scale|rotate|width|height|offset[A-Z])/.test(name)
  )
