/** Reads the trace of a decision, and orders its decisions as a tree. */
import type { Static, TObject } from '../../http/schema.ts'
import { and, query, raw, sql } from '../../platform/postgres/sql.ts'
import { textEquals } from '../../platform/postgres/text-condition.ts'
import type { Services } from '../services.ts'
import type { OrganizationStore } from '../store.ts'
import { createNextView } from './list-decisions.ts'
import { selectAt } from './queries.ts'
import type { DecisionPlace } from './queries.ts'
import { traceDays, traceDecisionsMax, tracedMembers } from './schemas.ts'
import type { context } from './schemas.ts'

type Trace = Static<typeof context>['trace']

interface TreeNode {
  readonly decision_id: string
  readonly parent_decision_id: string | null
}

/**
 * Orders nodes as a tree: each node is followed by its children, in the order of `nodes`. A node
 * whose parent is not among `nodes` is a root. Senders choose the parents, so they can form a
 * cycle: then one node of the cycle is a root, too.
 * @returns each node once, with its number of ancestors
 */
export function treeOf<N extends TreeNode>(nodes: readonly N[]) {
  const byId = new Map(nodes.map((node) => [node.decision_id, node]))
  const parentOf = ({ parent_decision_id }: N) => byId.get(parent_decision_id ?? '')
  const children = Map.groupBy(nodes, parentOf)
  const depths = new Map<N, number>()

  /** Follows the parents up to a root, or to the first node of a cycle. */
  function topOf(node: N): N {
    const passed = new Set<N>()
    let top = node
    while (!passed.has(top)) {
      passed.add(top)
      top = parentOf(top) ?? top
    }
    return top
  }

  function add(node: N, depth: number): void {
    if (depths.has(node)) return
    depths.set(node, depth)
    for (const child of children.get(node) ?? []) add(child, depth + 1)
  }

  const roots = children.get(undefined) ?? []
  for (const node of [...roots, ...nodes]) add(topOf(node), 0)
  return [...depths].map(([node, depth]) => ({ node, depth }))
}

interface TraceRow extends Static<TObject<typeof tracedMembers>> {
  /** `metadata.occurred_at`: the time at which the call ended. It can be any text. */
  readonly occurred_at: string | null
}

const occurredAt = 'occurred_at='
const traceColumns = sql`${raw(Object.keys(tracedMembers).join(', '))},
  (select substr(label, ${occurredAt.length + 1}::integer)
     from unnest(labels) as label
    where starts_with(label, ${occurredAt})) as occurred_at`

const dayMs = 86_400_000

/** Reads the decisions of the trace. Returns null if the decision has no trace. */
export async function readTrace(
  { readEvaluations }: Services,
  store: OrganizationStore,
  place: DecisionPlace
): Promise<Trace> {
  const { trace_id, decision_id, sort_key } = place
  if (trace_id === null) return null
  const at = new Date(sort_key).getTime()
  const newest = await query<TraceRow>(
    store,
    sql`select ${traceColumns}
          from decisions
         where ${and([
           sql`organization_id = ${store.organizationId}`,
           textEquals(sql`trace_id`, trace_id),
           sql`received_at >= ${new Date(at - traceDays * dayMs)}`,
           sql`received_at < ${new Date(at + traceDays * dayMs)}`
         ])}
         order by received_at desc, decision_id desc
         limit ${traceDecisionsMax + 1}`
  )
  const shown = newest.slice(0, traceDecisionsMax)
  if (!shown.some((row) => row.decision_id === decision_id)) {
    const own = await selectAt<TraceRow>(store, traceColumns, [place])
    shown.splice(traceDecisionsMax - own.length, own.length, ...own)
  }
  const tree = treeOf(shown.toReversed().toSorted((a, b) => beginOf(a) - beginOf(b)))
  const rows = tree.map(({ node }) => node)
  const nextView = await createNextView(store, { rows, include: [] }, readEvaluations)
  const decisions = []
  for (const { node, depth } of tree) {
    const { status, verdict } = await nextView(node.decision_id)
    decisions.push({ ...membersOf(node), depth, evaluation: { status, verdict } })
  }
  return { trace_id, decisions, has_more: newest.length > traceDecisionsMax }
}

function membersOf({ occurred_at: _, ...members }: TraceRow) {
  return members
}

/**
 * Returns the time at which a call began, in milliseconds. An exporter sends the calls of an agent
 * at once and in the order of their ends, so the time of receipt does not order them.
 */
function beginOf({ occurred_at, received_at, latency_ms }: TraceRow): number {
  const end = Date.parse(occurred_at ?? '') || new Date(received_at).getTime()
  return end - (latency_ms ?? 0)
}
