/** Runs an evaluation fault under load and waits until all runs have ended. */
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { judgedRate, makeRuleSet, rowsOfRules } from '../../../bench/evaluation-rules.ts'
import { isOfflineKind } from '../../../core/evaluation/evaluator-definition.ts'
import { startApplication } from '../../support/application.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { waitUntilConsumed } from '../../support/kafka.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createBalancer } from '../balancer.ts'
import { createRandom } from '../random.ts'
import type { FaultSettings } from '../settings.ts'
import { createMembers } from '../storage/members.ts'
import type { Members } from '../storage/members.ts'
import { createEvaluationLedger } from './evaluation-ledger.ts'
import type { EvaluationLedger } from './evaluation-ledger.ts'
import { fileOf } from './evidence.ts'
import type { EvaluationFault, EvaluationScene } from './fault.ts'
import { startJudgeProcess } from './judge-process.ts'
import { startEvaluationLoad } from './load.ts'

export interface EvaluationRun {
  readonly installation: Installation
  /** Number of injected faults. Each killed process counts. */
  readonly faults: number
  readonly complaints: readonly string[]
  /** Longest time from a repair until every decision already on the topic had a plan. */
  readonly recoverySeconds: number
  /** Time between the last decision and the end of the last run. */
  readonly drainSeconds: number
  /** Last log lines of processes that exited unexpectedly. */
  readonly exitLogs: readonly string[]
}

interface EvaluationGround {
  readonly settings: FaultSettings
  /** Folder for the ledger and the evidence. */
  readonly folder: string
  readonly title: string
}

/** Minimum number of decisions, and their rate per second. */
const forms = { short: { decisions: 600, rate: 25 }, long: { decisions: 20_000, rate: 80 } }
const longSeconds = 10
const settleMs = 180_000
/**
 * Maximum wait for pending runs in milliseconds. An open circuit breaker can delay them for
 * minutes.
 */
const drainMs = 420_000
/**
 * Session timeout of consumers in milliseconds: the broker's minimum, so that a dead member is
 * detected quickly.
 */
const sessionTimeoutMs = 6000
const rateLimit = 100_000_000
const members = 2

/**
 * Starts the system, injects the fault, and waits until no run is pending. Does not check the
 * evidence.
 */
export async function runEvaluationFault(
  fault: EvaluationFault,
  { settings, folder, title }: EvaluationGround
): Promise<EvaluationRun> {
  const { decisions, rate } = settings.seconds > longSeconds ? forms.long : forms.short
  const installation = await createInstallation()
  const ledger = createEvaluationLedger(folder)
  const stage = await setStage({ installation, settings, ledger, title, rate })
  const { scene, load } = stage
  try {
    await scene.recover()
    const faults = await fault.inject(scene)
    await load.complete(decisions)
    const recoverySeconds = stage.worstRecoverySeconds()
    const endedAt = performance.now()
    await drain(installation)
    return {
      ...{ installation, faults, recoverySeconds, complaints: ledger.complaints },
      drainSeconds: (performance.now() - endedAt) / 1000,
      exitLogs: [...scene.evaluation.exitLogs, ...scene.storage.exitLogs]
    }
  } finally {
    await stage.end()
  }
}

interface StageOptions {
  readonly installation: Installation
  readonly settings: FaultSettings
  readonly ledger: EvaluationLedger
  readonly title: string
  readonly rate: number
}

async function setStage({ installation, settings, ledger, title, rate }: StageOptions) {
  const tenant = await installation.createTenant({ rateLimit })
  const judge = await startJudgeProcess(fileOf(ledger.folder, 'calls'))
  await saveRules(installation, tenant.organization_id, judge.baseUrl)
  ledger.write(lineOf(installation, title))
  const { gateway, evaluation, storage } = await startProcesses(installation, ledger)
  const balancer = createBalancer()
  balancer.add(gateway)
  const random = createRandom(settings.seed)
  const sender = { organizationId: tenant.organization_id, apiKey: tenant.api_key }
  const seed = random.below(2 ** 32)
  const load = startEvaluationLoad({ balancer, ledger, sender, seed, rate })
  let worstMs = 0
  const scene: EvaluationScene = {
    ...{ installation, settings, random, ledger, judge, evaluation, storage },
    last: (times = 1) => pause(times * settings.seconds * 1000),
    recover: async () => {
      const mendedAt = performance.now()
      await waitUntilPlanned(installation)
      worstMs = Math.max(worstMs, performance.now() - mendedAt)
    }
  }
  return {
    ...{ scene, load },
    worstRecoverySeconds: () => worstMs / 1000,
    end: async () => {
      await load.stop().catch(() => {})
      await Promise.all([evaluation.end(), storage.end(), gateway.kill(), judge.kill()])
    }
  }
}

async function startProcesses({ environment }: Installation, { complain }: EvaluationLedger) {
  const consumers = { ...environment, CONSUMER_SESSION_TIMEOUT_MS: String(sessionTimeoutMs) }
  const group = (name: 'evaluation' | 'storage'): Members =>
    createMembers({ name, environment: consumers, complain })
  const [evaluation, storage] = [group('evaluation'), group('storage')]
  const [gateway] = await Promise.all([
    startApplication('gateway', { environment }),
    evaluation.start(members),
    storage.start(1)
  ])
  return { gateway, evaluation, storage }
}

const connectionId = `con_${randomUUID().replaceAll('-', '')}`
const wanted = { isOffline: true, connectionId }

/** Inserts the rule set, evaluator versions and judge connection directly into the database. */
async function saveRules(
  { database }: Installation,
  organizationId: string,
  baseUrl: string
): Promise<void> {
  for (const { text, values } of rowsOfRules(organizationId, wanted, baseUrl)) {
    await database.query(text, values)
  }
}

function lineOf({ topics }: Installation, title: string) {
  const planned = makeRuleSet(wanted).rules.flatMap(({ rule_id, sampling, evaluators }) =>
    evaluators.map(({ evaluator_id, kind }) => ({ rule_id, evaluator_id, sampling, kind }))
  )
  const judged = planned.find(({ kind }) => kind === 'llm_judge')
  if (judged === undefined) throw new Error('no evaluator is a judge')
  return {
    ...{ line: 'evaluation_run' as const, fault: title },
    ...{ decisionsTopic: topics.decisions, evaluationsTopic: topics.evaluations },
    offline: planned
      .filter(({ kind }) => isOfflineKind(kind))
      .map(({ rule_id, evaluator_id }) => ({ rule_id, evaluator_id })),
    judged: {
      ...{ rule_id: judged.rule_id, evaluator_id: judged.evaluator_id },
      ...{ rate: judgedRate, cohort: judged.sampling.cohort }
    }
  }
}

async function waitUntilPlanned({ groups, topics }: Installation): Promise<void> {
  const isConsumed = async (): Promise<boolean> => {
    await waitUntilConsumed(groups.evaluation, topics.decisions, settleMs)
    return true
  }
  // Retry, because a broker can be unresponsive after a restart.
  await waitUntil('all decisions have plans', isConsumed, settleMs)
}

/** Waits until topics and tables contain no unfinished work. */
async function drain(installation: Installation): Promise<void> {
  const { groups, topics, database } = installation
  await waitUntilPlanned(installation)
  await waitUntilConsumed(groups.storage, topics.decisions, settleMs)
  const open = async (): Promise<number> => {
    const [row] = await database.query<{ open: number }>(
      `select count(*)::integer as open from pending_runs`
    )
    return row?.open ?? -1
  }
  await waitUntil('no run is pending', async () => (await open()) === 0, drainMs)
  await waitUntilConsumed(groups.storageOfEvaluations, topics.evaluations, settleMs)
}
