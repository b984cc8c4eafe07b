-- Evaluation runs and their scores. No foreign key to decisions: either topic may be stored first.

create table evaluation_runs (
  organization_id uuid not null,
  decision_id uuid not null,
  run_id uuid not null,
  rule text not null,
  evaluator text not null,
  evaluator_kind text not null,
  evaluator_version integer not null,
  generation integer not null,
  status text not null,
  status_reason text,
  attempts integer not null,
  duration_us bigint,
  evaluated_at timestamptz not null,
  stored_at timestamptz not null default now(),
  primary key (organization_id, decision_id, run_id)
);

create table scores (
  organization_id uuid not null,
  decision_id uuid not null,
  run_id uuid not null,
  score_id uuid not null,
  name text not null,
  data_type text not null,
  value double precision,
  label text,
  passed boolean,
  reason text,
  evaluated_at timestamptz not null,
  primary key (organization_id, decision_id, score_id)
);
