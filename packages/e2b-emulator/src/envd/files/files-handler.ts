import type { IncomingMessage, ServerResponse } from 'node:http';
import { ConnectError } from '../connect/connect-error.ts';
import type { EnvdState } from '../envd-state.ts';
import { readRest } from '../read-rest.ts';
import { compose } from './compose.ts';
import { download } from './download.ts';
import { answerError, FilesError } from './files-error.ts';
import { upload } from './upload.ts';

/** Answers a request to `/files` or `/files/compose`. */
export type FilesHandler = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;

async function route(request: IncomingMessage, response: ServerResponse, url: URL, state: EnvdState): Promise<void> {
  const options = { query: url.searchParams, state };
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /files':
      return await download(request, response, options);
    case 'POST /files':
      return await upload(request, response, options);
    case 'POST /files/compose':
      return await compose(request, response, state);
    default:
      throw new FilesError(405, `method ${request.method} is not allowed for ${url.pathname}`);
  }
}

/** Files over HTTP, for holders of the access token or of a signature. */
export function createFilesHandler(state: EnvdState): FilesHandler {
  return async (request, response, url) => {
    try {
      await route(request, response, url, state);
    } catch (error) {
      // Half an answer cannot be taken back: the client is to see that it is not whole.
      if (response.headersSent) {
        response.destroy();
        return;
      }
      await readRest(request);
      const status = error instanceof FilesError || error instanceof ConnectError ? error.status : 500;
      answerError(response, status, error instanceof Error ? error.message : String(error));
    }
  };
}
