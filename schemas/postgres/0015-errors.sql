-- Decisions that ended in an error are few, and what somebody looks for most.

create index decisions_errors on decisions
  (organization_id, received_at desc, decision_id desc) where is_error;
