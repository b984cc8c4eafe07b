/** Checks an evaluator from a request and returns its violations. */
import { isOfflineKind } from '../core/evaluation/evaluator-definition.ts'
import type { EvaluatorKind, OfflineKind } from '../core/evaluation/evaluator-definition.ts'
import { pointerTo } from '../core/json/json-pointer.ts'
import type { Violation } from '../core/problem.ts'
import { createCheck } from '../platform/validation/json-schema.ts'
import type { Check } from '../platform/validation/json-schema.ts'
import { checkFixedOutput, checkFreeOutput } from './check-output.ts'
import { completeDraft, naturalOutputOf, timeouts } from './complete-draft.ts'
import type { EvaluatorInput } from './complete-draft.ts'
import { builtInEvaluators } from './default-rule-set.ts'
import { draftSchema, namePattern } from './draft-schema.ts'
import { unknownCheck } from './heuristics/heuristic.ts'
import { checkJudgeConfig } from './judge/check-judge.ts'
import { checkJudgeOutput } from './judge/check-scale.ts'
import type { JudgeConfig } from './judge/judge-config.ts'
import { kindTable } from './kind-table.ts'
import type { Kind } from './kind.ts'
import { flagsPattern } from './regex/regex.ts'
import { referencePattern } from './similarity/similarity.ts'
import { targetPattern, targetRule } from './target.ts'
import { unstorableTexts } from './unstorable-texts.ts'

type Config = Readonly<Record<string, unknown>>

const checkForm = createCheck(draftSchema)

/** Returns an empty list if the evaluator is valid. Pointers are relative to the evaluator. */
export function checkEvaluator(draft: unknown): readonly Violation[] {
  const form = checkForm(draft)
  const { kind, config } = (draft ?? {}) as Partial<EvaluatorInput>
  const isReadable = isKnownKind(kind) && typeof config === 'object' && config !== null
  const about = isReadable ? checkConfig(kind, config) : { form: [], rules: [] }
  const found = [...form, ...about.form, ...about.rules].map(explainPattern)
  if (form.length > 0 || about.form.length > 0) return found
  const given = draft as EvaluatorInput
  return [
    ...unstorableTexts(given),
    ...reservedNames(given),
    ...found,
    ...checkOutput(given),
    ...checkTimeout(given),
    ...thresholdConflicts(given)
  ]
}

const builtInNames = new Set(builtInEvaluators.map(({ name }) => name))

/** Rejects the names of built-in evaluators, because scores are looked up by name. */
function reservedNames({ name, output }: EvaluatorInput): readonly Violation[] {
  const detail = 'is reserved for a built-in evaluator; choose another name'
  return [
    ...(builtInNames.has(name) ? [{ pointer: '/name', detail }] : []),
    ...(builtInNames.has(output?.name ?? '') ? [{ pointer: '/output/name', detail }] : [])
  ]
}

function isKnownKind(kind: unknown): kind is EvaluatorKind {
  return (draftSchema.properties.kind.enum as readonly unknown[]).includes(kind)
}

/**
 * Violations of the schema (`form`) and of the kind's own rules (`rules`). The rules are checked
 * only if the schema matches.
 */
interface ConfigFlaws {
  readonly form: readonly Violation[]
  readonly rules: readonly Violation[]
}

function checkConfig(kind: EvaluatorKind, config: Config): ConfigFlaws {
  const { form, rules } = isOfflineKind(kind)
    ? checkOffline(kind, config)
    : checkOnline(kind, config)
  return { form: form.map(within('/config')), rules: rules.map(within('/config')) }
}

function within(place: string): (violation: Violation) => Violation {
  return ({ pointer, detail }) => ({ pointer: place + pointer, detail })
}

function checkOffline(kind: OfflineKind, config: Config): ConfigFlaws {
  const found = kindTable[kind](config)
  if (found === null) return { form: [{ pointer: '/check', detail: unknownCheck }], rules: [] }
  const form = formCheckOf(found)(config)
  return { form, rules: form.length > 0 ? [] : (found.check?.(config) ?? []) }
}

function checkOnline(kind: EvaluatorKind, config: Config): ConfigFlaws {
  if (kind === 'llm_judge') return { form: checkJudgeConfig(config), rules: [] }
  const names = Object.keys(config)
  const detail = 'is not supported; this kind has no settings'
  return { form: names.map((name) => ({ pointer: pointerTo(name), detail })), rules: [] }
}

const formChecks = new Map<string, Check>()

/** Compiles the schema of each kind or check once. */
function formCheckOf({ properties, required = [] }: Kind): Check {
  const key = JSON.stringify(properties)
  const known = formChecks.get(key)
  if (known !== undefined) return known
  const check = createCheck({ type: 'object', additionalProperties: false, properties, required })
  formChecks.set(key, check)
  return check
}

/** Error messages by the pattern that a value must match. */
const sentences = new Map([
  [
    namePattern,
    'must begin with a lowercase letter and contain only lowercase letters, digits, _ and -'
  ],
  [targetPattern, targetRule],
  [referencePattern, 'must be metadata. followed by the name of a member'],
  [flagsPattern, 'must contain only i, m and s, each at most once']
])

function explainPattern({ pointer, detail }: Violation): Violation {
  const pattern = /^must match pattern "(.*)"$/.exec(detail)?.[1]
  return { pointer, detail: sentences.get(pattern ?? '') ?? detail }
}

function checkOutput(draft: EvaluatorInput): readonly Violation[] {
  const { kind, config, output } = draft
  if (kind === 'llm_judge') {
    const { scale } = config as unknown as JudgeConfig
    return checkJudgeOutput(output ?? {}, scale).map(within('/output'))
  }
  const natural = isOfflineKind(kind) ? naturalOutputOf(kind, config) : null
  if (natural === null && (output?.data_type ?? null) === null) {
    return [{ pointer: '/output/data_type', detail: 'is required' }]
  }
  const found =
    natural === null
      ? checkFreeOutput(completeDraft(draft).output)
      : checkFixedOutput(output ?? {}, natural)
  return found.map(within('/output'))
}

function checkTimeout({ kind, timeout_ms: timeout }: EvaluatorInput): readonly Violation[] {
  const { max } = isOfflineKind(kind) ? timeouts.offline : timeouts.network
  if ((timeout ?? 0) <= max) return []
  return [{ pointer: '/timeout_ms', detail: `must be at most ${max} for this kind` }]
}

/** Rejects a threshold in `output` that differs from the one in `config`. */
function thresholdConflicts({ config, output }: EvaluatorInput): readonly Violation[] {
  const threshold = output?.threshold ?? null
  const other = config['threshold']
  if (threshold === null || other === undefined || other === threshold) return []
  return [
    { pointer: '/output/threshold', detail: 'must equal the threshold in config, or be omitted' }
  ]
}
