/** Lists the offline evaluator kinds. */
import type { OfflineKind } from '../core/evaluation/evaluator-definition.ts'
import { checkOf } from './heuristics/heuristic.ts'
import { jsonSchema } from './json-schema/json-schema.ts'
import type { Kind } from './kind.ts'
import { regex } from './regex/regex.ts'
import { similarity } from './similarity/similarity.ts'

/** Functions that return the kind of a configuration, or null if it names an unknown check. */
export const kindTable: Readonly<
  Record<OfflineKind, (config: Readonly<Record<string, unknown>>) => Kind | null>
> = {
  heuristic: checkOf,
  regex: () => regex as Kind,
  json_schema: () => jsonSchema as Kind,
  similarity: () => similarity as Kind
}
