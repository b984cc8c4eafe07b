-- Tables of read_topics.py, and views that join decisions and evaluations.
create table if not exists decisions (
  organization_id text not null,
  decision_id text not null,
  received_at text not null,
  agent_id text,
  session_id text,
  domain text,
  input text not null,   -- JSON text, exactly as sent
  output text not null,
  metadata text,         -- JSON text, exactly as sent
  input_tokens integer,
  output_tokens integer,
  primary key (organization_id, decision_id)
);

create table if not exists runs (
  organization_id text not null,
  decision_id text not null,
  run_id text not null,  -- rule_id/evaluator_id for a run in `runs`, which has no ID on the topic
  rule text not null,
  rule_id text,
  evaluator text not null,
  evaluator_id text,
  evaluator_version integer not null,
  generation integer not null,
  status text not null,
  status_reason text,
  evaluated_at text not null,
  agent_id text,
  session_id text,
  received_at text not null,
  scores text not null,  -- a JSON list
  primary key (organization_id, decision_id, run_id)
);

-- Keeps the bytes of records that cannot be read, so that they are not lost.
create table if not exists unreadable (
  topic text not null,
  "partition" integer not null,
  "offset" integer not null,
  value blob,
  error text not null,
  primary key (topic, "partition", "offset")
);

-- Contains the latest run of each decision, rule and evaluator, because a replay replaces the run
-- that it repeats. Pushed scores (rule `push`) do not replace each other.
create view if not exists current_runs as
select * from (
  select *, row_number() over (
    partition by organization_id, decision_id, coalesce(rule_id, rule),
      coalesce(evaluator_id, evaluator), iif(rule_id = 'push', run_id, '')
    order by generation desc, evaluator_version desc
  ) as place
  from runs
) where place = 1;

-- Contains one row for each score. A run without a score and a decision without a run also have a
-- row, with a null `score`.
create view if not exists decision_scores as
select d.organization_id, d.decision_id, d.received_at, d.agent_id, d.output,
  r.rule, r.evaluator, r.status, r.status_reason, r.evaluated_at,
  s.value ->> 'name' as score, s.value ->> 'value' as value, s.value ->> 'label' as label,
  s.value ->> 'passed' as passed
from decisions d
left join current_runs r using (organization_id, decision_id)
left join json_each(r.scores) s;
