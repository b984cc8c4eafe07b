/** Lays rows of cells out as lines, each column as wide as its widest cell. */

/** The first row is the head: no row has more cells, but it may have fewer. */
export function layOut(rows: readonly (readonly string[])[]): string[] {
  const [head = []] = rows
  const widths = head.map((_, column) =>
    Math.max(...rows.map((cells) => (cells[column] ?? '').length))
  )
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  )
}
