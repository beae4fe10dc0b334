import { type Case, file } from '../case.ts';
import { go, node, python } from '../repositories.ts';

/** More calls that may wait for ever, or trust anybody. */
export const network: readonly Case[] = [
  {
    name: 'session of requests without a timeout',
    files: python(
      {
        'shop/prices.py': file`
          import requests

          session = requests.Session()
          session.headers["accept"] = "application/json"


          def price(sku):
              return session.get("https://prices.example.com/v1/" + sku).json()["cents"]
        `,
      },
      ['requests==2.32.3'],
    ),
    planted: [{ kind: 'timeout', file: 'shop/prices.py', at: 'session.get' }],
  },
  {
    name: 'http.Get in Go',
    files: go({
      'rates/rates.go': file`
        package rates

        import (
        \t"encoding/json"
        \t"net/http"
        )

        // Latest gives the rates of today.
        func Latest(url string) (rates map[string]float64, err error) {
        \tres, err := http.Get(url)
        \tif err != nil {
        \t\treturn nil, err
        \t}
        \tdefer res.Body.Close()
        \terr = json.NewDecoder(res.Body).Decode(&rates)
        \treturn rates, err
        }
      `,
    }),
    planted: [{ kind: 'timeout', file: 'rates/rates.go', at: 'http.Get' }],
  },
  {
    name: 'server in Go that waits for slow clients for ever',
    files: go({
      'cmd/shop/main.go': file`
        package main

        import (
        \t"log"
        \t"net/http"
        )

        func main() {
        \thttp.HandleFunc("/health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
        \tlog.Fatal(http.ListenAndServe(":8080", nil))
        }
      `,
    }),
    planted: [{ kind: 'timeout', file: 'cmd/shop/main.go', at: 'http.ListenAndServe' }],
  },
  {
    name: 'instance of axios without a timeout',
    files: node(
      {
        'src/crm.ts': file`
          import axios from 'axios';

          const crm = axios.create({ baseURL: 'https://crm.example.com/api', headers: { accept: 'application/json' } });

          export const customer = async (id: string) => (await crm.get(\`/customers/\${id}\`)).data;
        `,
      },
      { axios: '^1.7.2' },
    ),
    planted: [{ kind: 'timeout', file: 'src/crm.ts', at: 'axios.create' }],
  },
  {
    name: 'got without a timeout',
    files: node(
      {
        'src/feed.js': file`
          import got from 'got';

          export const feed = async (url) => got(url, { retry: { limit: 2 } }).json();
        `,
      },
      { got: '^14.4.1' },
    ),
    planted: [{ kind: 'timeout', file: 'src/feed.js', at: 'got(url' }],
  },
  {
    name: 'mail server without a timeout',
    files: python({
      'shop/mailer.py': file`
        import smtplib


        def send(message) -> None:
            with smtplib.SMTP("mail.example.com", 587) as server:
                server.starttls()
                server.send_message(message)
      `,
    }),
    planted: [{ kind: 'timeout', file: 'shop/mailer.py', at: 'smtplib.SMTP(' }],
  },
  {
    name: 'certificate check turned off for the whole process',
    files: node({
      'src/server.js': file`
        process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

        export const start = (server) => server.listen(Number(process.env.PORT ?? 3000));
      `,
    }),
    planted: [{ kind: 'tls', file: 'src/server.js', at: 'NODE_TLS_REJECT_UNAUTHORIZED' }],
  },
  {
    name: 'context of TLS that checks nothing, in Python',
    files: python({
      'shop/legacy.py': file`
        import ssl
        from urllib.request import urlopen

        context = ssl._create_unverified_context()


        def status() -> int:
            with urlopen("https://erp.acme.local/status", timeout=5, context=context) as answer:
                return answer.status
      `,
    }),
    planted: [{ kind: 'tls', file: 'shop/legacy.py', at: 'ssl._create_unverified_context' }],
  },
  {
    name: 'session that trusts anybody',
    files: python(
      {
        'shop/erp.py': file`
          import requests

          session = requests.Session()
          session.verify = False


          def orders():
              return session.get("https://erp.acme.local/orders", timeout=10).json()
        `,
      },
      ['requests==2.32.3'],
    ),
    planted: [{ kind: 'tls', file: 'shop/erp.py', at: 'session.verify' }],
  },
  {
    name: 'download that trusts anybody, in a shell script',
    files: node({
      'scripts/install.sh': file`
        #!/bin/sh
        set -eu
        curl --max-time 60 -fsSLk https://downloads.acme.io/cli/install.tgz -o /tmp/install.tgz
        tar -xzf /tmp/install.tgz -C /usr/local
      `,
    }),
    planted: [{ kind: 'tls', file: 'scripts/install.sh', at: 'curl' }],
  },
  {
    name: 'npm told not to check certificates',
    files: node({ '.npmrc': 'registry=https://npm.acme.io/\nstrict-ssl=false\n' }),
    planted: [{ kind: 'tls', file: '.npmrc', at: 'strict-ssl' }],
  },
  {
    name: 'clean: limits that are set once for all',
    files: node(
      {
        'src/crm.ts': file`
          import axios from 'axios';
          import got from 'got';

          const crm = axios.create({ baseURL: 'https://crm.example.com/api', timeout: 8000 });
          const client = got.extend({ prefixUrl: 'https://feed.example.com', timeout: { request: 5000 } });

          export const customer = async (id: string) => (await crm.get(\`/customers/\${id}\`)).data;
          export const feed = (name: string) => client(name).json();
        `,
        'src/page.js': file`
          const list = document.querySelector('#list');
          const response = await fetch('/api/orders', { headers: { accept: 'application/json' } });
          list.textContent = await response.text();
        `,
        'src/forward.ts': file`
          export const forward = (url: string, init: RequestInit): Promise<Response> => fetch(url, init);
          export const aborted = (url: string, signal: AbortSignal): Promise<Response> => fetch(url, { signal });
        `,
      },
      { axios: '^1.7.2', got: '^14.4.1' },
    ),
    planted: [],
  },
  {
    name: 'clean: deadlines of contexts and servers in Go',
    files: go({
      'rates/rates.go': file`
        package rates

        import (
        \t"context"
        \t"net/http"
        \t"time"
        )

        // Ask asks with a deadline.
        func Ask(ctx context.Context, url string) (*http.Response, error) {
        \tctx, cancel := context.WithTimeout(ctx, 5*time.Second)
        \tdefer cancel()
        \treq, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
        \tif err != nil {
        \t\treturn nil, err
        \t}
        \treturn http.DefaultClient.Do(req)
        }

        // Server serves the rates.
        func Server(handler http.Handler) *http.Server {
        \treturn &http.Server{Addr: ":8080", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
        }
      `,
    }),
    planted: [],
  },
  {
    name: 'clean: sessions and sockets with a limit in Python',
    files: python(
      {
        'shop/clients.py': file`
          import smtplib
          import ssl

          import aiohttp
          import requests

          TIMEOUT = 10
          session = requests.Session()
          context = ssl.create_default_context()


          def ask(url):
              return session.get(url, timeout=TIMEOUT)


          def get_setting(settings, cache):
              return settings.get("stock.url") or cache.get("stock.url")


          async def ask_later(url):
              async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10)) as client:
                  async with client.get(url, ssl=context) as answer:
                      return await answer.text()


          def mail(message):
              with smtplib.SMTP("mail.example.com", 587, timeout=TIMEOUT) as server:
                  server.send_message(message)
        `,
      },
      ['aiohttp==3.9.5', 'requests==2.32.3'],
    ),
    planted: [],
  },
];
