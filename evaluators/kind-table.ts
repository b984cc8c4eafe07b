/** The kinds of evaluators that need no network, and which of them a configuration is for. */
import type { OfflineKind } from '../core/evaluation/evaluator-definition.ts'
import { checkOf } from './heuristics/heuristic.ts'
import { jsonSchema } from './json-schema/json-schema.ts'
import type { Kind } from './kind.ts'
import { regex } from './regex/regex.ts'
import { similarity } from './similarity/similarity.ts'

/** Null where the configuration names no check that there is. */
export const kindTable: Readonly<
  Record<OfflineKind, (config: Readonly<Record<string, unknown>>) => Kind | null>
> = {
  heuristic: checkOf,
  regex: () => regex as Kind,
  json_schema: () => jsonSchema as Kind,
  similarity: () => similarity as Kind
}
