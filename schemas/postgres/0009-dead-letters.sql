-- Which dead letters were dealt with: Kafka cannot delete a single record, so it is noted here.

create table dead_letter_marks (
  -- The dead-letter topic, and the place of the letter in it.
  topic text not null,
  partition integer not null,
  letter_offset bigint not null,
  -- When the letter was written: a topic that is made anew begins at 0 again, with other letters.
  written_at timestamptz not null,
  action text not null check (action in ('replayed', 'dropped')),
  marked_at timestamptz not null default now(),
  marked_by text not null,
  primary key (topic, partition, letter_offset, written_at)
);
