/** The whole system, one gateway and some processes of each group, and what each part costs. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { evaluationsGroupOf } from '../../platform/kafka/storage-groups.ts'
import { topicDefinitions } from '../../schemas/index.ts'
import type { ServiceName } from '../../stack/service.ts'
import type { LoadOrder } from '../load/load.ts'
import type { Load } from '../load/load-process.ts'
import { shapes } from '../load/shapes.ts'
import type { Bench, Target } from '../row.ts'
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

/** Microseconds of processor time. */
export type Cpu = Readonly<Record<Part, number>>

export interface WholeSystem {
  /** Its `url` has no path. */
  readonly gateway: Target
  readonly pids: Readonly<Record<(typeof ownParts)[number], readonly number[]>>
  /** What follows the acceptance of a decision: it is stored, evaluated, and its scores stored. */
  readonly groups: Readonly<Record<'stored' | 'evaluated' | 'scored', FollowedGroup>>
  /** Resolves when all that was accepted before has been through all groups. */
  catchUp(): Promise<void>
  readCpu(): Cpu
}

export const evaluationsTopic =
  topicDefinitions.find(({ role }) => role === 'evaluations')?.name ?? 'decision-evaluations'

const storageGroup = 'sluice-storage'

export interface SystemSettings {
  /** Processes of storage, and as many of evaluation. */
  readonly members: number
  /** Of the consumer groups, where it differs from that of a deployment. */
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

/** Before each topic had a group of its own, one group of storage read both. */
function scoresGroupIn({ checkout }: Bench): string {
  const hasTwo = existsSync(join(checkout, 'platform/kafka/storage-groups.ts'))
  return hasTwo ? evaluationsGroupOf(storageGroup) : storageGroup
}

export function mapParts(of: (part: Part) => number): Cpu {
  return Object.fromEntries(parts.map((part) => [part, of(part)])) as Cpu
}

/** How decisions are sent: one in a request, or a hundred. */
const paths = { decision: '/v1/ingest', batch: '/v1/ingest/batch' } as const

export type Sending = Pick<LoadOrder, 'seconds' | 'connections' | 'rate' | 'requests'> & {
  readonly shape: keyof typeof paths
}

/** Resolves with how many decisions the gateway accepted. */
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
  /** From the first request until the scores of the last decision are stored. */
  readonly seconds: number
  /** For one decision. */
  readonly cpu: Cpu
}

/** Sends to a system that is idle, until it is idle again. */
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
