import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Issue {
  number: number;
  title: string;
  body: string | null;
  labels: string[];
  html_url: string;
  pull_request?: object;
}

/** A server on loopback that answers as GitHub's REST interface does, for one repository. */
export class GitHubServer {
  readonly issues: Issue[] = [];
  readonly pulls: (Issue & { head: string; base: string; state: string })[] = [];
  readonly variables = new Map<string, string>();
  readonly statuses = new Map<string, { state: string; context: string }[]>();
  readonly checkRuns = new Map<string, { status: string; conclusion: string | null; name: string }[]>();
  /** What the next requests are answered instead, each once. */
  readonly trouble: { status: number; headers?: Record<string, string>; body?: object }[] = [];
  readonly seen: { method: string; path: string; headers: IncomingMessage['headers']; body: unknown }[] = [];
  pageSize = 100;
  url = '';
  #server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<ServerResponse> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = text === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
    const url = new URL(request.url ?? '/', this.url);
    const method = request.method ?? 'GET';
    this.seen.push({ method, path: url.pathname, headers: request.headers, body });
    const say = (status: number, json: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
      return response.end(json === null ? undefined : JSON.stringify(json));
    };
    const trouble = this.trouble.shift();
    if (trouble !== undefined) return say(trouble.status, trouble.body ?? { message: 'trouble' }, trouble.headers);
    if (request.headers.authorization !== 'Bearer good') {
      return say(401, { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest', status: '401' });
    }
    if (!url.pathname.startsWith('/repos/acme/site/')) return say(404, { message: 'Not Found', status: '404' });
    return this.#route(method, url, body, say);
  }

  #route(
    method: string,
    url: URL,
    body: Record<string, unknown> | undefined,
    say: (status: number, json: unknown, headers?: Record<string, string>) => ServerResponse,
  ): ServerResponse {
    const path = url.pathname.slice('/repos/acme/site'.length);
    const page = (items: readonly unknown[], wrap: (some: readonly unknown[]) => unknown = (some) => some) => {
      const number = Number(url.searchParams.get('page') ?? 1);
      const size = Math.min(this.pageSize, Number(url.searchParams.get('per_page') ?? 30));
      const some = items.slice((number - 1) * size, number * size);
      const next = new URL(url);
      next.searchParams.set('page', String(number + 1));
      const link = `<${next}>; rel="next", <${next}>; rel="last"`;
      return say(200, wrap(some), number * size < items.length ? { link } : {});
    };
    const [, pull] = /^\/pulls\/(\d+)$/.exec(path) ?? [];
    const [, variable] = /^\/actions\/variables\/(\w+)$/.exec(path) ?? [];
    const [, commit, kind] = /^\/commits\/(\w+)\/(status|check-runs)$/.exec(path) ?? [];
    if (method === 'GET' && path === '/issues') {
      const wanted = url.searchParams.get('labels');
      return page([...this.issues, ...this.pulls].filter(({ labels }) => wanted === null || labels.includes(wanted)));
    }
    if (method === 'POST' && path === '/issues') return say(201, this.#issue(body ?? {}));
    if (method === 'GET' && path === '/pulls') {
      const head = url.searchParams.get('head');
      return page(this.pulls.filter((one) => `acme:${one.head}` === head && one.state === 'open'));
    }
    if (method === 'POST' && path === '/pulls') {
      const { head, base } = body as { head: string; base: string };
      if (this.pulls.some((one) => one.head === head && one.state === 'open')) {
        const errors = [
          { resource: 'PullRequest', code: 'custom', message: `A pull request already exists for acme:${head}.` },
        ];
        return say(422, { message: 'Validation Failed', errors, status: '422' });
      }
      const made = { ...this.#issue(body ?? {}, 'pull'), head, base, state: 'open', pull_request: {} };
      this.issues.pop();
      this.pulls.push(made);
      return say(201, made);
    }
    if (method === 'PATCH' && pull !== undefined) {
      const found = this.pulls.find(({ number }) => String(number) === pull);
      return found === undefined ? say(404, { message: 'Not Found' }) : say(200, Object.assign(found, body));
    }
    if (method === 'PATCH' && variable !== undefined) {
      if (!this.variables.has(variable)) return say(404, { message: 'Not Found' });
      this.variables.set(variable, String(body?.['value']));
      return say(204, null);
    }
    if (method === 'POST' && path === '/actions/variables') {
      this.variables.set(String(body?.['name']), String(body?.['value']));
      return say(201, {});
    }
    if (commit !== undefined && kind === 'status') {
      const statuses = this.statuses.get(commit) ?? [];
      return page(statuses, (some) => ({ state: 'pending', statuses: some, total_count: statuses.length }));
    }
    if (commit !== undefined) {
      const runs = this.checkRuns.get(commit) ?? [];
      return page(runs, (some) => ({ total_count: runs.length, check_runs: some }));
    }
    return say(404, { message: 'Not Found' });
  }

  #issue({ title, body, labels = [] }: Record<string, unknown>, what = 'issues'): Issue {
    const number = this.issues.length + this.pulls.length + 1;
    const html_url = `${this.url}/acme/site/${what}/${number}`;
    const issue = { number, title: String(title), body: String(body), labels: labels as string[], html_url };
    this.issues.push(issue);
    return issue;
  }
}
