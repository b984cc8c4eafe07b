-- Creates tables and views for evaluated decisions. Each decision has one row, in which the runs
-- that ended together are packed into arrays. Judges, replays and pushed scores have rows in
-- later_runs.

-- Contains the properties that packed runs share: rule, evaluator version and score definition.
-- Rows of evaluations refer to it. Only used_on is ever updated.
create table run_kinds (
  organization_id uuid not null,
  -- The first 8 bytes of the SHA-256 of the columns from rule_id to reason_template.
  run_kind bigint not null,
  rule_id text not null,
  rule text not null,
  evaluator_id text not null,
  evaluator text not null,
  evaluator_kind text not null,
  evaluator_version integer not null,
  config_hash text,
  -- Definition of the score; null for runs without a score.
  name text,
  data_type text,
  threshold double precision,
  range_min double precision,
  range_max double precision,
  direction text,
  -- Reason of the score, with # in place of each number; null if rows contain the whole text.
  reason_template text,
  -- The id of a run is the id of its decision XOR run_mask. The id of its score is the id of the
  -- decision XOR score_mask.
  run_mask uuid not null,
  score_mask uuid,
  -- The last UTC day on which a run of this kind was stored, or the day of its decision if that is
  -- later.
  used_on date not null default (now() at time zone 'utc')::date,
  primary key (organization_id, run_kind)
);
create index run_kinds_by_name on run_kinds (organization_id, name collate "C");
comment on table run_kinds is
  'Rule, evaluator version and score of runs, referenced by rows of evaluations.';
call show_to_editors('run_kinds');

create table evaluations (
  organization_id uuid not null,
  decision_id uuid not null,
  -- Fields of the decision. received_at is the same as in decision_ids if the decision is stored.
  received_at timestamptz not null,
  agent_id text,
  session_id text,
  domain text,
  -- Result of all runs of the decision, as derived by core/evaluation/decision-outcome.ts.
  status text not null,
  reason text,
  verdict text not null,
  -- Effective scores, {name: {value, label, passed}}; null if packed_scores derives them.
  scores jsonb,
  -- Scores that are included in score_hours, so that they can be subtracted; null if packed_counted
  -- derives them.
  counted jsonb,
  updated_at timestamptz not null default now(),
  -- The plan, if all of its runs are packed here. Otherwise it is a row of evaluation_plans.
  rule_set_version integer,
  -- One entry per rule, separated by commas. An array would be four times as large.
  outcomes text,
  -- The packed runs. Each run has the same place in all arrays. The arrays are null until runs are
  -- stored. An array is also null if all its elements would be null.
  evaluated_at timestamptz,
  stored_at timestamptz not null default now(),
  run_kinds bigint[],
  -- s: succeeded, f: failed, k: skipped. Only a run that succeeded has a score.
  statuses "char"[],
  -- Whether any run failed, or was skipped for a reason other than not_applicable.
  has_unsuccessful boolean,
  status_reasons text[],
  durations_us integer[],
  score_values double precision[],
  labels text[],
  passed boolean[],
  confidences double precision[],
  -- Set only if the kind has no template.
  reasons text[],
  -- The numbers for each # of the template, separated by spaces.
  reason_numbers text[],
  evidence text[],
  errors text[],
  -- The run that repeats this one.
  superseded_by uuid[],
  primary key (organization_id, decision_id, received_at)
) partition by range (received_at);
-- Holds rows of days without a partition, so that a missing partition never stops storage.
create table evaluations_default partition of evaluations default;

create index evaluations_by_time on evaluations
  (organization_id, evaluated_at desc, decision_id desc) where evaluated_at is not null;
create index evaluations_unpassed on evaluations
  (organization_id, received_at desc, decision_id desc) where verdict <> 'pass';
create index evaluations_unevaluated on evaluations
  (organization_id, received_at desc, decision_id desc) where status <> 'evaluated';
create index evaluations_unsuccessful on evaluations
  (organization_id, evaluated_at desc, decision_id desc) where has_unsuccessful;
-- Contains decisions with pushed scores but no plan yet. Storage checks for their plans regularly.
create index evaluations_unplanned on evaluations (updated_at)
  where reason = 'not_planned_yet';
comment on table evaluations is
  'One row per evaluated decision: status, verdict, effective scores and packed runs.';
-- A replay marks the run that it repeats.
call edit_by_organization('evaluations', 'update (superseded_by)');

-- Returns the bitwise XOR of two UUIDs, like core/ids/xor-ids.ts.
create function xor_ids(one uuid, other uuid) returns uuid
language sql immutable strict parallel safe as $$
  select (lpad(to_hex(bits::bit(64)::bigint), 16, '0')
          || lpad(to_hex(substring(bits from 65)::bit(64)::bigint), 16, '0'))::uuid
    from (select ('x' || translate(one::text, '-', ''))::bit(128)
                 # ('x' || translate(other::text, '-', ''))::bit(128)) as both_ids (bits)
$$;

-- Restores a reason that core/evaluation/reason-template.ts has split into template and numbers.
create function reason_text(template text, numbers text) returns text
language sql immutable parallel safe as $$
  select case when numbers is null then template else (
    select string_agg(part.text || coalesce(number.text, ''), '' order by place)
      from unnest(string_to_array(template, '#')) with ordinality as part (text, place)
      left join unnest(string_to_array(numbers, ' ')) with ordinality as number (text, place)
           using (place)) end
$$;

-- Returns the effective scores of a row without later runs: {name: {value, label, passed}}.
create function packed_scores(
  organization uuid, kinds bigint[], given double precision[], given_labels text[],
  given_passed boolean[]
) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(k.name, jsonb_build_object(
           'value', given[r.place], 'label', given_labels[r.place],
           'passed', given_passed[r.place])), '{}')
    from unnest(kinds) with ordinality as r (run_kind, place)
    join run_kinds k on k.organization_id = organization and k.run_kind = r.run_kind
   where k.name is not null
$$;

-- Returns the scores of a row without later runs that are included in score_hours, with the limits
-- of core/evaluation/decision-outcome.ts.
create function packed_counted(
  organization uuid, kinds bigint[], given double precision[], given_passed boolean[]
) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object(
           'name', k.name, 'source_kind', 'evaluator', 'evaluator_id', k.evaluator_id,
           'evaluator_version', k.evaluator_version,
           'value', case when abs(given[r.place]) <= 1e100 then given[r.place] end,
           'passed', given_passed[r.place])), '[]')
    from unnest(kinds) with ordinality as r (run_kind, place)
    join run_kinds k on k.organization_id = organization and k.run_kind = r.run_kind
   where k.name is not null
     and length(k.name) + length('evaluator') + length(k.evaluator_id) <= 150
$$;

-- Contains the plans of all decisions.
create view decision_plans with (security_invoker) as
select organization_id, decision_id, received_at, rule_set_version,
       string_to_array(outcomes, ',') as outcomes, cardinality(run_kinds) as runs,
       evaluated_at as planned_at
  from evaluations
 where rule_set_version is not null
 union all
select organization_id, decision_id, received_at, rule_set_version, outcomes, runs, planned_at
  from evaluation_plans;

-- Contains one row for each packed run, with its score.
create view packed_runs with (security_invoker) as
select e.organization_id, e.decision_id, xor_ids(e.decision_id, k.run_mask) as run_id,
       k.rule, k.evaluator, k.evaluator_kind, k.evaluator_version, 0 as generation,
       case r.status when 's' then 'succeeded' when 'f' then 'failed' else 'skipped' end as status,
       r.status_reason, 1 as attempts, r.duration_us::bigint as duration_us, e.evaluated_at,
       e.stored_at, k.rule_id, k.evaluator_id, k.config_hash, null::uuid as replay_of,
       r.superseded_by, null::timestamptz as scheduled_at, null::timestamptz as started_at,
       r.error, null::integer as http_status, null::text as provider, null::text as model,
       null::text as model_reported, null::bigint as input_tokens, null::bigint as output_tokens,
       null::bigint as nano_usd, null::bigint as latency_ms, e.received_at, e.agent_id,
       e.session_id, e.domain,
       xor_ids(e.decision_id, k.score_mask) as score_id, k.name, k.data_type, r.value, r.label,
       r.passed, coalesce(r.reason, reason_text(k.reason_template, r.reason_numbers)) as reason,
       case when r.value is null or k.direction = 'none' then null
            when k.direction = 'lower' then 1 - part.part else part.part end as normalized,
       k.threshold, k.range_min, k.range_max, k.direction, r.confidence, r.evidence,
       'evaluator' as source_kind, null::text as source_id, e.has_unsuccessful
  from evaluations e
 cross join lateral unnest(e.run_kinds, e.statuses, e.status_reasons, e.durations_us,
                           e.score_values, e.labels, e.passed, e.confidences, e.reasons,
                           e.reason_numbers, e.evidence, e.errors, e.superseded_by)
       as r (run_kind, status, status_reason, duration_us, value, label, passed, confidence,
             reason, reason_numbers, evidence, error, superseded_by)
  join run_kinds k on k.organization_id = e.organization_id and k.run_kind = r.run_kind
 cross join lateral (
   -- Applies the limits of evaluators/score-of.ts. Without them, a division could overflow or
   -- underflow, and Postgres would reject the whole query.
   select case when k.data_type <> 'numeric' then r.value
               when greatest(abs(r.value), abs(k.range_min), abs(k.range_max)) > 1e100 then null
               when k.range_max - k.range_min < 1e-100 then null
               when abs(r.value - k.range_min) < 1e-200 then 0
               else (r.value - k.range_min) / (k.range_max - k.range_min) end) as part (part);

-- Contains all ended runs: packed runs and later runs.
create view evaluation_runs with (security_invoker) as
select organization_id, decision_id, run_id, rule, evaluator, evaluator_kind, evaluator_version,
       generation, status, status_reason, attempts, duration_us, evaluated_at, stored_at, rule_id,
       evaluator_id, config_hash, replay_of, superseded_by, scheduled_at, started_at, error,
       http_status, provider, model, model_reported, input_tokens, output_tokens, nano_usd,
       latency_ms, received_at, agent_id, session_id, domain
  from packed_runs
 union all
select organization_id, decision_id, run_id, rule, evaluator, evaluator_kind, evaluator_version,
       generation, status, status_reason, attempts, duration_us, evaluated_at, stored_at, rule_id,
       evaluator_id, config_hash, replay_of, superseded_by, scheduled_at, started_at, error,
       http_status, provider, model, model_reported, input_tokens, output_tokens, nano_usd,
       latency_ms, received_at, agent_id, session_id, domain
  from later_runs;

-- Contains the scores of all ended runs.
create view scores with (security_invoker) as
select organization_id, decision_id, run_id, score_id, name, data_type, value, label, passed,
       reason, evaluated_at, normalized, threshold, range_min, range_max, direction, confidence,
       evidence, source_kind, source_id, rule_id, evaluator_id, evaluator, evaluator_kind,
       evaluator_version, received_at, agent_id, session_id, domain
  from packed_runs
 where name is not null
 union all
select organization_id, decision_id, run_id, score_id, name, data_type, value, label, passed,
       reason, evaluated_at, normalized, threshold, range_min, range_max, direction, confidence,
       evidence, source_kind, source_id, rule_id, evaluator_id, evaluator, evaluator_kind,
       evaluator_version, received_at, agent_id, session_id, domain
  from later_scores;

grant select on decision_plans, packed_runs, evaluation_runs, scores
  to sluice_reader, sluice_editor;
