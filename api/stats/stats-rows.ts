/** The row of statistics; it stands before those whose last part may be any id. */
import { readStatsOperation } from './read-stats.operation.ts'
import type { Guards, Row } from '../../auth/guards.ts'
import type { SessionHandle } from '../../http/route.ts'

export interface StatsHandlers {
  readonly readStats: SessionHandle
}

export function statsRows(to: StatsHandlers, { session }: Guards): readonly Row[] {
  return [['get', '/v1/decisions/stats', session(readStatsOperation, to.readStats)]]
}
