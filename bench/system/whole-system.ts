/** Runs the whole system (gateway, storage and evaluation) and measures the CPU time of each part.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { evaluationsGroupOf } from '../../platform/kafka/storage-groups.ts'
import { topicDefinitions } from '../../schemas/index.ts'
import type { ServiceName } from '../../stack/service.ts'
import type { LoadOrder } from '../load/load.ts'
import type { Load } from '../load/load-process.ts'
import { shapes } from '../load/shapes.ts'
import type { Bench, BenchTarget } from '../row.ts'
import { decisionsTopic, startGateway } from '../rows/gateway.ts'
import { familyMicroseconds } from './cpu.ts'
import { followGroup } from './follow-group.ts'
import type { FollowedGroup } from './follow-group.ts'
import { startGroup } from './start-group.ts'
import type { GroupSettings } from './start-group.ts'

const ownParts = ['gateway', 'storage', 'evaluation'] as const
const serviceParts = ['postgres', 'kafka', 'registry', 'redis'] as const
export const parts = [...ownParts, ...serviceParts] as const
export type Part = (typeof parts)[number]

/** CPU time by part in microseconds. */
type Cpu = Readonly<Record<Part, number>>

export interface WholeSystem {
  /** The gateway. Its `url` has no path. */
  readonly gateway: BenchTarget
  readonly pids: Readonly<Record<(typeof ownParts)[number], readonly number[]>>
  /** Consumer groups that store decisions, evaluate them, and store their scores. */
  readonly groups: Readonly<Record<'stored' | 'evaluated' | 'scored', FollowedGroup>>
  /** Resolves when all groups have processed everything that has been accepted so far. */
  catchUp(): Promise<void>
  readCpu(): Cpu
}

export const evaluationsTopic =
  topicDefinitions.find(({ role }) => role === 'evaluations')?.name ?? 'decision-evaluations'

const storageGroup = 'sluice-storage'

interface SystemSettings {
  /** Number of processes per role (storage and evaluation). */
  readonly members: number
  /** Settings of the consumer groups that differ from the defaults. */
  readonly environment: Readonly<Record<string, string>>
}

const oneOfEach: SystemSettings = { members: 1, environment: {} }

export async function startWholeSystem(
  bench: Bench,
  { members, environment }: SystemSettings = oneOfEach
): Promise<WholeSystem> {
  const startMembers = (role: GroupSettings['role']): Promise<number[]> =>
    Promise.all(
      Array.from({ length: members }, (_, at) =>
        startGroup(bench, { role, name: `${role}-${at + 1}`, environment })
      )
    )
  const gateway = await startGateway(bench, { name: 'gateway', path: '' })
  const pids: WholeSystem['pids'] = {
    gateway: gateway.pids,
    storage: await startMembers('storage'),
    evaluation: await startMembers('evaluation')
  }
  const groups = {
    stored: followGroup(bench, { groupId: storageGroup, topic: decisionsTopic }),
    evaluated: followGroup(bench, { groupId: 'sluice-evaluation', topic: decisionsTopic }),
    scored: followGroup(bench, { groupId: scoresGroupIn(bench), topic: evaluationsTopic })
  }
  const catchUp = async (): Promise<void> => {
    for (const group of [groups.stored, groups.evaluated, groups.scored]) await group.catchUp()
  }
  const pidsOf = (part: Part): readonly number[] =>
    part in pids ? pids[part as keyof typeof pids] : [bench.servicePid(part as ServiceName)]
  const readCpu = (): Cpu => mapParts((part) => familyMicroseconds(pidsOf(part)))
  return { gateway, pids, groups, catchUp, readCpu }
}

/**
 * Returns the group that stores scores. In older releases, a single storage group read both topics.
 */
function scoresGroupIn({ checkout }: Bench): string {
  const hasTwo = existsSync(join(checkout, 'platform/kafka/storage-groups.ts'))
  return hasTwo ? evaluationsGroupOf(storageGroup) : storageGroup
}

export function mapParts(of: (part: Part) => number): Cpu {
  return Object.fromEntries(parts.map((part) => [part, of(part)])) as Cpu
}

/** Paths for single decisions and for batches of 100. */
const paths = { decision: '/v1/ingest', batch: '/v1/ingest/batch' } as const

export type Sending = Pick<LoadOrder, 'seconds' | 'connections' | 'rate' | 'requests'> & {
  readonly shape: keyof typeof paths
}

/** Sends decisions and resolves with the number of accepted ones. */
export async function send(
  { gateway: { url, headers } }: WholeSystem,
  load: Load,
  sending: Sending
): Promise<number> {
  const { shape } = sending
  const { statuses } = await load.run({ ...sending, url: `${url}${paths[shape]}`, headers })
  return (statuses[202] ?? 0) * shapes[shape].decisions
}

export interface LoadCost {
  readonly accepted: number
  /** Time from the first request until the scores of the last decision are stored. */
  readonly seconds: number
  /** CPU time per accepted decision. */
  readonly cpu: Cpu
}

/** Waits until the system is idle, sends the load and waits until it is idle again. */
export async function measureLoad(
  system: WholeSystem,
  load: Load,
  sending: Sending
): Promise<LoadCost> {
  await system.catchUp()
  const before = system.readCpu()
  const startedAt = performance.now()
  const accepted = await send(system, load, sending)
  await system.catchUp()
  const seconds = (performance.now() - startedAt) / 1000
  const after = system.readCpu()
  return { accepted, seconds, cpu: mapParts((part) => (after[part] - before[part]) / accepted) }
}
