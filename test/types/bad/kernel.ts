import { Kernel, newRecord } from 'patchbay-host/kernel';
import { hooks, sample } from 'patchbay-sdk';

const kernel = new Kernel(hooks);
kernel.call('turn:dispatched', sample('turn:dispatched')); // wrong: Expected 3 arguments
kernel.call('turn:dispatched', sample('turn:dispatched'), { run: 'run-1' }); // wrong: Property 'record' is missing
kernel.call('turn:accepted', sample('turn:rejected')); // wrong: is missing the following properties
kernel.call('turn:acepted', sample('turn:accepted'), { record: newRecord() }); // wrong: '"turn:acepted"' is not assignable
kernel.hook('turn:dispatched').call({ goal: 'x' }); // wrong: is missing the following properties
