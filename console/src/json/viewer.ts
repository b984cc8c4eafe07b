/** The state of a viewer, which its toolbar and its rows share. */
import type { TextIndex } from './index-text.ts'
import type { Find } from './use-find.ts'
import type { Rows } from './use-rows.ts'

export interface Viewer {
  /** Whether the text is shown exactly, rather than with one line for each member. */
  readonly isRaw: boolean
  readonly setRaw: (isRaw: boolean) => void
  /** The lines of the text, or null at first. */
  readonly index: TextIndex | null
  readonly rows: Rows
  readonly find: Find
}
