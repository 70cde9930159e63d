import { useEffect, useState } from 'preact/hooks';
import { parseRoute, type Route } from '../routing/route.ts';

/** The view that the URL asks for. */
export function useRoute(): Route {
  const [fragment, setFragment] = useState(() => location.hash);
  useEffect(() => {
    const update = (): void => setFragment(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return parseRoute(fragment);
}
