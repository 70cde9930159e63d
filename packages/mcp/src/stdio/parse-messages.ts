import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === 'object' && value !== null && 'jsonrpc' in value && ('method' in value || 'id' in value);
}

/** The messages of a line: one, several as a batch, or none if the server wrote something else to stdout. */
export function parseMessages(line: string): JSONRPCMessage[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [];
  }
  return (Array.isArray(value) ? value : [value]).filter(isMessage);
}
