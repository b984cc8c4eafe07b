/** Formats Markdown tables with columns that are aligned in a terminal. */

/** Formats a table. The first `wordColumns` columns are left-aligned, the others right-aligned. */
export function markdownTable(
  heads: readonly string[],
  lines: readonly (readonly string[])[],
  wordColumns: number
): string {
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...lines.map((line) => line[at]?.length ?? 0))
  )
  const rule = widths.map((width, at) => '-'.repeat(width + 1) + (at < wordColumns ? '-' : ':'))
  return [heads, ...lines]
    .map((line) => `| ${line.map((cell, at) => padded(cell, at)).join(' | ')} |`)
    .toSpliced(1, 0, `|${rule.join('|')}|`)
    .join('\n')

  function padded(cell: string, at: number): string {
    const width = widths[at] ?? 0
    return at < wordColumns ? cell.padEnd(width) : cell.padStart(width)
  }
}
