-- Which networks an account has logged in from: they stay open while others are refused.

alter table sessions
  -- Of the login: an IPv4 address, or the first 64 bits of an IPv6 address.
  add column network text;
create index sessions_by_network on sessions (user_id, network);
