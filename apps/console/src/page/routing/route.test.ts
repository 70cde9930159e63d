import { describe, expect, it } from 'vitest';
import { hrefOf, parseRoute, type Route } from './route.ts';

describe('routes', () => {
  it.each<Route>([
    { view: 'workspaces' },
    { view: 'sessions' },
    { view: 'events' },
    { view: 'workspace', workspaceId: 'w1', tab: 'files', path: 'a b/100%', file: 'a b/100%/?#&=.txt' },
    { view: 'workspace', workspaceId: 'w1', tab: 'overview', path: '.', file: undefined },
    { view: 'session', agentId: 'a/b', sessionId: '?s#1 %', tab: 'context' },
  ])('come back from their link: $view', (route) => {
    expect(parseRoute(hrefOf(route))).toStrictEqual(route);
  });

  it('begin with the first tab', () => {
    expect(parseRoute('#/workspaces/w1')).toStrictEqual({
      view: 'workspace',
      workspaceId: 'w1',
      tab: 'overview',
      path: '.',
      file: undefined,
    });
    expect(parseRoute('#/agents/a/sessions/s')).toStrictEqual({
      view: 'session',
      agentId: 'a',
      sessionId: 's',
      tab: 'chat',
    });
  });

  it.each(['#/nowhere', '#/workspaces/w1/secrets', '#/agents/a', '#/%E0%A4%A', '#/sessions/x'])(
    'are unknown: %s',
    (fragment) => {
      expect(parseRoute(fragment)).toStrictEqual({ view: 'unknown' });
    },
  );
});
