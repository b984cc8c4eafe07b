/** Saves the decisions of the list as a file, through the API and with the session of the page. */
import { openResponse } from '../../api/api.ts'
import type { SearchBody } from '../../api/wire.ts'
import { curlOfExport } from '../../decision/curl.ts'
import { saveFile } from '../../text/save-file.ts'
import { formatBytes } from '../../text/format.ts'

/**
 * Maximum size of an export in bytes, because the browser keeps it in memory until it is complete.
 * For a larger export, the page shows a curl command.
 */
const bytesMax = 200_000_000
/** Number of bytes between two progress messages. */
const shownBytes = 1_000_000

/** Returns the path of the export with the filters of a search. */
export function exportPathOf({ metadata = {}, score = [], ...search }: SearchBody): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    // An export has no pages and always contains the whole texts.
    if (name === 'limit' || name === 'include') continue
    for (const each of [value].flat()) parameters.append(name, String(each))
  }
  for (const [name, value] of Object.entries(metadata)) parameters.append(`metadata.${name}`, value)
  for (const { name, op, value } of score) {
    parameters.append('score', value === undefined ? `${name}:${op}` : `${name}:${op}:${value}`)
  }
  return `/v1/decisions/export?${parameters}`
}

/** @param onProgress receives a sentence that describes the progress or the result */
export async function exportDecisions(
  path: string,
  format: string,
  onProgress: (sentence: string) => void
): Promise<void> {
  const stop = new AbortController()
  const response = await openResponse({ path, signal: stop.signal })
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  let shownAt = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    bytes += part.length
    if (bytes > bytesMax) {
      stop.abort()
      const command = curlOfExport(`${location.origin}${path}`, format)
      return onProgress(
        `The export is too large for the browser. Run this command instead: ${command}`
      )
    }
    if (bytes < shownAt) continue
    onProgress(`${formatBytes(bytes)} received…`)
    shownAt = bytes + shownBytes
  }
  saveFile(new Blob(parts), `decisions.${format}`)
  onProgress(`Saved ${formatBytes(bytes)}.`)
}
