/** Shows a time in the chosen zone; its title is the time in UTC. */
import { formatTime } from '../text/format.ts'
import { useZone } from './preferences.ts'

export function Time({ iso }: { readonly iso: string }) {
  const [zone] = useZone()
  return (
    <time dateTime={iso} title={iso}>
      {formatTime(iso, zone)}
    </time>
  )
}
