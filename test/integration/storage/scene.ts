/** Creates a test scene that runs storage, writes to its topics and reads its tables. */
import { createEncode } from '../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../core/decision/decision.ts'
import type { Evaluation } from '../../../core/evaluation/evaluation.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, evaluationContract, subjectOf } from '../../../schemas/index.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation } from '../../support/installation.ts'
import { produce, waitUntilConsumed } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'

export interface Scene {
  readonly sluice: Installation
  encode(decision: Decision): Buffer
  /** Writes the decisions to one partition, in order. */
  sendDecisions(...decisions: readonly Decision[]): Promise<void>
  sendEvaluations(...evaluations: readonly Evaluation[]): Promise<void>
  /** Resolves when storage has committed everything in both topics. */
  settled(): Promise<void>
  /** Returns the IDs of an organization's stored decisions, in ascending order. */
  storedIds(organizationId: string): Promise<string[]>
  /** Returns the number of rows that an organization has in a table. */
  countOf(table: string, organizationId: string): Promise<number>
}

const partition = 0

export async function createScene(): Promise<Scene> {
  const sluice = await createInstallation()
  const { topics, groups, database } = sluice
  const registry = createRegistry(services().addresses.schemaRegistryUrl)
  const decisionId = await registry.idOf(subjectOf(topics.decisions), decisionContract.text)
  const evaluationId = await registry.idOf(subjectOf(topics.evaluations), evaluationContract.text)
  const encodeDecision = createEncode<Decision>(decisionContract.schema)
  const encodeEvaluation = createEncode<Evaluation>(evaluationContract.schema)
  const encode = (decision: Decision): Buffer => encodeDecision(decision, decisionId ?? 0)
  const send = (topic: string, values: readonly Buffer[]): Promise<void> =>
    produce(
      topic,
      values.map((value) => ({ key: 'agent', value, partition }))
    )
  return {
    sluice,
    encode,
    sendDecisions: (...decisions) => send(topics.decisions, decisions.map(encode)),
    sendEvaluations: (...evaluations) =>
      send(
        topics.evaluations,
        evaluations.map((evaluation) => encodeEvaluation(evaluation, evaluationId ?? 0))
      ),
    settled: async () => {
      await waitUntilConsumed(groups.storage, topics.decisions)
      await waitUntilConsumed(groups.storageOfEvaluations, topics.evaluations)
    },
    storedIds: async (organizationId) => {
      const rows = await database.query<{ decision_id: string }>(
        `select decision_id from decisions where organization_id = $1 order by decision_id`,
        [organizationId]
      )
      return rows.map(({ decision_id }) => decision_id)
    },
    countOf: async (table, organizationId) => {
      const [row] = await database.query<{ n: number }>(
        `select count(*)::integer as n from ${table} where organization_id = $1`,
        [organizationId]
      )
      return row?.n ?? 0
    }
  }
}
