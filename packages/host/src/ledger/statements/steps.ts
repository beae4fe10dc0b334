/** What can be kept in a column. */
export type Value = string | number | null;

/** A statement that every database of ours understands, with the values that stand where it says `?`. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** What a database answers: what was asked for, and how many rows that was, or were changed. */
export interface Answer {
  readonly rows: readonly unknown[];
  readonly count: number;
}

/**
 * Statements of which one follows from what came of the other. Whoever has the database makes them: some answer at once,
 * others later.
 */
export type Steps<T> = Generator<Statement, T, Answer>;

/** The statement with its values. */
export function to(text: string, ...values: readonly Value[]): Statement {
  return { text, values };
}

/** The rows of an answer, which are what the statement says. */
export function rowsIn<R>({ rows }: Answer): readonly R[] {
  return rows as readonly R[];
}

/** The first row of an answer; undefined if it has none. */
export function rowIn<R>({ rows }: Answer): R | undefined {
  return rows[0] as R | undefined;
}

/** Makes the steps with a database that answers at once. */
export function made<T>(steps: Steps<T>, answer: (statement: Statement) => Answer): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next(answer(step.value));
  return step.value;
}

/** Makes the steps with a database that answers later. */
export async function madeLater<T>(steps: Steps<T>, answer: (statement: Statement) => Promise<Answer>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await answer(step.value));
  return step.value;
}
