/** Starts the evaluation group. */
import { systemClock } from '../../platform/clock.ts'
import { createGroup } from '../group.ts'
import type { GroupContext } from '../group.ts'
import { createEvaluate } from './evaluate.ts'
import { createEvaluation } from './evaluation.ts'
import { createPublish } from './publish.ts'

const partitionsMax = 3

export async function startEvaluation(context: GroupContext): Promise<void> {
  const { config } = context
  const { EVALUATION_GROUP_ID: groupId, EVALUATIONS_TOPIC: topic } = config
  const group = await createGroup({
    ...context,
    groupId,
    topics: [config.DECISIONS_TOPIC],
    partitionsMax
  })
  const { registry, producer, flood, settle, patiently } = group
  const evaluate = createEvaluate({ clock: systemClock })
  const publish = createPublish({ producer, registry, topic })
  await group.run(createEvaluation({ registry, evaluate, publish, flood, settle, patiently }))
}
