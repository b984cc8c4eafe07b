/** Keeps the newest decisions of the tail that match a query, and makes views of them. */
import { parseJson } from '../api/parse-json.ts'
import type { DecisionSummary, SearchBody } from '../api/wire.ts'
import { formatCount } from '../text/format.ts'
import type { LiveUpdate } from './join-tail.ts'

/** A row in place of decisions that the server did not send. */
export interface MissingRows {
  readonly decision_id: string
  readonly gap: string
}
type LiveRow = DecisionSummary | MissingRows
type Evaluated = DecisionSummary['evaluation'] & Pick<DecisionSummary, 'decision_id'>

export interface TailView {
  /** Newest first. */
  readonly rows: readonly LiveRow[]
  /**
   * Number of decisions that had arrived when the rows were taken. `fresh` is the number that have
   * arrived since.
   */
  readonly seen: number
  readonly fresh: number
  readonly lastEventMs: number | null
  readonly cut: LiveUpdate['cut']
}

const rowsMax = 5000
export const tailFilters = ['agent_id', 'session_id', 'domain', 'status', 'verdict']

function matches(search: SearchBody, { evaluation, ...decision }: DecisionSummary): boolean {
  const agent_id = decision.agent_id ?? '_unattributed'
  const values = new Map(Object.entries<unknown>({ ...decision, ...evaluation, agent_id }))
  const wanted = Object.entries(search).filter(([name]) => tailFilters.includes(name))
  return wanted.every(([name, value]) => [value].flat().some((each) => each === values.get(name)))
}

export function createTailBuffer(search: SearchBody) {
  const shown = new Map<string, LiveRow>()
  /** Decisions that do not match the query. A change of their evaluation can make them match. */
  const others = new Map<string, LiveRow>()
  let [arrived, gaps] = [0, 0]
  let lastEventMs: number | null = null
  let cut: LiveUpdate['cut'] = null

  /** Adds a decision, or updates it in place if it is already shown. */
  function show(decision: DecisionSummary): void {
    const isKnown = shown.has(decision.decision_id)
    const isShown = isKnown || matches(search, decision)
    keep(isShown ? shown : others, decision)
    if (isShown && !isKnown) arrived += 1
  }

  function takeEvent(kind: string, data: string): void {
    if (kind === 'decision') show(parseJson<DecisionSummary>(data))
    if (kind === 'evaluation') {
      const { decision_id, status, verdict } = parseJson<Evaluated>(data)
      const before = shown.get(decision_id) ?? others.get(decision_id)
      if (before && !('gap' in before)) show({ ...before, evaluation: { status, verdict } })
    }
    if (kind === 'gap') {
      const { dropped } = parseJson<{ readonly dropped: number | null }>(data)
      const count = dropped === null ? 'some decisions' : formatCount(dropped, 'decision')
      const gap = `Not shown here: ${count}.`
      keep(shown, { decision_id: `gap ${(gaps += 1)}`, gap })
    }
  }

  return {
    take: (update: LiveUpdate): void => {
      for (const { kind, data } of update.events) takeEvent(kind, data)
      if (update.events.some(({ kind }) => kind !== 'ping' && kind !== '')) lastEventMs = Date.now()
      cut = update.cut
    },
    /** The rows of a frozen view stay in place; only their evaluations change. */
    view: (before: TailView, isFrozen: boolean): TailView => {
      const isMoving = !isFrozen || before.rows.length === 0
      const kept = before.rows.map((row) => shown.get(row.decision_id) ?? row)
      const rows = isMoving ? [...shown.values()].reverse() : kept
      const seen = isMoving ? arrived : before.seen
      return { rows, seen, fresh: arrived - seen, lastEventMs, cut }
    }
  }
}

function keep(rows: Map<string, LiveRow>, row: LiveRow): void {
  rows.set(row.decision_id, row)
  const [oldest = ''] = rows.keys()
  if (rows.size > rowsMax) rows.delete(oldest)
}
