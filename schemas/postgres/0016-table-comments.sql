-- One sentence about each table, for psql and for docs/reference/topics-and-tables.md.

comment on table organizations is
  'Tenants, each with its own rate limit or the default one.';
comment on table users is
  'People who log in; the password is stored as an argon2id hash.';
comment on table api_keys is
  'API keys: public id, HMAC of the secret, scopes, limit, expiry, revocation, last use.';
comment on table decision_ids is
  'One row per decision identity, with a fingerprint to distinguish a retry from another decision.';
comment on table decisions is
  'One row per decision, partitioned by UTC day of received_at; payloads are JSON text.';
comment on table evaluation_runs is
  'One row per finished evaluation run; it may be stored before its decision.';
comment on table scores is
  'One row per score of a run.';
comment on table storage_progress is
  'Progress of storage in each partition; the API derives as_of and lag_ms from it.';
comment on table consumed_offsets is
  'Offsets of each consumer group, written in the transaction that stores the batch.';
comment on table decision_hours is
  'Sums of stored decisions by organization, hour, agent and domain.';
comment on table erasures is
  'Requests to erase data: scope, who requested it, progress and result.';
comment on table dead_letter_marks is
  'Dead-letter records that an operator replayed or dropped, with name and time.';
comment on table evaluators is
  'Evaluators of an organization, with the number of the latest version.';
comment on table evaluator_versions is
  'Every version of an evaluator; a version never changes.';
comment on table evaluation_rules is
  'Rules: which decisions are evaluated, by which evaluators, with what sampling and budget.';
comment on table rule_sets is
  'Snapshots of all rules with their evaluator versions, one per change; a plan refers to one.';
comment on table evaluation_connections is
  'Connections to model providers; API keys are sealed under SECRETS_KEY.';
comment on table connection_circuits is
  'Circuit breaker state of each connection.';
comment on table evaluation_budgets is
  'Daily and monthly cost limits of each organization for judge calls.';
comment on table evaluation_spend is
  'Cost of judge calls by rule, evaluator and UTC day.';
comment on table evaluation_plans is
  'What each rule decided for a decision, and how many runs were planned.';
comment on table open_runs is
  'Runs without a stored result: scheduled, running, retrying, blocked or finished.';
comment on table run_attempts is
  'Every attempt of a run, recorded before its call begins.';
comment on table webhooks is
  'Webhooks: URL, sealed secret, events and score threshold.';
comment on table webhook_deliveries is
  'Deliveries to webhooks with payload, attempts and result.';
comment on table memberships is
  'Which user belongs to which organization, with which role.';
comment on table sessions is
  'Logins; revoking one ends all of its refresh tokens.';
comment on table refresh_tokens is
  'Digests of refresh tokens; each is valid once.';
comment on table email_tokens is
  'Digests of the tokens sent by email to verify an address or reset a password.';
comment on table invites is
  'Invitations to join an organization.';
comment on table audit_log is
  'Who changed what, written in the same transaction as the change.';
comment on table decision_facet_hours is
  'The sums of decision_hours by model, agent version and SDK version.';
comment on table agents is
  'Agents with the time of their first and last decision.';
comment on table agent_profiles is
  'Descriptions, owners, tags and model prices that users entered for agents.';
comment on table decision_outcomes is
  'Evaluation status, verdict and effective scores of each decision.';
comment on table outcome_hours is
  'Counts of decisions by hour, agent, domain, status and verdict.';
comment on table score_hours is
  'Sums of scores by hour, agent, domain, name, source and evaluator version.';
