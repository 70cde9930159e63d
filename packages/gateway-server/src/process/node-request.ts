import type { IncomingMessage, ServerResponse } from 'node:http';
import { OperationAbortedError } from '@agent-workspace/core';
import type { AttachedHost } from '../attached/attached-host.ts';
import { type GatewayRequest, operationOf } from '../http/gateway-request.ts';

export interface NodeRequestParts {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: AttachedHost;
  readonly path: string;
  /** What comes after the `?`. */
  readonly search: string;
  readonly parts: Readonly<Record<string, string>>;
}

/** A request as Node's server has it. */
export class NodeRequest implements GatewayRequest {
  readonly method: string;
  readonly path: string;
  readonly host: AttachedHost;
  readonly #given: NodeRequestParts;
  #query: URLSearchParams | undefined;
  #controller: AbortController | undefined;

  constructor(given: NodeRequestParts) {
    this.#given = given;
    this.method = given.message.method ?? '';
    this.path = given.path;
    this.host = given.host;
  }

  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.#given.search));
  }

  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    const { response } = this.#given;
    if (response.destroyed) controller.abort();
    response.once('close', () => {
      if (!response.writableFinished) controller.abort();
    });
    return controller.signal;
  }

  header(name: string): string | undefined {
    const value = this.#given.message.headers[name];
    return typeof value === 'string' ? value : undefined;
  }

  part(name: string): string {
    return this.#given.parts[name] ?? '';
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      // Whoever stops in the middle has yet to answer.
      for await (const chunk of this.#given.message.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array;
    } catch (error) {
      throw this.#brokenOff(error);
    }
  }

  whole(): Promise<Uint8Array> {
    const { message } = this.#given;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => void chunks.push(chunk));
      message.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
      message.once('error', (error) => reject(this.#brokenOff(error)));
      message.once('close', () => {
        if (!message.readableEnded) reject(this.#brokenOff(undefined));
      });
    });
  }

  #brokenOff(cause: unknown): OperationAbortedError {
    return new OperationAbortedError({ operation: operationOf(this) }, { cause });
  }
}
