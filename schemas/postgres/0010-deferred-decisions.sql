-- Creates a table for decisions that are evaluated later, for example because their organization
-- exceeds its share of a batch.

create table deferred_decisions (
  organization_id uuid not null,
  decision_id uuid not null,
  -- Partition of the decisions topic. The process that consumes it evaluates the decision.
  partition integer not null,
  -- Receipt time of the decision. It approximates the order in the topic.
  received_at timestamptz not null,
  -- Total length of input, output and metadata. It limits how many decisions are read at a time.
  characters integer not null,
  -- When the evaluation was first deferred.
  deferred_at timestamptz not null default now(),
  -- When evaluation may start. It is postponed by one second while the decision is not stored yet.
  due_at timestamptz not null default now(),
  primary key (organization_id, decision_id)
);
create index deferred_decisions_by_turn on deferred_decisions
  (partition, organization_id, received_at);
comment on table deferred_decisions is
  'Decisions whose evaluation is deferred because their organization uses more than its share.';

call show_by_organization('deferred_decisions');
