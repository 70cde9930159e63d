import { CONTENT_TYPES } from '@agent-workspace/gateway-protocol';

const HEADERS = { 'content-type': CONTENT_TYPES.json };

export function jsonResponse(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: HEADERS });
}
