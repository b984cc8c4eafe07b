/** Creates curl commands that send a decision again, repeat a search or save an export. */
import type { SearchBody } from '../api/wire.ts'
import type { DecisionParts } from './decision-text.ts'

const sentFields = [
  'agent_id',
  'session_id',
  'domain',
  'input_tokens',
  'output_tokens',
  'sdk_version'
] as const

/**
 * Returns the command that sends the decision again, without its id. The body is a here-document:
 * it needs no quoting, has no size limit, and no line of JSON equals its end mark.
 */
export function curlOfDecision({ fields, payload }: DecisionParts, origin: string): string {
  const { input, output, metadata } = payload
  const members = [`"input":${input}`, `"output":${output}`, `"metadata":${metadata}`]
  for (const name of sentFields) {
    if (fields[name] !== null) members.push(`"${name}":${JSON.stringify(fields[name])}`)
  }
  return curlOf(`${origin}/v1/ingest`, 'SLUICE_API_KEY', `{${members.join(',')}}`)
}

/** Returns the command that reads the same page of the list. */
export function curlOfSearch(body: SearchBody, origin: string): string {
  return curlOf(`${origin}/v1/decisions/search`, 'TOKEN', JSON.stringify(body))
}

function curlOf(url: string, secret: string, body: string): string {
  return [
    `curl --globoff '${url}' \\`,
    `  -H "Authorization: Bearer $${secret}" \\`,
    "  -H 'Content-Type: application/json' \\",
    "  --data-binary @- <<'END_OF_JSON'",
    body,
    'END_OF_JSON'
  ].join('\n')
}

/** Returns the command that saves an export. */
export function curlOfExport(url: string, format: string): string {
  const quoted = `'${url.replaceAll("'", '%27')}'`
  return `curl --globoff ${quoted} -H "Authorization: Bearer $TOKEN" -o decisions.${format}`
}
