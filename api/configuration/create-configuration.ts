/** Puts together the handlers of what an organization says of its evaluation. */
import type { Clock } from '../../core/clock.ts'
import type { Outbound } from '../../platform/http-client/outbound.ts'
import { createPostWebhook } from '../../platform/http-client/post-webhook.ts'
import { createSealer } from '../../platform/security/sealed-secret.ts'
import type { Sealer } from '../../platform/security/sealed-secret.ts'
import { createBudget } from '../budget/budget.ts'
import { createEditConnections } from '../connections/edit-connections.ts'
import { createOpenJudge } from '../connections/open-judge.ts'
import { createShowConnections } from '../connections/show-connections.ts'
import { createTestConnection } from '../connections/test-connection.ts'
import { createEditEvaluators } from '../evaluators/edit-evaluators.ts'
import { createPreflight } from '../evaluators/preflight.ts'
import { createShowEvaluators } from '../evaluators/show-evaluators.ts'
import type { TenantCompute } from '../evaluators/tenant-compute.ts'
import { createTestEvaluators } from '../evaluators/test-evaluators.ts'
import { createEditRules } from '../rules/edit-rules.ts'
import { createPreviewRule } from '../rules/preview-rule.ts'
import { createShowRules } from '../rules/show-rules.ts'
import type { Store } from '../store.ts'
import { createDeliveries } from '../webhooks/deliveries.ts'
import { createEditWebhooks } from '../webhooks/edit-webhooks.ts'
import { createRotateSecret } from '../webhooks/rotate-secret.ts'
import { createShowWebhooks } from '../webhooks/show-webhooks.ts'
import { createTestWebhook } from '../webhooks/test-webhook.ts'
import type { ConfigurationHandlers } from './configuration-rows.ts'
import type { WebhookHandlers } from '../webhooks/webhook-rows.ts'

export interface ConfigurationParts {
  readonly store: Store
  readonly clock: Clock
  readonly outbound: Outbound
  readonly compute: TenantCompute
  /** SECRETS_KEY; null where none is set. */
  readonly secretsKey: string | null
}

export function createConfiguration(parts: ConfigurationParts): ConfigurationHandlers {
  const { store, clock, outbound, compute, secretsKey } = parts
  const sealer = secretsKey === null ? null : createSealer(secretsKey)
  const openJudge = createOpenJudge({ clock, outbound, sealer })
  const preflight = createPreflight(openJudge)
  return {
    ...createShowEvaluators({ store }),
    ...createEditEvaluators({ store, clock, preflight, compute }),
    ...createTestEvaluators({ store, clock, openJudge, compute }),
    ...createShowRules({ store }),
    ...createEditRules({ store, clock }),
    previewRule: createPreviewRule({ store, clock, allowance: compute.allowance }),
    ...createShowConnections({ store }),
    ...createEditConnections({ store, clock, outbound, sealer }),
    testConnection: createTestConnection({ store, openJudge }),
    ...createBudget({ store }),
    ...createWebhooks(parts, sealer)
  }
}

function createWebhooks(
  { store, clock, outbound }: ConfigurationParts,
  sealer: Sealer | null
): WebhookHandlers {
  const postWebhook = createPostWebhook({ outbound, clock })
  return {
    ...createShowWebhooks({ store }),
    ...createEditWebhooks({ store, clock, outbound, sealer }),
    rotateSecret: createRotateSecret({ store, sealer }),
    testWebhook: createTestWebhook({ store, clock, sealer, postWebhook }),
    ...createDeliveries({ store, clock })
  }
}
