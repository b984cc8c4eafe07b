/** GET /v1/profiles/:agent_id/compare: two versions of an agent, and what is more than chance. */
import { jsonReply } from '../../http/call.ts'
import type { PrincipalHandle } from '../../http/route.ts'
import { hourRangeOf } from '../stats/hour-range.ts'
import type { PeriodTexts } from '../stats/hour-range.ts'
import type { OrganizationStore } from '../store.ts'
import { invalidQuery } from '../time-page.ts'
import { agentNameOf } from './agent-name.ts'
import { compareMeans, compareRates } from './compare-samples.ts'
import { findAgent } from './find-agent.ts'
import type { ProfileDependencies } from './read-profile.ts'
import { appliedOf } from './read-profile.ts'
import { selectScoreSamples, selectVersionSample } from './select-version-sample.ts'
import type { ScoreSample, VersionQuery, VersionSample } from './select-version-sample.ts'

interface CompareTexts extends PeriodTexts {
  readonly a: string
  readonly b: string
}

interface Side extends VersionSample {
  readonly scores: readonly ScoreSample[]
}

export function createCompareVersions(dependencies: ProfileDependencies): PrincipalHandle {
  const { store, clock } = dependencies

  return async function compareVersions({ principal, params, query }) {
    const { a, b, ...period } = query as unknown as CompareTexts
    const range = hourRangeOf(period, clock.now())
    const ours = store.of(principal.organization_id)
    const { record, lag } = await findAgent(ours, params['agent_id'] ?? '', dependencies)
    const agentId = record.agent_id
    const sides = [a, b].map((version) => readSide(ours, { agentId, version, range }))
    const [left = null, right = null] = await Promise.all(sides)
    if (left === null || right === null) {
      const pointer = left === null ? '/a' : '/b'
      throw invalidQuery([{ pointer, detail: 'is no version of this agent in that time' }])
    }
    const answer = {
      agent_id: agentNameOf(agentId),
      a: { version: a, ...sampleOf(left) },
      b: { version: b, ...sampleOf(right) },
      measures: measuresOf(left, right),
      scores: scoresOf(left.scores, right.scores),
      meta: { applied: appliedOf(range), ...lag }
    }
    return jsonReply(200, JSON.stringify(answer))
  }
}

async function readSide(store: OrganizationStore, query: VersionQuery): Promise<Side | null> {
  const sample = await selectVersionSample(store, query)
  if (sample === null) return null
  return { ...sample, scores: await selectScoreSamples(store, sample) }
}

function sampleOf({ n, since, until }: Side) {
  return { n, since: since?.toISOString() ?? null, until: until?.toISOString() ?? null }
}

function measuresOf(a: Side, b: Side) {
  const means = (kind: 'input' | 'output' | 'latency') => {
    const of = (side: Side) => ({
      n: side[`${kind}_n`],
      mean: side[`${kind}_mean`],
      deviation: side[`${kind}_deviation`]
    })
    return compareMeans(of(a), of(b))
  }
  const errors = ({ errors_n, errors: part }: Side) => ({ n: errors_n, part })
  const passes = ({ judged, passed }: Side) => ({ n: judged, part: passed })
  return {
    input_tokens: means('input'),
    output_tokens: means('output'),
    latency_ms: means('latency'),
    error_rate: compareRates(errors(a), errors(b)),
    pass_rate: compareRates(passes(a), passes(b))
  }
}

/** Only what the same version of an evaluator measured can be compared. */
function scoresOf(left: readonly ScoreSample[], right: readonly ScoreSample[]) {
  const keyOf = ({ name, source_kind, evaluator_id, evaluator_version }: ScoreSample) =>
    JSON.stringify([name, source_kind, evaluator_id, evaluator_version])
  const others = new Map(right.map((score) => [keyOf(score), score]))
  return left.flatMap((a) => {
    const b = others.get(keyOf(a))
    if (b === undefined) return []
    const { name, source_kind: source, evaluator_id, evaluator_version: version } = a
    const passes = ({ judged, passed }: ScoreSample) => ({ n: judged, part: passed })
    const mean = compareMeans(a, b)
    return [
      { name, source, evaluator_id, version, mean, pass_rate: compareRates(passes(a), passes(b)) }
    ]
  })
}
