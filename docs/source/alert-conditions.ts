/** Describes in words when each alert in deploy/prometheus fires. */
export const alertConditions: Readonly<Record<string, string>> = {
  SluicePartitionPaused: 'A partition has been paused for 1 minute.',
  SluiceDeadLetters: 'A message became a dead-letter record in the last 10 minutes.',
  SluiceConsumerLagGrowing:
    'For 10 minutes, a consumer group has been over 1,000 messages behind on a topic and ' +
    'its lag has been growing.',
  SluiceConsumerRetrying:
    'For 5 minutes, a consumer group has retried more than 3 batches per 5 minutes.',
  SluicePartitionsMissing:
    'A day partition for today or the next 7 days has been missing for 10 minutes.',
  SluiceDefaultPartitionInUse: 'Rows have been in a default partition for 10 minutes.',
  SluiceStorageStalled:
    'For 5 minutes, gateways have acknowledged decisions while storage has stored none. ' +
    'Both rates are averages over the last 5 minutes.',
  SluiceAuditMissing: 'The last audit found a missing record.',
  SluiceAuditStale:
    'An audit completed in the last 3 days, but none in the last 2 hours; or the job `audit` has ' +
    'run for 2 hours without completing one.',
  SluiceGatewayErrors: 'For 5 minutes, over 1% of the responses of all gateways have been 5xx.',
  SluiceShedding: 'For 5 minutes, gateways have rejected requests to protect themselves.',
  SluiceRateLimitLocal: 'Redis has been unavailable to a gateway for 5 minutes.',
  SluiceWorkersRestarting: 'Workers were restarted more than twice in 15 minutes.',
  SluiceEventLoopSlow: 'The median lag of an event loop has been over 50 ms for 5 minutes.',
  SluiceKeysStale: 'Lookups of API keys in Postgres have failed for 2 minutes.',
  SluiceClientDrops:
    'In the last 15 minutes, SDKs reported dropped decisions with a reason other than `redacted`.',
  SluiceNotReady: 'A process has not been ready for 10 minutes.',
  SluiceNotScraped: 'Prometheus has had no metrics from any process for 10 minutes.',
  SluiceEmailsFailing: 'More than 2 emails failed, or more than 2 were dropped, in 30 minutes.',
  SluiceJudgesBlocked: 'The runs of a judge connection have been blocked for 15 minutes.',
  SluiceEvaluationBacklog:
    'For 30 minutes, over 1,000 runs have been waiting for a judge or a pushed score and the ' +
    'number has been growing.',
  SluiceDeferredGrowing:
    'For 30 minutes, over 1,000 decisions have been deferred and the number has been growing.',
  SluiceJudgeCallsFailing: 'For 15 minutes, over 20% of judge calls have returned no score.',
  SluiceRunsNotStored: 'For 25 minutes, over 1,000 runs have been finished but not stored.',
  SluiceEvaluatorsBroken:
    'A judge run or a replayed run ended with `code_error` in the last 15 minutes.',
  SluiceWebhooksFailing:
    'Sluice gave up on more than 10 deliveries for one event type in 30 minutes.',
  ...conditionsOf(
    'Availability',
    ['1.44%', '0.6%', '0.1%'],
    'decisions were rejected with a 5xx error'
  ),
  ...conditionsOf('Latency', ['14.4%', '6%', '1%'], 'ingest requests took longer than 0.5 s'),
  ...conditionsOf(
    'Completeness',
    ['1.44%', '0.6%', '0.1%'],
    'acknowledged decisions were not stored in time'
  ),
  ...conditionsOf('Freshness', ['14.4%', '6%', '1%'], 'decisions took over 10 s to become readable')
}

/**
 * Returns the conditions of the two alerts for a service level objective. `fast` is 14.4 times the
 * error budget, `slow` is 6 times the error budget, and `budget` is the error budget itself.
 */
function conditionsOf(
  objective: string,
  [fast, slow, budget]: readonly [string, string, string],
  bad: string
): Record<string, string> {
  return {
    [`Sluice${objective}Burning`]:
      `Over both the last hour and the last 5 minutes, more than ${fast} of ${bad}; or over ` +
      `both the last 6 hours and the last 30 minutes, more than ${slow}.`,
    [`Sluice${objective}Slipping`]:
      'Over both the last 3 days and the last 6 hours, more than ' + `${budget} of ${bad}.`
  }
}
