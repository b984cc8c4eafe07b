/** Swagger UI under /docs and its document under /openapi.json. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { absolutePath } from 'swagger-ui-dist'
import { Problem } from '../core/problem.ts'
import { jsonReply } from './call.ts'
import type { Call, Reply } from './call.ts'
import type { Handle } from './route.ts'

/** The files a page needs, and nothing else of the package's folder. */
const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8'
}

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
<script>SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', tryItOutEnabled: true })</script>
</body>
</html>
`

export interface DocsHandlers {
  readonly page: Handle
  readonly asset: Handle
  readonly document: Handle
}

export function createDocs(openApi: Record<string, unknown>): DocsHandlers {
  const document = JSON.stringify(openApi)
  return {
    page: () => Promise.resolve(reply('text/html; charset=utf-8', page)),
    asset: readAsset,
    document: () => Promise.resolve(jsonReply(200, document))
  }
}

async function readAsset(call: Call): Promise<Reply> {
  const file = call.params['file'] ?? ''
  const contentType = Object.hasOwn(assets, file) ? assets[file] : undefined
  if (contentType === undefined) {
    throw new Problem('route_not_found', { detail: 'The page has no such file.' })
  }
  return reply(contentType, await readFile(join(absolutePath(), file), 'utf8'))
}

function reply(contentType: string, body: string): Reply {
  return { status: 200, headers: { 'content-type': contentType }, body }
}
