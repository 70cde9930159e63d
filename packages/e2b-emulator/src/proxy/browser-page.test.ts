import { expect, it } from 'vitest';
import { answerFor } from './browser-page.ts';
import { plainAnswer, portClosedAnswer } from './proxy-answer.ts';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

it('is a page for browsers and JSON for programs', () => {
  const answer = portClosedAnswer('i<b>', 3000);
  expect(answerFor('node', answer)).toBe(answer);
  expect(answerFor(undefined, answer)).toBe(answer);
  const page = answerFor(CHROME, answer);
  expect([page.status, page.contentType]).toEqual([502, 'text/html; charset=utf-8']);
  expect(page.body).toContain('<title>Closed Port Error</title>');
  expect(page.body).not.toContain('<b>');
});

it('leaves what is no JSON as it is', () => {
  const answer = plainAnswer(400, 'bad host');
  expect(answerFor(CHROME, answer)).toBe(answer);
});
