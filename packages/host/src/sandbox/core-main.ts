import { CoreRunner } from '../containers/cores/runner.ts';
import { eachLine } from './wire.ts';

// The process in which the class of an agent core works on a turn, inside the container of its workspace.
const say = process.stdout.write.bind(process.stdout);
// What a core prints is for people; between us and the host there is nothing but lines of JSON.
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;

const runner = new CoreRunner((message) => say(`${JSON.stringify(message)}\n`));
eachLine(process.stdin, (line) => runner.heed(JSON.parse(line)));
process.stdin.on('end', () => process.exit());
