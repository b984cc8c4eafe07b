/** Runs a scriptable judge server that implements the OpenAI API, counts calls, and can delay
 * or hold them.
 *
 * To run it as a process: `node test/support/judge-server.ts --port 8900`. With `--log FILE`, it
 * logs the start and the end of each call. Control requests:
 *   GET  /control                               returns {"calls", "open", "runs": {run: calls}}
 *   POST /control {"behaviour": "overloaded"}   sets the behaviour; initially "good"
 *   POST /control {"delay_ms": 50}              sets the behaviour to "good" with this delay
 *   POST /control {"held": true}                holds every call until `held` is set to false
 */
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { judgeBehaviours } from './judge-behaviours.ts'
import type { Behaviour, BehaviourName } from './judge-behaviours.ts'
import { honest, readPrompt } from './grading-models.ts'
import type { Message, GradingModel } from './grading-models.ts'

/**
 * Optional API features. A server that lacks a feature responds with 400 to requests that use it.
 */
type Feature = 'json_schema' | 'json_object' | 'max_tokens' | 'temperature'

export interface JudgeCall {
  /** Value of the `x-sluice-run` header, or of `user` in the body. */
  readonly run_id: string | null
  readonly headers: IncomingMessage['headers']
  readonly body: ChatBody
}

interface ChatBody {
  readonly model: string
  readonly messages: readonly Message[]
  readonly user?: string
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly temperature?: number
  readonly response_format?: { readonly type: string }
}

export interface JudgeServer {
  readonly port: number
  /** Base URL to configure in a connection. */
  readonly baseUrl: string
  readonly calls: readonly JudgeCall[]
  callsOf(runId: string): number
  /** Returns the number of calls in progress. */
  open(): number
  /** Sets the behaviours of the next calls, one behaviour per call. */
  script(...behaviours: readonly (BehaviourName | Behaviour)[]): void
  /** Sets the behaviour of later calls for which `script` sets none. */
  behave(behaviour: BehaviourName | Behaviour): void
  /** Keeps calls open until `release` is called. */
  hold(): void
  release(): void
  close(): Promise<void>
}

/** Start or end of a call. `left` means that the client disconnected. */
export interface JudgeEvent {
  readonly event: 'began' | 'answered' | 'left'
  /** Sequence number of the call, starting at 1. */
  readonly call: number
  readonly run_id: string | null
  /** Response status; null if there was no response. */
  readonly status: number | null
  /** Milliseconds since the Unix epoch. */
  readonly at: number
}

export interface JudgeServerOptions {
  readonly port?: number
  readonly onEvent?: (event: JudgeEvent) => void
  readonly mind?: GradingModel
  readonly lacks?: readonly Feature[]
}

export async function startJudgeServer(options: JudgeServerOptions = {}): Promise<JudgeServer> {
  const { mind = honest, lacks = [], onEvent = () => {} } = options
  const calls: JudgeCall[] = []
  const runs = new Map<string, number>()
  const scripted: Behaviour[] = []
  let standing: Behaviour = {}
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  let isHeld = false
  let open = 0

  const server = createServer((request, response) => {
    const isControl = request.url === '/control'
    const handled = isControl ? control(request, response) : grade(request, response)
    handled.catch(() => response.destroy())
  })

  async function grade(request: IncomingMessage, response: ServerResponse): Promise<void> {
    open += 1
    response.on('close', () => (open -= 1))
    const body = JSON.parse(await text(request)) as ChatBody
    const header = request.headers['x-sluice-run']
    const run_id = typeof header === 'string' ? header : (body.user ?? null)
    calls.push({ run_id, headers: request.headers, body })
    if (run_id !== null) runs.set(run_id, (runs.get(run_id) ?? 0) + 1)
    tell({ call: calls.length, run_id }, response)
    const missing = missingOf(body, lacks)
    const behaviour = missing ?? scripted.shift() ?? standing
    await gate.promise
    if (behaviour.delayMs !== undefined) await pause(behaviour.delayMs, null, { ref: false })
    answer(response, { body, behaviour, mind })
  }

  function tell(about: Pick<JudgeEvent, 'call' | 'run_id'>, response: ServerResponse): void {
    onEvent({ event: 'began', ...about, status: null, at: Date.now() })
    response.on('close', () => {
      const isAnswered = response.writableFinished
      const [event, status] = isAnswered
        ? (['answered', response.statusCode] as const)
        : (['left', null] as const)
      onEvent({ event, ...about, status, at: Date.now() })
    })
  }

  async function control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      const asked = JSON.parse(await text(request)) as Record<string, unknown>
      if (asked['behaviour'] !== undefined) behave(asked['behaviour'] as BehaviourName)
      if (asked['delay_ms'] !== undefined) behave({ delayMs: Number(asked['delay_ms']) })
      if (asked['held'] !== undefined) (asked['held'] === true ? hold : release)()
    }
    sendJson(response, 200, { calls: calls.length, open, runs: Object.fromEntries(runs) })
  }

  function behave(behaviour: BehaviourName | Behaviour): void {
    standing = behaviourOf(behaviour)
  }
  function hold(): void {
    if (isHeld) return
    isHeld = true
    gate = Promise.withResolvers<void>()
  }
  function release(): void {
    isHeld = false
    gate.resolve()
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    callsOf: (runId) => runs.get(runId) ?? 0,
    open: () => open,
    script: (...behaviours) => void scripted.push(...behaviours.map(behaviourOf)),
    behave,
    hold,
    release,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

function behaviourOf(behaviour: BehaviourName | Behaviour): Behaviour {
  return typeof behaviour === 'string' ? judgeBehaviours[behaviour] : behaviour
}

/** Returns the error for an unsupported feature, in the wording of real providers. */
function missingOf(body: ChatBody, lacks: readonly Feature[]): Behaviour | null {
  const format = body.response_format?.type ?? ''
  const messages: Partial<Record<Feature, string>> = {
    ...(body.max_tokens === undefined
      ? {}
      : {
          max_tokens: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        }),
    ...(body.temperature === undefined
      ? {}
      : { temperature: "Unsupported value: 'temperature' supports only the default (1)." }),
    [format]: `'response_format' of type '${format}' is not supported with this model`
  }
  const message = lacks.map((feature) => messages[feature]).find((each) => each !== undefined)
  return message === undefined ? null : { status: 400, error: { message, code: null } }
}

interface Exchange {
  readonly body: ChatBody
  readonly behaviour: Behaviour
  readonly mind: GradingModel
}

function answer(response: ServerResponse, exchange: Exchange): void {
  const { behaviour } = exchange
  const { status = 200, headers = {}, error } = behaviour
  if (behaviour.cut === 'before') return void response.socket?.destroy()
  if (behaviour.cut === 'within') {
    response.writeHead(200, { 'content-type': 'application/json' })
    return void response.write('{"choices":[', () => response.socket?.destroy())
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (behaviour.body !== undefined) return sendText(response, status, behaviour.body)
  if (error !== undefined) return sendJson(response, status, { error })
  sendJson(response, status, completionOf(exchange))
}

function completionOf({ body, behaviour, mind }: Exchange): object {
  const { refusal = null } = behaviour
  const { wrap = asItIs, finishReason = 'stop' } = isSpared(body, behaviour) ? {} : behaviour
  const content = wrap(JSON.stringify(gradeOf(body, behaviour, mind)))
  const message = { role: 'assistant', content: refusal === null ? content : null, refusal }
  const usage = { prompt_tokens: JSON.stringify(body.messages).length, completion_tokens: 40 }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: `${body.model}-2026-01-01`,
    choices: [{ index: 0, message, finish_reason: finishReason }],
    ...(behaviour.usage === null ? {} : { usage: behaviour.usage ?? usage })
  }
}

function asItIs(json: string): string {
  return json
}

function isSpared(body: ChatBody, { belowTokens = Infinity }: Behaviour): boolean {
  return (body.max_tokens ?? body.max_completion_tokens ?? 0) >= belowTokens
}

function gradeOf(body: ChatBody, behaviour: Behaviour, mind: GradingModel): object {
  const prompt = readPrompt(body.messages)
  const grade = behaviour.grade ?? mind(prompt)
  const member = 'labels' in prompt.scale ? 'label' : 'score'
  const nonce = behaviour.nonce ?? prompt.nonce
  return { reasoning: 'The answer fits the question.', [member]: grade, nonce }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.setHeader('content-type', 'application/json')
  response.writeHead(status).end(JSON.stringify(body))
}

function sendText(response: ServerResponse, status: number, body: string): void {
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json')
  response.writeHead(status).end(body)
}

if (import.meta.main) {
  const options = { port: { type: 'string', default: '8900' }, log: { type: 'string' } } as const
  const { port, log } = parseArgs({ options }).values
  const { baseUrl } = await startJudgeServer({
    port: Number(port),
    // Write synchronously, so that the log is complete even if the process is killed.
    onEvent: (event) => {
      if (log !== undefined) appendFileSync(log, `${JSON.stringify(event)}\n`)
    }
  })
  process.stdout.write(`${baseUrl}\n`)
}
