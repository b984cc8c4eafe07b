/** A small trend without axes. */
const width = 96
const height = 22

export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const most = Math.max(0, ...values)
  const xOf = (index: number): number => (index * width) / Math.max(1, values.length - 1)
  const yOf = (value: number): number => height - 1 - (value / (most || 1)) * (height - 2)
  const label = `From ${values[0] ?? 0} to ${values.at(-1) ?? 0}, at most ${most}`
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <polyline points={values.map((value, index) => `${xOf(index)},${yOf(value)}`).join(' ')} />
    </svg>
  )
}
