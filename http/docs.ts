/** Serves Swagger UI at /docs and the OpenAPI document at /openapi.json. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { absolutePath } from 'swagger-ui-dist'
import { Problem } from '../core/problem.ts'
import { jsonReply } from './call.ts'
import type { Call, Reply } from './call.ts'
import type { Handle } from './route.ts'

/** The only files of swagger-ui-dist that are served. */
const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8'
}

const script = "SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', tryItOutEnabled: true })"

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script>${script}</script>
</body>
</html>
`

/**
 * Headers of the documentation page. Swagger UI loads its own files and one inline script, sets
 * inline styles, draws icons from `data:` and calls only this host. Framing is forbidden, because
 * users enter keys on this page.
 */
const pageHeaders = Object.freeze({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY'
})

export interface DocsHandlers {
  readonly page: Handle
  readonly asset: Handle
  readonly document: Handle
}

export function createDocs(openApi: Record<string, unknown>): DocsHandlers {
  const document = JSON.stringify(openApi)
  return {
    page: () => Promise.resolve({ status: 200, headers: pageHeaders, body: page }),
    asset: readAsset,
    document: () => Promise.resolve(jsonReply(200, document))
  }
}

async function readAsset(call: Call): Promise<Reply> {
  const file = call.params['file'] ?? ''
  const contentType = Object.hasOwn(assets, file) ? assets[file] : undefined
  if (contentType === undefined) {
    throw new Problem('route_not_found', { detail: 'The documentation page has no such file.' })
  }
  const body = await readFile(join(absolutePath(), file), 'utf8')
  return { status: 200, headers: { 'content-type': contentType }, body }
}
