import { mostBytes } from './stdio.ts';

const newline = '\n'.charCodeAt(0);

/** `fetch`, but for answers that are too long: of those, and of lines in streams of events that are, reading fails. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  if (answer.body === null) return answer;
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const body = answer.body.pipeThrough(isStream ? counting((chunk) => chunk.lastIndexOf(newline)) : counting(() => -1));
  return new Response(body, answer);
}

/** Passes bytes on, as long as there are not too many after the last place where something ends. */
function counting(endIn: (chunk: Uint8Array) => number): TransformStream<Uint8Array, Uint8Array> {
  let count = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = endIn(chunk);
      count = end === -1 ? count + chunk.length : chunk.length - end - 1;
      if (count > mostBytes) controller.error(new Error(`the server said more than ${mostBytes} bytes at once`));
      else controller.enqueue(chunk);
    },
  });
}
