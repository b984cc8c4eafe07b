/** Lays rows of text out under headings, each column as wide as its widest cell. */

/** Rows of cells; a row may be shorter than the headings. */
export type Table = string[][]

export function layOut(headings: string[], rows: Table): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length))
  )
  return [headings, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  )
}
