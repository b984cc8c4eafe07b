/** The row of statistics; it stands before those whose last part may be any id. */
import { readStatsOperation } from './api/stats/read-stats.operation.ts'
import type { Guards, Row } from './guards.ts'
import type { SessionHandle } from './route.ts'

export interface StatsHandlers {
  readonly readStats: SessionHandle
}

export function statsRows(to: StatsHandlers, { session }: Guards): readonly Row[] {
  return [['get', '/v1/decisions/stats', session(readStatsOperation, to.readStats)]]
}
