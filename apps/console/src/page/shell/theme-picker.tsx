import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { storedTheme, storeTheme, THEMES } from './theme.ts';

export function ThemePicker(): VNode {
  const [theme, setTheme] = useState(storedTheme);
  return (
    <label class="theme-picker">
      <span class="quiet">Theme</span>
      <select
        value={theme}
        onChange={({ currentTarget }) => {
          const chosen = THEMES.find((name) => name === currentTarget.value) ?? 'system';
          setTheme(chosen);
          storeTheme(chosen);
        }}
      >
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
