/** Loads an object of the API for a part of a page. */
import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import type { Result } from '../api.ts';
import type { Failure } from '../failure.ts';

export interface Resource<T> {
  /** Null: not loaded yet. */
  readonly value: Signal<T | null>;
  readonly failure: Signal<Failure | null>;
  /** Reloads the value. Keeps the current value meanwhile. */
  readonly load: () => Promise<void>;
}

export function useResource<T>(read: () => Promise<Result<T>>): Resource<T> {
  const value = useSignal<T | null>(null);
  const failure = useSignal<Failure | null>(null);
  const reader = useRef(read);
  reader.current = read;
  const load = useCallback(async (): Promise<void> => {
    const result = await reader.current();
    failure.value = result.ok ? null : result.failure;
    if (result.ok) value.value = result.data;
  }, []);
  useEffect(() => void load(), []);
  return { value, failure, load };
}
