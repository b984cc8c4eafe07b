/** `sluice schemas asyncapi`: prints the AsyncAPI document of the topics. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { asyncapiDocumentOf } from '../schemas/asyncapi-document.ts'
import { topicNamesOf } from '../topic-names.ts'

export function printAsyncapi(environment: Environment, write: (line: string) => void): void {
  const config = readConfig(environment, ['DECISIONS_TOPIC', 'EVALUATIONS_TOPIC'])
  write(JSON.stringify(asyncapiDocumentOf(topicNamesOf(config)), null, 2))
}
