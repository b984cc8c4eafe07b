/** First requests, ready to be pasted: all that is missing is the key. */
import type { IncomingHttpHeaders } from 'node:http'

export interface Snippets {
  readonly curl: string
  readonly env: string
  readonly typescript: string
  readonly python: string
}

/** Where the key belongs. */
export const keyPlaceholder = 'slk_YOUR_API_KEY'

const hostExpression = /^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/
const hostDefault = 'localhost:8080'

/** PUBLIC_URL, or the name under which the caller found us, as far as it is one. */
export function baseUrlOf(publicUrl: string | null, { host }: IncomingHttpHeaders): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
  return `http://${host !== undefined && hostExpression.test(host) ? host : hostDefault}`
}

export function snippetsOf(baseUrl: string): Snippets {
  const decision = {
    agent_id: 'first-agent',
    input: { question: 'May I have a refund for order 1017?' },
    output: 'Yes: it arrived damaged, and you asked within 30 days.'
  }
  const body = JSON.stringify(decision)
  return {
    curl: `curl -i '${baseUrl}/v1/ingest' \\
  -H 'Authorization: Bearer ${keyPlaceholder}' \\
  -H 'Content-Type: application/json' \\
  -d '${body}'
`,
    env: `export SLUICE_BASE_URL='${baseUrl}'
export SLUICE_API_KEY='${keyPlaceholder}'
`,
    typescript: `const baseUrl = process.env['SLUICE_BASE_URL'] ?? '${baseUrl}'
const response = await fetch(\`\${baseUrl}/v1/ingest\`, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env['SLUICE_API_KEY']}\`,
    'content-type': 'application/json'
  },
  body: JSON.stringify(${body})
})
console.log(response.status, await response.text())
`,
    python: `import json, os, urllib.request

base_url = os.environ.get("SLUICE_BASE_URL", "${baseUrl}")
request = urllib.request.Request(
    base_url + "/v1/ingest",
    data=json.dumps(${body}).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["SLUICE_API_KEY"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())
`
  }
}
