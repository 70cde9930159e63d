import type { ServerResponse } from 'node:http';

/** What a request for a file is answered with when it fails. */
export class FilesError extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FilesError';
    this.status = status;
  }
}

/** Answers with an error as all of envd's HTTP routes do. */
export function answerError(response: ServerResponse, status: number, message: string): void {
  // What was meant for the file does not describe the error.
  for (const name of response.getHeaderNames()) {
    if (name.startsWith('content-') || name === 'last-modified' || name === 'vary') response.removeHeader(name);
  }
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  response.end(`${JSON.stringify({ code: status, message })}\n`);
}
