import type { WireSchema } from '@agent-workspace/gateway-protocol';

/** For an answer that says nothing beyond that it is done. */
export const ANYTHING: WireSchema<unknown> = { safeParse: (data) => ({ success: true, data }) };
