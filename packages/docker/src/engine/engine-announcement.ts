import type { IncomingMessage } from 'node:http';
import type Docker from 'dockerode';

/**
 * What an engine says of itself in the headers of any answer: another one, or another version of it, says
 * something else. It takes the engine a fraction of what telling its version does, for which it runs programs.
 *
 * @returns `undefined` for one that says nothing
 */
export function engineAnnouncement(docker: Docker, abortSignal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const request = { path: '/_ping', method: 'GET', isStream: true, statusCodes: { 200: true }, abortSignal };
    docker.modem.dial(request, (error: unknown, answer: unknown) => {
      if (error !== null) {
        reject(error);
        return;
      }
      const message = answer as IncomingMessage;
      message.resume();
      const { server, 'api-version': api } = message.headers;
      resolve(server === undefined || api === undefined ? undefined : [server, api].join('; '));
    });
  });
}
