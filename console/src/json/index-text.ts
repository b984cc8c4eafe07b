/** Finds the display lines of a raw text in one pass, without parsing or changing it. */
import { syntaxErrorSteps } from '../../../core/json/json-syntax.ts'
import { stepCharacters } from '../../../core/json/steps.ts'
import type { Steps } from '../../../core/json/steps.ts'
import {
  addLine,
  characterSize,
  createLines,
  linesMax,
  lineStart,
  startOf
} from './display-lines.ts'
import type { DisplayLines } from './display-lines.ts'
import { indexJson } from './index-json.ts'

const newLine = 10

/** Deeper texts are shown as text. The gateway accepts 64 levels. */
const depthMax = 250

export interface TextIndex {
  readonly lines: DisplayLines
  /** Whether the lines are those of JSON, which can be folded. */
  readonly isJson: boolean
}

/**
 * Finds the lines of a text: of JSON, or of any text if it is invalid or very deep JSON, or has
 * more than `linesMax` lines as JSON.
 */
export function* indexText(text: string, columns: number): Steps<TextIndex> {
  const error = yield* syntaxErrorSteps(text, depthMax)
  const json = error === null ? yield* indexJson(text, columns) : null
  return json === null
    ? { lines: yield* indexRaw(text, columns), isJson: false }
    : { lines: json, isJson: true }
}

/** Finds the lines of any text: they end after a line break, or where the line is full. */
export function* indexRaw(text: string, columns: number): Steps<DisplayLines> {
  // Half of the maximum is for full lines, so a text of many megabytes gets wider ones.
  const width = Math.max(columns, 2 + Math.ceil((2 * text.length) / linesMax))
  const lines = createLines(text, width)
  addLine(lines, 0, lineStart.whole)
  for (let at = 0; at < text.length; yield) {
    const until = Math.min(at + stepCharacters, text.length)
    while (at < until) at = walkCharacter(lines, at)
  }
  return lines
}

function walkCharacter(lines: ReturnType<typeof createLines>, at: number): number {
  const { text, columns } = lines
  const code = text.charCodeAt(at)
  const end = at + characterSize(text, at, code)
  if (end - startOf(lines, lines.count - 1) > columns) addLine(lines, at, lineStart.text)
  if (code === newLine && 2 * lines.count < linesMax) addLine(lines, end, lineStart.whole)
  return end
}
