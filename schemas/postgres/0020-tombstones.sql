-- Each batch looks for erased decisions among those that it brings. Of all identities few are
-- erased: without an index of these, all of them were read for each batch.
create index decision_ids_erased on decision_ids (organization_id, decision_id)
  where erased_at is not null;
