#!/bin/sh
# Entry point of the image: runs gateway, storage or evaluation, or a command of the CLI.
set -eu
case "${1:-}" in
  gateway) shift && set -- gateway/main.ts "$@" ;;
  storage | evaluation) set -- consumers/main.ts "$@" ;;
  *) set -- cli/sluice.ts "$@" ;;
esac
program=/app/$1 && shift
# With exec, Node becomes the first process and receives the signals of the container. The disabled
# warning is about a Kafka client that sets timers in the past.
exec node --disable-warning=TimeoutNegativeWarning "$program" "$@"
