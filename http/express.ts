/** Express, and the requests and answers that node:http makes the way Express wants them. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { areTooSmall, refuseChunks } from './admission/chunk-limit.ts'
import express from 'express'
import type { Express, Request, Response } from 'express'

export type { Express, NextFunction, Request, Response } from 'express'

export function createExpress(): Express {
  return express()
}

/**
 * Express gives each request and each answer its own prototype, and V8 is slow with objects whose
 * prototype has changed. Made of these classes they have it from the beginning, and what Express
 * then does changes nothing.
 */
export function messageClassesOf(app: Express) {
  class GatewayRequest extends IncomingMessage {
    #chunks = 0
    #bytes = 0
    #isRefused = false

    /**
     * Each chunk of the body comes through here, also while nobody reads it yet, and null at its
     * end. A refused body never ends, so that nobody takes the part before for the whole.
     */
    override push(chunk: Buffer | null): boolean {
      if (this.#isRefused) return false
      if (chunk === null) return super.push(null)
      this.#chunks += 1
      this.#bytes += chunk.length
      this.#isRefused = areTooSmall(this.#chunks, this.#bytes)
      if (!this.#isRefused) return super.push(chunk)
      refuseChunks(this)
      return false
    }
  }
  class GatewayResponse extends ServerResponse<GatewayRequest> {}
  Object.setPrototypeOf(GatewayRequest.prototype, app.request)
  Object.setPrototypeOf(GatewayResponse.prototype, app.response)
  app.request = GatewayRequest.prototype as unknown as Request
  app.response = GatewayResponse.prototype as unknown as Response
  return { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse }
}
