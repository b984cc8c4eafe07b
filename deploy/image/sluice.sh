#!/bin/sh
# What a container plays: gateway, storage, evaluation, or any command of the command line.
set -eu
case "${1:-}" in
  gateway) shift && set -- gateway/main.ts "$@" ;;
  storage | evaluation) set -- consumers/main.ts "$@" ;;
  *) set -- cli/sluice.ts "$@" ;;
esac
program=/app/$1 && shift
# Node becomes the first process, which hears what the container is told. The warning is a timer of
# a Kafka client that is due already.
exec node --disable-warning=TimeoutNegativeWarning "$program" "$@"
