import { GatewayRequestInvalidError } from '@agent-workspace/core';
import { decodeFrames, type Frame } from '@agent-workspace/gateway-protocol';
import { type GatewayRequest, operationOf } from './gateway-request.ts';
import { readChunks } from './read-body.ts';

/** A command line and its environment are at most two of the system's two megabytes, escaped. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

export interface ReadFramesOptions {
  /** Raw bytes of one frame, which is held as a whole. */
  readonly maxFrameBytes: number;
  /** All frames together. No limit by default: what is passed on as it comes is not held here. */
  readonly maxTotalBytes?: number | undefined;
}

/** The frames of a request, as they come. @throws `gateway-request-invalid`, `limit-exceeded` */
export function readFrames(
  request: GatewayRequest,
  { maxFrameBytes, maxTotalBytes = Infinity }: ReadFramesOptions,
): AsyncGenerator<Frame, void, undefined> {
  return decodeFrames(readChunks(request, maxTotalBytes), {
    maxFrameBytes,
    maxHeaderBytes: MAX_HEADER_BYTES,
    invalid: (reason) => new GatewayRequestInvalidError({ operation: operationOf(request), reason }),
  });
}
