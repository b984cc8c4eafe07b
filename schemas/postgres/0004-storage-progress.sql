-- How far storage has come, so that a reader can tell "not there" from "not there yet".

create table storage_progress (
  topic text not null,
  partition integer not null,
  -- Everything in the partition before this offset is settled.
  next_offset bigint not null,
  -- Everything the partition held at this moment is settled.
  as_of timestamptz not null,
  primary key (topic, partition)
);
