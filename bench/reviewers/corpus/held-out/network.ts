import { type Case, file } from '../case.ts';
import { go, node, python } from '../repositories.ts';

/** Calls to other machines: without an end, or without knowing who answers. */
export const network: readonly Case[] = [
  {
    name: 'fetch that may wait for ever',
    files: node({
      'src/rates.ts': file`
        const base = process.env.RATES_URL ?? 'https://rates.example.com';

        export async function rate(from: string, to: string): Promise<number> {
          const response = await fetch(\`\${base}/latest?from=\${encodeURIComponent(from)}&to=\${encodeURIComponent(to)}\`, {
            headers: { accept: 'application/json' },
          });
          if (!response.ok) throw new Error(\`rates answered \${response.status}\`);
          const { rates } = (await response.json()) as { rates: Record<string, number> };
          return rates[to] ?? Number.NaN;
        }
      `,
    }),
    planted: [{ kind: 'timeout', file: 'src/rates.ts', at: 'await fetch(' }],
  },
  {
    name: 'requests without a timeout',
    files: python(
      {
        'shop/stock.py': file`
          import requests


          def stock(sku: str) -> int:
              response = requests.get(f"https://stock.example.com/v1/items/{sku}", headers={"accept": "application/json"})
              response.raise_for_status()
              return response.json()["available"]
        `,
      },
      ['requests==2.32.3'],
    ),
    planted: [{ kind: 'timeout', file: 'shop/stock.py', at: 'requests.get' }],
  },
  {
    name: 'Go client without a timeout',
    files: go({
      'stock/client.go': file`
        package stock

        import "net/http"

        // Client asks the warehouse.
        type Client struct {
        \tbase string
        \thttp *http.Client
        }

        // New makes a client.
        func New(base string) *Client {
        \treturn &Client{base: base, http: &http.Client{}}
        }
      `,
    }),
    planted: [{ kind: 'timeout', file: 'stock/client.go', at: '&http.Client{}' }],
  },
  {
    name: 'axios with its default of no timeout',
    files: node(
      {
        'src/shipping.js': file`
          import axios from 'axios';

          export async function quote(parcel) {
            const { data } = await axios.post('https://api.shipping.example.com/quotes', parcel);
            return data.price;
          }
        `,
      },
      { axios: '^1.7.2' },
    ),
    planted: [{ kind: 'timeout', file: 'src/shipping.js', at: 'axios.post' }],
  },
  {
    name: 'urlopen without a timeout',
    files: python({
      'scripts/health.py': file`
        import sys
        from urllib.request import urlopen

        with urlopen("https://shop.example.com/health") as answer:
            sys.exit(0 if answer.status == 200 else 1)
      `,
    }),
    planted: [{ kind: 'timeout', file: 'scripts/health.py', at: 'urlopen("' }],
  },
  {
    name: 'certificate check turned off for an agent',
    files: node({
      'src/legacy.ts': file`
        import https from 'node:https';

        const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });

        export const ask = (path: string, done: (status: number) => void): void => {
          https.get({ host: 'erp.acme.local', path, agent, timeout: 5000 }, (res) => done(res.statusCode ?? 0));
        };
      `,
    }),
    planted: [{ kind: 'tls', file: 'src/legacy.ts', at: 'rejectUnauthorized' }],
  },
  {
    name: 'certificate check turned off for requests',
    files: python(
      {
        'shop/erp.py': file`
          import requests

          session = requests.Session()


          def push(order: dict) -> None:
              session.post("https://erp.acme.local/orders", json=order, verify=False, timeout=10).raise_for_status()
        `,
      },
      ['requests==2.32.3'],
    ),
    planted: [{ kind: 'tls', file: 'shop/erp.py', at: 'verify=False' }],
  },
  {
    name: 'certificate check turned off in Go',
    files: go({
      'erp/erp.go': file`
        package erp

        import (
        \t"crypto/tls"
        \t"net/http"
        \t"time"
        )

        // Client talks to the ERP.
        var Client = &http.Client{
        \tTimeout: 10 * time.Second,
        \tTransport: &http.Transport{
        \t\tTLSClientConfig: &tls.Config{InsecureSkipVerify: true},
        \t},
        }
      `,
    }),
    planted: [{ kind: 'tls', file: 'erp/erp.go', at: 'InsecureSkipVerify' }],
  },
  {
    name: 'clean: fetch with a deadline through a wrapper',
    files: node({
      'src/http.ts': file`
        export interface Options extends RequestInit {
          timeoutMs?: number;
        }

        /** fetch that ends. */
        export async function request(url: string, { timeoutMs = 10_000, ...init }: Options = {}): Promise<Response> {
          const signal = AbortSignal.timeout(timeoutMs);
          return fetch(url, { ...init, signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal });
        }
      `,
      'src/rates.ts': file`
        import { request } from './http.js';

        export const rates = async (): Promise<unknown> => (await request('https://rates.example.com/latest')).json();
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: a controller aborts the request',
    files: node({
      'src/poll.js': file`
        export async function poll(url, ms) {
          const controller = new AbortController();
          const timer = setTimeout(() => controller.abort(), ms);
          try {
            const response = await fetch(url, { method: 'HEAD', signal: controller.signal });
            return response.ok;
          } finally {
            clearTimeout(timer);
          }
        }
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: timeouts in Python and Go',
    files: python(
      {
        'shop/stock.py': file`
          import httpx
          import requests

          TIMEOUT = (3.05, 10)
          client = httpx.Client(base_url="https://stock.example.com", timeout=10.0)


          def stock(sku: str) -> int:
              return client.get(f"/v1/items/{sku}").json()["available"]


          def price(sku: str) -> int:
              return requests.get("https://prices.example.com/", params={"sku": sku}, timeout=TIMEOUT).json()["cents"]
        `,
        'stock/client.go': file`
          package stock

          import (
          \t"net/http"
          \t"time"
          )

          // Client asks the warehouse.
          var Client = &http.Client{Timeout: 10 * time.Second}
        `,
      },
      ['httpx==0.27.0', 'requests==2.32.3'],
    ),
    planted: [],
  },
];
