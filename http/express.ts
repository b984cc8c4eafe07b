/** Creates the Express app and the message classes that node:http instantiates for it. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { areTooSmall, refuseChunks } from './admission/chunk-limit.ts'
import express from 'express'
import type { Express, Request, Response } from 'express'

export type { Express, NextFunction, Request, Response } from 'express'

export function createExpress(): Express {
  return express()
}

/**
 * Returns the request and response classes for the app. Express changes the prototype of each
 * request and response, which makes objects slow in V8. Instances of these classes have the right
 * prototype from the beginning, so the change has no effect.
 */
export function messageClassesOf(app: Express) {
  class GatewayRequest extends IncomingMessage {
    #chunks = 0
    #bytes = 0
    #isRefused = false

    /**
     * Receives each chunk of the body before any reader does, and null at the end of the body. A
     * rejected body never ends, so that a partial body is not taken for a complete one.
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
