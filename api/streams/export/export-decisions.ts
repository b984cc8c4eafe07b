/** Streams complete decisions page by page, in chunks of limited size. */
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { formatCursor } from '../../../core/cursor.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import type { SessionPrincipal } from '../../../core/principal.ts'
import type { Reply, ReplyStream, WorkShare } from '../../../http/call.ts'
import type { CheckedCall } from '../../../http/route.ts'
import { filterTextsOf, readListQuery } from '../../decisions/list-query.ts'
import type { ListQuery } from '../../decisions/list-query.ts'
import { decisionColumns, selectAt, selectSizes } from '../../decisions/queries.ts'
import type { DecisionKey, DecisionRow, SizedKey } from '../../decisions/queries.ts'
import { selectDecisionPage } from '../../decisions/walk-decisions.ts'
import type { Services } from '../../services.ts'
import type { OrganizationStore } from '../../store.ts'
import { timePageOf } from '../../page.ts'
import { selectStates } from '../tail/queries.ts'
import { rendererOf } from './formats.ts'
import type { ExportedRow, ExportFormat } from './formats.ts'

/** Maximum number of rows. An export that reaches it returns a cursor to continue from. */
export const exportedMax = 1_000_000
const pageRows = 500
const newestFirst = { kind: 'time', descending: true } as const
const contentTypes = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present'
} as const
/**
 * Maximum size in bytes of the texts and scores held in memory at a time. A larger decision is a
 * chunk by itself.
 */
const chunkBytesMax = 1024 * 1024

interface ExportCall extends Pick<CheckedCall<SessionPrincipal>, 'principal' | 'headers'> {
  readonly query: ExportFormat & ListQuery
}

export async function exportDecisions(
  { principal, query: { format, fields, csv_safe, ...given }, headers }: ExportCall,
  { store, clock, streams }: Services
): Promise<Reply> {
  const organizationId = principal.organization_id
  const query = readListQuery(given)
  const filterTexts = filterTextsOf(query)
  const { range, after: start } = timePageOf(filterTexts, query.cursor, clock.now())
  const close = streams.open('export', organizationId)
  const inSlot: WorkShare = (work) => streams.exportSlots(organizationId, work)
  const unlimited = store.of(organizationId)
  const db: OrganizationStore = {
    ...unlimited,
    query: (statement, values) => inSlot(() => unlimited.query(statement, values))
  }

  function selectPage(after: CursorPosition | null, left: number) {
    const walk = { range, after, filters: query.filters, order: newestFirst }
    return selectDecisionPage(db, { ...walk, limit: Math.min(pageRows, left) }, clock)
  }

  // Read the first page before the response starts, so that a database outage results in 503.
  const first = await selectPage(start, exportedMax).catch((error: unknown) => {
    close()
    throw error
  })
  const { head, render } = rendererOf({ format, csv_safe }, fields)
  let count = 0
  let next: CursorPosition | null = null

  async function* pieces(signal: AbortSignal): AsyncGenerator<string> {
    yield head
    let left = exportedMax
    for (let page = first; ; page = await selectPage(page.next, left)) {
      for await (const rows of selectExported(db, page.keys)) {
        if (signal.aborted) return
        count += rows.length
        yield await inSlot(async () => render(rows))
      }
      left -= page.keys.length
      if (page.next !== null && left > 0) continue
      next = page.next
      return
    }
  }

  const trailerValues = (): Record<string, string> => ({
    'sluice-rows': String(count),
    ...(next === null ? {} : { 'sluice-next-cursor': formatCursor(next, filterTexts) })
  })
  const isGzip = acceptsGzip(headers['accept-encoding'])
  const stream: ReplyStream = {
    pieces: (signal) => (isGzip ? gzipPieces(pieces(signal)) : pieces(signal)),
    trailers: { names: ['sluice-rows', 'sluice-next-cursor'], values: trailerValues },
    close
  }
  const responseHeaders = {
    'content-type': contentTypes[format],
    'content-disposition': `attachment; filename="decisions.${format}"`,
    vary: 'accept-encoding',
    ...(isGzip ? { 'content-encoding': 'gzip' } : {})
  }
  return { status: 200, headers: responseHeaders, body: '', stream }
}

/** Yields rows in the order of `keys`. Omits decisions that have been erased. */
async function* selectExported(
  store: OrganizationStore,
  keys: readonly DecisionKey[]
): AsyncGenerator<readonly ExportedRow[]> {
  if (keys.length === 0) return
  for (const chunk of chunksOf(await selectSizes(store, keys))) {
    const ids = chunk.map(({ decision_id }) => decision_id)
    const states = await selectStates(store, ids)
    const rows = await selectAt<DecisionRow>(store, decisionColumns, chunk)
    const found = new Map(rows.map((row) => [row.decision_id, row]))
    yield ids.flatMap((id) => {
      const decision = found.get(id)
      return decision === undefined ? [] : [{ decision, state: states.get(id) ?? null }]
    })
  }
}

function chunksOf(positions: readonly SizedKey[]) {
  const chunks: SizedKey[][] = []
  let bytes = chunkBytesMax
  for (const position of positions) {
    if (bytes + position.bytes > chunkBytesMax) {
      chunks.push([])
      bytes = 0
    }
    chunks.at(-1)?.push(position)
    bytes += position.bytes
  }
  return chunks
}

/**
 * Compresses the pieces of a streamed body. Rethrows errors from `pieces`, and closes `pieces` if
 * the consumer stops early.
 */
export async function* gzipPieces(
  pieces: AsyncIterable<string | Uint8Array>
): AsyncGenerator<Uint8Array> {
  const gzip = createGzip()
  // The loop below receives the error from `gzip`.
  pipeline(Readable.from(pieces), gzip, () => {})
  for await (const piece of gzip) yield piece as Buffer
}

/**
 * Checks whether Accept-Encoding allows gzip: it lists gzip, or else `*`, with a weight above zero
 * (RFC 9110, section 12.5.3).
 */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const weights = new Map(
    String(header ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => {
        const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
        const weight = parameters.find((text) => text.startsWith('q='))?.slice('q='.length)
        return [name, Number(weight ?? 1)]
      })
  )
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}
