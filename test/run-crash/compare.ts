import type { Outcome } from './outcome.ts';
import type { Life, RunScene, Traces } from './scene.ts';

const done = '0,';
const most = 3;

/** Carries the run of a scene to its end by fresh hosts that nobody kills. Gives what came of it, and what kept them from it. */
async function resume(scene: RunScene): Promise<{ outcome: Outcome | undefined; problems: string[] }> {
  const problems: string[] = [];
  for (let lives = 0; lives < most; lives++) {
    const { how, stdout, stderr } = await scene.live();
    if (String(how) === done) return { outcome: JSON.parse(stdout) as Outcome, problems };
    problems.push(`a host that nobody killed ended with ${how}: ${/^\w*Error: .*$/m.exec(stderr)?.[0] ?? stderr}`);
  }
  return { outcome: undefined, problems };
}

/** Resumes a run whose host was killed; gives all that is not as in a run that went straight. */
export async function problemsAfter(scene: RunScene, killed: Life, straight: Traces): Promise<string[]> {
  if (String(killed.how) !== ',SIGKILL') return [`it was not killed, but ended with ${killed.how}: ${killed.stderr}`];
  const { outcome, problems } = await resume(scene);
  if (outcome === undefined) return problems;
  const left = await scene.left();
  const traces = scene.traces(outcome);
  problems.push(
    ...differences('state', straight.outcome.state, traces.outcome.state),
    ...listed('step', straight.outcome.steps, traces.outcome.steps),
    ...listed('kept', straight.kept, traces.kept),
    ...listed('document', straight.documents, traces.documents),
    ...listed('git', straight.ofGit, traces.ofGit),
    ...left.map((one) => `left: ${one}`),
    ...again(scene.agents()),
    ...undelivered(outcome, scene.delivered()),
  );
  if (traces.tree !== straight.tree) problems.push('the branch holds something else');
  if (!outcome.verified) problems.push('the chain of the ledger is broken');
  return problems;
}

function differences(what: string, expected: object, got: object): string[] {
  return Object.entries(expected).flatMap(([key, value]) => {
    const [one, other] = [JSON.stringify(value), JSON.stringify((got as Record<string, unknown>)[key])];
    return one === other ? [] : [`${what} ${key}: ${other} and not ${one}`];
  });
}

/** What is missing in a list, or in it too often. */
function listed(what: string, expected: readonly string[], got: readonly string[]): string[] {
  const count = (list: readonly string[], one: string) => list.filter((other) => other === one).length;
  return [...new Set([...expected, ...got])].flatMap((one) => {
    const [wanted, found] = [count(expected, one), count(got, one)];
    return wanted === found ? [] : [`${what} ${one}: ${found} and not ${wanted}`];
  });
}

/** Agents that were run although their result was there. */
function again(noted: readonly string[]): string[] {
  return noted.flatMap((line, i) => {
    const isDone = noted.slice(0, i).includes(line.replace('start ', 'done '));
    return line.startsWith('start ') && isDone ? [`agent ${line}: its result was there`] : [];
  });
}

function undelivered({ deliveries }: Outcome, delivered: readonly string[]): string[] {
  const owed = new Set(deliveries.map(({ key }) => key));
  return [
    ...deliveries.filter(({ status }) => status !== 'ok').map(({ event, status }) => `delivery of ${event}: ${status}`),
    ...deliveries.filter(({ key }) => !delivered.includes(key)).map(({ event }) => `delivery of ${event} never came`),
    ...delivered.filter((key) => !owed.has(key)).map((key) => `delivery ${key} is owed to nobody`),
  ];
}
