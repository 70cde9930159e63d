import { isSmallPart } from '@agent-workspace/gateway-protocol';
import type { Dispatcher } from 'undici';

/**
 * Has the chunks of a body keep themselves alone in memory, and not all that was read with them: what waits
 * for a slow reader is limited by its own bytes.
 */
export function ownChunks(dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch {
  return (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart: (controller, status, headers, message) =>
        handler.onResponseStart?.(controller, status, headers, message),
      onResponseData: (controller, chunk) =>
        handler.onResponseData?.(controller, isSmallPart(chunk) ? Buffer.from(new Uint8Array(chunk).buffer) : chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
}
