/** Formats rows of cells as lines with aligned columns. Each column is as wide as its widest cell.
 */

/** @param rows the first row is the header; no other row has more cells */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
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
