-- Decisions that are evaluated later because their organization exceeds its share of a batch.

create table deferred_decisions (
  organization_id uuid not null,
  decision_id uuid not null,
  -- Of the decisions topic; the process that consumes it evaluates the decision.
  partition integer not null,
  -- Of the message: nearly the order of the topic.
  received_at timestamptz not null,
  -- The length of input, output and metadata, to limit the memory of a piece.
  characters integer not null,
  -- When evaluation read the message.
  deferred_at timestamptz not null default now(),
  -- Moved a second ahead when the decision is not stored yet.
  due_at timestamptz not null default now(),
  primary key (organization_id, decision_id)
);
create index deferred_decisions_by_turn on deferred_decisions
  (partition, organization_id, received_at);
comment on table deferred_decisions is
  'Decisions whose evaluation is deferred because their organization uses more than its share.';

call show_by_organization('deferred_decisions');
