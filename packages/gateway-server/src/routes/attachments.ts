import { GatewayResourceNotFoundError } from '@agent-workspace/core';
import {
  attachmentSchemas,
  CONTENT_TYPES,
  type Health,
  MAX_JSON_BYTES,
  parseRequest,
  PROTOCOL_VERSION,
  ROUTES,
} from '@agent-workspace/gateway-protocol';
import type { GatewayRoute, GatewayRouteOptions } from '../http/gateway-routes.ts';
import type { GatewayRequest } from '../http/gateway-request.ts';
import { readJson } from '../http/read-body.ts';
import { jsonReply, streamReply } from '../http/reply.ts';

/** The attachment that a request names, which can only be the one whose token it has. */
function ownAttachment(request: GatewayRequest): string {
  const { attachmentId } = request.host;
  const id = request.part('id');
  if (id !== attachmentId) throw new GatewayResourceNotFoundError({ resource: `attachment ${id} of this token` });
  return attachmentId;
}

/** What is about the connection to a host itself. */
export function attachmentRoutes({ hosts, instance, bundleHash }: GatewayRouteOptions): readonly GatewayRoute[] {
  const { attachments } = hosts;
  const health = async ({ backend, attachmentId }: GatewayRequest['host']): Promise<Health> => ({
    status: 'ok',
    protocol: PROTOCOL_VERSION,
    bundleHash: await bundleHash(),
    instance,
    kind: backend.kind,
    workdir: backend.workdir,
    attachmentId,
    attachments: attachments.size,
  });
  return [
    { method: 'GET', route: ROUTES.health, handle: async ({ host }) => jsonReply(await health(host)) },
    {
      method: 'GET',
      route: ROUTES.attachment,
      handle: (request) => jsonReply({ isAttached: attachments.has(request.part('id')) }),
    },
    {
      method: 'PUT',
      route: ROUTES.attachment,
      handle: async (request) => {
        const attachmentId = ownAttachment(request);
        const body = parseRequest(attachmentSchemas().renew, await readJson(request, MAX_JSON_BYTES), 'a renewal');
        return jsonReply({ attachmentId, expiresInMs: attachments.renew(attachmentId, body.ttlMs) ?? 0 });
      },
    },
    {
      method: 'DELETE',
      route: ROUTES.attachment,
      handle: async (request) => {
        await attachments.revoke(ownAttachment(request));
        return jsonReply({ attachments: attachments.size });
      },
    },
    {
      method: 'DELETE',
      route: ROUTES.call,
      handle: (request) => jsonReply({ isCancelled: request.host.calls.cancel(request.part('id')) }),
    },
    {
      method: 'GET',
      route: ROUTES.events,
      handle: ({ host, signal }) => streamReply(host.events.stream(signal), CONTENT_TYPES.ndjson),
    },
  ];
}
