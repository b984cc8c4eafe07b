/** Defines the ingest routes, and describes all routes for tests and documentation. */
import { bindRoutes } from '../api/routes.ts'
import type { Handle, Operation, Route } from '../http/route.ts'
import { ingestBatchOperation } from './ingest/ingest-batch.operation.ts'
import { ingestOperation } from './ingest/ingest.operation.ts'
import { logsOperation, tracesOperation } from './otlp/export.operation.ts'

interface IngestHandlers {
  readonly ingest: Handle
  readonly ingestBatch: Handle
  readonly traces: Handle
  readonly logs: Handle
}

/** The handlers authenticate and validate each request themselves, step by step. */
export function ingestRoutes(handlers: IngestHandlers): readonly Route[] {
  const { ingest, ingestBatch, traces, logs } = handlers
  const post = (path: string, operation: Operation, handle: Handle): Route => {
    const credential = { kind: 'api_key', scope: 'ingest' } as const
    return { surface: 'ingest', method: 'post', path, credential, operation, handle }
  }
  return [
    post('/v1/ingest', ingestOperation, ingest),
    post('/v1/ingest/batch', ingestBatchOperation, ingestBatch),
    post('/v1/traces', tracesOperation, traces),
    post('/v1/logs', logsOperation, logs)
  ]
}

const neverCalled = () => Promise.reject(new Error('this route table only describes the API'))

/** Returns the routes of ingest and the API, without working handlers. */
export function describeRoutes(): readonly Route[] {
  const [ingest, ingestBatch] = [neverCalled, neverCalled]
  return [
    ...ingestRoutes({ ingest, ingestBatch, traces: neverCalled, logs: neverCalled }),
    ...bindRoutes(null as never, () => neverCalled)
  ]
}
