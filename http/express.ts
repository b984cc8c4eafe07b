/** Express, and the requests and answers that node:http makes the way Express wants them. */
import { IncomingMessage, ServerResponse } from 'node:http'
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
  class GatewayRequest extends IncomingMessage {}
  class GatewayResponse extends ServerResponse<GatewayRequest> {}
  Object.setPrototypeOf(GatewayRequest.prototype, app.request)
  Object.setPrototypeOf(GatewayResponse.prototype, app.response)
  app.request = GatewayRequest.prototype as Request
  app.response = GatewayResponse.prototype as unknown as Response
  return { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse }
}
