/** The rows of the metric table about processes themselves, whatever they are for. */

export const processMetricRows = {
  sluice_ready: {
    type: 'gauge',
    unit: 'processes',
    across: 'sum',
    help: 'Processes behind this port that are ready: 0 or 1, or the number of ready workers.',
    labels: []
  },
  sluice_workers: {
    type: 'gauge',
    unit: 'processes',
    across: 'sum',
    help: 'Workers of this gateway that serve; 0 when GATEWAY_WORKERS is 1.',
    labels: []
  },
  sluice_worker_restarts_total: {
    type: 'counter',
    unit: 'restarts',
    help: 'Workers started anew because one ended that nobody had told to.',
    labels: []
  },
  sluice_build_info: {
    type: 'gauge',
    unit: 'always 1',
    across: 'max',
    help: 'The version of Sluice and of Node that runs.',
    labels: ['version', 'node']
  },
  sluice_event_loop_lag_seconds: {
    type: 'gauge',
    unit: 'seconds',
    across: 'max',
    help: 'How late timers of the event loop were in the last ten seconds, by quantile.',
    labels: ['quantile']
  },
  sluice_process_cpu_seconds_total: {
    type: 'counter',
    unit: 'seconds',
    help: 'CPU time used, in user and system mode together.',
    labels: []
  },
  sluice_process_resident_memory_bytes: {
    type: 'gauge',
    unit: 'bytes',
    across: 'sum',
    help: 'Memory that the process occupies.',
    labels: []
  },
  sluice_process_heap_used_bytes: {
    type: 'gauge',
    unit: 'bytes',
    across: 'sum',
    help: 'Memory of JavaScript objects, garbage included.',
    labels: []
  },
  sluice_process_external_memory_bytes: {
    type: 'gauge',
    unit: 'bytes',
    across: 'sum',
    help: 'Memory outside of the heap that JavaScript objects hold, such as buffers.',
    labels: []
  },
  sluice_process_gc_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Pauses of garbage collection, by kind.',
    labels: ['kind'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]
  },
  sluice_process_start_time_seconds: {
    type: 'gauge',
    unit: 'seconds',
    across: 'min',
    help: 'When the process started, in seconds since 1970.',
    labels: []
  }
} as const
