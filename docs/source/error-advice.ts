/** Describes the cause and remedy of each problem code, for docs/reference/errors.md. */
import type { ProblemCode } from '../../core/problem.ts'

export const errorAdvice: Readonly<Record<ProblemCode, string>> = {
  malformed_json:
    'The body is empty or is not JSON; `position` is the byte offset of the error. Fix ' +
    'the body.',
  malformed_encoding:
    'The body is not UTF-8, or is not compressed as `Content-Encoding` says. Fix the encoding.',
  malformed_request:
    'The request is not valid HTTP/1.1, its path is invalid, its `Idempotency-Key` is ' +
    'malformed, or its body ended early or was sent in too many small chunks. Fix the client, ' +
    'or send a complete request. An `Idempotency-Key` is a quoted string of 1 to 255 printable ' +
    'ASCII characters. You can omit the quotes if it contains no quotes, backslashes or spaces.',
  api_key_required: 'The request has no API key. Send `Authorization: Bearer slk_…`.',
  api_key_malformed:
    'The format or the checksum of the key is wrong, probably because the key was truncated or ' +
    'mistyped. Copy it again.',
  api_key_invalid: 'The key does not exist, was revoked or has expired. Use another key.',
  session_required:
    'The request has no session token, or has an API key where only a session is accepted. Log in.',
  session_invalid:
    'The token was not issued by this service or is older than 15 minutes, its session has ' +
    'ended, or the user is no longer a member. Refresh the token, or log in again.',
  login_failed:
    'The email or the password is wrong; the response is the same in both cases. If you ' +
    'are confirming a registration, the password is not the one that you registered with.',
  refresh_invalid:
    'The token was not issued by this service or was revoked, or its session has ended. Log ' +
    'in again.',
  refresh_reused: 'The token may have been stolen, so its session is revoked. Log in again.',
  ticket_invalid:
    'The ticket was not issued by this service, was already used or is older than 30 seconds, ' +
    'or its session has ended. Request another one.',
  scope_missing: '`scope` is the required scope. Use a key that has it.',
  role_missing:
    '`role` is the required role. Ask a member with this role or a higher one. Roles, ' +
    'from low to high: viewer, member, admin, owner.',
  registration_closed:
    'The operator has closed registration or restricted it to invites. Ask for an invite.',
  route_not_found: 'No route has this path. Paths are exact, including case and trailing slash.',
  decision_not_found:
    'Your organization has no decision with this id. `retryable` is true until storage has ' +
    'processed everything accepted before your request: retry, or use `wait`.',
  run_not_found: 'Your organization has no evaluation run with this id.',
  evaluator_not_found:
    'Your organization has no evaluator with this id, or the evaluator does not have this version.',
  rule_not_found: 'Your organization has no rule with this id.',
  connection_not_found: 'Your organization has no connection with this id.',
  webhook_not_found: 'Your organization has no webhook with this id.',
  delivery_not_found:
    'The webhook has no delivery with this id, or the delivery was deleted at the end of its ' +
    'retention.',
  api_key_not_found: 'Your organization has no API key with this id.',
  member_not_found: 'Your organization has no member with this id.',
  invite_not_found: 'Your organization has no invite with this id.',
  session_not_found: 'You have no session with this id.',
  organization_not_found: 'You are not a member of an organization with this id.',
  agent_not_found:
    'Your organization has no agent with this id: none of its decisions are stored, or ' +
    'all were deleted.',
  dead_letter_not_found:
    'List the records with GET /v1/dead-letters. Records disappear when their topic deletes them.',
  deletion_not_found: 'Your organization has no deletion with this id.',
  method_not_allowed:
    'The path does not support this method. The header `Allow` lists the methods that it supports.',
  body_timeout:
    'The headers took longer than 10 seconds to arrive, or the whole request longer than 30 ' +
    'seconds. Retry on a faster connection.',
  name_taken:
    'Another resource of the same kind in your organization has this name. Choose another name, ' +
    'or change that resource.',
  in_use: '`used_by` lists what uses the resource. Change or delete those resources first.',
  built_in: 'Built-in resources are the same for every organization. Create your own instead.',
  limit_reached:
    '`detail` says what is limited, and `limit` is the maximum. Delete, revoke or disable ' +
    'resources that you no longer need, or shorten the one that you are saving.',
  email_taken:
    'Another account with this email was created before you confirmed your registration or ' +
    'accepted the invite. Log in, or reset the password.',
  already_member:
    'The user is a member of the organization. Change the role of the member instead.',
  last_owner: 'Make another member an owner first.',
  key_ended:
    'The key was revoked, was rotated or has expired. Use its successor, or create another key.',
  count_differs: '`decisions_found` is the current number. Preview again, and confirm that number.',
  ingest_elsewhere: 'This gateway serves no ingest routes. Send the decision to one that does.',
  run_ended: 'The run has already ended, so it cannot be canceled.',
  secrets_key_missing:
    'The gateway cannot encrypt or decrypt secrets: `SECRETS_KEY` is not set, or is not the key ' +
    'with which the secret was encrypted. Ask the operator to set it. If it has changed, send ' +
    'the secret again.',
  payload_too_large:
    '`limit_bytes` is the limit, and `pointer` names the largest member. Shorten that ' +
    'member, or the whole body if `pointer` is empty. If a batch has too many items, ' +
    '`limit_items` is the limit: split the batch.',
  unsupported_media_type:
    'Send `application/json` in UTF-8, uncompressed or compressed with `gzip`, `br` or `zstd`. ' +
    'A batch can also be `application/x-ndjson`.',
  expectation_failed: '`Expect` has a value other than `100-continue`. Remove the header.',
  invalid_decision: '`errors` lists up to 100 violations. Fix them and send the request again.',
  invalid_batch:
    'The batch is empty, or is neither `{"decisions": […]}` nor JSON lines; `errors` says what ' +
    'is wrong. Nothing was accepted.',
  invalid_query: '`errors` lists each invalid parameter. Fix them.',
  invalid_body: '`errors` lists each invalid member, or the first duplicate member. Fix them.',
  token_invalid:
    'The token was not issued by this service, was already used or revoked, or has expired. ' +
    'Request a new email.',
  range_too_large:
    'The request would scan more than `limit` decisions, or search them for more than 2 ' +
    'seconds. Choose a shorter range, or add filters.',
  rate_limited:
    'The organization, the API key or the agent has reached its rate limit; `detail` says ' +
    'which. Retry after `Retry-After` seconds, or ask for a higher limit. [A large rejected ' +
    'body costs more than one ' +
    'decision](../guides/operations/api-keys-and-rate-limits.md#rate-limits).',
  compute_limited:
    'In each gateway process, an organization has 1 second of compute time per minute for ' +
    'checking and testing evaluators and previewing rules. Retry after `Retry-After` seconds, ' +
    'or make the patterns and schemas smaller.',
  changes_limited:
    'Your organization changed its evaluators and rules 1,000 times in one hour, or saved 64 ' +
    'MiB of rules, counting the evaluators that they use. Retry after `Retry-After` seconds. ' +
    'You can always delete and disable evaluators and rules.',
  decision_pending:
    'The span of the score has not become a decision yet. Send the request again after ' +
    '`Retry-After` seconds. The score is rejected a minute after the evaluation.',
  login_throttled:
    'Too many wrong passwords were sent for the account, for the registration or from your ' +
    'network; or there were too many emails, registrations, invites, logins or session ' +
    'refreshes. Retry after `Retry-After` seconds.',
  headers_too_large: 'The request line and headers exceed 16 KiB. Send fewer or shorter headers.',
  internal_error:
    'The cause is a bug in Sluice. You can retry. Report the bug with the `request_id`, which is ' +
    'also in the logs.',
  authentication_unavailable:
    'This gateway has not cached the key, and Postgres does not respond or too many lookups are ' +
    'waiting. Retry.',
  schema_unavailable: 'This gateway has just started and has not loaded the schema id yet. Retry.',
  log_unavailable:
    'Kafka did not acknowledge the write in time, so it may or may not have succeeded. ' +
    'Retry with the `decision_id` from the response; the decision is then stored only once.',
  overloaded:
    'The gateway has reached its limit on requests, on memory for request bodies, or on bytes ' +
    'waiting for Kafka, or too many requests are queued. Reads with `wait` and logins are also ' +
    'rejected if too many of them are waiting. Large bodies, reads, changes, evaluator checks ' +
    'and tests, tails and exports are also rejected if your organization has reached one of its ' +
    '[limits](limits.md); `detail` says which. Nothing was accepted. Retry after `Retry-After` ' +
    'seconds.',
  store_unavailable:
    'Postgres is unavailable or cannot write, so some or all reads, logins and changes fail. ' +
    'For 10 minutes, you can still send decisions with the API keys that a gateway has cached. ' +
    'Retry.'
}

/** Codes for which `retryable` differs between responses. */
export const sometimesRetryable: ReadonlySet<ProblemCode> = new Set(['decision_not_found'])
