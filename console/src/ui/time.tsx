/** Shows a time in the chosen zone; its title names the zone and has the time in UTC. */
import { formatTime } from '../text/format.ts'
import { visible } from '../text/visible.ts'
import { useZone } from './preferences.ts'

export function Time({ iso }: { readonly iso: string }) {
  const [zone] = useZone()
  return (
    <time dateTime={iso} title={`${zone}; ${iso}`}>
      {formatTime(iso, zone)}
    </time>
  )
}

/** Shows a sentence of the API, with its times in the chosen zone. */
export function TimedText({ text }: { readonly text: string }) {
  const parts = text.split(/(\d{4}-\d\d-\d\dT[\d:.]+Z)/)
  return parts.map((part, index) =>
    isTime(part) ? <Time key={index} iso={part} /> : visible(part)
  )
}

/** A text of a user can look like a time without being one. */
export function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text))
}
