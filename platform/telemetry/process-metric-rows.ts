/** Defines the metrics that every process has. */

export const processMetricRows = {
  sluice_ready: {
    type: 'gauge',
    unit: 'processes',
    across: 'sum',
    help: '1 if the process is ready, otherwise 0; with workers, the number of ready workers.',
    labels: []
  },
  sluice_workers: {
    type: 'gauge',
    unit: 'processes',
    across: 'sum',
    help: 'Workers of this gateway that are serving; 0 if GATEWAY_WORKERS is 1.',
    labels: []
  },
  sluice_worker_restarts_total: {
    type: 'counter',
    unit: 'restarts',
    help: 'Restarts of workers that exited unexpectedly.',
    labels: []
  },
  sluice_build_info: {
    type: 'gauge',
    unit: 'always 1',
    across: 'max',
    help: 'The running versions of Sluice and Node.js.',
    labels: ['version', 'node']
  },
  sluice_event_loop_lag_seconds: {
    type: 'gauge',
    unit: 'seconds',
    across: 'max',
    help: 'Delay of event loop timers over the last ten seconds, by quantile.',
    labels: ['quantile']
  },
  sluice_process_cpu_seconds_total: {
    type: 'counter',
    unit: 'seconds',
    help: 'CPU time used, user and system.',
    labels: []
  },
  sluice_process_resident_memory_bytes: {
    type: 'gauge',
    unit: 'bytes',
    across: 'sum',
    help: 'Resident memory of the process.',
    labels: []
  },
  sluice_process_heap_used_bytes: {
    type: 'gauge',
    unit: 'bytes',
    across: 'sum',
    help: 'Used memory of the JavaScript heap, including garbage.',
    labels: []
  },
  sluice_process_external_memory_bytes: {
    type: 'gauge',
    unit: 'bytes',
    across: 'sum',
    help: 'Memory outside the heap that JavaScript objects hold, such as buffers.',
    labels: []
  },
  sluice_process_gc_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Garbage collection pauses, by kind.',
    labels: ['kind'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]
  },
  sluice_process_start_time_seconds: {
    type: 'gauge',
    unit: 'seconds',
    across: 'min',
    help: 'Start time of the process, in seconds since 1970.',
    labels: []
  }
} as const
