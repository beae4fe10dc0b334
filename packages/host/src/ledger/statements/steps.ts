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
 * Statements to be made in this order, each step of which follows from what came of the one before. Whoever has the database
 * makes them: some answer at once, others later, and then those of one step need not wait for each other.
 */
export type Steps<T> = Generator<readonly Statement[], T, readonly Answer[]>;

/** A step of one statement. */
export function to(text: string, ...values: readonly Value[]): readonly [Statement] {
  return [{ text, values }];
}

/** The rows that the first statement of a step gave. They are what the statement says. */
export function rowsIn<R>([answer]: readonly Answer[]): readonly R[] {
  return (answer?.rows ?? []) as readonly R[];
}

/** The first row that the first statement of a step gave; undefined if it gave none. */
export function rowIn<R>([answer]: readonly Answer[]): R | undefined {
  return answer?.rows[0] as R | undefined;
}

/** How many rows the first statement of a step changed. */
export function countIn([answer]: readonly Answer[]): number {
  return answer?.count ?? 0;
}

/** Makes the steps with a database that answers at once. */
export function made<T>(steps: Steps<T>, answer: (statement: Statement) => Answer): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value.map(answer));
  return step.value;
}

/** Makes the steps with a database that answers later. */
export async function madeLater<T>(
  steps: Steps<T>,
  answer: (statements: readonly Statement[]) => Promise<readonly Answer[]>,
): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await answer(step.value));
  return step.value;
}
