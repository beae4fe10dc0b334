-- Sends requests that were signed before, each once: the file has a path, a body, and then for each request what its headers say.
local path, body, lines, sent = '', '', {}, 0

function init(args)
  local file = assert(io.open(args[1]))
  path, body = file:read('*l'), file:read('*l')
  for line in file:lines() do lines[#lines + 1] = line end
  file:close()
end

function request()
  sent = math.min(sent + 1, #lines)
  local id, time, signature = lines[sent]:match('^(%S+) (%S+) (%S+)$')
  local headers = {
    ['content-type'] = 'application/json',
    ['webhook-id'] = id,
    ['webhook-timestamp'] = time,
    ['webhook-signature'] = signature,
  }
  return wrk.format('POST', path, headers, body)
end

function done(summary, latency)
  local errors = 0
  for _, count in pairs(summary.errors) do errors = errors + count end
  local told = '{"requests":%d,"us":%d,"errors":%d,"p99us":%d}\n'
  io.write(told:format(summary.requests, summary.duration, errors, latency:percentile(99)))
end
