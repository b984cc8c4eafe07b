-- Creates the index of the dead-letter records of each organization, which the API lists.

-- Storage reads the dead-letter topics and inserts a row for each record that names its decision.
-- It also carries out what the API requests, so a gateway needs no access to these topics.
create table dead_letters (
  organization_id uuid not null,
  -- Derived from the position of the record, so that indexing it again yields the same id.
  dead_letter_id uuid not null,
  decision_id uuid not null,
  -- These three are null if the value cannot be decoded.
  agent_id text,
  session_id text,
  received_at timestamptz,
  -- The dead-letter topic and the position of the record in it, as in dead_letter_marks.
  topic text not null,
  partition integer not null,
  letter_offset bigint not null,
  written_at timestamptz not null,
  indexed_at timestamptz not null default now(),
  group_id text not null,
  reason text not null,
  step text not null,
  error text not null,
  origin_topic text not null,
  origin_partition integer not null,
  origin_offset bigint not null,
  -- SHA-256 of the key and the value. It is the same in all dead-letter records of a message. A
  -- replay compares it with the record in the topic, so that no other message is replayed.
  content_hash bytea not null,
  -- JSON list of pairs of name and value, with the headers of the original message.
  headers text not null,
  key bytea,
  value_bytes integer not null,
  -- The start of the value. The whole value is only in the topic.
  value_start bytea not null,
  -- JSON of the decoded value; null if it cannot be decoded or is too large.
  decoded text,
  state text not null default 'open' check (state in ('open', 'replayed', 'dropped')),
  handled_at timestamptz,
  handled_by text,
  -- What the API requests; null once storage has carried it out or has failed to do so.
  requested_action text check (requested_action in ('replay', 'drop')),
  requested_at timestamptz,
  requested_by text,
  -- Why the last request failed.
  failure text,
  primary key (organization_id, dead_letter_id)
);
create index dead_letters_by_position on dead_letters (topic, partition, letter_offset);
create index dead_letters_by_time on dead_letters
  (organization_id, written_at desc, decision_id desc, dead_letter_id desc);
create index dead_letters_open on dead_letters
  (organization_id, written_at desc, decision_id desc, dead_letter_id desc) where state = 'open';
create index dead_letters_by_content on dead_letters (organization_id, content_hash);
create index dead_letters_requested on dead_letters (requested_at)
  where requested_action is not null;
comment on table dead_letters is
  'Dead-letter records of organizations, with the start of their value, their state and requests.';
call edit_by_organization(
  'dead_letters', 'update (requested_action, requested_at, requested_by, failure)');
