import type { ProxyAnswer } from './proxy-answer.ts';

const BROWSER = /mozilla|chrome|safari|firefox|edge|opera|msie/i;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** The same answer for whoever asks: people in front of a browser get a page in place of JSON. */
export function answerFor(userAgent: string | undefined, answer: ProxyAnswer): ProxyAnswer {
  const { status, page } = answer;
  if (page === undefined || userAgent === undefined || !BROWSER.test(userAgent)) return answer;
  const [title, text] = [escapeHtml(page.title), escapeHtml(page.text)];
  const body = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1><p>${text}</p></body>
</html>
`;
  return { status, contentType: 'text/html; charset=utf-8', body };
}
