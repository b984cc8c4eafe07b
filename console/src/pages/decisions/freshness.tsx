/** Says how far reads are behind, if they are. */
import type { Lag } from '../../api/wire.ts'
import { Time } from '../../ui/time.tsx'

const lagShownMs = 5000

export function Freshness({ meta }: { readonly meta: Partial<Lag> | undefined }) {
  if (meta?.as_of === undefined || meta.as_of === null) return null
  const lagMs = meta.lag_ms ?? 0
  if (lagMs <= lagShownMs) return null
  return (
    <p className="notice" role="status">
      Data is {Math.round(lagMs / 1000)} s behind; no decision is lost. Shown as of{' '}
      <Time iso={meta.as_of} />.
    </p>
  )
}
