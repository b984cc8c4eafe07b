/** A range of time in pieces, so that one statement opens few days of decisions. */
import type { TimeRange } from '../../time-range.ts'

const dayMs = 86_400_000
/** A statement locks each partition that it opens, and the server has so many locks. */
const daysMax = 32
/** What is older than this comes in one piece: hardly anybody keeps decisions for so long. */
const piecesMax = 40

/**
 * The newest first. They grow, since what is asked for is among the newest as a rule; they begin
 * with days of UTC, as partitions do.
 */
export function timePiecesOf({ from, to }: TimeRange, now: number): readonly TimeRange[] {
  const pieces: TimeRange[] = []
  let end = to
  let edge = floorOf(Math.min(to === null ? now : to.getTime() - 1, now))
  for (let days = 1; edge > from.getTime() && pieces.length < piecesMax; days *= 2) {
    const begin = new Date(edge)
    pieces.push({ from: begin, to: end })
    end = begin
    edge -= Math.min(days * 2, daysMax) * dayMs
  }
  return [...pieces, { from, to: end }]
}

function floorOf(time: number): number {
  return Math.floor(time / dayMs) * dayMs
}
