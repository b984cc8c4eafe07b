/** Shows a rate or a mean, always with the number of values and, if known, the 95% interval. */
import { formatNumber, formatShare } from '../text/format.ts'

interface RateProps {
  readonly measure: { value: number | null; n: number; ci?: readonly number[] | null }
  readonly format?: (value: number) => string
  /** Shown instead of a missing value, which is not 0. */
  readonly none?: string
}

export function Rate({ measure, format = formatShare, none = 'no data' }: RateProps) {
  const { value, n, ci = null } = measure
  const interval = ci === null ? '' : `${ci.map(format).join(' to ')}, `
  return (
    <>
      {value === null ? none : format(value)}{' '}
      <span className="quiet">{`(${interval}n\u00a0${formatNumber(n)})`}</span>
    </>
  )
}
