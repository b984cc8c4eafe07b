/** Formats results as Markdown tables. */

/** Column heading, and the function that formats its cells. */
export type Column<T> = readonly [string, (result: T) => string]

export function printTable<T>(columns: readonly Column<T>[], results: readonly T[]): string {
  const heads = columns.map(([head]) => head)
  const rows = results.map((result) => columns.map(([, cellOf]) => cellOf(result)))
  const rule = heads.map(() => '---')
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export function secondsOf(seconds: number): string {
  return `${seconds.toFixed(2)} s`
}
