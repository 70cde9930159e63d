import { describe, expect, it } from 'vitest';
import { MessageInvalidError } from '../errors/message-invalid-error.ts';
import { parseMessage } from './parse-message.ts';

const text = { type: 'text', id: 'b1', text: 'hi' };
const message = { name: 'user', role: 'user', id: 'm1', content: [text] };

describe('parseMessage', () => {
  it('gives a message as it is, fields that are not known included', () => {
    const extended = { ...message, content: [{ ...text, cached: true }], tags: ['a'], metadata: null };
    expect(parseMessage(extended)).toEqual(extended);
  });

  it.each([
    ['no object', 'hi', 'expected object'],
    ['content that is a text', { ...message, content: 'hi' }, 'at content'],
    ['a role of another', { ...message, role: 'tool' }, 'at role'],
    ['a block of an unknown type', { ...message, content: [{ ...text, type: 'video' }] }, 'at content[0]'],
    ['a block without an id', { ...message, content: [{ type: 'text', text: 'hi' }] }, 'at content[0].id'],
  ])('refuses %s', (_case, value, reason) => {
    expect(() => parseMessage(value)).toThrow(MessageInvalidError);
    expect(() => parseMessage(value)).toThrow(reason);
  });
});
