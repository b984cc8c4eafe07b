/** GET /v1/decisions/export: decisions with their whole texts, as lines of JSON or as CSV. */
import type { Clock } from '../../../core/clock.ts'
import { writeCursor } from '../../../core/cursor.ts'
import type { CursorPosition, Filters } from '../../../core/cursor.ts'
import type { Reply, WorkShare } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { selectDecisionPage } from '../../decisions/list/decision-page.ts'
import type { DecisionPage, PageQuery } from '../../decisions/list/decision-page.ts'
import { filterTextsOf } from '../../decisions/list/decision-query.ts'
import { readListQuery } from '../../decisions/list/read-query.ts'
import type { OrganizationStore, Store } from '../../store.ts'
import { timePageOf } from '../../time-page.ts'
import { csvHeaderOf, csvOf } from './export-csv.ts'
import { fieldsOf } from './export-fields.ts'
import { createExportTurns } from './export-turns.ts'
import { linesOf } from './export-lines.ts'
import { acceptsGzip, gzipPieces } from './gzip-pieces.ts'
import type { OpenStreams } from '../open-streams.ts'
import { selectExported } from './select-exported.ts'
import type { ExportedRow } from './select-exported.ts'

export interface ExportDependencies {
  readonly store: Store
  readonly streams: OpenStreams
  readonly clock: Clock
  /** An export that would be longer is cut, and says where it goes on. */
  readonly rowsMax?: number
}

/** Beside the filters, which are those of the list. */
interface ExportParameters {
  readonly format: 'ndjson' | 'csv'
  readonly fields?: string | undefined
  readonly csv_safe: boolean
}

export const exportedMax = 1_000_000
const pageRows = 500
const newestFirst = { kind: 'time', descending: true } as const
const trailerNames = ['sluice-rows', 'sluice-next-cursor'] as const

const contentTypes = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present'
} as const

export function createExportDecisions(dependencies: ExportDependencies): SessionHandle {
  const { store, streams, clock, rowsMax = exportedMax } = dependencies
  const inTurn = createExportTurns()

  return async function exportDecisions({ query, principal, headers }) {
    const { format, fields, csv_safe, ...given } = query as unknown as ExportParameters
    const asked = readListQuery(given)
    const filterTexts = filterTextsOf(asked)
    const page = timePageOf(filterTexts, asked.cursor, clock.now())
    const close = streams.open('export', principal.organization_id)
    try {
      const take: WorkShare = (work) => inTurn(principal.organization_id, work)
      const ours = patient(store.of(principal.organization_id), take)
      const limit = Math.min(pageRows, rowsMax)
      const first: PageQuery = { ...page, filters: asked.filters, order: newestFirst, limit }
      // Before anything is said: a store that is away is a 503.
      const found = await selectDecisionPage(ours, first, clock)
      const walk: Walk = { ours, take, clock, first, found, rowsMax, filterTexts }
      const isGzip = acceptsGzip(headers['accept-encoding'])
      return replyOf(walk, { ...rendererOf({ format, fields, csv_safe }), format, isGzip, close })
    } catch (error) {
      close()
      throw error
    }
  }
}

function patient(ours: OrganizationStore, take: WorkShare): OrganizationStore {
  return { ...ours, query: (statement, values) => take(() => ours.query(statement, values)) }
}

interface Walk {
  readonly ours: OrganizationStore
  readonly take: WorkShare
  readonly clock: Clock
  readonly first: PageQuery
  /** What it found. */
  readonly found: DecisionPage
  readonly rowsMax: number
  /** What a cursor belongs to: the form may be another one in the next part. */
  readonly filterTexts: Filters
}

interface Renderer {
  readonly head: string
  render(rows: readonly ExportedRow[]): string
}

function rendererOf({ format, fields: names, csv_safe: isSafe }: ExportParameters): Renderer {
  const fields = fieldsOf(names)
  if (format === 'ndjson') return { head: '', render: (rows) => linesOf(rows, fields) }
  const options = { fields, isSafe }
  return { head: csvHeaderOf(options), render: (rows) => csvOf(rows, options) }
}

interface Rendering extends Renderer {
  readonly format: ExportParameters['format']
  readonly isGzip: boolean
  readonly close: () => void
}

function replyOf(walk: Walk, rendering: Rendering): Reply {
  const { format, isGzip, close } = rendering
  const ending = { rows: 0, next: null as CursorPosition | null }

  async function* pieces(signal: AbortSignal): AsyncGenerator<string> {
    yield rendering.head
    for await (const keys of pagesOf(walk, ending)) {
      for await (const rows of selectExported(walk.ours, keys)) {
        if (signal.aborted) return
        ending.rows += rows.length
        yield await walk.take(async () => rendering.render(rows))
      }
    }
  }

  function trailerValues(): Record<string, string> {
    const { rows, next } = ending
    const cursor =
      next === null ? {} : { 'sluice-next-cursor': writeCursor(next, walk.filterTexts) }
    return { 'sluice-rows': String(rows), ...cursor }
  }

  return {
    status: 200,
    headers: headersOf(format, isGzip),
    body: '',
    stream: {
      pieces: (signal) => (isGzip ? gzipPieces(pieces(signal)) : pieces(signal)),
      trailers: { names: trailerNames, values: trailerValues },
      close
    }
  }
}

/** Pages of keys, up to the end or to `rowsMax`; then `ending` says where it would go on. */
async function* pagesOf(walk: Walk, ending: { next: CursorPosition | null }) {
  let page = walk.found
  let left = walk.rowsMax
  for (;;) {
    if (page.keys.length > 0) yield page.keys
    left -= page.keys.length
    const { next: after } = page
    if (after === null) return
    if (left <= 0) {
      ending.next = after
      return
    }
    const limit = Math.min(pageRows, left)
    page = await selectDecisionPage(walk.ours, { ...walk.first, after, limit }, walk.clock)
  }
}

function headersOf(format: ExportParameters['format'], isGzip: boolean) {
  return {
    'content-type': contentTypes[format],
    'content-disposition': `attachment; filename="decisions.${format}"`,
    vary: 'accept-encoding',
    ...(isGzip ? { 'content-encoding': 'gzip' } : {})
  }
}
