import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Name } from '../parts/name.tsx';
import type { CallPart } from './message.ts';
import { summarizeInput } from './summarize-input.ts';

export interface ApprovalsProps {
  /** Calls that wait; not none. */
  readonly calls: readonly CallPart[];
  /** Called once, when all are answered: the service takes them together. */
  readonly onAnswer: (approvals: readonly { readonly id: string; readonly approved: boolean }[]) => void;
}

/** Asks whether calls may be made. */
export function Approvals({ calls, onAnswer }: ApprovalsProps): VNode {
  const [answers, setAnswers] = useState<Readonly<Record<string, boolean>>>({});
  const answer = (changes: Readonly<Record<string, boolean>>): void => {
    const all = { ...answers, ...changes };
    setAnswers(all);
    const approvals = calls.flatMap(({ approval }) => {
      const approved = approval === undefined ? undefined : all[approval.id];
      return approval === undefined || approved === undefined ? [] : [{ id: approval.id, approved }];
    });
    if (approvals.length === calls.length) onAnswer(approvals);
  };
  return (
    <section class="approvals note note-busy" aria-labelledby="approvals-heading" role="alert">
      <h2 id="approvals-heading">The agent asks to go on</h2>
      <ul class="plain-list">
        {calls.map(({ toolCallId, toolName, input, approval }) => (
          <li key={toolCallId} class="approval">
            <span class="approval-call">
              <strong class="mono">
                <Name text={toolName} />
              </strong>{' '}
              <code>{summarizeInput(input)}</code>
            </span>
            {approval !== undefined && (
              <span class="buttons">
                <button
                  type="button"
                  class="primary"
                  aria-label={`Allow ${toolName}`}
                  aria-pressed={answers[approval.id] === true}
                  onClick={() => answer({ [approval.id]: true })}
                >
                  Allow
                </button>
                <button
                  type="button"
                  aria-label={`Deny ${toolName}`}
                  aria-pressed={answers[approval.id] === false}
                  onClick={() => answer({ [approval.id]: false })}
                >
                  Deny
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {calls.length > 1 && <p class="quiet">They go on together, once all are answered.</p>}
    </section>
  );
}
